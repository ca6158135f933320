// Contexts and captures of the emulated devices, as in the driver and the runtime of CUDA 12 and
// later.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/emulator/device/cuda.h"
#include "tests/emulator/device/cuda_runtime_api.h"

namespace kauri::emulator {

inline constexpr int kDeviceCount = 4;
inline constexpr std::size_t kMemory = std::size_t{1} << 32;  // bytes of the first device

// ---- for tests ----

/// Sets the device that runs from here on; initially 0.
void let_run(int device);
int running_device();

/// Returns the number of runtime calls by threads without a context. The runtime gives each the
/// primary context of the thread's chosen device (by default the first), and creates that context
/// if necessary.
int contexts_given();
/// Returns true while the primary context of the device is retained.
bool has_primary(int device);

/// From here on, asking for the number of devices returns this error, and asking for the driver's
/// version returns this version.
void refuse_devices(cudaError_t error, int driver_version);
/// From here on, asking for a kernel's attributes returns this error.
void refuse_kernels(cudaError_t error);
/// Sets the architectures that kauri claims to be built for, in the format of
/// numeric/cuda/runtime/architectures.hpp; the text must have static storage duration. Initially
/// "", which means any.
void build_for(const char* architectures);
const char* built_for();

// ---- for the runtime ----

/// Enters the calling thread's context, and creates one if the thread has none. Returns an error if
/// that context was destroyed.
cudaError_t enter(CUcontext* context);
int device_of(CUcontext context);
/// Returns the device of the calling thread's context, or the device that the thread has chosen.
int current_device();
cudaError_t answer_for_devices();
cudaError_t answer_for_kernels();

/// A capture of a stream, begun by the calling thread.
class Capture {
 public:
  /// blocking: the stream waits for the default stream.
  Capture(cudaStreamCaptureMode mode, bool blocking);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();
  /// Returns true if a call that the capture forbids was made meanwhile.
  [[nodiscard]] bool is_invalidated() const;

 private:
  friend bool is_forbidden();
  friend bool default_is_forbidden();
  cudaStreamCaptureMode mode_;
  bool blocking_;
  unsigned long thread_;
  bool invalidated_ = false;
};

/// Returns true if a capture forbids the calling thread to wait, allocate or free, and invalidates
/// that capture. Forbidding captures are the thread's own that are not relaxed, and those of other
/// threads in global mode, unless the thread has exchanged its mode.
bool is_forbidden();
/// Does what is_forbidden() does, for the default stream and in every mode: this one is forbidden
/// while a stream that waits for the default stream captures.
bool default_is_forbidden();

}  // namespace kauri::emulator
