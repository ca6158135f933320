// C: work on the caller's CUDA stream.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_STREAM_H
#define KAURI_C_STREAM_H

/// @file
/// C: work on the caller's CUDA stream. Include kauri/kauri.h, which has the rules for every call.
///
/// stream: a cudaStream_t, or null for the default stream of the backend's context; it may be
/// capturing. Calls that enqueue allocate nothing and do not wait. Their arguments are in use until
/// the work on the stream is done. Values, b, x and results lie in the memory of the factor's
/// device.

#include "kauri/c/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Enqueues kauri_factor_refactorize() on the stream. value: `entries` = nnz numbers, in the order
/// of kauri_matrix_lower(). The verdict stays on the device until kauri_factor_fetch_verdict();
/// until then only the calls of this header accept the factor as valid. A value that is not finite
/// makes A not positive definite. On the CPU the stream is null, and the work is done and the
/// verdict known when the call returns; it returns KAURI_OK whatever the verdict is.
kauri_status kauri_factor_enqueue_refactorize(kauri_factor* factor, const void* value,
                                              int64_t entries, double shift, void* stream);
/// Refactorises as kauri_factor_refactorize() with values on the device that work already enqueued
/// on the stream writes: the device begins when that work has ended. Unlike the calls that enqueue,
/// this one waits for the verdict, and the stream must not be capturing. On the CPU the stream is
/// null.
kauri_status kauri_factor_refactorize_after(kauri_factor* factor, const void* value,
                                            int64_t entries, double shift, void* stream);
/// Enqueues kauri_factor_solve() on the stream; it may follow kauri_factor_enqueue_refactorize() on
/// that stream at once. If A turns out not to be positive definite, all entries of x are NaN.
/// KAURI_ERROR_USAGE for a factor on the CPU.
kauri_status kauri_factor_enqueue_solve(const kauri_factor* factor, int32_t system,
                                        const struct kauri_dense* b, const struct kauri_dense* x,
                                        kauri_workspace* workspace, void* stream);
/// Enqueues kauri_factor_log_determinant() on the stream. *there, a double in the memory of the
/// device, receives ln det(A + shift I), or NaN if A + shift I is not positive definite.
/// KAURI_ERROR_USAGE for a factor on the CPU.
kauri_status kauri_factor_enqueue_log_determinant(const kauri_factor* factor, double* there,
                                                  kauri_workspace* workspace, void* stream);
/// Waits for all work on the stream and copies the verdict from the device to the factor and,
/// unless `verdict` is null, to *verdict. Returns KAURI_OK, KAURI_NOT_POSITIVE_DEFINITE, or
/// KAURI_ERROR_DEVICE if that work failed.
kauri_status kauri_factor_fetch_verdict(kauri_factor* factor, void* stream,
                                        struct kauri_verdict* verdict);

#ifdef __cplusplus
}
#endif
#endif
