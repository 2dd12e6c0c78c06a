// Makes one system call of a process, or of whatever it starts, fail. A test tool: it traces a spawner, the
// helpers it clones, pid 1 of the sandbox, cove-init and what that starts, each up to the exec of the
// sandbox's program.
//
//   inject PID              from outside, a spawner that serves
//   inject -- PROGRAM ARG…  one that it starts itself, at the command "start"
//
// Commands, a line each on standard input; each is answered by "ok" on a line of its own:
//
//   arm PROCESS CALL K ERRNO  the Kth call with the number CALL of PROCESS is to fail
//   arm - 0 0 0               every call of every process is only recorded
//   from CALL                 counting begins with the first such call
//   start                     the program is executed
//   alive                     how many processes there are
//   report                    what was seen since "arm"; nothing is to fail from here on
//
// A process is named by its way from the first: "0" is the spawner, "0.2" its second child, "0.2.1:init" that
// one's child after an exec. The call is not made: it becomes a getpid, and the result is replaced. A close
// is made, and then said to have failed, because that is what the kernel does.
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                          PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;

[[noreturn]] void die(const std::string& what) {
  std::perror(("inject: " + what).c_str());
  std::exit(1);
}

struct Call {
  std::string process;
  long number = 0;
  int occurrence = 0;
  std::array<unsigned long long, 3> arguments{};
  long long result = 0;
  bool ended = false;
  bool injected = false;
};

struct Process {
  std::string name;
  int births = 0;
  bool inside_call = false;
  std::size_t call = 0;  // where it is recorded
  std::map<long, int> made{};
};

struct Fault {
  std::string process;
  long number = 0;
  int occurrence = 0;
  int error = 0;
};

