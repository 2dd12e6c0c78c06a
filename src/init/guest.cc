#include "init/guest.h"

#include <sys/socket.h>

#include <array>

#include "wire/zygote_messages.h"

namespace init {

namespace {

// Where every sandbox's user is at home.
constexpr const char* kHome = "/home/user";
// What a pipe takes without anybody reading.
constexpr std::size_t kLargestOrder = 64 << 10;

std::string text_of(const wire::init::ExpectContext& context) {
  std::string text = context.cwd;
  text += '\0';
  for (const std::string& entry : context.environment) {
    text += entry;
    text += '\0';
  }
  return text;
}

}  // namespace

Result<Guest> Guest::expect(Leaf leaf, const wire::init::ExpectContext& context) {
  // In a file, because it may be too long for a pipe that nobody reads yet.
  auto belongings = sys::sealed_memfd("context", text_of(context), 0400);
  return furnished(std::move(leaf), std::move(belongings));
}

Result<Guest> Guest::expect_early(Leaf leaf) {
  auto pipe = sys::make_pipe();
  // Whoever does not read keeps nobody.
  auto ready = pipe ? sys::set_nonblocking(pipe->write.get()) : std::unexpected(pipe.error());
  ASSIGN_OR_RETURN(auto guest, furnished(std::move(leaf), ready ? Result<sys::UniqueFd>(std::move(pipe->read))
                                                                : std::unexpected(std::move(ready).error())));
  guest.order_ = std::move(pipe->write);
  return guest;
}

Result<Guest> Guest::furnished(Leaf leaf, Result<sys::UniqueFd> belongings) {
  Guest guest(std::move(leaf));
  auto done = guest.furnish(std::move(belongings));
  if (done) return guest;
  guest.forget();
  return std::unexpected(std::move(done).error());
}

Result<> Guest::furnish(Result<sys::UniqueFd> belongings) {
  ASSIGN_OR_RETURN(belongings_, std::move(belongings));
  ASSIGN_OR_RETURN(auto output, make_output_pipe());
  ASSIGN_OR_RETURN(auto error, make_output_pipe());
  ASSIGN_OR_RETURN(auto channel, sys::make_socket_pair(SOCK_STREAM));
  RETURN_IF_ERROR(sys::set_nonblocking(channel.ours.get()));
  output_ = std::move(output.write);
  error_ = std::move(error.write);
  runtime_ = std::move(channel.theirs);
  ours_.output = std::move(output.read);
  ours_.error = std::move(error.read);
  ours_.runtime = std::move(channel.ours);
  return {};
}

Result<> Guest::welcome(pid_t pid, int door, int filter) {
  ASSIGN_OR_RETURN(auto pidfd, sys::pidfd_open(pid));
  if (!sys::is_own_child(pidfd.get())) {
    return base::fail(base::Code::kDenied, "process " + std::to_string(pid) + " is no child of init");
  }
  ours_.process = {.pid = pid, .pidfd = std::move(pidfd)};
  RETURN_IF_ERROR(ours_.leaf.take_in(pid));
  std::array<int, wire::zygote::kWelcomeFds> fds{};
  fds[wire::zygote::kOutput] = output_.get();
  fds[wire::zygote::kError] = error_.get();
  fds[wire::zygote::kRuntime] = runtime_.get();
  fds[wire::zygote::kFilter] = filter;
  fds[wire::zygote::kBelongs] = belongings_.get();
  const std::byte greeting{1};
  RETURN_IF_ERROR(sys::send_packet(door, std::span(&greeting, 1), fds));
  // Only its own are left: when it ends, that is to be seen.
  for (sys::UniqueFd* const theirs : {&output_, &error_, &runtime_, &belongings_}) theirs->reset();
  return {};
}

bool Guest::become(const wire::init::ExpectContext& context) {
  const std::string text = text_of(context);
  const sys::UniqueFd order = std::move(order_);
  // It is ready already, so it can fail no more: a directory that may be missing is for another.
  return context.cwd == kHome && text.size() <= kLargestOrder && !sys::has_ended(ours_.process.pidfd.get()) &&
         sys::write_all(order.get(), text).has_value();
}

void Guest::forget() {
  if (ours_.process.pidfd) (void)ours_.leaf.kill_all();
  (void)ours_.leaf.remove();
}

}  // namespace init
