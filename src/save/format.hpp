// The format of saved plans and factors; docs/saved-files.md describes it byte by byte.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "kauri/core/types.hpp"

namespace kauri::save {

/// The first bytes of every file. No text begins with the byte 0x89, and a transfer in text mode
/// changes the line end "\r\n".
inline constexpr std::string_view kMagic = "\x89kauri\r\n";
inline constexpr std::size_t kHeaderBytes = 64;
/// Bytes around the contents of a section: name and length before, a checksum after.
inline constexpr std::size_t kSectionHead = 12, kChecksum = 4;
inline constexpr std::uint32_t kPlanSections = 5, kFactorSections = 7;
inline constexpr std::string_view kPlanKind = "plan", kFactorKind = "fact";

/// Contents of the header after the magic bytes; all numbers are little-endian. last: number of
/// columns at the end of B, as in PlanCore; bytes: those of the whole file; sections: number of
/// sections.
struct Header {
  std::uint32_t format = 0;
  std::array<char, 4> kind{};
  std::uint32_t scalar_bytes = 0, n = 0;
  std::uint64_t nnz = 0;
  std::uint32_t supernodes = 0, last = 0;
  std::uint64_t bytes = 0, reserved = 0;
  std::uint32_t sections = 0;

  [[nodiscard]] std::string_view kind_name() const { return {kind.data(), kind.size()}; }
  [[nodiscard]] bool is_factor() const { return kind_name() == kFactorKind; }
};

/// The unsigned integer with as many bytes as T.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;

/// Writes x as little-endian bytes, whatever the machine's byte order.
template <class T>
void to_bytes(T x, std::byte* to) {
  const auto bits = std::bit_cast<Bits<T>>(x);
  for (std::size_t k = 0; k < sizeof(T); ++k)
    to[k] = static_cast<std::byte>(bits >> (8 * k) & 0xff);
}

template <class T>
T from_bytes(const std::byte* from) {
  Bits<T> bits = 0;
  for (std::size_t k = 0; k < sizeof(T); ++k)
    bits = static_cast<Bits<T>>(bits | static_cast<Bits<T>>(from[k]) << (8 * k));
  return std::bit_cast<T>(bits);
}

}  // namespace kauri::save
