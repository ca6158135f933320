// The zip container, as far as NumPy writes it: stored or deflated members, zip64 sizes, data
// descriptors (PKWARE APPNOTE 6.3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/io/file/allowance.hpp"
#include "src/io/file/bytes.hpp"

namespace kauri::io {

inline bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

struct ZipMember {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;        ///< bytes once inflated
  std::uint64_t header = 0;      ///< offset of the local header
};

/// The directory of an archive held in memory. Sizes and places come from the central directory at
/// its end, so members written with data descriptors need no special care. Every offset is checked
/// against the bytes at hand.
class ZipArchive {
 public:
  /// Reads the directory. Borrows the bytes, and counts the memory of the directory before taking
  /// it. Throws Error(input) if the directory is malformed or names a member twice.
  ZipArchive(std::string_view bytes, std::string name, Allowance& allowance);

  [[nodiscard]] bool has(const std::string& member) const { return members_.contains(member); }
  [[nodiscard]] const std::map<std::string_view, ZipMember>& members() const { return members_; }
  /// Returns the bytes of an existing member, inflated. Throws Error(input) if it is encrypted, cut
  /// or damaged (by its CRC), or compressed by another method.
  [[nodiscard]] Bytes extract(const std::string& member) const;

 private:
  void read_directory(Allowance& allowance);
  std::size_t read_entry(std::size_t at);
  [[nodiscard]] std::size_t find_end() const;

  std::string_view bytes_;
  std::string name_;
  std::map<std::string_view, ZipMember> members_;  // keyed by names that lie in the archive's bytes
};

}  // namespace kauri::io
