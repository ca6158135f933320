// C: where numbers live and are computed.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_BACKEND_H
#define KAURI_C_BACKEND_H

/// @file
/// C: where numbers live and are computed. Include kauri/kauri.h, which has the rules for every call.

#include "kauri/c/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Threads of the CPU, or memory and streams of a CUDA device. One may serve several factors, and calls on different factors may run at the
/// same time; so may the calls below.
typedef struct kauri_backend kauri_backend;

/// What computes.
enum kauri_backend_kind {
  KAURI_BACKEND_CPU = 0,  ///< threads of the host
  KAURI_BACKEND_CUDA = 1  ///< a CUDA device
};

/// By the options "backend" ("auto" is the CPU here: only a solver, which knows its job, chooses), "threads" and "cuda." ones, and by the
/// allocator. KAURI_ERROR_DEVICE where kauri was built without CUDA or the device is not there.
kauri_status kauri_backend_create(const kauri_options* options, kauri_backend** backend);
/// Gives it back.
void kauri_backend_destroy(kauri_backend* backend);

/// available: 1 where a backend for CUDA's device 0 could be made, as far as that is known before one is, else 0.
kauri_status kauri_cuda_available(int32_t* available);
/// Its kauri_backend_kind.
kauri_status kauri_backend_get_kind(const kauri_backend* backend, int32_t* kind);
/// "cpu-avx512", "cpu-avx2", "cpu-generic", "sm_90" ...: what plans are made for, option "analyze.target".
kauri_status kauri_backend_target(const kauri_backend* backend, char* text, size_t capacity, size_t* needed);
/// The device in words.
kauri_status kauri_backend_device(const kauri_backend* backend, char* text, size_t capacity, size_t* needed);
/// CPU threads really used, which may be fewer than asked for.
kauri_status kauri_backend_threads(const kauri_backend* backend, int32_t* threads);
/// Bytes that factors and workspaces of this backend hold now, and the most of them at a time since kauri_backend_reset_peak(). Either
/// place may be null.
kauri_status kauri_backend_bytes(const kauri_backend* backend, int64_t* in_use, int64_t* peak);
/// From now on the peak is what is in use.
kauri_status kauri_backend_reset_peak(kauri_backend* backend);

#ifdef __cplusplus
}
#endif
#endif
