// The kernels of a device before Hopper on the emulated device: all tests of this program run
// there.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "kauri/kauri.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/memory.hpp"
#include "tests/emulator/runtime/contexts.hpp"

namespace kauri::numeric::cuda {
namespace {

/// No kernel of Hopper runs, so this program tests those of an A100: products of 16 x 8 x 16 by
/// smaller ones, loads of two doubles, and waits that spin (KAURI_BEFORE_HOPPER).
TEST(BeforeHopper, PortableKernelsRunAlone) {
  const KernelSets sets = select_kernels({});
  EXPECT_EQ(sets.double_precision.tiled.compute, CudaCompute::tensor);
  EXPECT_EQ(sets.single_precision.tiled.compute, CudaCompute::tf32x3);
  EXPECT_FALSE(sets.single_precision.tiled.streamed);
  EXPECT_TRUE((sets.double_precision.single.enqueue == enqueue_sweeps<double, double, AsyncLoads>));
}

/// Cards for displays have FP64 at 1/64 of the rate of FP32, and no fast tensor cores.
TEST(BeforeHopper, CardsForDisplaysTakeMultiplyAdds) {
  constexpr int kL4 = 2;  // an emulated L4, of compute capability 8.9
  emulator::let_run(kL4);
  ASSERT_EQ(cudaSetDevice(kL4), cudaSuccess);
  const KernelSets sets = select_kernels({});
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  emulator::let_run(0);
  const KernelSet<double>& two = sets.double_precision;
  EXPECT_EQ(two.tiled.compute, CudaCompute::fma);
  EXPECT_FALSE(two.tiled.shares);
  EXPECT_TRUE(two.gathers());
  EXPECT_TRUE((two.single.enqueue == enqueue_sweeps<double, double, AsyncLoads>));
  for (const KernelSet<float>* one : {&sets.single_precision, &sets.scaled}) {
    EXPECT_EQ(one->tiled.compute, CudaCompute::fma);
    EXPECT_TRUE(one->tiled.shares);
    EXPECT_TRUE(one->gathers());
    EXPECT_TRUE((one->single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>));
    for (const GroupKernel<float>& group : one->group) {
      EXPECT_GT(group.blocks, 0);
      EXPECT_NE(group.enqueue_in_float, nullptr);
    }
    EXPECT_FALSE(one->sums_in_double);
  }
}

/// Multiply-adds that are asked for are in float alone, in sweeps and in batches.
TEST(BeforeHopper, MultiplyAddsOfFloatsStayInFloat) {
  const KernelSet<float> set = select_kernels({.compute = CudaCompute::fma}).single_precision;
  EXPECT_TRUE((set.single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>));
  EXPECT_FALSE(set.sums_in_double);
}

}  // namespace
}  // namespace kauri::numeric::cuda
