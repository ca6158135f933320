// Writes headers and sections to a file or to memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/save/format.hpp"

namespace kauri::save {

/// Function that receives the bytes of a file in order.
using Sink = std::function<void(std::span<const std::byte>)>;

/// Writer of a header and sections, one after another: begin(), numbers, end().
class Writer {
 public:
  explicit Writer(Sink sink) : sink_(std::move(sink)), buffer_(kBuffer) {}

  void header(const Header& header);
  /// Begins a section. name: four letters; bytes: exact length of the contents.
  void begin(std::string_view name, Offset bytes);
  template <class T>
  void number(T x) {
    if (used_ + sizeof(T) > buffer_.size()) flush();
    to_bytes(x, buffer_.data() + used_);
    used_ += sizeof(T);
  }
  template <class T>
  void numbers(std::span<const T> x) {
    while (!x.empty()) {
      if (used_ + sizeof(T) > buffer_.size()) flush();
      const std::size_t some = std::min(x.size(), (buffer_.size() - used_) / sizeof(T));
      for (std::size_t k = 0; k < some; ++k) to_bytes(x[k], buffer_.data() + used_ + k * sizeof(T));
      used_ += some * sizeof(T);
      x = x.subspan(some);
    }
  }
  /// Writes a byte with the length, at most 255, then the letters.
  void text(std::string_view text);
  /// Ends the section: writes its checksum.
  void end();

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;
  void flush();

  Sink sink_;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace kauri::save
