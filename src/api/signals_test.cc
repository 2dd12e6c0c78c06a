#include "api/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace api {
namespace {

TEST(Signals, KnowsEveryNameOfTheContract) {
  for (const char* name :
       {"HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
        "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
        "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"}) {
    EXPECT_TRUE(signal_of(name)) << name;
    EXPECT_EQ(signal_of(std::string("SIG") + name), signal_of(name)) << name;
  }
  EXPECT_EQ(signal_of("KILL"), SIGKILL);
  EXPECT_EQ(signal_of("SIGUSR2"), SIGUSR2);
  EXPECT_EQ(signal_of("IO"), SIGIO);
}

TEST(Signals, KnowsNothingElse) {
  for (const char* name : {"", "SIG", "term", "SIGSIGTERM", "TERM ", "9", "POLL", "RTMIN", "EXIT"}) {
    EXPECT_FALSE(signal_of(name)) << name;
  }
}

}  // namespace
}  // namespace api
