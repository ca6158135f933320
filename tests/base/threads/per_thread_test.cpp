// Memory of each thread: kept between uses, discarded by an exception.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads/per_thread.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace kauri {
namespace {

TEST(PerThread, KeepsWhatItMade) {
  PerThread<std::vector<int>> memory(std::size_t{3}, 7);
  const int* data = memory.use()->data();
  EXPECT_EQ(*memory.use(), std::vector<int>(3, 7));
  memory.use()->front() = 1;
  {
    const auto outer = memory.use(), inner = memory.use();
    EXPECT_EQ(&*outer, &*inner);
    EXPECT_EQ(*inner, (std::vector<int>{1, 7, 7}));
  }
  EXPECT_EQ(memory.use()->data(), data);
}

TEST(PerThread, EachThreadHasItsOwn) {
  PerThread<std::vector<int>> memory;
  memory.use()->push_back(1);
  std::thread([&] {
    EXPECT_TRUE(memory.use()->empty());
    memory.use()->push_back(2);
  }).join();
  EXPECT_EQ(*memory.use(), std::vector<int>{1});
}

TEST(PerThread, NothingOutlivesAFailure) {
  PerThread<std::vector<int>> memory(std::size_t{2}, 0);
  const auto half_done = [&] {
    const auto own = memory.use();
    own->assign(5, 9);
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(half_done(), std::runtime_error);
  EXPECT_EQ(*memory.use(), std::vector<int>(2, 0));
  // An exception that is caught within a use does not discard the memory.
  const auto own = memory.use();
  own->push_back(3);
  try {
    throw std::runtime_error("caught");
  } catch (const std::runtime_error&) {
    const auto inner = memory.use();
    inner->push_back(4);
  }
  EXPECT_EQ(*memory.use(), (std::vector<int>{0, 0, 3, 4}));
  EXPECT_THROW(half_done(), std::runtime_error);
}

TEST(PerThread, WhatCannotBeMadeIsTriedAgain) {
  struct Fragile {
    explicit Fragile(int* failures) {
      if (*failures > 0) throw std::runtime_error(std::to_string((*failures)--));
    }
  };
  int failures = 2;
  PerThread<Fragile> memory(&failures);
  EXPECT_THROW((void)memory.use(), std::runtime_error);
  EXPECT_THROW((void)memory.use(), std::runtime_error);
  EXPECT_NO_THROW((void)memory.use());
}

}  // namespace
}  // namespace kauri
