// Headers and sections from a file or from memory. Nothing is believed before its checksum is, and nothing allocated that is not there.
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

/// Where bytes come from.
class Source {
 public:
  explicit Source(const std::string& path) : file_(std::make_unique<io::FileReader>(path)), name_(path), size_(file_->size()) {}
  Source(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)), size_(bytes.size()) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of all bytes; nothing of a pipe's.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  /// As many as there are, `count` at most.
  std::size_t read(std::byte* to, std::size_t count);

 private:
  std::unique_ptr<io::FileReader> file_;
  std::span<const std::byte> bytes_;  // those that are left
  std::string name_;
  std::optional<std::size_t> size_;
};

/// Reads sections in the order in which they must come: begin(), numbers, end(). Throws Error(input) with file, section, place, and what
/// was expected.
class Reader {
 public:
  explicit Reader(Source source) : source_(std::move(source)), buffer_(kBuffer) {}

  [[nodiscard]] const std::string& name() const { return source_.name(); }
  /// Checked but for what only the sections tell.
  Header header();
  /// A section that is to have so many bytes, or any number of them; returns it. No more are left in the file.
  Offset begin(std::string_view name, std::optional<Offset> bytes = {});
  /// How many bytes of the section have not been asked for.
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
      const std::size_t ready = (end_ - next_) / sizeof(T), some = std::min(to.size(), ready > 0 ? ready : kBuffer / sizeof(T));
      take(some * sizeof(T), [&](const std::byte* from) {
        for (std::size_t k = 0; k < some; ++k) to[k] = from_bytes<T>(from + k * sizeof(T));
      });
      to = to.subspan(some);
    }
  }
  std::string text();
  /// All of the section was asked for, and its checksum is right.
  void end();
  /// All of the file was.
  void finish();
  /// At the section at hand.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;
  /// The next bytes, at most kBuffer, of the section.
  template <class Use>
  void take(std::size_t count, const Use& use) {
    if (static_cast<Offset>(count) > left_) fail("it ends too early");
    if (end_ - next_ < count) fetch(count);
    use(buffer_.data() + next_);
    next_ += count, at_ += count, left_ -= static_cast<Offset>(count);
  }
  /// So many bytes to the buffer, and as many more of the section as it has room for.
  void fetch(std::size_t count);
  void check_header(const Header& header) const;
  /// Reads the checksum of what was read since it was 0.
  void check_sum();

  Source source_;
  std::size_t size_ = 0;  // of all bytes, as they are or, of a pipe, as the header has them
  std::vector<std::byte> buffer_;
  std::string section_ = "header";
  std::size_t next_ = 0, end_ = 0;       // of the bytes in the buffer that were not asked for yet
  std::size_t at_ = 0, section_at_ = 0;  // places in the file
  Offset left_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace kauri::save
