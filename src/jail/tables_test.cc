#include "jail/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>
#include <set>
#include <string>

namespace jail {
namespace {

using testing::UnorderedElementsAre;

template <class Range, class Key>
void expect_no_duplicates(const Range& range, Key key) {
  std::set<std::string> seen;
  for (const auto& row : range) EXPECT_TRUE(seen.insert(key(row)).second) << key(row);
}

TEST(Tables, NoRowIsThereTwice) {
  const auto itself = [](const char* name) { return std::string(name); };
  const auto name = [](const auto& row) { return std::string(row.name); };
  const auto path = [](const auto& row) { return std::string(row.path); };
  expect_no_duplicates(device_table(), name);
  expect_no_duplicates(device_link_table(), name);
  expect_no_duplicates(hidden_proc_table(), itself);
  expect_no_duplicates(read_only_proc_table(), itself);
  expect_no_duplicates(mount_point_table(), itself);
  expect_no_duplicates(user_limit_table(), path);
  expect_no_duplicates(network_sysctl_table(), path);
  expect_no_duplicates(rlimit_table(), [](const Rlimit& row) { return std::to_string(row.resource); });
}

TEST(Tables, DevicesAreTheHarmlessSix) {
  std::map<std::string, std::pair<unsigned, unsigned>> devices;
  for (const Device& device : device_table()) devices[device.name] = {device.major, device.minor};
  const std::map<std::string, std::pair<unsigned, unsigned>> wanted = {
      {"null", {1, 3}},   {"zero", {1, 5}},    {"full", {1, 7}},
      {"random", {1, 8}}, {"urandom", {1, 9}}, {"tty", {5, 0}}};
  EXPECT_EQ(devices, wanted);
}

TEST(Tables, ADeviceAndALinkNeverShareAName) {
  std::set<std::string> names;
  for (const Device& device : device_table()) names.insert(device.name);
  for (const DeviceLink& link : device_link_table()) EXPECT_TRUE(names.insert(link.name).second) << link.name;
}

TEST(Tables, WhatShowsTheKernelOrTheHostIsHidden) {
  std::set<std::string> hidden;
  for (const char* name : hidden_proc_table()) hidden.insert(name);
  for (const char* name : {"kcore", "kallsyms", "kmsg", "keys", "key-users", "timer_list", "sysrq-trigger",
                           "cmdline", "acpi", "scsi", "modules", "iomem", "config.gz"}) {
    EXPECT_TRUE(hidden.contains(name)) << name;
  }
}

TEST(Tables, NothingThatProgramsNeedIsHidden) {
  std::set<std::string> hidden;
  for (const char* name : hidden_proc_table()) hidden.insert(name);
  for (const char* name : {"self", "thread-self", "cpuinfo", "meminfo", "stat", "uptime", "version", "mounts",
                           "filesystems", "net", "sys", "loadavg"}) {
    EXPECT_FALSE(hidden.contains(name)) << name;
  }
}

TEST(Tables, ProcSysIsReadOnly) {
  EXPECT_THAT(read_only_proc_table(), testing::Contains(testing::StrEq("sys")));
}

TEST(Tables, TheKernelItselfMakesNoNestedNamespace) {
  std::map<std::string, std::string> limits;
  for (const Sysctl& limit : user_limit_table()) limits[limit.path] = limit.value;
  for (const char* kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup", "time"}) {
    EXPECT_EQ(limits["user/max_" + std::string(kind) + "_namespaces"], "0") << kind;
  }
  EXPECT_TRUE(limits.contains("user/max_inotify_instances"));
}

TEST(Tables, NoSoftLimitIsAboveItsHardOne) {
  for (const Rlimit& limit : rlimit_table()) EXPECT_LE(limit.soft, limit.hard) << limit.resource;
}

TEST(Tables, NoCoreReachesAPipe) {
  for (const Rlimit& limit : rlimit_table()) {
    if (limit.resource == RLIMIT_CORE) {
      EXPECT_EQ(limit.hard, 1U) << "0 would still run a core_pattern program";
    }
  }
}

TEST(Tables, PathsAreRelativeToTheirPlace) {
  for (const char* name : hidden_proc_table())
    EXPECT_EQ(std::string(name).find('/'), std::string::npos) << name;
  for (const char* name : mount_point_table())
    EXPECT_EQ(std::string(name).find('/'), std::string::npos) << name;
  for (const Sysctl& row : user_limit_table()) EXPECT_NE(row.path[0], '/');
}

}  // namespace
}  // namespace jail
