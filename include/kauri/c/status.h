// C: versions, what calls return, and the text of an error.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_STATUS_H
#define KAURI_C_STATUS_H

/// @file
/// C: versions, what calls return, and the text of an error. Include kauri/kauri.h, which has the rules for every call.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this interface, one more with each version of kauri that adds to it. What there is keeps its meaning.
#define KAURI_API_VERSION 1

/// KAURI_API_VERSION of the library that the program was linked to: what a header of a lesser one declares is there.
int32_t kauri_api_version(void);
/// "major.minor.patch" of the library.
const char* kauri_version(void);
/// The commit that the library was built from, or "unknown".
const char* kauri_commit(void);

/// What calls return, as a kauri_status.
enum kauri_status_code {
  KAURI_OK = 0,                     ///< done
  KAURI_NOT_POSITIVE_DEFINITE = 1,  ///< an answer: A + shift I is not; the message and kauri_verdict name column and pivot
  KAURI_ERROR_USAGE = 2,            ///< the call is wrong: null, sizes that do not fit, a factor that is not valid, an unknown option
  KAURI_ERROR_INPUT = 3,            ///< the data are wrong: an index out of range, NaN, a broken file; the message says where
  KAURI_ERROR_OVERFLOW = 4,         ///< a count does not fit its type
  KAURI_ERROR_MEMORY = 5,           ///< not enough memory; where a plan tells the bytes, the message names those asked for
  KAURI_ERROR_DEVICE = 6,           ///< the accelerator failed or is not there
  KAURI_ERROR_CANCELLED = 7,        ///< a kauri_cancel was requested: everything may be called again, once it is reset
  KAURI_ERROR_INTERNAL = 8,         ///< anything else: a fault of kauri's, or an exception thrown by a callback
  KAURI_NOT_CONVERGED = 9           ///< an answer: x is there, and is not to be taken for a solution; the message says why
};

/// A kauri_status_code.
typedef int32_t kauri_status;

/// "ok", "not positive definite", "usage", "input", "overflow", "memory", "device", "cancelled", "internal", "not converged"; "unknown" for
/// other numbers.
const char* kauri_status_name(kauri_status status);

/// What the calling thread's last call that did not return KAURI_OK had to say: one sentence, never null, "" before the first of them.
/// Valid until that thread's next such call.
const char* kauri_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
