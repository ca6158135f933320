// Tests of the emulated device: it detects faults of kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "numeric/cuda/runtime/kernel/any_mma.cuh"
#include "tests/emulator/machine/indices.hpp"
#include "tests/emulator/machine/tensor_core.hpp"

namespace kauri::emulator {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string run_block(unsigned threads, std::function<void()> body) {
  return run({1, threads, 0, false, std::move(body)});
}

void sync_warp() {
  together(Together::sync, nullptr, [](void* const*) {});
}

TEST(Machine, EveryThreadOfEveryBlockRunsOnce) {
  std::vector<int> count(7 * 96);
  EXPECT_EQ(run({7, 96, 0, false, [&] { ++count[blockIdx.x * blockDim.x + threadIdx.x]; }}), "");
  for (const int c : count) EXPECT_EQ(c, 1);
}

TEST(Machine, SeedsOrderThreadsDifferentlyAndAgain) {
  const auto order = [](std::uint64_t seed) {
    set_seed(seed);
    std::vector<unsigned> all;
    EXPECT_EQ(run({4, 64, 0, true,
                   [&] {
                     yield();
                     all.push_back(64 * blockIdx.x + threadIdx.x);
                   }}),
              "");
    return all;
  };
  std::set<std::vector<unsigned>> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    seen.insert(order(seed));
    EXPECT_EQ(order(seed), order(seed));
  }
  EXPECT_EQ(seen.size(), 8U);
}

TEST(Machine, BarriersHoldUntilAllAreThere) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    set_seed(seed);
    int there = 0, least = 1000;
    EXPECT_EQ(run_block(128,
                        [&] {
                          ++there;
                          block_barrier(3, 128, threadIdx.x >= 64);
                          if (threadIdx.x >= 64) least = std::min(least, there);
                        }),
              "");
    EXPECT_EQ(least, 128);
  }
}

TEST(Machine, ADeadlockSaysWhoWaitsForWhat) {
  int flag = 3;
  const std::string what = run({2, 64, 0, true, [&] {
                                  if (threadIdx.x < 32) {
                                    block_barrier(5, 64, true);
                                  } else if (blockIdx.x == 1) {
                                    for (;; yield()) note_look(&flag, flag);
                                  }
                                }});
  EXPECT_EQ(what.rfind("deadlock", 0), 0U) << what;
  EXPECT_NE(what.find("block 0 barrier 5: 32 of 64 threads there"), std::string::npos) << what;
  EXPECT_NE(what.find("block 0 warp 1 lanes 0-31 wait for nothing: it has ended"),
            std::string::npos)
      << what;
  EXPECT_NE(what.find("block 1 warp 1 lanes 0-31 wait for the flag at"), std::string::npos) << what;
}

TEST(Machine, LooksAtTwoFlagsInTurnAreNoProgress) {
  int flags[2] = {3, 4};
  const std::string what = run({1, 32, 0, true, [&] {
                                  for (int k = 0;; k ^= 1, yield())
                                    note_look_in_turn(flags + k, flags[k]);
                                }});
  EXPECT_EQ(what.rfind("deadlock", 0), 0U) << what;
  EXPECT_NE(what.find("block 0 warp 0 lanes 0-31 wait for the flag at"), std::string::npos) << what;
}

TEST(Machine, MisuseIsSeen) {
  std::uint64_t barrier = 0;
  EXPECT_NE(run_block(32, [&] { barrier_wait(&barrier, 0); }).find("not initialised"),
            std::string::npos);
  EXPECT_NE(run_block(128, [&] { block_barrier(1, threadIdx.x < 64 ? 96 : 128, true); })
                .find("barrier 1 of"),
            std::string::npos);
  EXPECT_NE(run_block(32,
                      [&] {
                        if (threadIdx.x == 7)
                          block_barrier();
                        else
                          sync_warp();
                      })
                .find("different operations"),
            std::string::npos);
  EXPECT_NE(run_block(32,
                      [&] {
                        if (threadIdx.x == 0) sync_warp();
                      })
                .find("deadlock"),
            std::string::npos);
  alignas(16) double from[4] = {}, to[4] = {};
  EXPECT_NE(run_block(32, [&] { bulk_store(to + 1, from, 16); }).find("multiples"),
            std::string::npos);
  EXPECT_NE(run_block(32,
                      [&] {
                        for (int k = 0; k < 20; ++k) bulk_store(to, from, 16);
                      })
                .find("ended before its stores"),
            std::string::npos);
  EXPECT_NE(run({1, 40, 0, false, [] {}}), "");
}

