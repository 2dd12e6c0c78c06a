#include "jail/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace jail {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHostCpuinfo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nmicrocode\t: 0xa10113e\n"
    "cpu MHz\t\t: 2596.138\nphysical id\t: 1\nsiblings\t: 128\ncore id\t\t: 37\ncpu cores\t: 64\napicid\t\t: "
    "91\n"
    "initial apicid\t: 91\nflags\t\t: fpu sse avx2\nbugs\t\t: spectre_v1\npower management:\n"
    "\n"
    "processor\t: 1\nvendor_id\t: Other\n\n";

Machine machine(sys::CpuNumbers cpus) {
  return {.cpus = std::move(cpus),
          .processor = first_processor(kHostCpuinfo),
          .boot_time = 1'700'000'000,
          .memory_bytes = 256 << 20};
}

std::string text_of(const std::vector<StaticFile>& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &StaticFile::path);
  return found == files.end() ? "(missing)" : found->text;
}
std::string in_proc(const Machine& of, const std::string& path) {
  return text_of(machine_proc_files(of), path);
}
std::string in_sys(const Machine& of, const std::string& path) {
  return text_of(machine_sys_files(of), "devices/system/cpu/" + path);
}

std::vector<std::string> values(const std::string& text, const std::string& key) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || line.find_first_not_of(" \t", key.size()) != colon) continue;
    found.push_back(line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size())));
  }
  return found;
}

TEST(Machine, AShareIsRoundedUpToWholeCpus) {
  EXPECT_EQ(whole_cpus(10), 1U);
  EXPECT_EQ(whole_cpus(1000), 1U);
  EXPECT_EQ(whole_cpus(1001), 2U);
  EXPECT_EQ(whole_cpus(2000), 2U);
  EXPECT_EQ(whole_cpus(1'024'000), 1024U);
}

TEST(Machine, CpuListsAreWrittenAsTheKernelWritesThem) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list({3}), "3");
  EXPECT_EQ(cpu_list({0, 1, 2}), "0-2");
  EXPECT_EQ(cpu_list({0, 2, 3, 7, 9, 10}), "0,2-3,7,9-10");
}

TEST(Machine, TheFirstProcessorEndsAtTheEmptyLine) {
  EXPECT_EQ(first_processor("a: 1\nb: 2\n\na: 3\n"), "a: 1\nb: 2\n");
  EXPECT_EQ(first_processor("a: 1\n"), "a: 1\n");
  EXPECT_EQ(first_processor(""), "");
}

TEST(Machine, CpuinfoHasOneProcessorForEachCpu) {
  const std::string text = in_proc(machine({1, 3}), "cpuinfo");
  EXPECT_THAT(values(text, "processor"), ElementsAre("1", "3")) << "the numbers of the affinity mask";
  EXPECT_THAT(values(text, "core id"), ElementsAre("0", "1"));
  EXPECT_THAT(values(text, "apicid"), ElementsAre("0", "1"));
  EXPECT_THAT(values(text, "physical id"), ElementsAre("0", "0"));
  EXPECT_THAT(values(text, "siblings"), ElementsAre("2", "2"));
  EXPECT_THAT(values(text, "cpu cores"), ElementsAre("2", "2"));
}

TEST(Machine, CpuinfoKeepsWhatCpuidTellsAnywayAndDropsTheRest) {
  const std::string text = in_proc(machine({0}), "cpuinfo");
  EXPECT_THAT(values(text, "model name"), ElementsAre("AMD EPYC"));
  EXPECT_THAT(values(text, "flags"), ElementsAre("fpu sse avx2"));
  EXPECT_THAT(values(text, "bugs"), ElementsAre("spectre_v1"));
  EXPECT_THAT(values(text, "power management"), ElementsAre(""));
  EXPECT_THAT(values(text, "microcode"), ElementsAre("0x1"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("128")), Not(HasSubstr("91")), Not(HasSubstr("37")),
                          Not(HasSubstr("Other"))));
  EXPECT_TRUE(text.ends_with("\n\n"));
}

TEST(Machine, MemoryIsTheLimitAndThereIsNoSwap) {
  const std::string text = in_proc(machine({0}), "meminfo");
  for (const char* name : {"MemTotal", "MemFree", "MemAvailable", "CommitLimit"}) {
    EXPECT_THAT(values(text, name), ElementsAre("262144 kB")) << name;
  }
  for (const char* name : {"SwapTotal", "SwapFree", "Buffers", "Cached", "Shmem", "SReclaimable"}) {
    EXPECT_THAT(values(text, name), ElementsAre("0 kB")) << name;
  }
}

TEST(Machine, MeminfoLinesHaveTheKernelsForm) {
  EXPECT_THAT(in_proc(machine({0}), "meminfo"),
              StartsWith("MemTotal:         262144 kB\nMemFree:          262144 kB\n"));
}

TEST(Machine, StatHasALineForEachCpuTheHostsBootTimeAndNoCounter) {
  EXPECT_EQ(in_proc(machine({1, 3}), "stat"),
            "cpu  0 0 0 200 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\ncpu3 0 0 0 100 0 0 0 0 0 0\n"
            "intr 0\nctxt 0\nbtime 1700000000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n"
            "softirq 0 0 0 0 0 0 0 0 0 0 0\n");
}

TEST(Machine, LoadIsNobodys) { EXPECT_EQ(in_proc(machine({0}), "loadavg"), "0.00 0.00 0.00 1/1 1\n"); }

TEST(Machine, OnlineCpusAreThoseOfTheAffinityMask) {
  EXPECT_EQ(in_sys(machine({0}), "online"), "0\n");
  EXPECT_EQ(in_sys(machine({1}), "online"), "1\n");
  EXPECT_EQ(in_sys(machine({1, 2, 5}), "online"), "1-2,5\n");
  EXPECT_EQ(in_sys(machine({1, 2, 5}), "present"), "1-2,5\n");
}

TEST(Machine, PossibleCpusReachTheLastNumber) {
  EXPECT_EQ(in_sys(machine({0}), "possible"), "0\n");
  EXPECT_EQ(in_sys(machine({1}), "possible"), "0-1\n") << "a table of this length has room for CPU 1";
  EXPECT_EQ(in_sys(machine({1, 5}), "possible"), "0-5\n");
}

}  // namespace
}  // namespace jail
