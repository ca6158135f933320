// The waits of tests end by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/process/at_pipe.hpp"
#include "support/process/child.hpp"
#include "support/process/meeting.hpp"

namespace kauri::test {
namespace {

TEST(Waits, ForChildrenThatHangEnd) {
  const int status = status_of_child([] { ::pause(); }, 1);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

TEST(Waits, ForChildrenTellHowTheyEnd) {
  EXPECT_EQ(exit_of(status_of_child([] {})), 0);
  EXPECT_EQ(exit_of(status_of_child([] { ::_exit(7); })), 7);
  EXPECT_EQ(exit_of(status_of_child([] { ::raise(SIGKILL); })), 1000 + SIGKILL);
}

TEST(Waits, AtMeetingsEndWhereOneDoesNotCome) {
  Meeting meeting(2, std::chrono::milliseconds(50));
  EXPECT_FALSE(meeting.meet());
  EXPECT_FALSE(meeting.meet());  // returns at once from then on
}

TEST(Waits, AtMeetingsHoldWhoComesFirst) {
  Meeting meeting(3);
  std::vector<int> done(3, 0), sums;
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      for (int round = 0; round < 100; ++round) {
        ++done[static_cast<std::size_t>(k)];
        if (!meeting.meet()) return;
        if (k == 0) sums.push_back(done[0] + done[1] + done[2]);
        if (!meeting.meet()) return;
      }
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(sums.size(), 100u);
  for (int round = 0; round < 100; ++round)
    EXPECT_EQ(sums[static_cast<std::size_t>(round)], 3 * (round + 1));
}

/// The program aborts and says why, since a hanging thread can neither be joined nor abandoned.
TEST(WaitsDeathTest, AtPipesEndWhereTheOtherEndHangs) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        AtPipe pipe([](const std::string&) { ::pause(); }, std::chrono::milliseconds(50));
        pipe.finish();
      },
      "at work after 50 ms");
}

}  // namespace
}  // namespace kauri::test
