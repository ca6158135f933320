// Indices of the running thread: CUDA's built-in variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

struct EmulatedIndex {
  unsigned x = 0, y = 0, z = 0;
};

inline thread_local EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;
