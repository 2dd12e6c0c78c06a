#include "jail/machine.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace jail {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

// Where one processor stands among those of its sandbox.
struct Place {
  unsigned number = 0;  // as in the affinity mask
  std::size_t index = 0;
  std::size_t count = 0;
};

// The value that a line must have for this sandbox; empty: the host's own. CPUID tells the rest to every
// program that asks, and programs choose their code by the flags, so those are the real ones.
std::string own_value(std::string_view key, const Place& place) {
  if (key == "processor") return std::to_string(place.number);
  if (key == "core id" || key == "apicid" || key == "initial apicid") return std::to_string(place.index);
  if (key == "siblings" || key == "cpu cores") return std::to_string(place.count);
  if (key == "physical id") return "0";
  // CPUID does not tell it: a value that hypervisors show their guests.
  if (key == "microcode") return "0x1";
  return "";
}

void append_processor(std::string& text, std::string_view description, const Place& place) {
  while (!description.empty()) {
    const std::size_t end = std::min(description.find('\n'), description.size() - 1);
    const std::string_view line = description.substr(0, end + 1);
    description.remove_prefix(end + 1);
    const std::size_t colon = line.find(':');
    const std::string value =
        colon == std::string_view::npos ? "" : own_value(trimmed(line.substr(0, colon)), place);
    if (value.empty()) {
      text += line;
    } else {
      fmt::format_to(std::back_inserter(text), "{}: {}\n", line.substr(0, colon), value);
    }
  }
  text += '\n';
}

std::string cpuinfo(const Machine& machine) {
  std::string text;
  for (std::size_t i = 0; i < machine.cpus.size(); ++i) {
    append_processor(text, machine.processor,
                     {.number = machine.cpus[i], .index = i, .count = machine.cpus.size()});
  }
  return text;
}

// Every line of the kernel's own, because readers look for them by name. All memory is free and none is used:
// the file does not change, and a figure of the moment it was written would only look alive.
constexpr std::array kUsesOfMemory = {
    "Buffers",        "Cached",        "SwapCached",     "Active",       "Inactive",      "Active(anon)",
    "Inactive(anon)", "Active(file)",  "Inactive(file)", "Unevictable",  "Mlocked",       "SwapTotal",
    "SwapFree",       "Zswap",         "Zswapped",       "Dirty",        "Writeback",     "AnonPages",
    "Mapped",         "Shmem",         "KReclaimable",   "Slab",         "SReclaimable",  "SUnreclaim",
    "KernelStack",    "PageTables",    "SecPageTables",  "NFS_Unstable", "Bounce",        "WritebackTmp",
    "Committed_AS",   "VmallocUsed",   "VmallocChunk",   "Percpu",       "AnonHugePages", "ShmemHugePages",
    "ShmemPmdMapped", "FileHugePages", "FilePmdMapped",  "Hugetlb",
};

std::string meminfo(std::uint64_t bytes) {
  std::string text;
  const auto line = [&text](std::string_view name, std::uint64_t kib) {
    fmt::format_to(std::back_inserter(text), "{:<16}{:>8} kB\n", fmt::format("{}:", name), kib);
  };
  for (const char* name : {"MemTotal", "MemFree", "MemAvailable"}) line(name, bytes / 1024);
  for (const char* name : kUsesOfMemory) line(name, 0);
  line("CommitLimit", bytes / 1024);
  line("VmallocTotal", 34359738367);  // the size of an address range, the same on every x86-64
  for (const char* name : {"Total", "Free", "Rsvd", "Surp"}) {
    fmt::format_to(std::back_inserter(text), "{:<16}{:>8}\n", fmt::format("HugePages_{}:", name), 0);
  }
  line("Hugepagesize", 2048);
  return text;
}

// A second of idleness, so that a reader that divides by the total finds one.
std::string stat(const Machine& machine) {
  constexpr unsigned kTicks = 100;
  std::string text = fmt::format("cpu  0 0 0 {} 0 0 0 0 0 0\n", kTicks * machine.cpus.size());
  for (const unsigned cpu : machine.cpus) text += fmt::format("cpu{} 0 0 0 {} 0 0 0 0 0 0\n", cpu, kTicks);
  text += fmt::format(
      "intr 0\nctxt 0\nbtime {}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 "
      "0\n",
      machine.boot_time);
  return text;
}

}  // namespace

std::string cpu_list(const sys::CpuNumbers& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string first_processor(std::string_view cpuinfo) {
  return std::string(cpuinfo.substr(0, std::min(cpuinfo.find("\n\n"), cpuinfo.size() - 1) + 1));
}

std::vector<StaticFile> machine_proc_files(const Machine& machine) {
  return {
      {"cpuinfo", cpuinfo(machine)},
      {"meminfo", meminfo(machine.memory_bytes)},
      {"stat", stat(machine)},
      {"loadavg", "0.00 0.00 0.00 1/1 1\n"},
  };
}

std::vector<StaticFile> machine_sys_files(const Machine& machine) {
  // The numbers are those of the affinity mask, so that both tell of the same CPUs. What keeps a table by
  // CPU number makes it as long as `possible` says: that one has to reach up to the last number.
  const std::string own = cpu_list(machine.cpus) + "\n";
  const unsigned last = machine.cpus.empty() ? 0 : machine.cpus.back();
  return {
      {"devices/system/cpu/online", own},
      {"devices/system/cpu/present", own},
      {"devices/system/cpu/possible", last == 0 ? "0\n" : fmt::format("0-{}\n", last)},
  };
}

}  // namespace jail
