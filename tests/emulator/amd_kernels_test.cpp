// The kernels that an AMD device is given, on the emulated one with wavefronts of 64 lanes, whose
// blocks have 64 KB of shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
void expect_multiply_adds(const KernelSet<T>& set, Index widest) {
  EXPECT_EQ(set.tiled.compute, CudaCompute::fma);
  EXPECT_GT(set.tiled.teams, 0);
  EXPECT_TRUE(set.gathers());
  EXPECT_GT(set.single.blocks, 0);
  EXPECT_EQ(set.together, 32);
  EXPECT_EQ(set.widest_group(), widest);
  for (const GroupKernel<T>& group : set.group)
    EXPECT_EQ(group.blocks > 0, group.columns <= widest);
}

TEST(AmdKernels, AreMultiplyAddsWithSweeps) {
  // AMD devices have none of NVIDIA's tensor cores. The emulated one has the capability of Hopper,
  // so that multiply-adds must be asked for.
  CudaOptions options;
  options.compute = CudaCompute::fma;
  const KernelSets sets = select_kernels(options);
  expect_multiply_adds(sets.single_precision, 32);
  EXPECT_TRUE(
      (sets.single_precision.single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>));
  // A group of 32 columns in double takes 97 KB. Groups of 16 do its work.
  expect_multiply_adds(sets.double_precision, 16);
  EXPECT_TRUE((sets.double_precision.single.enqueue == enqueue_sweeps<double, double, AsyncLoads>));
}

}  // namespace
}  // namespace kauri::numeric::cuda
