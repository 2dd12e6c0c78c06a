#include "init/birth.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "sys/c_strings.h"
#include "sys/retry.h"
#include "sys/seccomp.h"
#include "sys/terminal.h"

namespace init {

namespace {

using wire::init::User;

constexpr std::uint32_t kUserId = 1000;
constexpr int kErrorFd = 3;
constexpr int kRuntimeFd = 4;
constexpr int kOrderFd = 5;

// What the child tells when it cannot become the program.
struct Misfortune {
  base::Code code = base::Code::kInternal;
  int sys_errno = 0;
  char message[240] = {};
};

// `tell` is where misfortune is told, which moves here.
Result<> place_descriptors(Ends& ends, int& tell) {
  struct Placement {
    sys::UniqueFd& end;
    int place;
  };
  const std::array placements{Placement{ends.input, STDIN_FILENO},  Placement{ends.output, STDOUT_FILENO},
                              Placement{ends.error, STDERR_FILENO}, Placement{ends.misfortune, kErrorFd},
                              Placement{ends.runtime, kRuntimeFd},  Placement{ends.order, kOrderFd}};
  // Lifted first, so that no end sits on a number that is given away.
  constexpr int kAway = 32;
  for (const auto& [end, place] : placements) {
    if (!end) continue;
    ASSIGN_OR_RETURN(end, sys::lift_fd(end.get(), kAway));
    tell = ends.misfortune.get();
  }
  for (const auto& [end, place] : placements) {
    if (end) RETURN_IF_ERROR(sys::place_fd(end.get(), place));
    if (!end) (void)::close(place);  // what init has there is none of the child's
  }
  tell = kErrorFd;
  RETURN_IF_ERROR(sys::close_from(kOrderFd + 1));
  return sys::close_on_exec_from(kErrorFd);
}

Result<> settle(User user, const LaunchPolicy& policy) {
  RETURN_IF_ERROR(sys::reset_signals());
  RETURN_IF_ERROR(sys::new_session());
  RETURN_IF_ERROR(volunteer_for_oom());
  return become(user, policy);
}

Result<> take_no_input() {
  ASSIGN_OR_RETURN(const auto null, sys::open("/dev/null", O_RDONLY));
  return sys::place_fd(null.get(), STDIN_FILENO);
}

Result<> become_program(const wire::init::Start& start) {
  if (start.input == wire::init::Stdin::kClosed) RETURN_IF_ERROR(take_no_input());
  ::umask(022);
  RETURN_IF_ERROR(sys::chdir(start.cwd));
  auto argv = sys::c_strings(start.argv);
  auto envp = sys::c_strings(start.environment);
  environ = envp.data();  // execvp looks for PATH here
  ::execvp(argv[0], argv.data());
  return base::failed_call("exec(" + start.argv[0] + ")");
}

Result<> become_runtime(const wire::init::Start& start) {
  ASSIGN_OR_RETURN(const auto runtime, sys::lift_fd(kRuntimeFd, kOrderFd + 1));
  RETURN_IF_ERROR(sys::place_fd(runtime.get(), kRuntimeFd));  // now it survives the exec
  return become_program(start);
}

Result<> obey(const wire::init::Request& order) {
  if (const auto* start = std::get_if<wire::init::Start>(&order)) return become_program(*start);
  if (const auto* start = std::get_if<wire::init::StartContext>(&order)) {
    return become_runtime(process_of(*start));
  }
  return base::fail(base::Code::kInternal, "an order that is none");
}

// The order comes whole, and ends with the pipe. None: init has no use for this process.
Result<> await_order_and_obey() {
  ASSIGN_OR_RETURN(const auto bytes, sys::read_all(kOrderFd, kLargestOrder));
  if (bytes.empty()) ::_exit(0);
  wire::FrameReader reader;
  reader.feed(bytes);
  ASSIGN_OR_RETURN(const auto frame, reader.next());
  if (!frame) return base::fail(base::Code::kInternal, "an order that is cut short");
  ASSIGN_OR_RETURN(const auto order, wire::init::decode_request(*frame));
  return obey(order);
}

[[noreturn]] void give_up(int tell, const base::Error& error) {
  Misfortune misfortune{.code = error.code, .sys_errno = error.sys_errno};
  std::strncpy(misfortune.message, error.message.c_str(), sizeof misfortune.message - 1);
  (void)!sys::retry([&] { return ::write(tell, &misfortune, sizeof misfortune); });
  ::_exit(127);
}

}  // namespace

void be_born(const wire::init::Start& start, const LaunchPolicy& policy, Ends ends) {
  int tell = ends.misfortune.get();
  const bool is_runtime = static_cast<bool>(ends.runtime);
  auto done = place_descriptors(ends, tell);
  if (done) done = settle(start.user, policy);
  if (done && start.terminal) done = sys::take_terminal(STDIN_FILENO);
  if (done) done = is_runtime ? become_runtime(start) : become_program(start);
  give_up(tell, done.error());
}

void be_born_ahead(const LaunchPolicy& policy, Ends ends) {
  int tell = ends.misfortune.get();
  auto done = place_descriptors(ends, tell);
  if (done) done = settle(User::kUser, policy);
  if (done) done = await_order_and_obey();
  give_up(tell, done.error());
}

// Bounded: a process of the same user may stop the newcomer before its exec, and must not stop init with it.
Result<> await_exec(int misfortune) {
  constexpr int kLimitMs = 10'000;
  pollfd waiting{.fd = misfortune, .events = POLLIN, .revents = 0};
  const int ready = sys::retry([&] { return ::poll(&waiting, 1, kLimitMs); });
  if (ready < 0) return base::failed_call("poll(exec)");
  if (ready == 0) {
    return base::fail(base::Code::kTimeout, "the new process did not get to its exec within 10 s");
  }
  Misfortune told;
  const ssize_t n = sys::retry([&] { return ::read(misfortune, &told, sizeof told); });
  if (n < 0) return base::failed_call("read(exec)");
  if (n == 0) return {};  // closed by the exec
  if (n != sizeof told) return base::fail(base::Code::kInternal, "the new process ended before its exec");
  told.message[sizeof told.message - 1] = '\0';
  return std::unexpected(base::Error{told.code, told.message, told.sys_errno});
}

wire::init::Start process_of(const wire::init::StartContext& start) {
  wire::init::Start process{
      .argv = start.argv, .environment = start.environment, .cwd = start.cwd, .user = start.user};
  process.environment.push_back("COVE_CHANNEL=" + std::to_string(kRuntimeFd));
  return process;
}

Result<> volunteer_for_oom() {
  // Dumpable for this write only, under init's own id; the change of ids that follows undoes it.
  RETURN_IF_ERROR(sys::set_dumpable());
  return sys::write_existing("/proc/self/oom_score_adj", "500");
}

std::uint32_t id_of(User user) { return user == User::kRoot ? 0 : kUserId; }

Result<> become(User user, const LaunchPolicy& policy) {
  const bool is_root = user == User::kRoot;
  const sys::CapMask keep = is_root ? policy.root_capabilities : policy.user_capabilities;
  if (is_root && keep == 0) {
    return base::fail(base::Code::kDenied, "this sandbox has no root; create it in root mode");
  }
  const std::uint32_t id = id_of(user);
  RETURN_IF_ERROR(sys::set_ids(id, id));
  // Until the exec this is still init's memory; what fs.suid_dumpable makes of a change of ids is the host's
  // affair.
  RETURN_IF_ERROR(sys::set_non_dumpable());
  RETURN_IF_ERROR(sys::set_capabilities(keep, keep, keep));
  RETURN_IF_ERROR(sys::set_ambient(keep));
  return sys::install_seccomp_filter(policy.filter);
}

}  // namespace init
