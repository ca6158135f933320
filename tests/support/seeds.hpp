// How many seeds a test takes: fewer under a sanitizer, where each step costs ten times as much and wants to be seen, not counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// `all`, or an eighth of them under a sanitizer.
constexpr std::uint32_t seeds(std::uint32_t all) { return kSanitized ? all / 8 : all; }

}  // namespace kauri::test
