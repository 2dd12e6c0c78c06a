#include "init/file_worker.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "files/serve.h"
#include "sys/retry.h"
#include "wire/file_messages.h"

namespace init {

namespace {

using base::Code;

// A whole window, and what goes along with it.
constexpr std::size_t kMostPending = wire::file::kWindow + (128 << 10);
constexpr int kSocket = 3;

Result<> become_worker(int socket, const LaunchPolicy& policy) {
  RETURN_IF_ERROR(sys::reset_signals());
  RETURN_IF_ERROR(sys::new_session());
  RETURN_IF_ERROR(volunteer_for_oom());
  ASSIGN_OR_RETURN(const auto lifted, sys::lift_fd(socket, 32));
  RETURN_IF_ERROR(sys::place_fd(lifted.get(), kSocket));
  // Nothing of init's own stays open, and no file that a call opens gets a standard number.
  ASSIGN_OR_RETURN(const auto nothing, sys::open("/dev/null", O_RDWR));
  for (int standard = 0; standard < kSocket; ++standard) {
    RETURN_IF_ERROR(sys::place_fd(nothing.get(), standard));
  }
  RETURN_IF_ERROR(sys::close_from(kSocket + 1));
  RETURN_IF_ERROR(become(wire::init::User::kUser, policy));
  // A limit on the size of files is an error of a write here.
  if (::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return base::failed_call("signal(SIGXFSZ)");
  ::umask(022);
  return sys::chdir("/");
}

[[noreturn]] void worker_main(int socket, const LaunchPolicy& policy) {
  if (!become_worker(socket, policy)) ::_exit(126);
  ::_exit(files::serve(kSocket) ? 0 : 1);
}

}  // namespace

Result<FileWorker> FileWorker::start(const LaunchPolicy& policy, Leaf leaf) {
  auto sockets = sys::make_socket_pair(SOCK_STREAM);
  auto process = sockets ? sys::clone_process({.cgroup = leaf.directory()}) : Result<sys::Clone>();
  if (!sockets || !process) {
    (void)leaf.remove();
    return std::unexpected(sockets ? std::move(process).error() : std::move(sockets).error());
  }
  if (process->is_child()) worker_main(sockets->theirs.get(), policy);
  return FileWorker(*std::move(process), std::move(leaf), std::move(sockets->ours));
}

void FileWorker::add_polls(std::vector<pollfd>& polls, bool room_for_answers) const {
  short events = 0;
  if (room_for_answers) events |= POLLIN;
  if (!pending_.empty()) events |= POLLOUT;
  if (socket_ && events != 0) polls.push_back({socket_.get(), events, 0});
}

Result<> FileWorker::open(std::uint32_t stream, const wire::Frame& frame) {
  stream_ = stream;
  return pass(frame);
}

Result<> FileWorker::pass(const wire::Frame& frame) {
  if (pending_.size() + frame.payload.size() > kMostPending) {
    return base::fail(Code::kExhausted, "more was sent to a file call than its window has");
  }
  pending_ += wire::encode_frame(frame.type, frame.stream, frame.payload);
  flush();
  return {};
}

void FileWorker::flush() {
  while (!pending_.empty() && socket_) {
    const ssize_t n = sys::retry(
        [&] { return ::send(socket_.get(), pending_.data(), pending_.size(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    // Its end is told when it is reaped.
    if (n < 0) return;
    pending_.erase(0, static_cast<std::size_t>(n));
  }
}

Result<std::optional<wire::Frame>> FileWorker::next() {
  while (true) {
    ASSIGN_OR_RETURN(auto frame, incoming_.next());
    if (frame) {
      RETURN_IF_ERROR(check(*frame));
      return frame;
    }
    if (!socket_) return std::optional<wire::Frame>();
    std::array<char, 65536> buffer;
    const ssize_t n =
        sys::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT); });
    if (n < 0 && errno == EAGAIN) return std::optional<wire::Frame>();
    if (n <= 0) {
      socket_.reset();
      continue;
    }
    incoming_.feed({buffer.data(), static_cast<std::size_t>(n)});
  }
}

// Whatever it says of its own call is the engine's to judge; of other streams it may say nothing.
Result<> FileWorker::check(const wire::Frame& frame) {
  if (!stream_ || frame.stream != *stream_) {
    return base::fail(Code::kInvalid, "a file worker speaks of a call that it does not have");
  }
  bool ends = wire::file::is_end(frame.type);
  if (!wire::file::is_event(frame.type)) {
    ASSIGN_OR_RETURN(const auto event, wire::init::decode_event(frame));
    ends = std::holds_alternative<wire::init::Failed>(event);
    if (!ends) return base::fail(Code::kInvalid, "a file worker speaks of something else than files");
  }
  if (ends) stream_.reset();
  return {};
}

bool FileWorker::is_stopped() const { return sys::is_stopped(process_.pidfd.get()); }

void FileWorker::kill() const { (void)sys::pidfd_kill(process_.pidfd.get(), SIGKILL); }

}  // namespace init
