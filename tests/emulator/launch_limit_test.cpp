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
  void TearDown() override {
    emulator::limit_kernel_time(false);
    emulator::report_single_to_double(2);
  }
  template <class T>
  static double limit(const CudaOptions& options, CudaCompute compute, bool streamed = false) {
    TiledKernels<T> kernels;
    kernels.compute = compute, kernels.streamed = streamed;
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

/// Predictions hold for the own kernels of a whole H200. Portable ones take up to 1.5 times as
/// long; its multiply-adds have half of the peak of its tensor cores in double, and do products in
/// float in 1.56 times the time of TF32; half of the multiprocessors have half of the peak.
TEST_F(LaunchLimit, IsLowerOnASlowerDevice) {
  CudaOptions options;
  options.launch_seconds = 1;
  EXPECT_NEAR(limit<double>(options, CudaCompute::hopper), 1, kRounded);
  EXPECT_NEAR(limit<double>(options, CudaCompute::tensor), 1 / 1.5, kRounded);
  EXPECT_NEAR(limit<double>(options, CudaCompute::fma), 0.5 / 1.5, kRounded);
  EXPECT_NEAR(limit<float>(options, CudaCompute::fma), 1 / 1.5 / 1.56, kRounded);
  EXPECT_NEAR(limit<float>(options, CudaCompute::tf32x3), 1 / 1.5, kRounded);
  // Faster ones have no higher limit.
  EXPECT_EQ(limit<float>(options, CudaCompute::tf32, true), 1);
  EXPECT_EQ(limit<float>(options, CudaCompute::fp16x3, true), 1);
  options.multiprocessors = 66;
  EXPECT_NEAR(limit<double>(options, CudaCompute::hopper), 0.5, kRounded);
}

/// The driver says that FP64 has 1/32 of the rate of FP32, where the capability alone says 1/2.
TEST_F(LaunchLimit, IsLowerWhereTheDriverReportsSlowDouble) {
  CudaOptions options;
  options.launch_seconds = 1;
  const double usual = limit<double>(options, CudaCompute::fma);
  emulator::report_single_to_double(32);
  EXPECT_NEAR(limit<double>(options, CudaCompute::fma), usual / 16, kRounded * usual);
  EXPECT_EQ(limit<float>(options, CudaCompute::tf32, true), 1);
}

}  // namespace
}  // namespace kauri::numeric::cuda
