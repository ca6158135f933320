// The part of the CUDA driver's API that kauri and its tests use, for the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

using CUdevice = int;
struct CUctx_st;
using CUcontext = CUctx_st*;
enum CUresult {  // with the numbers of cudaError_t
  CUDA_SUCCESS = 0,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
};
enum CUstreamCaptureMode {
  CU_STREAM_CAPTURE_MODE_GLOBAL,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
  CU_STREAM_CAPTURE_MODE_RELAXED
};
