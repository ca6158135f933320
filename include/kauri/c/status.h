// C: versions, status codes, and the text of an error.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_C_STATUS_H
#define KAURI_C_STATUS_H

/// @file
/// C: versions, status codes, and the text of an error. Include kauri/kauri.h, which has the rules
/// for every call.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this interface. It increases by one with each version of kauri that adds to the
/// interface; existing declarations keep their meaning.
#define KAURI_API_VERSION 1

/// Returns the KAURI_API_VERSION of the library that the program is linked to. The library has all
/// that a header of this or of a lower version declares.
int32_t kauri_api_version(void);
/// Returns the version of the library: "major.minor.patch" of a release, or
/// "major.minor.patch.devN+gCOMMIT" for N commits after a release.
const char* kauri_version(void);
/// Returns the commit that the library was built from, or "unknown".
const char* kauri_commit(void);

/// Values of a kauri_status, which every call that can fail returns.
enum kauri_status_code {
  KAURI_OK = 0,                     ///< done
  KAURI_NOT_POSITIVE_DEFINITE = 1,  ///< an answer: A + shift I is not positive definite; the
                                    ///< message and kauri_verdict name column and pivot
  KAURI_ERROR_USAGE = 2,  ///< the call is wrong: null, sizes that do not fit, a factor that is not
                          ///< valid, an unknown option
  KAURI_ERROR_INPUT =
      3,  ///< the data are wrong: an index out of range, NaN, a broken file; the message says where
  KAURI_ERROR_OVERFLOW = 4,  ///< a count does not fit its type
  KAURI_ERROR_MEMORY = 5,  ///< not enough memory; if a plan determines the bytes, the message names
                           ///< the bytes asked for
  KAURI_ERROR_DEVICE = 6,  ///< the accelerator failed or does not exist
  KAURI_ERROR_CANCELLED =
      7,  ///< a kauri_cancel was requested: all calls may be repeated once it is reset
  KAURI_ERROR_INTERNAL =
      8,  ///< any other failure: a bug in kauri, or an exception thrown by a callback
  KAURI_NOT_CONVERGED = 9  ///< an answer: x is written but is not a solution to be relied on; the
                           ///< message gives the reason
};

/// A kauri_status_code.
typedef int32_t kauri_status;

/// Returns the name of a status: "ok", "not_positive_definite", "usage", "input", "overflow",
/// "memory", "device", "cancelled", "internal" or "not_converged"; "unknown" for other numbers.
const char* kauri_status_name(kauri_status status);

/// Returns the message of the calling thread's last call that did not return KAURI_OK: one
/// sentence, never null, "" before the first such call. Valid until that thread's next such call.
const char* kauri_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
