// Callbacks that C cannot write: they throw.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_TESTS_C_HELPER_H
#define KAURI_TESTS_C_HELPER_H

#include <kauri/kauri.h>

#ifdef __cplusplus
extern "C" {
#endif

// user: an int; 0 throws std::bad_alloc, 1 a std::runtime_error, others an int.
void throwing_message(void* user, int32_t level, int32_t phase, double fraction, const char* text);

#ifdef __cplusplus
}
#endif
#endif