class Injector {
 public:
  void attach(pid_t pid) {
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) != 0) die("seize " + std::to_string(pid));
    first_ = pid;
    processes_[pid] = {.name = "0"};
  }

  // The child waits until it is traced and told to go on.
  void prepare(char** argv) {
    int gate[2];
    if (::pipe(gate) != 0) die("pipe");
    const pid_t child = ::fork();
    if (child < 0) die("fork");
    if (child == 0) {
      char byte = 0;
      ::close(gate[1]);
      if (::read(gate[0], &byte, 1) != 1) ::_exit(126);
      ::close(gate[0]);
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      ::execv(argv[0], argv);
      ::_exit(127);
    }
    ::close(gate[0]);
    gate_ = gate[1];
    awaits_exec_ = true;
    attach(child);
  }

  void command(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "arm") {
      words >> fault_.process >> fault_.number >> fault_.occurrence >> fault_.error;
      calls_.clear();
      notes_.clear();
      for (auto& [pid, process] : processes_) {
        process.made.clear();
        process.births = 0;
        process.inside_call = false;
      }
      if (!awaits_exec_ && is_watched("0")) watch_first();
    } else if (what == "from") {
      words >> from_;
    } else if (what == "start") {
      if (::write(gate_, "g", 1) != 1) die("start");
    } else if (what == "alive") {
      std::cout << processes_.size() << '\n';
    } else if (what == "report") {
      report();
    } else {
      die("unknown command " + line);
    }
    std::cout << "ok" << std::endl;
  }

  void take_news() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG | __WALL)) > 0) news(pid, status);
  }

 private:
  // Stopping for every call of every process is slow: only the one that is to fail is watched, unless all are
  // recorded.
  bool is_watched(const std::string& process) const {
    return awaits_exec_ || fault_.process == "-" || fault_.process == process;
  }

  // It waits for work, without being watched. One stop, after which every call of it is seen.
  void watch_first() {
    int status = 0;
    if (::ptrace(PTRACE_INTERRUPT, first_, nullptr, nullptr) != 0) die("interrupt");
    if (::waitpid(first_, &status, __WALL) != first_) die("wait for the stop");
    news(first_, status);
  }

  void news(pid_t pid, int status) {
    if (!WIFSTOPPED(status)) return ended(pid, status);
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (!processes_.contains(pid)) {
      unnamed_.insert(pid);  // its parent has not told of it yet
      return;
    }
    if (signal == (SIGTRAP | 0x80)) {
      at_call(pid, processes_[pid]);
      return go_on(pid);
    }
    switch (event) {
      case PTRACE_EVENT_CLONE:
      case PTRACE_EVENT_FORK:
      case PTRACE_EVENT_VFORK:
        born(processes_[pid], pid);
        return go_on(pid);
      case PTRACE_EVENT_EXEC:
        return executed(pid);
      case 0:
        return go_on(pid, signal);
      default:
        return go_on(pid);
    }
  }

  void ended(pid_t pid, int status) {
    const auto found = processes_.find(pid);
    if (found == processes_.end()) return;
    notes_.push_back(found->second.name + (WIFSIGNALED(status)
                                               ? " killed " + std::to_string(WTERMSIG(status))
                                               : " exit " + std::to_string(WEXITSTATUS(status))));
    processes_.erase(found);
  }

  void born(Process& parent, pid_t pid) {
    unsigned long child = 0;
    if (::ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &child) != 0) return;
    const auto id = static_cast<pid_t>(child);
    processes_[id] = {.name = parent.name + "." + std::to_string(++parent.births)};
    if (unnamed_.erase(id) != 0) go_on(id);
  }

  void executed(pid_t pid) {
    Process& process = processes_[pid];
    if (awaits_exec_) {
      awaits_exec_ = false;
      return go_on(pid);
    }
    notes_.push_back(process.name + " executed");
    process.inside_call = false;
    // The second in a line is the sandbox's program, which is its own affair.
    if (process.name.contains(':')) {
      processes_.erase(pid);
      ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
      return;
    }
    process.name += ":init";
    process.made.clear();
    process.births = 0;
    go_on(pid);
  }

  void at_call(pid_t pid, Process& process) {
    __ptrace_syscall_info info{};
    if (::ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), pid, sizeof info, &info) <= 0)
      return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && counts(static_cast<long>(info.entry.nr))) {
      entered(pid, process, info);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && process.inside_call) {
      left(pid, process, info);
    }
  }

  bool counts(long number) {
    if (from_ == number) from_ = -1;
    return !awaits_exec_ && from_ == -1 && number != SYS_restart_syscall;
  }

  void entered(pid_t pid, Process& process, const __ptrace_syscall_info& info) {
    const auto number = static_cast<long>(info.entry.nr);
    const int occurrence = ++process.made[number];
    const bool inject =
        fault_.process == process.name && fault_.number == number && fault_.occurrence == occurrence;
    process.inside_call = true;
    process.call = calls_.size();
    calls_.push_back({.process = process.name,
                      .number = number,
                      .occurrence = occurrence,
                      .arguments = {info.entry.args[0], info.entry.args[1], info.entry.args[2]},
                      .injected = inject});
    if (inject && number != SYS_close) set_register(pid, offsetof(user_regs_struct, orig_rax), SYS_getpid);
  }

  void left(pid_t pid, Process& process, const __ptrace_syscall_info& info) {
    process.inside_call = false;
    Call& call = calls_[process.call];
    call.ended = true;
    call.result = info.exit.rval;
    if (!call.injected) return;
    call.result = -fault_.error;
    set_register(pid, offsetof(user_regs_struct, rax), -fault_.error);
  }

  static void set_register(pid_t pid, std::size_t which, long value) {
    if (::ptrace(PTRACE_POKEUSER, pid, which, value) != 0 && errno != ESRCH) die("poke");
  }

  void go_on(pid_t pid, int signal = 0) {
    const auto how = is_watched(processes_[pid].name) ? PTRACE_SYSCALL : PTRACE_CONT;
    // One that was killed meanwhile is told of by the next wait.
    if (::ptrace(how, pid, nullptr, static_cast<long>(signal)) != 0 && errno != ESRCH) die("go on");
  }

  void report() {
    for (const Call& call : calls_) {
      std::cout << "call " << call.process << ' ' << call.number << ' ' << call.occurrence << ' '
                << call.injected << ' ' << call.ended << ' ' << call.result;
      for (const auto argument : call.arguments) std::cout << ' ' << argument;
      std::cout << '\n';
    }
    for (const std::string& note : notes_) std::cout << "note " << note << '\n';
    std::cout << "alive " << processes_.size() << '\n';
    fault_ = {};
  }

  pid_t first_ = 0;
  int gate_ = -1;
  bool awaits_exec_ = false;
  long from_ = -1;
  Fault fault_;
  std::map<pid_t, Process> processes_;
  std::set<pid_t> unnamed_;
  std::vector<Call> calls_;
  std::vector<std::string> notes_;
};

// Serves commands until there are none any more; what it traces goes on without it.
void serve(Injector& injector, int news) {
  std::string typed;
  while (true) {
    pollfd waits[] = {{STDIN_FILENO, POLLIN, 0}, {news, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) die("poll");
    if (waits[1].revents != 0) {
      signalfd_siginfo ignored{};
      (void)!::read(news, &ignored, sizeof ignored);
      injector.take_news();
    }
    if (waits[0].revents == 0) continue;
    char buffer[512];
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n <= 0) return;
    typed.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = typed.find('\n')) != std::string::npos; typed.erase(0, end + 1)) {
      injector.command(typed.substr(0, end));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: inject PID | inject -- PROGRAM ARG…\n", stderr);
    return 2;
  }
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  const int news = ::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (news < 0) die("signalfd");
  Injector injector;
  if (std::string(argv[1]) == "--") {
    injector.prepare(argv + 2);
  } else {
    injector.attach(static_cast<pid_t>(std::strtol(argv[1], nullptr, 10)));
  }
  std::cout << "ready" << std::endl;
  serve(injector, news);
  return 0;
}
