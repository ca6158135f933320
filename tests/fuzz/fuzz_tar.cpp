// Reads arbitrary bytes as a tar archive (plain or gzipped): expects a result or an Error. A second
// try corrects the checksums of all headers at multiples of 512 bytes, so that they do not stop the
// input.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "src/io/content/tar.hpp"
#include "src/io/parse.hpp"
#include "tests/fuzz/outcome.hpp"

namespace {

void set_checksums(std::string& bytes) {
  constexpr std::size_t kBlock = 512, kSum = 148, kMagic = 257;
  for (std::size_t at = 0; at + kBlock <= bytes.size(); at += kBlock) {
    if (bytes.compare(at + kMagic, 5, "ustar") != 0) continue;
    bytes.replace(at + kSum, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t k = 0; k < kBlock; ++k) sum += static_cast<unsigned char>(bytes[at + k]);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    bytes.replace(at + kSum, 7, digits, 7);
  }
}

void read(const std::string& bytes) {
  using namespace kauri;
  fuzz::result_or_error_within(
      bytes.size(), [&](io::Allowance most) { return io::parse_matrix(bytes, "f", {}, {}, most); });
  fuzz::result_or_error_within(bytes.size(), [&](io::Allowance most) {
    return io::parse_dense(bytes, "f", {}, kNone, most);
  });
  fuzz::result_or_error([&] {
    io::Allowance all;
    for (const auto& member : io::tar_members(bytes, "f", all))
      fuzz::require(member.bytes.empty() ||
                    (member.bytes.data() >= bytes.data() && member.bytes.size() <= bytes.size()));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  set_checksums(bytes);
  read(bytes);
  return 0;
}
