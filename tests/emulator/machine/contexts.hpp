// Contexts and captures of the emulated devices, as the driver and the runtime of CUDA 12 and later
// have them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/emulator/device/cuda.h"
#include "tests/emulator/device/cuda_runtime_api.h"

namespace kauri::emulator {

inline constexpr int kDeviceCount = 4;

// ---- for tests ----

/// The device that runs from here on; 0 before.
void let_run(int device);
int running_device();

/// Calls of the runtime by threads without a context: each is given the primary context of the
/// device that the thread has chosen, by default the first one, which is made where it is not
/// there.
int contexts_given();
/// True while somebody retains the primary context of the device.
bool has_primary(int device);

/// From here on what asks for the number of devices is answered by this error, and by this version
/// of CUDA what asks for the driver's.
void refuse_devices(cudaError_t error, int driver_version);
/// The same of what asks for a kernel's attributes.
void refuse_kernels(cudaError_t error);
/// From here on kauri was built for these, as numeric/cuda/runtime/architectures.hpp has them; of
/// static storage duration. "", of any, before.
void build_for(const char* architectures);
const char* built_for();

// ---- for the runtime ----

/// The calling thread's context; one is given to it where it has none. Error: that context was
/// destroyed.
cudaError_t enter(CUcontext* context);
int device_of(CUcontext context);
/// Of the calling thread's context, or the one that it has chosen.
int current_device();
cudaError_t answer_for_devices();
cudaError_t answer_for_kernels();

/// A capture of a stream, begun by the calling thread.
class Capture {
 public:
  /// blocking: of a stream that waits for the default one.
  Capture(cudaStreamCaptureMode mode, bool blocking);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();
  /// A call was made meanwhile that it forbids.
  [[nodiscard]] bool is_invalidated() const;

 private:
  friend bool is_forbidden();
  friend bool default_is_forbidden();
  cudaStreamCaptureMode mode_;
  bool blocking_;
  unsigned long thread_;
  bool invalidated_ = false;
};

/// True if the calling thread must not do what waits, allocates or frees: for a capture of its own
/// that is not relaxed, or for one of another thread in global mode, unless it has exchanged its
/// mode. These captures are invalidated then.
bool is_forbidden();
/// The same of the default stream, in every mode: while a stream captures that waits for it.
bool default_is_forbidden();

}  // namespace kauri::emulator
