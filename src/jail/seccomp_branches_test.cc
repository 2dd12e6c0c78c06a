#include "jail/seccomp_branches.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>

#include <vector>

namespace jail {
namespace {

constexpr unsigned short kAlways = BPF_JMP | BPF_JA;

sock_filter load() { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0); }
sock_filter keep(unsigned mask) { return BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask); }
sock_filter equal(unsigned value) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0); }
sock_filter greater(unsigned value) { return BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, value, 1, 0); }
sock_filter allow() { return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

TEST(SettleBranches, KeepsWhatCanGoBothWays) {
  std::vector<sock_filter> program{load(), equal(5), allow(), allow()};
  settle_branches(program);
  EXPECT_EQ(program[1].code, BPF_JMP | BPF_JEQ | BPF_K);
}

TEST(SettleBranches, SettlesAComparisonUnderAnEmptyMask) {
  std::vector<sock_filter> program{load(), keep(0), equal(0), allow(), allow()};
  settle_branches(program);
  EXPECT_EQ(program[2].code, kAlways);
  EXPECT_EQ(program[2].k, 1u);
}

TEST(SettleBranches, SettlesAComparisonThatCannotHold) {
  std::vector<sock_filter> program{load(), keep(7), equal(8), allow(), allow()};
  settle_branches(program);
  EXPECT_EQ(program[2].code, kAlways);
  EXPECT_EQ(program[2].k, 0u);
}

TEST(SettleBranches, KnowsTheLastNumberOfASearch) {
  // Not greater than 1 and not 1: only 0 is left.
  std::vector<sock_filter> program{load(),
                                   BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 1, 4, 0),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 3, 0),
                                   equal(0),
                                   allow(),
                                   allow(),
                                   allow()};
  settle_branches(program);
  EXPECT_EQ(program[1].code, BPF_JMP | BPF_JGT | BPF_K);
  EXPECT_EQ(program[2].code, BPF_JMP | BPF_JEQ | BPF_K);
  EXPECT_EQ(program[3].code, kAlways);
  EXPECT_EQ(program[3].k, 1u);
}

TEST(SettleBranches, ReadsAtLeastExactly) {
  for (const unsigned bound : {1u, 2u}) {
    // Below the bound: only 0 is left when it is 1, two numbers when it is 2.
    std::vector<sock_filter> program{load(), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, bound, 2, 0), equal(0),
                                     allow(), allow()};
    settle_branches(program);
    EXPECT_EQ(program[1].code, BPF_JMP | BPF_JGE | BPF_K);
    EXPECT_EQ(program[2].code == kAlways, bound == 1);
  }
}

TEST(SettleBranches, ForgetsWhatItKnewWhereWaysMeet) {
  // Both sides of the comparison reach the next one.
  std::vector<sock_filter> program{load(), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 9, 0, 0), greater(9), allow(),
                                   allow()};
  settle_branches(program);
  EXPECT_EQ(program[2].code, BPF_JMP | BPF_JGT | BPF_K);
}

}  // namespace
}  // namespace jail
