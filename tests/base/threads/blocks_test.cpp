// Two tasks side by side: both are done before the call returns, also if either throws.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/blocks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "base/threads/allowed_threads.hpp"
#include "base/threads/stopping.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

std::string error_of(bool there_throws, bool here_throws, std::atomic<int>& done) {
  try {
    meanwhile(
        [&] {
          ++done;
          if (there_throws) throw std::runtime_error("there");
        },
        [&] {
          ++done;
          if (here_throws) throw std::runtime_error("here");
        });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Meanwhile, BothAreDoneAndTheCallersErrorComesFirst) {
  const test::ManyThreads many;
  for (const int threads : {1, 2, 5})
    with_threads(threads, [&] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::atomic<int> done = 0;
        EXPECT_EQ(error_of(false, false, done), "none");
        EXPECT_EQ(error_of(true, false, done), "there");
        EXPECT_EQ(error_of(false, true, done), "here");
        EXPECT_EQ(error_of(true, true, done), "here");
        EXPECT_EQ(done, 8) << threads;
      }
    });
}

TEST(Meanwhile, TheCallingThreadDoesTheSecond) {
  const auto self = std::this_thread::get_id();
  for (int repeat = 0; repeat < 100; ++repeat)
    meanwhile([] {}, [&] { EXPECT_EQ(std::this_thread::get_id(), self); });
}

TEST(Meanwhile, WhatAnotherThreadDoesIsStoppedToo) {
  std::stop_source source;
  source.request_stop();
  const std::stop_token token = source.get_token();
  bool there = false, here = false;
  const auto call = [&] {
    const StopScope scope(token);
    meanwhile([&] { there = true; }, [&] { here = true; });
  };
  const std::string text = test::error_text(ErrorKind::cancelled, call);
  EXPECT_TRUE(text != "no Error" && !text.starts_with("another kind")) << text;
  EXPECT_TRUE(here && !there);
}

}  // namespace
}  // namespace kauri
