#include "sys/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/support/result.h"

namespace sys {
namespace {

TEST(Terminal, BelongsToItsOwnerHasASizeAndCarriesBytes) {
  ASSERT_OK_AND_ASSIGN(const auto terminal, open_terminal(::getuid()));
  EXPECT_EQ(fstat(terminal.theirs.get()).value().st_uid, ::getuid());
  ASSERT_OK(set_window(terminal.ours.get(), 9, 13));
  winsize size{};
  ASSERT_EQ(::ioctl(terminal.theirs.get(), TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 9);
  EXPECT_EQ(size.ws_col, 13);
  ASSERT_OK(write_all(terminal.theirs.get(), "out\n"));
  std::string buffer(16, '\0');
  EXPECT_EQ(::read(terminal.ours.get(), buffer.data(), buffer.size()), 5)
      << "with the line's end of a terminal";
}

TEST(Terminal, AFileIsNone) {
  ASSERT_OK_AND_ASSIGN(const auto file, open("/dev/null", O_RDWR));
  EXPECT_THAT(set_window(file.get(), 1, 1), support::FailsSaying("TIOCSWINSZ"));
  EXPECT_THAT(take_terminal(file.get()), support::FailsSaying("TIOCSCTTY"));
}

}  // namespace
}  // namespace sys
