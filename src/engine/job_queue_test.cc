#include "engine/job_queue.h"

#include "tests/support/result.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;

Job job_of(std::size_t bytes) { return {.request = {.payload = std::string(bytes, 'x')}}; }

TEST(JobQueue, FirstComeFirstServed) {
  JobQueue queue({});
  const Job first = job_of(1);
  const Job second = job_of(1);
  const Job third = job_of(1);
  for (const Job& job : {second, third}) ASSERT_OK(queue.add(job));
  queue.add_first(first);
  EXPECT_EQ(queue.take_first().id, first.id);
  EXPECT_EQ(queue.take(third.id)->id, third.id);
  EXPECT_FALSE(queue.take(third.id));
  const auto rest = queue.take_all();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].id, second.id);
  EXPECT_TRUE(queue.is_empty());
}

TEST(JobQueue, WhatLeavesMakesRoomInNumberAndInSize) {
  JobQueue queue({.jobs = 2, .bytes = 100});
  ASSERT_OK(queue.add(job_of(60)));
  EXPECT_THAT(queue.add(job_of(41)), FailsWith(Code::kExhausted));
  EXPECT_THAT(queue.add(job_of(41)), FailsSaying("100 bytes"));
  ASSERT_OK(queue.add(job_of(40)));
  EXPECT_THAT(queue.add(job_of(0)), FailsSaying("2 executions"));
  (void)queue.take_first();
  ASSERT_OK(queue.add(job_of(60)));
  (void)queue.take_all();
  ASSERT_OK(queue.add(job_of(100)));
}

}  // namespace
}  // namespace engine
