#include "doctor/settings.h"

#include <algorithm>
#include <array>

#include "doctor/host_text.h"
#include "sys/file.h"

namespace doctor {

namespace {

// What it means when the kernel does not have the setting.
enum class Absent { kFine, kUnknown };

struct Setting {
  const char* name;
  Level level;
  std::int64_t least;
  std::int64_t most;
  const char* why;
  Absent absent = Absent::kUnknown;
  std::int64_t vital = INT64_MIN;  // below this it does not work at all
};

constexpr std::int64_t kAny = INT64_MAX;

constexpr std::array kSettings = {
    Setting{"user.max_user_namespaces", Level::kRequired, 4096, kAny,
            "every sandbox and every template's nursery is a user namespace", Absent::kUnknown, 8},
    Setting{"user.max_net_namespaces", Level::kRequired, 1024, kAny, "every sandbox has a network namespace",
            Absent::kUnknown, 8},
    Setting{"user.max_mnt_namespaces", Level::kRequired, 1024, kAny, "every sandbox has a mount namespace",
            Absent::kUnknown, 8},
    Setting{"fs.inotify.max_user_instances", Level::kAdvised, 1024, kAny,
            "instances are counted for all sandboxes of a template together, and four may use up 128"},
    Setting{"kernel.pty.max", Level::kAdvised, 16384, kAny,
            "every sandbox may have 64 terminals, and 1024 of the machine's are kept for others"},
    Setting{"fs.file-max", Level::kAdvised, 10'000'000, kAny,
            "open files are counted against a sandbox's memory, which allows two million for 512 MiB; at the "
            "end of the machine's own number nobody can open one"},
    Setting{"kernel.pid_max", Level::kAdvised, 65536, kAny,
            "a hundred sandboxes of 256 processes need 25600 numbers"},
    Setting{"kernel.io_uring_disabled", Level::kAdvised, 2, 2,
            "sandboxes cannot use io_uring, and it has a long record of holes open to everything else",
            Absent::kFine},
    Setting{"kernel.unprivileged_bpf_disabled", Level::kAdvised, 1, 2,
            "a second wall behind the system call filter", Absent::kFine},
    Setting{"kernel.kptr_restrict", Level::kAdvised, 2, 2, "kernel addresses help an attacker"},
    Setting{"kernel.dmesg_restrict", Level::kAdvised, 1, 1,
            "the kernel's log holds addresses and others' doings"},
    Setting{"kernel.perf_event_paranoid", Level::kAdvised, 3, kAny,
            "performance counters tell about other processes", Absent::kFine},
    Setting{"kernel.randomize_va_space", Level::kAdvised, 2, 2,
            "known addresses make every memory bug usable"},
    Setting{"vm.unprivileged_userfaultfd", Level::kAdvised, 0, 0,
            "it lets a process hold the kernel in a bad moment", Absent::kFine},
    Setting{"dev.tty.legacy_tiocsti", Level::kAdvised, 0, 0,
            "a program could type into the terminal it was started from", Absent::kFine},
    Setting{"fs.protected_symlinks", Level::kAdvised, 1, 1,
            "links planted in /tmp lead root's programs astray"},
    Setting{"fs.protected_hardlinks", Level::kAdvised, 1, 1,
            "links planted in /tmp lead root's programs astray"},
    Setting{"fs.protected_regular", Level::kAdvised, 1, 2,
            "files planted in /tmp are opened by root's programs"},
    Setting{"fs.protected_fifos", Level::kAdvised, 1, 2,
            "pipes planted in /tmp are opened by root's programs"},
    Setting{"fs.suid_dumpable", Level::kAdvised, 0, 0,
            "memory of privileged programs would land in core files"},
};

std::string needed(const Setting& setting) {
  if (setting.most == kAny) return std::to_string(setting.least) + " or more";
  if (setting.most == setting.least) return std::to_string(setting.least);
  return std::to_string(setting.least) + " to " + std::to_string(setting.most);
}

Status judge(const Setting& setting, std::int64_t value) {
  if (value < setting.vital) return Status::kMissing;
  return value < setting.least || value > setting.most ? Status::kWeak : Status::kOk;
}

Finding judge(const Setting& setting, const std::optional<std::string>& text) {
  const std::string name = setting.name;
  Finding out{.id = name,
              .level = setting.level,
              .needed = needed(setting),
              .why = setting.why,
              .fix = "sysctl -w " + name + "=" + std::to_string(setting.least) +
                     ", and the same line in /etc/sysctl.d"};
  if (!text) {
    out.status = setting.absent == Absent::kFine ? Status::kOk : Status::kUnknown;
    out.found = "not in this kernel, or hidden";
    return out;
  }
  out.found = trimmed(*text);
  const auto value = number(*text);
  out.status = value ? judge(setting, *value) : Status::kUnknown;
  return out;
}

// A text, so it does not fit the table of numbers.
Finding judge_core_pattern(const std::optional<std::string>& text) {
  Finding out{
      .id = "kernel.core_pattern",
      .level = Level::kAdvised,
      .found = std::string(trimmed(text.value_or("not readable"))),
      .needed = "a file name, not a pipe",
      .why =
          "the kernel starts the program behind the pipe as the machine's root whenever something in a "
          "sandbox crashes, and feeds it what the sandbox chose",
      .fix = "sysctl -w kernel.core_pattern=core (and disable apport or systemd-coredump)"};
  if (text) out.status = text->starts_with('|') ? Status::kWeak : Status::kOk;
  return out;
}

}  // namespace

std::vector<Finding> judge_settings(const ReadSetting& read) {
  std::vector<Finding> out;
  out.reserve(std::size(kSettings) + 1);
  for (const Setting& setting : kSettings) out.push_back(judge(setting, read(setting.name)));
  out.push_back(judge_core_pattern(read("kernel.core_pattern")));
  return out;
}

std::optional<std::string> read_setting(const std::string& name) {
  std::string path = "/proc/sys/" + name;
  std::ranges::replace(path, '.', '/');
  const auto text = sys::read_file(path);
  return text ? std::optional(*text) : std::nullopt;
}

}  // namespace doctor
