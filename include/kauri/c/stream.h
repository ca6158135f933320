// C: work on the caller's CUDA stream.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_STREAM_H
#define KAURI_C_STREAM_H

/// @file
/// C: work on the caller's CUDA stream. Include kauri/kauri.h, which has the rules for every call.
///
/// stream: a cudaStream_t, null for the device's default stream; it may be capturing. These calls allocate nothing and wait for nothing;
/// what they are given is in use until the work on the stream is done, and all of it lies in the memory of the factor's device.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// kauri_factor_refactorize() on the stream. The verdict stays on the device until kauri_factor_fetch_verdict(), and until then the factor
/// is not valid for other calls than those of this header. A value that is not finite makes A not positive definite. On the CPU, whose
/// stream is null, the work is done when this returns.
kauri_status kauri_factor_enqueue_refactorize(kauri_factor* factor, const void* value, int64_t entries, double shift, void* stream);
/// kauri_factor_refactorize() of values on the device that work on the stream writes, enqueued by now: the device begins when that work has
/// ended. Unlike the calls above and below this one waits, for the verdict, and the stream must not be capturing. On the CPU it is null.
kauri_status kauri_factor_refactorize_after(kauri_factor* factor, const void* value, int64_t entries, double shift, void* stream);
/// kauri_factor_solve() on the stream, also straight after kauri_factor_enqueue_refactorize() there. If A then is not positive definite,
/// all of x is NaN. For devices alone.
kauri_status kauri_factor_enqueue_solve(const kauri_factor* factor, int32_t system, const struct kauri_dense* b,
                                        const struct kauri_dense* x, kauri_workspace* workspace, void* stream);
/// kauri_factor_log_determinant() on the stream: left in `there`, or NaN if A then is not positive definite. For devices alone.
kauri_status kauri_factor_enqueue_log_determinant(const kauri_factor* factor, double* there, kauri_workspace* workspace, void* stream);
/// Waits for all work on the stream, and takes over the verdict that lies on the device: KAURI_OK, KAURI_NOT_POSITIVE_DEFINITE, or
/// KAURI_ERROR_DEVICE if that work failed. verdict may be null.
kauri_status kauri_factor_fetch_verdict(kauri_factor* factor, void* stream, struct kauri_verdict* verdict);

#ifdef __cplusplus
}
#endif
#endif
