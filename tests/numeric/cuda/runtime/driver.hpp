// The CUDA driver as a caller of kauri uses it, with own contexts. The emulated device provides it
// as well.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

#include "tests/numeric/cuda/runtime/runtime.hpp"

namespace kauri::test {

/// Returns a function of the driver, as of CUDA `version`: 7000 is 7.0.
template <class F>
F* driver_function(const char* name, [[maybe_unused]] unsigned version = 7000) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  require(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
#else
  require(cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess || entry == nullptr)
    throw std::runtime_error(std::string("no ") + name);
  return reinterpret_cast<F*>(entry);
}

inline void require_driver(CUresult status) {
  if (status != CUDA_SUCCESS)
    throw std::runtime_error("the CUDA driver in a test: error " +
                             std::to_string(static_cast<int>(status)));
}

/// Returns the context of the calling thread, or null.
inline CUcontext current_context() {
  static const auto get = driver_function<CUresult(CUcontext*)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  require_driver(get(&context));
  return context;
}

inline void set_context(CUcontext context) {
  require_driver(driver_function<CUresult(CUcontext)>("cuCtxSetCurrent")(context));
}

/// Returns whether the process has made or retained the primary context of a device.
inline bool has_primary_context(int device) {
  unsigned flags = 0;
  int active = 0;
  require_driver(driver_function<CUresult(CUdevice, unsigned*, int*)>("cuDevicePrimaryCtxGetState")(
      device, &flags, &active));
  return active != 0;
}

/// Creates a context by cuCtxCreate, which is current in the calling thread during its lifetime;
/// the destructor makes the previous one current.
class OwnContext {
 public:
  explicit OwnContext(int device) {
    require_driver(driver_function<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate")(
        &context_, 0, device));
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() { driver_function<CUresult(CUcontext)>("cuCtxDestroy")(context_); }
  [[nodiscard]] CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

}  // namespace kauri::test
