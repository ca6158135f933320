// Reads files, as a whole into memory or piece by piece.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kauri/core/error.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/file/bytes.hpp"

namespace kauri::io {

/// Owner of an open file descriptor, or of none (-1).
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(number_, from.number_);
    return *this;
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  /// Closes the file. Returns false, with errno set, if the system reports that bytes were lost.
  bool close();

 private:
  int number_;
};

/// Returns the system's text for errno.
std::string system_reason();

/// Throws Error(input) "name: what", with the name made printable by shown().
[[noreturn]] void fail(std::string_view name, const std::string& what);

/// Returns a name that is safe to print at a terminal: bytes that are not UTF-8 and control
/// characters (C0, DEL, C1, Unicode's direction marks and line ends) become '?'.
std::string shown(std::string_view name);

/// Callback that gets the first bytes of a file and throws if they do not begin a file of the
/// expected format, so that the rest is not read.
using Look = std::function<void(std::string_view head)>;
/// Number of bytes that a Look gets. It is not called for a shorter file, all of which is read; the
/// file's parser then reports the same errors.
inline constexpr std::size_t kHead = std::size_t{1} << 16;

/// Returns all bytes of a file (or pipe), counted in `allowance` before memory is taken for them.
/// If the file is longer than 64 KB, calls look() with its first 64 KB. The file is read, not
/// mapped, so that one that shrinks meanwhile gives an error later, not a signal. Throws
/// Error(input) for a missing file, a directory and an unreadable file; Error(memory) with the
/// size; and what `look` throws.
Bytes read_file(const std::string& path, Allowance& allowance, const Look& look = {});
std::string read_file(const std::string& path);

/// Reader of a file (or pipe) from beginning to end, which does not hold all bytes in memory.
/// Throws as read_file() does.
class FileReader {
 public:
  explicit FileReader(const std::string& path);
  /// Returns the size of the file when it was opened; nothing for what is not a regular file.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  /// Reads the next `count` bytes, or fewer if the file ends before. Returns their number.
  std::size_t read(char* to, std::size_t count);

 private:
  std::string path_;
  Descriptor file_;
  std::optional<std::size_t> size_;
};

}  // namespace kauri::io
