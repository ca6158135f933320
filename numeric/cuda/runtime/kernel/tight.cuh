// Says whether blocks of threads have less shared memory than on NVIDIA's devices: kernels then
// have fewer stages, shorter rings or smaller tiles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda {

/// True on AMD devices, where a block has 64 KB; NVIDIA's have 99 KB or more.
inline constexpr bool kTight = kernels::ptx::kBlockKilobytes < 99;

}  // namespace kauri::numeric::cuda
