// For functions that both the host's and CUDA's compiler translate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__CUDACC__)
#define KAURI_HOST_DEVICE __host__ __device__
#else
#define KAURI_HOST_DEVICE
#endif
