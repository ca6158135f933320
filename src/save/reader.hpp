// Reads headers and sections from a file or from memory. Nothing is trusted before its checksum is
// verified.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/file/file.hpp"
#include "src/save/format.hpp"

namespace kauri::save {

/// The source of bytes: a file or memory.
class Source {
 public:
  explicit Source(const std::string& path)
      : file_(std::make_unique<io::FileReader>(path)), name_(path), size_(file_->size()) {}
  Source(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)), size_(bytes.size()) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the number of all bytes; nothing for a pipe.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  /// Reads `count` bytes, or as many as are left, and returns their number.
  std::size_t read(std::byte* to, std::size_t count);

 private:
  std::unique_ptr<io::FileReader> file_;
  std::span<const std::byte> bytes_;  // the bytes not read yet
  std::string name_;
  std::optional<std::size_t> size_;
};

/// Reader of a header and sections in their required order: begin(), numbers, end(). Throws
/// Error(input) with file, section, place, and what was expected.
class Reader {
 public:
  explicit Reader(Source source) : source_(std::move(source)), buffer_(kBuffer) {}

  [[nodiscard]] const std::string& name() const { return source_.name(); }
  /// Returns whether the number of all bytes is known, and not only promised by a pipe's header.
  [[nodiscard]] bool is_measured() const { return source_.size().has_value(); }
  /// Reads the header, and checks what can be checked without the sections.
  Header header();
  /// Begins the section `name`, which must have `bytes` bytes if given. Returns its length, which
  /// does not exceed the bytes that are left of a file, or of what a pipe's header promises.
  Offset begin(std::string_view name, std::optional<Offset> bytes = {});
  /// Returns the number of bytes of the section not read yet.
  [[nodiscard]] Offset left() const { return left_; }
  template <class T>
  T number() {
    T x{};
    take(sizeof(T), [&](const std::byte* from) { x = from_bytes<T>(from); });
    return x;
  }
  template <class T>
  void numbers(std::span<T> to) {
    while (!to.empty()) {
      const std::size_t ready = (end_ - next_) / sizeof(T),
                        some = std::min(to.size(), ready > 0 ? ready : kBuffer / sizeof(T));
      take(some * sizeof(T), [&](const std::byte* from) {
        for (std::size_t k = 0; k < some; ++k) to[k] = from_bytes<T>(from + k * sizeof(T));
      });
      to = to.subspan(some);
    }
  }
  std::string text();
  /// Ends the section: throws Error(input) unless all of it was read and its checksum is right.
  void end();
  /// Ends the file: throws Error(input) unless all of it was read and nothing follows.
  void finish();
  /// Throws Error(input) naming the file and the current section.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;
  /// Passes the next `count` bytes of the section, at most kBuffer, to `use`.
  template <class Use>
  void take(std::size_t count, const Use& use) {
    if (static_cast<Offset>(count) > left_) fail("it ends too early");
    if (end_ - next_ < count) fetch(count);
    use(buffer_.data() + next_);
    next_ += count, at_ += count, left_ -= static_cast<Offset>(count);
  }
  /// Fills the buffer with at least `count` bytes, and as many more of the section as fit. Throws
  /// Error(input) if the file ends before.
  void fetch(std::size_t count);
  void check_header(const Header& header) const;
  /// Reads a stored checksum and compares it with that of the bytes read since the previous one.
  void check_sum();

  Source source_;
  std::size_t size_ = 0;  // number of all bytes, from the source or, for a pipe, from the header
  std::vector<std::byte> buffer_;
  std::string section_ = "header";
  std::size_t next_ = 0, end_ = 0;       // range of the bytes in the buffer not read yet
  std::size_t at_ = 0, section_at_ = 0;  // offsets in the file: of the next byte, of the section
  Offset left_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace kauri::save
