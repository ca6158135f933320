// The C interface of kauri: A x = b for sparse symmetric positive definite A, by P A P^T = L L^T,
// for C99 and languages that call C.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_KAURI_H
#define KAURI_KAURI_H

// Rules for every call:
//
// - A call returns a kauri_status. KAURI_OK, KAURI_NOT_POSITIVE_DEFINITE and KAURI_NOT_CONVERGED
//   are answers; all others are failures. kauri_error_message() returns the text of every status
//   but KAURI_OK. No C++ exception leaves a call, nothing is printed, and the process is not ended.
//   After a failure no memory leaks and all arguments can be used as before, except a factor or
//   solver whose factorisation failed: factorise again. The outputs of a failed call are
//   unspecified, except that the output for a new handle is set to null.
// - Null in place of a required handle or output pointer is KAURI_ERROR_USAGE, not a crash;
//   kauri_*_destroy(NULL) does nothing. A pointer that is not a handle of that type, or a handle
//   that was destroyed, is not detected.
// - A handle keeps alive the objects that it was made from: handles may be destroyed in any order,
//   once no call uses them.
// - Enumerations are passed as int32_t. The meaning of a number never changes; later versions add
//   numbers and remove none.
// - A struct that may grow begins with struct_size. Start each with its initialiser:
//   struct kauri_dense b = KAURI_DENSE_INIT. Another size is KAURI_ERROR_USAGE, and so is a member
//   named reserved that is not 0.
// - Rows and columns of A, in arguments, results and error messages, are counted from the base of
//   the matrix, 0 or 1; a message that counts from 0 although the base is 1 says so. Rows and
//   columns of B = P A P^T and of L, and positions in arrays, are counted from 0.
// - Texts are UTF-8 and are written to the caller's buffer: `text`, of `capacity` bytes, receives
//   the text with its terminating zero; `*needed`, unless `needed` is null, receives the bytes that
//   this takes. With text = NULL and capacity = 0 only `*needed` is written. A buffer that is too
//   small is KAURI_ERROR_USAGE.
// - Different threads may call at the same time: with different handles always, with one handle if
//   all of these calls take it as const. A second call that factorises or works in a solver, factor
//   or workspace that is in use is KAURI_ERROR_USAGE.
// - A callback returns to kauri (no longjmp()) and does not destroy a handle that the call which
//   invoked it uses.
// - A call returns KAURI_ERROR_MEMORY if the system refuses to start a thread; with "threads" 1 no
//   thread is started. After fork() the child may use every handle that no other thread was calling
//   on at that time. If kauri had started threads by then, the child computes with the calling
//   thread alone.
//
// The C++ headers of the same names describe each call at length: kauri/solve/solver.hpp,
// kauri/solve/factor.hpp, kauri/core/plan.hpp ...

#include "kauri/c/backend.h"
#include "kauri/c/factor.h"
#include "kauri/c/matrix.h"
#include "kauri/c/options.h"
#include "kauri/c/plan.h"
#include "kauri/c/save.h"
#include "kauri/c/solver.h"
#include "kauri/c/status.h"
#include "kauri/c/stream.h"

#endif
