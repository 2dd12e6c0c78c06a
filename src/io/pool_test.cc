#include "io/pool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "io/task_group.h"
#include "io/watch.h"

namespace io {
namespace {

void must_not_fail(std::string_view name, const base::Error& error) {
  ADD_FAILURE() << name << ": " << error.message;
}

struct Seen {
  std::thread::id worker;
  std::thread::id after;
  int answer = 0;
};

Task<> ask(Pool& pool, Seen& seen) {
  auto work = [&seen]() -> Result<int> {
    seen.worker = std::this_thread::get_id();
    return 42;
  };
  CO_ASSIGN_OR_RETURN(seen.answer, co_await pool.run(work));
  seen.after = std::this_thread::get_id();
  co_return Result<>();
}

TEST(Pool, WorkRunsElsewhereAndItsTaskGoesOnHere) {
  Loop loop;
  Pool pool(1);
  TaskGroup tasks(loop, must_not_fail);
  Seen seen;
  tasks.spawn("ask", ask(pool, seen));
  loop.run();
  EXPECT_EQ(seen.answer, 42);
  EXPECT_NE(seen.worker, std::this_thread::get_id());
  EXPECT_EQ(seen.after, std::this_thread::get_id());
}

Task<> ask_for_nothing(Pool& pool, std::string& message) {
  auto work = []() -> Result<> { return base::fail(base::Code::kInvalid, "no"); };
  const auto answer = co_await pool.run(work);
  message = answer ? "" : answer.error().message;
  co_return Result<>();
}

TEST(Pool, AnErrorIsAnAnswer) {
  Loop loop;
  Pool pool(2);
  TaskGroup tasks(loop, must_not_fail);
  std::string message;
  tasks.spawn("ask", ask_for_nothing(pool, message));
  loop.run();
  EXPECT_EQ(message, "no");
}

struct Ends {
  int reader = -1;
  int writer = -1;
  Ends() {
    std::array<int, 2> both{};
    EXPECT_EQ(::pipe2(both.data(), O_CLOEXEC), 0);
    reader = both[0];
    writer = both[1];
  }
  ~Ends() {
    ::close(reader);
    ::close(writer);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
};

Task<> read_when_ready(Watch& watch, Bell& bell, int fd, char& byte) {
  watch.want(POLLIN);
  CO_RETURN_IF_ERROR(co_await bell.wait());
  if (::read(fd, &byte, 1) != 1) co_return base::failed_call("read");
  co_return Result<>();
}

TEST(Watch, RingsWhenADescriptorIsReadyAndLeavesItOpen) {
  Loop loop;
  const Ends ends;
  Bell bell(loop);
  char byte = 0;
  {
    auto watch = Watch::on(loop, ends.reader, bell);
    ASSERT_TRUE(watch) << watch.error().message;
    TaskGroup tasks(loop, must_not_fail);
    tasks.spawn("reader", read_when_ready(*watch, bell, ends.reader, byte));
    loop.post([&] { EXPECT_EQ(::write(ends.writer, "x", 1), 1); });
    loop.run();
  }
  EXPECT_EQ(byte, 'x');
  EXPECT_GE(::fcntl(ends.reader, F_GETFD), 0);
}

}  // namespace
}  // namespace io
