// Names of the CUDA runtime for HIP. Builds for AMD devices find this header in place of CUDA's.
// The sources of the backend use the names below, those of the driver in cuda.h beside this file;
// the table in docs/design/15-amd.md has them all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif

#include <cstddef>
#include <tuple>
#include <utility>

#define cudaError_t hipError_t
#define cudaSuccess hipSuccess
#define cudaErrorContextIsDestroyed hipErrorContextIsDestroyed
#define cudaErrorInitializationError hipErrorNotInitialized
#define cudaErrorInsufficientDriver hipErrorInsufficientDriver
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNoDevice hipErrorNoDevice
#define cudaErrorNotSupported hipErrorNotSupported
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError

#define cudaDeviceProp hipDeviceProp_t
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDevice hipGetDevice
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaDeviceAttr hipDeviceAttribute_t
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDevAttrClockRate hipDeviceAttributeClockRate
#define cudaDevAttrComputeCapabilityMajor hipDeviceAttributeComputeCapabilityMajor
#define cudaDevAttrComputeCapabilityMinor hipDeviceAttributeComputeCapabilityMinor
#define cudaDevAttrCooperativeLaunch hipDeviceAttributeCooperativeLaunch
#define cudaDevAttrGlobalMemoryBusWidth hipDeviceAttributeMemoryBusWidth
#define cudaDevAttrKernelExecTimeout hipDeviceAttributeKernelExecTimeout
#define cudaDevAttrMemoryClockRate hipDeviceAttributeMemoryClockRate
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDevAttrWarpSize hipDeviceAttributeWarpSize

#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaMemGetInfo hipMemGetInfo
#define cudaHostAlloc hipHostMalloc
#define cudaHostAllocMapped hipHostMallocMapped
#define cudaFreeHost hipHostFree
#define cudaHostGetDevicePointer hipHostGetDevicePointer
#define cudaHostRegister hipHostRegister
#define cudaHostRegisterMapped hipHostRegisterMapped
#define cudaHostRegisterPortable hipHostRegisterPortable
#define cudaMemcpyKind hipMemcpyKind
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyToSymbol hipMemcpyToSymbol
#define cudaMemsetAsync hipMemsetAsync

#define cudaStream_t hipStream_t
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCaptureModeRelaxed hipStreamCaptureModeRelaxed
#define cudaStreamCaptureStatus hipStreamCaptureStatus
#define cudaStreamCaptureStatusNone hipStreamCaptureStatusNone
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamIsCapturing hipStreamIsCapturing
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaThreadExchangeStreamCaptureMode hipThreadExchangeStreamCaptureMode
#define cudaEvent_t hipEvent_t
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaGraph_t hipGraph_t
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphInstantiate hipGraphInstantiateWithFlags
#define cudaGraphLaunch hipGraphLaunch

#define cudaFuncAttributes hipFuncAttributes
#define cudaFuncGetAttributes hipFuncGetAttributes
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor

// Memory that HIP did not allocate has no attributes in HIP before 6, where it is an error, as in
// CUDA before 11; nor are graphs uploaded there before their first launch.
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
};
#if HIP_VERSION_MAJOR < 6
inline cudaMemoryType memory_type_of(const hipPointerAttribute_t& found) {
  if (found.isManaged != 0) return cudaMemoryTypeManaged;
  return found.memoryType == hipMemoryTypeDevice ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
#else
inline cudaMemoryType memory_type_of(const hipPointerAttribute_t& found) {
  switch (found.type) {
    case hipMemoryTypeUnregistered:
      return cudaMemoryTypeUnregistered;
    case hipMemoryTypeDevice:
      return cudaMemoryTypeDevice;
    case hipMemoryTypeManaged:
      return cudaMemoryTypeManaged;
    default:
      return cudaMemoryTypeHost;
  }
}
#define cudaGraphUpload hipGraphUpload
#endif
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* place) {
  hipPointerAttribute_t found{};
  const cudaError_t status = hipPointerGetAttributes(&found, place);
  if (status == cudaErrorInvalidValue) {
    static_cast<void>(cudaGetLastError());
    *attributes = {cudaMemoryTypeUnregistered, 0};
    return cudaSuccess;
  }
  if (status == cudaSuccess) *attributes = {memory_type_of(found), found.device};
  return status;
}

// HIP takes any number of bytes here, and refuses the launch. The limit of a block is for these
// bytes and for the arrays that the kernel declares.
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), hipFuncAttribute attribute, int value) {
  int device = 0, most = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  if (const cudaError_t status =
          cudaDeviceGetAttribute(&most, hipDeviceAttributeMaxSharedMemoryPerBlock, device);
      status != cudaSuccess)
    return status;
  const void* address = reinterpret_cast<const void*>(kernel);
  hipFuncAttributes declared{};
  if (const cudaError_t status = hipFuncGetAttributes(&declared, address); status != cudaSuccess)
    return status;
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
      value > most - static_cast<int>(declared.sharedSizeBytes))
    return cudaErrorInvalidValue;
  return hipFuncSetAttribute(address, attribute, value);
}

// A launch with attributes, of which HIP has the cooperative one as a call of its own.
enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int cooperative;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
  std::tuple<P...> values(std::forward<A>(arguments)...);
  const void* address = reinterpret_cast<const void*>(kernel);
  return std::apply(
      [&](P&... value) {
        void* places[] = {static_cast<void*>(&value)..., nullptr};
        if (config->numAttrs > 0 && config->attrs[0].val.cooperative != 0)
          return hipLaunchCooperativeKernel(address, config->gridDim, config->blockDim, places,
                                            static_cast<unsigned>(config->dynamicSmemBytes),
                                            config->stream);
        return hipLaunchKernel(address, config->gridDim, config->blockDim, places,
                               config->dynamicSmemBytes, config->stream);
      },
      values);
}

#ifdef __HIPCC__
#include "numeric/cuda/runtime/kernel/language_amd.cuh"
#endif
