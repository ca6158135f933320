// The C interface of kauri: A x = b for sparse symmetric positive definite A, by P A P^T = L L^T, from C99 and whatever calls C.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_KAURI_H
#define KAURI_KAURI_H

// Rules that hold for every call:
//
// - It returns a kauri_status. KAURI_OK, KAURI_NOT_POSITIVE_DEFINITE and KAURI_NOT_CONVERGED are answers, all others failures;
// kauri_error_message() has the
//   text of either but KAURI_OK. No C++ exception comes out, nothing is printed, and the process goes on. After a failure nothing leaks,
//   and all arguments are as usable as before, but for a factor or solver whose filling failed: fill it again. What a failing call was to
//   write is unspecified, but that a handle that was to be made is null.
// - Null is a KAURI_ERROR_USAGE where a handle or a place is needed, not a crash; kauri_*_destroy(NULL) does nothing. Handles of others are
//   the caller's to keep apart: a pointer that is no handle, or one that was destroyed, is not recognised.
// - Handles hold what they were made of: they may be destroyed in any order, once no call uses them.
// - Enumerations go by int32_t. What a number means never changes; later versions add numbers, never take one away.
// - A struct that may grow begins with struct_size. Begin each with its initialiser: struct kauri_dense b = KAURI_DENSE_INIT; another size
//   is KAURI_ERROR_USAGE, and so is a member named reserved that is not 0.
// - Rows and columns of A, in and out, in error messages too where those do not say otherwise, are counted as the matrix was given: from
//   its base, 0 or 1. Rows and columns of B = P A P^T and L, and positions in arrays, are counted from 0.
// - Texts are UTF-8 and go into the caller's buffer: `text` of `capacity` bytes gets the text with its final zero, and `*needed` (where
//   `needed` is not null) the bytes that this takes. With text = NULL and capacity = 0 only `*needed` is written; a buffer that is too
//   small is KAURI_ERROR_USAGE.
// - Different threads may call at the same time: with different handles always; with the same one where it is const in all of these calls.
//   A second call that fills or works in the same solver, factor or workspace meanwhile is KAURI_ERROR_USAGE.
// - A callback returns to kauri, by no longjmp(), and does not destroy what the call that it comes from was made on or with.
// - Where the system refuses a thread, a call is KAURI_ERROR_MEMORY; with "threads" 1 none is asked for. A child that fork() made may go on
//   with all handles that no other thread was calling on: if kauri had threads by then, with the calling thread alone.
//
// What each call does is said at length in the C++ headers of the same names: kauri/solver.hpp, kauri/factor.hpp, kauri/plan.hpp ...

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
