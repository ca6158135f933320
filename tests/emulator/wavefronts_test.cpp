// The emulated device as one of AMD's, with wavefronts of 64 lanes in lockstep: all tests of this
// program run there.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tests/emulator/device/device_language.hpp"
#include "tests/emulator/machine/machine.hpp"

namespace kauri::test {
namespace {

/// Environment of the program.
class Wavefronts : public ::testing::Environment {
 public:
  void SetUp() override { emulator::run_in_wavefronts(64); }
};
const auto* const kWavefronts = ::testing::AddGlobalTestEnvironment(new Wavefronts);

/// Warp `waiting` of a block of two wavefronts waits until warp 1 has set a flag.
std::string wait_of(unsigned waiting) {
  int flag = 0;
  return emulator::run({.blocks = 1, .threads = 128, .body = [&flag, waiting] {
                          if (threadIdx.x / 32 == waiting)
                            while (flag == 0) emulator::spin();
                          else
                            emulator::yield();
                          if (threadIdx.x == 32) flag = 1;
                        }});
}
/// A warp that waits for the other half of its wavefront waits forever; one of another wavefront
/// does not.
TEST(Lockstep, HoldsTheOtherHalf) {
  EXPECT_NE(wait_of(0).find("deadlock"), std::string::npos);
  EXPECT_EQ(wait_of(2), "");
}

/// Lanes that leave a loop stand still until the last one leaves it.
TEST(Lockstep, HoldsLanesThatAreAhead) {
  int flag = 0;
  EXPECT_NE(emulator::run({.blocks = 1,
                           .threads = 64,
                           .body =
                               [&flag] {
                                 const int own = static_cast<int>(threadIdx.x) % 2;
                                 do emulator::spin();
                                 while (flag < own);
                                 emulator::spin();
                                 emulator::yield();
                                 if (own == 0) flag = 1;
                               }})
                .find("deadlock"),
            std::string::npos);
}

/// Threads with a wavefront of their own are counted through, the other halves end, and barriers
/// wait for no more.
TEST(Lockstep, WarpsTakeWavefronts) {
  int sum = 0, met = 0;
  EXPECT_EQ(emulator::run({.blocks = 1,
                           .threads = 128,
                           .body =
                               [&] {
                                 if (emulator::take_wavefront() % 64 >= 32) return;
                                 sum += static_cast<int>(threadIdx.x);
                                 __syncthreads();
                                 if (sum == 63 * 64 / 2) ++met;
                               }}),
            "");
  EXPECT_EQ(met, 64);
}

}  // namespace
}  // namespace kauri::test
