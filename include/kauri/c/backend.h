// C: backends, which hold the memory of factors and compute with it.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_BACKEND_H
#define KAURI_C_BACKEND_H

/// @file
/// C: backends, which hold the memory of factors and compute with it. Include kauri/kauri.h, which
/// has the rules for every call.

#include "kauri/c/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A backend: the threads of the CPU, or memory and streams of a CUDA device. One backend may serve
/// several factors. Calls on different factors may run at the same time, and so may the calls
/// below.
typedef struct kauri_backend kauri_backend;

/// Kinds of backends.
enum kauri_backend_kind {
  KAURI_BACKEND_CPU = 0,  ///< threads of the CPU
  KAURI_BACKEND_CUDA = 1  ///< a CUDA device
};

/// Creates a backend from the options "backend", "threads", "cpu.factor_file" and "cuda.*", and
/// from the allocator of the options; null for the defaults. "auto" means the CPU here: only a
/// solver chooses between CPU and device. KAURI_ERROR_USAGE for options out of range;
/// KAURI_ERROR_INPUT if no file can be made in the folder of "cpu.factor_file", or if that is
/// memory (tmpfs); KAURI_ERROR_DEVICE if kauri was built without CUDA or the device does not exist.
kauri_status kauri_backend_create(const kauri_options* options, kauri_backend** backend);
/// Destroys the handle. Factors and workspaces on this backend keep it alive.
void kauri_backend_destroy(kauri_backend* backend);

/// Sets *available to 1 if a backend for CUDA device 0 could be created, as far as can be known
/// without creating a CUDA context (the device exists and this build has code for it), else to 0.
kauri_status kauri_cuda_available(int32_t* available);
/// Returns the kauri_backend_kind of the backend.
kauri_status kauri_backend_get_kind(const kauri_backend* backend, int32_t* kind);
/// Returns the target of the backend: "cpu-avx512", "cpu-avx2", "cpu-generic", "sm_90" ... Plans
/// are made for a target, see the option "analyze.target".
kauri_status kauri_backend_target(const kauri_backend* backend, char* text, size_t capacity,
                                  size_t* needed);
/// Returns the name of the processor or of the CUDA device, for reports.
kauri_status kauri_backend_device(const kauri_backend* backend, char* text, size_t capacity,
                                  size_t* needed);
/// Returns the number of CPU threads in use, which may be fewer than the options ask for; 1 on a
/// device.
kauri_status kauri_backend_threads(const kauri_backend* backend, int32_t* threads);
/// Returns the bytes that plans on a device, factors and workspaces of this backend hold now, and
/// the peak of these bytes since kauri_backend_reset_peak(), or since the backend was created.
/// in_use or peak may be null.
kauri_status kauri_backend_bytes(const kauri_backend* backend, int64_t* in_use, int64_t* peak);
/// Resets the peak to the bytes in use now.
kauri_status kauri_backend_reset_peak(kauri_backend* backend);

#ifdef __cplusplus
}
#endif
#endif
