// Corrects the checksums of changed saved files, as a hostile writer would.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/save/checksum.hpp"
#include "src/save/format.hpp"

namespace kauri::test {

/// Returns the file with the correct length field and correct checksums, as far as the file
/// reaches.
inline std::vector<std::byte> sealed(std::vector<std::byte> file) {
  using save::kChecksum, save::kHeaderBytes, save::kSectionHead;
  if (file.size() < kHeaderBytes) return file;
  const std::span<std::byte> all(file);
  const auto seal = [&](std::size_t begin, std::size_t end) {
    save::to_bytes(save::checksum(0, all.subspan(begin, end - begin)), &file[end]);
  };
  save::to_bytes(static_cast<std::uint64_t>(file.size()), &file[40]);
  seal(0, kHeaderBytes - kChecksum);
  for (std::size_t at = kHeaderBytes; file.size() - at >= kSectionHead + kChecksum;) {
    const auto length = save::from_bytes<std::uint64_t>(&file[at + 4]);
    if (length > file.size() - at - kSectionHead - kChecksum) break;
    const std::size_t end = at + kSectionHead + static_cast<std::size_t>(length);
    seal(at, end);
    at = end + kChecksum;
  }
  return file;
}

}  // namespace kauri::test
