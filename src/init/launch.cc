#include "init/launch.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "init/birth.h"
#include "sys/terminal.h"

namespace init {

namespace {

using wire::init::User;

// One that waits is the user's, and has pipes.
bool suits(const wire::init::Start& start) { return start.user == User::kUser && !start.terminal; }
bool suits(const wire::init::StartContext& start) { return start.user == User::kUser; }

void end(const sys::Clone& process) {
  (void)sys::pidfd_kill(process.pidfd.get(), SIGKILL);
  (void)sys::wait_pidfd(process.pidfd.get());
}

// A launch that failed leaves neither a process nor a leaf.
Result<Launched> once_executed(Launched launched, int misfortune) {
  auto executed = await_exec(misfortune);
  if (executed) return launched;
  end(launched.process);
  (void)launched.leaf.remove();
  return std::unexpected(std::move(executed).error());
}

}  // namespace

namespace {
Result<> open_to_all(int fd) {
  RETURN_IF_ERROR(sys::set_nonblocking(fd));
  // Programs open /dev/stdout and the like, which the kernel allows to whom the pipe itself does.
  return sys::fchmod(fd, 0666);
}
}  // namespace

Result<sys::Pipe> make_output_pipe() {
  ASSIGN_OR_RETURN(auto pipe, sys::make_pipe());
  RETURN_IF_ERROR(open_to_all(pipe.read.get()));
  return pipe;
}

// Both sides of what connects a child with init.
struct Launcher::Births {
  Launched ours;
  sys::UniqueFd misfortune;
  Ends theirs;
};

Result<Launcher::Births> Launcher::make_births() {
  ASSIGN_OR_RETURN(auto input, sys::make_pipe());
  ASSIGN_OR_RETURN(auto output, make_output_pipe());
  ASSIGN_OR_RETURN(auto error, make_output_pipe());
  ASSIGN_OR_RETURN(auto misfortune, sys::make_pipe());
  // While nothing runs yet that a failure would leave behind.
  RETURN_IF_ERROR(open_to_all(input.write.get()));
  ASSIGN_OR_RETURN(auto leaf, make_leaf());
  return Births{.ours = {.leaf = std::move(leaf),
                         .input = std::move(input.write),
                         .output = std::move(output.read),
                         .error = std::move(error.read)},
                .misfortune = std::move(misfortune.read),
                .theirs = {.input = std::move(input.read),
                           .output = std::move(output.write),
                           .error = std::move(error.write),
                           .misfortune = std::move(misfortune.write)}};
}

Result<Leaf> Launcher::make_leaf() { return Leaf::make(group_, "p" + std::to_string(++leaves_)); }

Result<Launcher::Births> Launcher::make_births_on_terminal(const wire::init::Start& start) {
  constexpr int kLowest = 3;
  ASSIGN_OR_RETURN(auto terminal, sys::open_terminal(id_of(start.user)));
  // Acting as another may have undone it.
  RETURN_IF_ERROR(sys::set_non_dumpable());
  RETURN_IF_ERROR(sys::set_window(terminal.ours.get(), start.terminal->rows, start.terminal->columns));
  ASSIGN_OR_RETURN(auto input, sys::lift_fd(terminal.ours.get(), kLowest));
  ASSIGN_OR_RETURN(auto their_input, sys::lift_fd(terminal.theirs.get(), kLowest));
  ASSIGN_OR_RETURN(auto their_error, sys::lift_fd(terminal.theirs.get(), kLowest));
  ASSIGN_OR_RETURN(auto misfortune, sys::make_pipe());
  ASSIGN_OR_RETURN(auto leaf, make_leaf());
  return Births{
      .ours = {.leaf = std::move(leaf), .input = std::move(input), .output = std::move(terminal.ours)},
      .misfortune = std::move(misfortune.read),
      .theirs = {.input = std::move(their_input),
                 .output = std::move(terminal.theirs),
                 .error = std::move(their_error),
                 .misfortune = std::move(misfortune.write)}};
}

Result<Launcher::Births> Launcher::make_births_with_channel() {
  ASSIGN_OR_RETURN(auto channel, sys::make_socket_pair(SOCK_STREAM));
  RETURN_IF_ERROR(sys::set_nonblocking(channel.ours.get()));
  ASSIGN_OR_RETURN(auto births, make_births());
  births.ours.runtime = std::move(channel.ours);
  births.theirs.runtime = std::move(channel.theirs);
  return births;
}

Result<> Launcher::prepare_first() {
  ASSIGN_OR_RETURN(auto order, sys::make_pipe());
  ASSIGN_OR_RETURN(auto births, make_births_with_channel());
  births.theirs.order = std::move(order.read);
  ASSIGN_OR_RETURN(births.ours.process, sys::clone_process({.cgroup = births.ours.leaf.directory()}));
  if (births.ours.process.is_child()) be_born_ahead(policy_, std::move(births.theirs));
  first_ = Standby{.launched = std::move(births.ours),
                   .order = std::move(order.write),
                   .misfortune = std::move(births.misfortune)};
  return {};
}

void Launcher::give_up(Standby& first) {
  end(first.launched.process);
  (void)first.launched.leaf.remove();
}

void Launcher::dismiss_first() {
  if (!first_) return;
  (void)sys::pidfd_kill(first_->launched.process.pidfd.get(), SIGKILL);
  dismissed_ = std::exchange(first_, std::nullopt);
}

void Launcher::give_up_first() {
  dismiss_first();
  if (auto dismissed = std::exchange(dismissed_, std::nullopt)) give_up(*dismissed);
}

// Nothing: it has to be launched the long way.
template <class Start>
Result<std::optional<Launched>> Launcher::launch_first(const Start& start) {
  if (!first_) {
    give_up_first();
    return std::nullopt;
  }
  Standby first = *std::exchange(first_, std::nullopt);
  const std::string order = wire::init::encode(wire::init::kConnection, start);
  const bool given =
      suits(start) && order.size() <= kLargestOrder && sys::write_all(first.order.get(), order).has_value();
  if (!given) {
    give_up(first);
    return std::nullopt;
  }
  first.order.reset();
  ASSIGN_OR_RETURN(auto launched, once_executed(std::move(first.launched), first.misfortune.get()));
  return launched;
}

Result<Launched> Launcher::launch_now(const wire::init::Start& start, Births births) {
  auto process = sys::clone_process({.cgroup = births.ours.leaf.directory()});
  if (!process) {
    (void)births.ours.leaf.remove();
    return std::unexpected(std::move(process).error());
  }
  births.ours.process = *std::move(process);
  if (births.ours.process.is_child()) be_born(start, policy_, std::move(births.theirs));
  births.theirs = {};
  return once_executed(std::move(births.ours), births.misfortune.get());
}

Result<Launched> Launcher::launch(const wire::init::Start& start) {
  ASSIGN_OR_RETURN(auto launched, launch_first(start));
  if (!launched) {
    ASSIGN_OR_RETURN(auto births, start.terminal ? make_births_on_terminal(start) : make_births());
    ASSIGN_OR_RETURN(launched, launch_now(start, std::move(births)));
  }
  launched->runtime.reset();
  if (start.input == wire::init::Stdin::kClosed) launched->input.reset();
  return *std::move(launched);
}

Result<Launched> Launcher::launch(const wire::init::StartContext& start) {
  ASSIGN_OR_RETURN(auto launched, launch_first(start));
  if (!launched) {
    ASSIGN_OR_RETURN(auto births, make_births_with_channel());
    ASSIGN_OR_RETURN(launched, launch_now(process_of(start), std::move(births)));
  }
  launched->input.reset();
  return *std::move(launched);
}

}  // namespace init
