// Callbacks that throw, which C cannot write.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef KAURI_TESTS_C_HELPER_H
#define KAURI_TESTS_C_HELPER_H

#include <kauri/kauri.h>

#ifdef __cplusplus
extern "C" {
#endif

// Throws what *user (an int) selects: 0 std::bad_alloc, 1 a std::runtime_error, others an int.
void throwing_message(void* user, int32_t level, int32_t phase, double fraction, const char* text);

#ifdef __cplusplus
}
#endif
#endif
