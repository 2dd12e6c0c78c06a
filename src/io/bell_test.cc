#include "io/bell.h"

#include <gtest/gtest.h>

#include "io/task_group.h"

namespace io {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void must_not_fail(std::string_view name, const base::Error& error) {
  ADD_FAILURE() << name << ": " << error.message;
}

Task<> wait_and_count(Bell& bell, int& count) {
  CO_RETURN_IF_ERROR(co_await bell.wait());
  ++count;
  co_return Result<>();
}

Task<> ring(Bell& bell) {
  bell.ring();
  co_return Result<>();
}

TEST(Bell, WakesEverybodyWhoWaits) {
  Loop loop;
  Bell bell(loop);
  TaskGroup tasks(loop, must_not_fail);
  int count = 0;
  tasks.spawn("first", wait_and_count(bell, count));
  tasks.spawn("second", wait_and_count(bell, count));
  tasks.spawn("ringer", ring(bell));
  loop.run();
  EXPECT_EQ(count, 2);
  EXPECT_FALSE(bell.is_awaited());
}

Task<> wait_until(Bell& bell, Deadline until, std::optional<base::Code>& code) {
  const auto woken = co_await bell.wait(until);
  if (!woken) code = woken.error().code;
  co_return Result<>();
}

TEST(Bell, AWaitEndsAtItsDeadline) {
  Loop loop;
  Bell bell(loop);
  TaskGroup tasks(loop, must_not_fail);
  std::optional<base::Code> code;
  tasks.spawn("waiter", wait_until(bell, Clock::now() + milliseconds(1), code));
  loop.run();
  EXPECT_EQ(code, base::Code::kTimeout);
}

Task<> keep(std::shared_ptr<int> kept, Bell& bell) {
  CO_RETURN_IF_ERROR(co_await bell.wait(Clock::now() + hours(1)));
  ++*kept;
  co_return Result<>();
}

TEST(TaskGroup, CloseCancelsUnwindsAndWaits) {
  Loop loop;
  Bell bell(loop);
  TaskGroup tasks(loop, must_not_fail);
  TaskGroup closer(loop, must_not_fail);
  const auto kept = std::make_shared<int>(0);
  tasks.spawn("keeper", keep(kept, bell));
  loop.post([&] { closer.spawn("close", tasks.close()); });
  loop.run();
  EXPECT_EQ(*kept, 0);
  EXPECT_EQ(kept.use_count(), 1);  // the frame of the task is gone
  EXPECT_EQ(tasks.size(), 0U);
  EXPECT_FALSE(bell.is_awaited());
  tasks.spawn("late", keep(kept, bell));
  EXPECT_EQ(tasks.size(), 0U);
}

Task<> fail_with(std::string message) { co_return base::fail(base::Code::kConflict, std::move(message)); }

TEST(TaskGroup, AFailureIsToldWithTheNameOfItsTask) {
  Loop loop;
  std::string told;
  TaskGroup tasks(loop, [&](std::string_view name, const base::Error& error) {
    told = std::string(name) + ": " + error.message;
  });
  tasks.spawn("bad", fail_with("it broke"));
  loop.run();
  EXPECT_EQ(told, "bad: it broke");
}

}  // namespace
}  // namespace io
