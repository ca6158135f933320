// The limit of a launch of large fronts, on emulated devices with and without a limit of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/launch_limit.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "numeric/cuda/runtime/availability.hpp"
#include "tests/emulator/machine/machine.hpp"

namespace kauri::numeric::cuda {
namespace {

class LaunchLimit : public ::testing::Test {
 protected:
  void TearDown() override { emulator::limit_kernel_time(false); }
  template <class T>
  static double limit(const CudaOptions& options, CudaCompute compute) {
    TiledKernels<T> kernels;
    kernels.compute = compute;
    limit_launches(options, card_of(0), has_time_limit(0), kernels);
    return kernels.launch_seconds;
  }
  static double limit(double seconds) {
    CudaOptions options;
    options.launch_seconds = seconds;
    return limit<double>(options, CudaCompute::hopper);
  }
  /// Peaks of a card are rounded.
  static constexpr double kRounded = 0.01;
};

TEST_F(LaunchLimit, IsTheCallersOrTheDevices) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(limit(0), kInfinite);
  EXPECT_NEAR(limit(0.1), 0.1, 0.1 * kRounded);
  emulator::limit_kernel_time(true);
  EXPECT_NEAR(limit(0), kDisplaySeconds, kDisplaySeconds * kRounded);
  EXPECT_NEAR(limit(2), 2, 2 * kRounded);
  EXPECT_EQ(limit(kInfinite), kInfinite);
}

/// Predictions hold for a whole H200. Its multiply-adds have half of the peak of its tensor cores
/// in double, and the same in float, and half of the multiprocessors half of the peak.
TEST_F(LaunchLimit, IsLowerOnASlowerDevice) {
  CudaOptions options;
  options.launch_seconds = 1;
  EXPECT_NEAR(limit<double>(options, CudaCompute::tensor), 1, kRounded);
  EXPECT_NEAR(limit<double>(options, CudaCompute::fma), 0.5, kRounded);
  EXPECT_NEAR(limit<float>(options, CudaCompute::fma), 1, kRounded);
  EXPECT_EQ(limit<float>(options, CudaCompute::tf32), 1);  // a faster one has no higher limit
  options.multiprocessors = 66;
  EXPECT_NEAR(limit<double>(options, CudaCompute::hopper), 0.5, kRounded);
}

}  // namespace
}  // namespace kauri::numeric::cuda