/// Copies are complete after the wait, and may be incomplete before it.
TEST(Machine, AsynchronousCopies) {
  alignas(16) const double from[2] = {1, 2};
  int early = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    set_seed(seed);
    alignas(16) double to[2] = {kNan, kNan}, other[2] = {}, out[2] = {};
    std::uint64_t barrier = 0;
    EXPECT_EQ(run_block(64,
                        [&] {
                          if (threadIdx.x == 0) {
                            barrier_init(&barrier, 1);
                            barrier_arrive(&barrier, 16);
                            bulk_copy(to, from, 16, &barrier);
                            copy_async(other, from, 16, true);
                            early += static_cast<int>(std::isnan(other[0]));
                            finish_async_copies();
                            bulk_store(out, other, 16);
                            other[1] = 5;  // too early, unless the store has read its source
                            finish_stores();
                          }
                          block_barrier();
                          if (threadIdx.x < 32) return;
                          barrier_wait(&barrier, 0);
                          EXPECT_EQ(to[1], 2);
                        }),
              "");
    EXPECT_TRUE(out[1] == 2 || out[1] == 5);
    early += static_cast<int>(out[1] == 5);
  }
  EXPECT_GT(early, 40);
}

/// A phase of a barrier ends when the copies of all its lanes have come, in whichever order they
/// do; an arrival means that the copies before the arrivals before it have come too.
TEST(Machine, ArrivalsAfterCopies) {
  alignas(16) double from[64];
  for (int k = 0; k < 64; ++k) from[k] = k;
  int early = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    set_seed(seed);
    alignas(16) double to[2][64];
    std::uint64_t barrier[2] = {};
    EXPECT_EQ(run_block(64,
                        [&] {
                          if (threadIdx.x == 0)
                            barrier_init(barrier, 32), barrier_init(barrier + 1, 32);
                          block_barrier();
                          if (threadIdx.x < 32) {
                            for (int k = 0; k < 2; ++k) {
                              copy_async(to[k] + 2 * threadIdx.x, from + 2 * threadIdx.x, 16, true);
                              arrive_after_copies(barrier + k);
                            }
                            early += static_cast<int>(std::isnan(to[0][2 * threadIdx.x]));
                            return;
                          }
                          barrier_wait(barrier + 1, 0);
                          for (int k = 0; k < 64; ++k) EXPECT_EQ(to[0][k] + to[1][k], 2 * k);
                          barrier_wait(barrier, 0);
                        }),
              "");
  }
  EXPECT_GT(early, 40);
  std::uint64_t barrier = 0;  // no phase of a barrier that expects one more arrival ends
  EXPECT_NE(run_block(32,
                      [&] {
                        if (threadIdx.x == 0) barrier_init(&barrier, 33);
                        sync_warp();
                        arrive_after_copies(&barrier);
                        barrier_wait(&barrier, 0);
                      })
                .find("deadlock"),
            std::string::npos);
}

/// Tests of a barrier in a loop end with the copies of a phase, and a loop that nobody ends is a
/// deadlock.
TEST(Machine, TestsOfBarriersInALoop) {
  alignas(16) double from[32];
  for (int k = 0; k < 32; ++k) from[k] = k;
  int failed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    set_seed(seed);
    alignas(16) double to[32];
    std::uint64_t barrier = 0;
    EXPECT_EQ(run_block(64,
                        [&] {
                          if (threadIdx.x == 0) barrier_init(&barrier, 1);
                          block_barrier();
                          if (threadIdx.x == 0) {
                            barrier_arrive(&barrier, sizeof to);
                            bulk_copy(to, from, sizeof to, &barrier);
                          }
                          while (!barrier_test(&barrier, 0)) ++failed, spin();
                          EXPECT_EQ(to[threadIdx.x % 32], threadIdx.x % 32);
                        }),
              "");
  }
  EXPECT_GT(failed, 40);
  std::uint64_t barrier = 0;
  EXPECT_NE(run_block(32,
                      [&] {
                        if (threadIdx.x == 0) barrier_init(&barrier, 1);
                        sync_warp();
                        while (!barrier_test(&barrier, 0)) spin();
                      })
                .find("deadlock"),
            std::string::npos);
}

