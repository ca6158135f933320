// Signatures and numbers of the zip container (PKWARE APPNOTE 6.3), for its reader and its writer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::io::zip_format {

inline constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                               kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
inline constexpr std::uint32_t kAll32 =
    0xffffffff;  ///< mark in a 32-bit field: the number is in the zip64 field
inline constexpr std::uint16_t kStored = 0, kDeflated = 8, kZip64Field = 1;

}  // namespace kauri::io::zip_format
