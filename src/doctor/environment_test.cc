#include "doctor/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/test_hosts.h"

namespace doctor {
namespace {

using ::testing::HasSubstr;

Traces docker() {
  return {.proc_version = test::kDebianVersion,
          .cgroup_membership = "0::/\n",
          .mountinfo = test::kDockerMounts,
          .dockerenv = Seen::kYes,
          .own_namespaces = Seen::kYes,
          .hypervisor_flag = Seen::kYes};
}

TEST(Environment, AMachineOfItsOwnNeedsNoWords) {
  const auto found = classify({.proc_version = test::kDebianVersion, .mountinfo = test::kDebianMounts});
  EXPECT_EQ(found.kind, EnvironmentKind::kBareMetal);
  EXPECT_EQ(found.meaning, "");
}

TEST(Environment, AVirtualMachineIsNamedAfterItsMaker) {
  const auto found = classify({.proc_version = test::kDebianVersion,
                               .mountinfo = test::kDebianMounts,
                               .hypervisor_flag = Seen::kYes,
                               .machine_vendor = "QEMU"});
  EXPECT_EQ(found.kind, EnvironmentKind::kVirtualMachine);
  EXPECT_EQ(found.name, "virtual machine (QEMU)");
}

TEST(Environment, DockerIsRecognisedAndWhatToPassIsSaid) {
  const auto found = classify(docker());
  EXPECT_EQ(found.kind, EnvironmentKind::kContainer);
  EXPECT_EQ(found.name, "Docker container");
  EXPECT_THAT(found.meaning, HasSubstr("--privileged"));
  EXPECT_THAT(found.meaning, HasSubstr("no wall"));
}

TEST(Environment, DockerIsRecognisedByItsMountsAlone) {
  auto traces = docker();
  traces.dockerenv = Seen::kNo;
  EXPECT_EQ(classify(traces).name, "Docker container");
}

TEST(Environment, AVirtualMachineBootedFromAContainerImageIsNoContainer) {
  auto traces = docker();
  traces.mountinfo = test::kDebianMounts;
  traces.own_namespaces = Seen::kNo;
  EXPECT_EQ(classify(traces).kind, EnvironmentKind::kVirtualMachine);
}

TEST(Environment, AHostThatRunsContainersIsNoContainer) {
  auto traces = docker();
  traces.dockerenv = Seen::kNo;
  traces.own_namespaces = Seen::kNo;
  EXPECT_EQ(classify(traces).kind, EnvironmentKind::kVirtualMachine);
}

TEST(Environment, OtherEnginesAreNamed) {
  auto traces = docker();
  traces.container_variable = "systemd-nspawn";
  EXPECT_EQ(classify(traces).name, "nspawn container");
  traces.container_variable = "wonderbox";
  EXPECT_EQ(classify(traces).name, "wonderbox container");
  traces = {.cgroup_membership = "0::/kubepods.slice/pod1\n", .own_namespaces = Seen::kYes};
  EXPECT_EQ(classify(traces).name, "Kubernetes container");
  traces = {.containerenv = Seen::kYes, .own_namespaces = Seen::kYes};
  EXPECT_EQ(classify(traces).name, "Podman container");
  traces = {.own_namespaces = Seen::kYes};
  EXPECT_EQ(classify(traces).name, "container of an unknown kind");
}

TEST(Environment, BothKindsOfWslAreTold) {
  const auto second = classify({.proc_version = test::kWsl2Version,
                                .mountinfo = test::kWsl2Mounts,
                                .own_namespaces = Seen::kYes,
                                .hypervisor_flag = Seen::kYes});
  EXPECT_EQ(second.kind, EnvironmentKind::kWsl2);
  EXPECT_THAT(second.meaning, HasSubstr("can work"));
  const auto first = classify({.proc_version = test::kWsl1Version});
  EXPECT_EQ(first.kind, EnvironmentKind::kWsl1);
  EXPECT_THAT(first.meaning, HasSubstr("--set-version"));
}

TEST(Environment, AContainerOnWslIsAContainer) {
  auto traces = docker();
  traces.proc_version = test::kWsl2Version;
  EXPECT_EQ(classify(traces).kind, EnvironmentKind::kContainer);
  EXPECT_EQ(classify(traces).name, "Docker container on WSL");
}

}  // namespace
}  // namespace doctor
