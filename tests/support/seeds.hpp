// Which sanitizer a test runs under, and how many seeds it takes: fewer under a sanitizer, where each step costs ten times as much.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::test {

#if defined(__SANITIZE_THREAD__)
#define KAURI_TEST_TSAN true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KAURI_TEST_TSAN true
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KAURI_TEST_ASAN true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KAURI_TEST_ASAN true
#endif
#endif
#ifndef KAURI_TEST_TSAN
#define KAURI_TEST_TSAN false
#endif
#ifndef KAURI_TEST_ASAN
#define KAURI_TEST_ASAN false
#endif

inline constexpr bool kThreadSanitized = KAURI_TEST_TSAN;
inline constexpr bool kSanitized = KAURI_TEST_TSAN || KAURI_TEST_ASAN;

/// `all`, or an eighth of them under a sanitizer.
constexpr std::uint32_t seeds(std::uint32_t all) { return kSanitized ? all / 8 : all; }

}  // namespace kauri::test
