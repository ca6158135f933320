// The checksum of saved files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace kauri::save {

/// Returns the CRC-32 of gzip and PNG (reflected, polynomial 0x04c11db7) of all bytes so far, given
/// that of the bytes before (`before`; 0 at the beginning). It detects every change confined to 32
/// bits in a row.
inline std::uint32_t checksum(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace kauri::save
