// Tests the rates of devices against the rates that their makers publish.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "numeric/cuda/plan/roofline.hpp"

namespace kauri::numeric::cuda {
namespace {

using enum CudaCompute;

/// Returns the bytes/s of a memory by its clock rate and the width of its bus: two transfers a
/// cycle.
constexpr double bytes(double clock_hz, double bits) { return 2 * clock_hz * bits / 8; }

/// The figures are from NVIDIA's data sheets: full-precision rate in 1e12 operations a second,
/// memory rate in 1e9 bytes a second.
TEST(DeviceRooflines, AreThoseOfDataSheets) {
  struct Sheet {
    const char* name;
    DeviceCard rates;
    double tensor, fma, fma_of_floats, tf32, bandwidth;
  };
  const Sheet sheets[] = {
      {"A100 SXM 80GB", {8, 0, 108, 1.41e9, bytes(1.593e9, 5120)}, 19.5, 9.7, 19.5, 156, 2039},
      {"H100 SXM", {9, 0, 132, 1.98e9, bytes(2.619e9, 5120)}, 66.9, 33.5, 66.9, 535, 3352},
      {"GeForce RTX 4090", {8, 9, 128, 2.52e9, bytes(10.501e9, 384)}, 1.29, 1.29, 82.6, 0, 1008},
  };
  for (const Sheet& sheet : sheets) {
    EXPECT_NEAR(device_roofline(sheet.rates, 8, tensor).flops_per_s, 1e12 * sheet.tensor,
                1e10 * sheet.tensor)
        << sheet.name;
    EXPECT_NEAR(device_roofline(sheet.rates, 8, fma).flops_per_s, 1e12 * sheet.fma,
                1e10 * sheet.fma)
        << sheet.name;
    EXPECT_NEAR(device_roofline(sheet.rates, 4, fma).flops_per_s, 1e12 * sheet.fma_of_floats,
                1e10 * sheet.fma_of_floats)
        << sheet.name;
    EXPECT_NEAR(device_roofline(sheet.rates, 4, tf32).flops_per_s, 1e12 * sheet.tf32,
                1e10 * sheet.tf32)
        << sheet.name;
    EXPECT_NEAR(device_roofline(sheet.rates, 4, tf32x3).flops_per_s, 1e12 * sheet.tf32 / 3,
                1e10 * sheet.tf32)
        << sheet.name;
    EXPECT_NEAR(device_roofline(sheet.rates, 8, tensor).bytes_per_s, 1e9 * sheet.bandwidth,
                1e7 * sheet.bandwidth)
        << sheet.name;
  }
  const DeviceCard h100 = sheets[1].rates;
  EXPECT_EQ(device_roofline(h100, 8, hopper).flops_per_s,
            device_roofline(h100, 8, tensor).flops_per_s);
  DeviceCard slow = h100;  // its driver says 1/32
  slow.single_to_double = 32;
  EXPECT_NEAR(device_roofline(slow, 8, tensor).flops_per_s, 66.9e12 / 16, 1e11);
  EXPECT_EQ(device_roofline(slow, 4, fma).flops_per_s, device_roofline(h100, 4, fma).flops_per_s);
  EXPECT_NEAR(device_roofline(h100, 4, fp16x3).flops_per_s, 1070e12 / 3, 4e12);
}

TEST(DeviceRooflines, WhatIsNotKnownIsZero) {
  EXPECT_EQ(device_roofline({7, 0, 80, 1.5e9, 9e11}, 8, fma).flops_per_s, 0);
  EXPECT_EQ(device_roofline({8, 0, 108, 1.41e9, 2e12}, 4, fp16x3).flops_per_s, 0);
}

}  // namespace
}  // namespace kauri::numeric::cuda
