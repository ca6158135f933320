// The kernels of an emulated Hopper card whose driver reports slow FP64, as that of an H20 does.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/memory.hpp"
#include "tests/emulator/machine/machine.hpp"

namespace kauri::numeric::cuda {
namespace {

class SlowDouble : public ::testing::Test {
 protected:
  void SetUp() override { emulator::report_single_to_double(32); }
  void TearDown() override { emulator::report_single_to_double(2); }
};

/// Automatic precision takes mixed on such a card, so its solves must not wait for FP64.
TEST_F(SlowDouble, LeavesFloatsInFloat) {
  const KernelSets sets = select_kernels({});
  const KernelSet<float>& one = sets.single_precision;
  EXPECT_TRUE((one.single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>));
  for (const GroupKernel<float>& group : one.group) {
    EXPECT_GT(group.blocks, 0);
    EXPECT_NE(group.enqueue_in_float, nullptr);
  }
  EXPECT_FALSE(one.sums_in_double);
  EXPECT_EQ(one.tiled.compute, CudaCompute::tf32x3);
  const KernelSet<double>& two = sets.double_precision;
  EXPECT_EQ(two.tiled.compute, CudaCompute::hopper);
  EXPECT_FALSE(two.tiled.shares);
  EXPECT_TRUE(one.tiled.shares);
  EXPECT_TRUE((two.single.enqueue == enqueue_sweeps<double, double, BulkLoads>));
}

/// Fronts in tensor cores and sweeps in float read the same L.
TEST_F(SlowDouble, FactorsInFloatSolve) {
  Backend backend = cuda_backend();
  const auto a = generate("poisson2d 40");
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  options.target = backend.target();
  const auto plan = analyze(a.pattern(), options);
  auto factor = Factor<float>::create(plan, backend);
  const std::vector<float> value(a.value().begin(), a.value().end());
  ASSERT_TRUE(refactorize<float>(factor, value).ok());
  const Index columns = 2, n = plan->n;
  std::vector<float> x(static_cast<std::size_t>(n) * columns, 1);
  const std::vector<float> b = x;
  auto workspace = Workspace<float>::create(factor, columns);
  factor.solve({x.data(), n, columns, n}, workspace);
  for (const float value_of_x : x) EXPECT_GT(value_of_x, 0);  // the inverse of A has such entries
  std::vector<double> residual(b.size());
  const SymmetricView<double> view = a.view();
  for (Index column = 0; column < columns; ++column)
    for (Index j = 0; j < n; ++j)
      for (Offset k = view.pattern.col_ptr[j]; k < view.pattern.col_ptr[j + 1]; ++k) {
        const Index i = view.pattern.row[k];
        residual[column * n + i] += view.value[k] * x[column * n + j];
        if (i != j) residual[column * n + j] += view.value[k] * x[column * n + i];
      }
  for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(residual[k], b[k], 1e-3);
}

}  // namespace
}  // namespace kauri::numeric::cuda
