// The operations of a warp of kernel/language_amd.cuh against their definitions, for one kind of
// sources: a source defines KAURI_WARPS_WAIT or not, includes this, and names the test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "numeric/cuda/runtime/kernel/language_amd.cuh"

namespace kauri::test {
namespace {

/// Results of one thread.
struct Seen {
  unsigned thread = ~0U;
  double down = 0, shuffled = 0;
  int of_eight = 0, other = 0;
  unsigned ballot = 0;
  int any = 0;
};

/// Runs a block of four warps of 32 threads, and returns what each thread saw.
inline std::vector<Seen> run_block() {
  namespace hip = numeric::cuda::hip;
  emulator::run_in_wavefronts(64);
  std::vector<Seen> all(128);
  const std::string failure =
      emulator::run({.blocks = 1, .threads = 128 * hip::kShare, .body = [&] {
                       if (hip::kWarpsWait && hip::hardware_thread() % hip::kWavefront >= 32)
                         return;
                       const unsigned thread = threadIdx.x, lane = thread % 32;
                       constexpr unsigned kAll = ~0U;
                       if (thread / 32 == 2) hip::pause();  // halves of a wavefront apart
                       Seen seen{.thread = thread};
                       const double value = 1000.5 + thread;
                       seen.down = __shfl_down_sync(kAll, value, 5);
                       seen.shuffled = __shfl_sync(kAll, value, 31 - static_cast<int>(lane));
                       seen.of_eight = __shfl_sync(kAll, static_cast<int>(thread), 3, 8);
                       seen.other = __shfl_xor_sync(kAll, static_cast<int>(thread), 6);
                       seen.ballot = __ballot_sync(kAll, thread % 3 == 0);
                       seen.any = __any_sync(kAll, thread == 70);
                       __syncwarp();
                       all.at(thread) = seen;
                     }});
  emulator::run_in_wavefronts(0);
  EXPECT_EQ(failure, "");
  return all;
}

inline void check_operations() {
  const std::vector<Seen> all = run_block();
  for (unsigned t = 0; t < 128; ++t) {
    const unsigned lane = t % 32, first = t - lane;
    SCOPED_TRACE("thread " + std::to_string(t));
    const Seen& seen = all[t];
    EXPECT_EQ(seen.thread, t);
    EXPECT_EQ(seen.down, 1000.5 + (lane + 5 < 32 ? t + 5 : t));
    EXPECT_EQ(seen.shuffled, 1000.5 + first + (31 - lane));
    EXPECT_EQ(seen.of_eight, static_cast<int>(first + lane / 8 * 8 + 3));
    EXPECT_EQ(seen.other, static_cast<int>(first + (lane ^ 6U)));
    unsigned ballot = 0;
    for (unsigned k = 0; k < 32; ++k) ballot |= static_cast<unsigned>((first + k) % 3 == 0) << k;
    EXPECT_EQ(seen.ballot, ballot);
    EXPECT_EQ(seen.any, t / 32 == 70 / 32 ? 1 : 0);
  }
}

}  // namespace
}  // namespace kauri::test
