// Statistics of the norm estimator's steps, by their kernels alone: the largest magnitude and its
// row, also if entries are NaN. The file is also compiled for the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "numeric/cuda/extract/norm_estimator_kernels.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

using numeric::EstimatorStep;

class EstimatorSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }

  /// Returns the statistics of x, with row 0 as the corner.
  static EstimatorStep step(const std::vector<double>& x) {
    const auto n = static_cast<Index>(x.size());
    const CallerStream stream;
    const CallerArray<double> there(x);
    const CallerArray<std::int8_t> sign(std::vector<std::int8_t>(x.size()));
    const CallerArray<EstimatorStep> part(
        std::vector<EstimatorStep>(static_cast<std::size_t>(numeric::cuda::estimator_blocks(n))));
    numeric::cuda::enqueue_estimator_step<double>(n, there.data(), 0, true, sign.data(),
                                                  part.data(), stream.get());
    require(cudaStreamSynchronize(stream.get()));
    return part.fetch().front();
  }

  const std::vector<std::size_t> sizes = {1, 31, 256, 1025, 5000};  // of one block and of several
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
};

TEST_F(EstimatorSteps, FindTheFirstOfTheLargest) {
  for (const std::size_t n : sizes)
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<double> x(n, 1.0);
      x[place] = -3;
      x.back() = 3;
      const EstimatorStep seen = step(x);
      EXPECT_EQ(seen.where, static_cast<Index>(place)) << n;
      EXPECT_EQ(seen.largest, 3) << n;
      EXPECT_EQ(seen.sum, static_cast<double>(place + 1 == n ? n + 2 : n + 4)) << n;
    }
}

TEST_F(EstimatorSteps, NameARowOfXIfEntriesAreNan) {
  for (const std::size_t n : sizes) {
    const EstimatorStep all = step(std::vector<double>(n, kNan));
    EXPECT_TRUE(std::isnan(all.sum)) << n;
    EXPECT_GE(all.where, 0) << n;
    EXPECT_LT(all.where, static_cast<Index>(n));
    std::vector<double> x(n, kNan);
    x.back() = 0;
    const EstimatorStep one = step(x);
    EXPECT_EQ(one.where, static_cast<Index>(n) - 1);
    EXPECT_EQ(std::isnan(one.sum), n > 1) << n;
  }
}

}  // namespace
}  // namespace kauri::test
