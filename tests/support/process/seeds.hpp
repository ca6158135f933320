// Tells whether a sanitizer is active, and the number of seeds that tests use: fewer under a
// sanitizer, where each step takes ten times as long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::test {

#ifdef __has_feature  // Clang's test for sanitizers
#define KAURI_HAS_FEATURE(name) __has_feature(name)
#else
#define KAURI_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || KAURI_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || KAURI_HAS_FEATURE(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif
#undef KAURI_HAS_FEATURE

/// Returns `all`, or an eighth of it under a sanitizer.
constexpr std::uint32_t seeds(std::uint32_t all) { return kSanitized ? all / 8 : all; }

}  // namespace kauri::test
