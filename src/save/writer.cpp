// Writes headers and sections to a file or to memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/save/writer.hpp"

#include <stdexcept>

#include "src/save/checksum.hpp"

namespace kauri::save {

void Writer::header(const Header& header) {
  for (const char c : kMagic) number(static_cast<std::uint8_t>(c));
  number(header.format);
  for (const char c : header.kind) number(static_cast<std::uint8_t>(c));
  number(header.scalar_bytes);
  number(header.n);
  number(header.nnz);
  number(header.supernodes);
  number(header.last);
  number(header.bytes);
  number(header.reserved);
  number(header.sections);
  end();
}

void Writer::begin(std::string_view name, Offset bytes) {
  for (const char c : name) number(static_cast<std::uint8_t>(c));
  number(static_cast<std::uint64_t>(bytes));
}

void Writer::text(std::string_view text) {
  if (text.size() > 255) throw std::logic_error("save: a name of more than 255 letters");
  number(static_cast<std::uint8_t>(text.size()));
  for (const char c : text) number(static_cast<std::uint8_t>(c));
}

void Writer::end() {
  flush();
  number(checksum_);
  flush();
  checksum_ = 0;
}

void Writer::flush() {
  const std::span<const std::byte> bytes(buffer_.data(), used_);
  checksum_ = checksum(checksum_, bytes);
  sink_(bytes);
  used_ = 0;
}

}  // namespace kauri::save
