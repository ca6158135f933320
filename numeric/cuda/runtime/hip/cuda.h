// Names of the CUDA driver for HIP, found in place of CUDA's header: those of runtime/context.cpp.
// A device of AMD's has one context for each process, which is there from the first call on; it
// stands for the primary context, and entering it makes the device the thread's current one. (HIP
// has contexts of the driver, too, but they are deprecated, and leaving one does not bring back the
// thread's device.)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

using CUdevice = int;
struct CUctx_st;
using CUcontext = CUctx_st*;
#define CUresult hipError_t
#define CUDA_SUCCESS hipSuccess
#define CUDA_ERROR_NOT_INITIALIZED hipErrorNotInitialized
#define CUstreamCaptureMode hipStreamCaptureMode
#define CU_STREAM_CAPTURE_MODE_RELAXED hipStreamCaptureModeRelaxed

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};
inline constexpr unsigned long long cudaEnableDefault = 0;

/// Sets `entry` to the function of HIP's (hip/driver.cpp) that stands for the driver's `name`.
cudaError_t cudaGetDriverEntryPoint(const char* name, void** entry, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found);
