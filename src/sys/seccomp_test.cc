#include "sys/seccomp.h"

#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "sys/process.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::in_child;

// personality is refused with ENOTTY, an errno it never has by itself; all else is allowed.
constexpr std::array<sock_filter, 4> kNoPersonality = {
    sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
    sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
    sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

TEST(Seccomp, AFilterIsInForceAtOnceAndForGood) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_no_new_privs());
    RETURN_IF_ERROR(install_seccomp_filter(kNoPersonality));
    errno = 0;
    CHILD_EXPECT(::personality(0xffffffff) == -1 && errno == ENOTTY);
    return {};
  }));
}

TEST(Seccomp, WithoutPrivilegeItNeedsNoNewPrivileges) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_ids(1234, 1234));
    const auto refused = install_seccomp_filter(kNoPersonality);
    CHILD_EXPECT(!refused && refused.error().sys_errno == EACCES);
    return {};
  }));
}

TEST(Seccomp, AnEmptyOrBrokenProgramIsRefused) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_no_new_privs());
    CHILD_EXPECT(!install_seccomp_filter({}));
    CHILD_EXPECT(!install_seccomp_filter(std::span(kNoPersonality).first(1)));
    return {};
  }));
}

}  // namespace
}  // namespace sys
