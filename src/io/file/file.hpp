// Files read: whole ones in memory, or piece by piece.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kauri/error.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/file/bytes.hpp"

namespace kauri::io {

/// Owns an open file, or none (-1).
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
  /// False, with errno, where the system says that bytes were lost.
  bool close();

 private:
  int number_;
};

/// The system's words for errno.
std::string system_reason();

/// Throws Error(input) "name: what", with the name as it may be shown.
[[noreturn]] void fail(std::string_view name, const std::string& what);

/// A name as it may be shown at a terminal: bytes that are no UTF-8, and control characters (C0, DEL, C1, Unicode's marks of direction and
/// line ends), as '?'.
std::string shown(std::string_view name);

/// Looks at the first bytes of what is read and throws where it is of no use: what follows is not read then.
using Look = std::function<void(std::string_view head)>;
/// So many bytes are looked at; of less the reader itself tells.
inline constexpr std::size_t kHead = std::size_t{1} << 16;

/// All bytes of a file (or pipe), counted before they are taken; `look` gets the first 64 KB of more than that. Read, not mapped: a file
/// that shrinks meanwhile gives an error later, not a signal. Throws Error(input) for a missing file, a directory, an unreadable one;
/// Error(memory) with the size.
Bytes read_file(const std::string& path, Allowance& allowance, const Look& look = {});
std::string read_file(const std::string& path);

/// The bytes of a file (or pipe) from its beginning, not all of them in memory. Errors as those of read_file().
class FileReader {
 public:
  explicit FileReader(const std::string& path);
  /// Of the whole file, when it was opened; of what is no regular file nobody knows.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  /// The next bytes, `count` of them, or fewer where the file ends before.
  std::size_t read(char* to, std::size_t count);

 private:
  std::string path_;
  Descriptor file_;
  std::optional<std::size_t> size_;
};

}  // namespace kauri::io
