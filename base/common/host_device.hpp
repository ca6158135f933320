// KAURI_HOST_DEVICE marks functions that both the host's compiler and CUDA's translate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__CUDACC__)
#define KAURI_HOST_DEVICE __host__ __device__
#else
#define KAURI_HOST_DEVICE
#endif
