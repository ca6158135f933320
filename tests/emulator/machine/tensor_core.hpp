// Sums of products in TF32 and FP16 as tensor cores compute them. The PTX ISA specifies little of
// it; the code follows measurements by Fasi, Higham, Mikaitis & Pranesh 2021 (A100), Li et al. 2024
// and Khattak & Mikaitis 2025 (H100 too).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kauri::emulator {

/// Returns x without its lowest 13 bits, as a product reads it. NaN and infinities are unchanged,
/// except for a NaN whose only bits are those 13.
inline float as_tf32(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000U);
}

/// Rounds x to 24 bits, towards zero.
inline float truncated(double x) {
  return static_cast<float>(
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((1ULL << 29) - 1)));
}

/// Converts to 16 bits, to nearest, ties to even; and back.
#if defined(__clang__) && __clang_major__ < 15  // has no _Float16 on x86-64
inline std::uint16_t to_half(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000U,
                      size = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (size > 0x7f800000U) {
    half = 0x7e00U | (size >> 13 & 0x3ffU);  // NaN
  } else if (size >= 0x477ff000U) {
    half = 0x7c00U;  // 65520 and more
  } else if (size < 0x38800000U) {
    half = static_cast<std::uint32_t>(
        std::nearbyint(std::bit_cast<float>(size) * 0x1p24F));  // subnormal
  } else {
    half = (size + 0xfffU + (size >> 13 & 1U) - 0x38000000U) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}
inline float from_half(std::uint16_t x) {
  const std::uint32_t sign = (x & 0x8000U) << 16U, exponent = x >> 10 & 31U, rest = x & 0x3ffU;
  if (exponent == 0)
    return std::bit_cast<float>(sign |
                                std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24F));
  return std::bit_cast<float>(sign | (exponent == 31 ? 0x7f800000U : (exponent + 112) << 23) |
                              rest << 13);
}
#else
inline std::uint16_t to_half(float x) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
}
inline float from_half(std::uint16_t x) { return static_cast<float>(std::bit_cast<_Float16>(x)); }
#endif

/// Returns c + left[0] right[0] + ...: four exact products in TF32, eight in FP16. They and c are
/// truncated, towards zero, at 25 bits of the largest of them, and their sum at 24 bits. An A100
/// does this, as far as was measured; later devices keep more bits, of more products. Subnormal
/// numbers are kept.
template <int kCount>
float add_products(float c, const float* left, const float* right) {
  constexpr int kBits = 25;
  double term[kCount + 1] = {c};
  for (int k = 0; k < kCount; ++k)
    term[k + 1] = static_cast<double>(as_tf32(left[k])) * static_cast<double>(as_tf32(right[k]));
  double largest = 0, plain = 0;
  for (const double t : term) largest = std::max(largest, std::abs(t)), plain += t;
  if (largest == 0 || !std::isfinite(plain)) return static_cast<float>(plain);
  const double power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(largest) &
                                             0x7ff0000000000000ULL);  // 2^e <= largest
  const double unit = power * (1.0 / (1 << (kBits - 1)));
  std::int64_t sum = 0;
  for (const double t : term) sum += static_cast<std::int64_t>(t / unit);
  return truncated(static_cast<double>(sum) * unit);
}

}  // namespace kauri::emulator
