// The checksum of saved files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace kauri::save {

/// CRC-32 as gzip and PNG have it (reflected, polynomial 0x04c11db7), of bytes that `before` is that of what came before; 0 at the
/// beginning. Sees every change of up to 32 bits in a row.
inline std::uint32_t checksum(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace kauri::save
