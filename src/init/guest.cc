#include "init/guest.h"

#include <sys/socket.h>

#include <array>

#include "wire/zygote_messages.h"

namespace init {

namespace {

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
  Guest guest(std::move(leaf));
  if (auto furnished = guest.furnish(context); !furnished) {
    guest.forget();
    return std::unexpected(std::move(furnished).error());
  }
  return guest;
}

Result<> Guest::furnish(const wire::init::ExpectContext& context) {
  ASSIGN_OR_RETURN(auto output, sys::make_pipe());
  ASSIGN_OR_RETURN(auto error, sys::make_pipe());
  ASSIGN_OR_RETURN(auto channel, sys::make_socket_pair(SOCK_STREAM));
  for (const int fd : {output.read.get(), error.read.get(), channel.ours.get()}) {
    RETURN_IF_ERROR(sys::set_nonblocking(fd));
  }
  // In a file, because a message may be too long for a socket that nobody reads yet.
  ASSIGN_OR_RETURN(belongings_, sys::sealed_memfd("context", text_of(context), 0400));
  output_ = std::move(output.write);
  error_ = std::move(error.write);
  runtime_ = std::move(channel.theirs);
  ours_.output = std::move(output.read);
  ours_.error = std::move(error.read);
  ours_.runtime = std::move(channel.ours);
  return {};
}

Result<Launched> Guest::welcome(pid_t pid, int door, int filter) {
  ASSIGN_OR_RETURN(ours_.process.pidfd, sys::pidfd_open(pid));
  ours_.process.pid = pid;
  if (!sys::is_own_child(ours_.process.pidfd.get())) {
    return base::fail(base::Code::kDenied, "process " + std::to_string(pid) + " is no child of init");
  }
  RETURN_IF_ERROR(ours_.leaf.take_in(pid));
  std::array<int, wire::zygote::kWelcomeFds> fds{};
  fds[wire::zygote::kOutput] = output_.get();
  fds[wire::zygote::kError] = error_.get();
  fds[wire::zygote::kRuntime] = runtime_.get();
  fds[wire::zygote::kFilter] = filter;
  fds[wire::zygote::kBelongs] = belongings_.get();
  const std::byte greeting{1};
  RETURN_IF_ERROR(sys::send_packet(door, std::span(&greeting, 1), fds));
  return std::move(ours_);
}

}  // namespace init
