// The kernels of a device before Hopper on the emulated device: all tests of this program run
// there.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "kauri/kauri.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/solve/single/memory.hpp"

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

/// Multiply-adds that are asked for are in float alone, in sweeps and in batches.
TEST(BeforeHopper, MultiplyAddsOfFloatsStayInFloat) {
  const KernelSet<float> set = select_kernels({.compute = CudaCompute::fma}).single_precision;
  EXPECT_TRUE((set.single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>));
  EXPECT_FALSE(set.sums_in_double);
}

}  // namespace
}  // namespace kauri::numeric::cuda