float four(float c, float x, float y, int count) {
  float left[4] = {}, right[4] = {};
  for (int k = 0; k < count; ++k) left[k] = x, right[k] = y;
  return add_products<4>(c, left, right);
}

TEST(TensorCore, OperandsHaveElevenBits) {
  EXPECT_EQ(four(0, 1 + 0x1p-10F, 1, 1), 1 + 0x1p-10F);
  EXPECT_EQ(four(0, 1 + 0x1p-11F, 1 + 0x1p-11F, 2), 2);  // cut off, not rounded
  EXPECT_EQ(four(0, 2047, 2047, 1), 2047 * 2047);        // exact
  EXPECT_EQ(four(0, 1 + 0x1p-10F, -1 - 0x1p-10F, 1), -1 - 0x1p-9F - 0x1p-20F);  // the same
  EXPECT_EQ(four(0, 0x1p-75F, 0x1p-70F, 1), 0x1p-145F);  // below the normal ones
  EXPECT_TRUE(std::isnan(four(0, std::numeric_limits<float>::quiet_NaN(), 1, 1)));
  EXPECT_EQ(four(1, std::numeric_limits<float>::infinity(), -2, 1),
            -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isinf(four(0, 0x1p100F, 0x1p100F, 1)));
}

TEST(TensorCore, SumsAreCutOff) {
  EXPECT_EQ(four(1, 0x1p-12F, 0x1p-12F, 2),
            1 + 0x1p-23F);                       // 2 x 2^-24: one bit behind the 24 is there
  EXPECT_EQ(four(1, 0x1p-12F, 0x1p-13F, 4), 1);  // 4 x 2^-25: none behind it
  EXPECT_EQ(four(1, 0x1p-12F, 0x1p-12F, 3), 1 + 0x1p-23F);     // 3 x 2^-24, to nearest 1 + 2^-22
  EXPECT_EQ(four(-1, 0x1p-12F, -0x1p-12F, 3), -1 - 0x1p-23F);  // towards zero
  EXPECT_EQ(four(-1, 0x1p-15F, 0x1p-15F, 1), -1);
  EXPECT_EQ(four(0x1p20F, -0x1p10F, 0x1p10F, 1), 0);
}

/// One instruction and as many smaller ones as it takes have the same operands in the same lanes.
template <int kFours>
void compare_products() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  double a[32][2 * kFours], b[32][kFours], start[32][4];
  for (int lane = 0; lane < 32; ++lane) {
    for (double& x : a[lane]) x = normal(random);
    for (double& x : b[lane]) x = normal(random);
    for (double& x : start[lane]) x = normal(random);
  }
  std::vector<double> one(128), several(128);
  const auto run_warp = [&](std::vector<double>& out, const auto& multiply) {
    EXPECT_EQ(run_block(32,
                        [&] {
                          const unsigned lane = threadIdx.x;
                          double c[4];
                          for (int k = 0; k < 4; ++k) c[k] = start[lane][k];
                          multiply(c, a[lane], b[lane]);
                          for (int k = 0; k < 4; ++k) out[4 * lane + k] = c[k];
                        }),
              "");
  };
  using numeric::cuda::kernels::ptx::any_mma, numeric::cuda::kernels::ptx::mma_by_fours;
  run_warp(one, [](auto& c, const auto& x, const auto& y) { any_mma<kFours>(c, x, y); });
  run_warp(several, [](auto& c, const auto& x, const auto& y) { mma_by_fours<kFours>(c, x, y); });
  for (int e = 0; e < 128; ++e) EXPECT_NEAR(one[e], several[e], 1e-13);
  double expected = start[0][0];  // row 0, column 0: the numbers of lanes 0-3
  for (int k = 0; k < 4 * kFours; ++k) expected += a[k % 4][k / 4 * 2] * b[k % 4][k / 4];
  EXPECT_NEAR(one[0], expected, 1e-13);
}
TEST(TensorCore, ProductsInDoubleByOneOrSeveralInstructions) {
  compare_products<2>();
  compare_products<4>();
}

}  // namespace
}  // namespace kauri::emulator
