// KAURI_HOST_DEVICE marks functions that run on the CPU and, if nvcc or hipcc
// compiles them, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define KAURI_HOST_DEVICE __host__ __device__
#else
#define KAURI_HOST_DEVICE
#endif
