// Reads whole files with POSIX calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace kauri::io {
namespace {

/// Reads up to `room` bytes; returns 0 at the end.
std::size_t read_some(int descriptor, char* to, std::size_t room, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(path, "cannot read: " + system_reason());
  }
}

/// Reads `count` bytes, or as many as are left, and returns their number.
std::size_t read_all(int descriptor, char* to, std::size_t count, const std::string& path) {
  std::size_t used = 0;
  while (used < count) {
    const std::size_t got = read_some(descriptor, to + used, count - used, path);
    if (got == 0) break;
    used += got;
  }
  return used;
}

[[noreturn]] void too_large_to_read(const std::string& path, std::size_t bytes) {
  throw Error(ErrorKind::memory, shown(path) + ": not enough memory for its " +
                                     std::to_string(bytes) + " bytes or more");
}

/// Opens a file and gets its status from the descriptor, since another file may have taken the name
/// meanwhile.
Descriptor open_to_read(const std::string& path, struct stat& status) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) fail(path, "cannot open: " + system_reason());
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot read: " + system_reason());
  if (S_ISDIR(status.st_mode)) fail(path, "is a directory, expected a file");
  return file;
}

/// Returns true if these are the bytes in UTF-8 of a line end or direction mark of Unicode, which
/// change the order in which a terminal shows a text: U+061C, U+200E, U+200F, U+2028 to U+202E,
/// U+2066 to U+2069.
bool directs(unsigned first, unsigned second, unsigned third) {
  if (first == 0xd8) return second == 0x9c;
  if (first != 0xe2) return false;
  return second == 0x80 ? third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae)
                        : second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

/// Returns the number of bytes of the UTF-8 character at the start of a text; 0 if there is none,
/// or one that directs the terminal.
std::size_t shown_character(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0U) != 0x80) return 0;
  const unsigned second = byte(1);
  if ((first == 0xc2 && second < 0xa0) || directs(first, second, byte(2))) return 0;  // C1
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || beyond ? 0 : length;
}

}  // namespace

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0;
}

std::string system_reason() { return std::strerror(errno); }

std::string shown(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = shown_character(name);
    text += length > 0 ? name.substr(0, length) : "?";
    name.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

void fail(std::string_view name, const std::string& what) {
  throw Error(ErrorKind::input, shown(name) + ": " + what);
}

Bytes read_file(const std::string& path, Allowance& allowance, const Look& look) {
  struct stat status {};
  const Descriptor file = open_to_read(path, status);
  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  Bytes bytes;
  std::size_t used = 0;
  try {
    bytes.resize(kHead + 1);
    used = read_all(file.get(), bytes.data(), bytes.size(), path);
    if (look && used > kHead) look(bytes.view().substr(0, kHead));
    std::size_t counted = std::max(used, size);
    allowance.take(path, counted, 1, "bytes");
    while (used == bytes.size()) {
      // One byte beyond the size reveals the end without a second growth; pipes have size 0 and
      // grow as data arrive.
      const std::size_t more = size > used
                                   ? size + 1 - used
                                   : std::min(used, std::max<std::size_t>(1, allowance.left()));
      bytes.resize(used + more);
      used += read_all(file.get(), bytes.data() + used, more, path);
      if (used > counted) allowance.take(path, used - counted, 1, "bytes more");
      counted = std::max(counted, used);
    }
    bytes.resize(used);
    return bytes;
  } catch (const std::bad_alloc&) {
    too_large_to_read(path, std::max(used, size));
  }
}

std::string read_file(const std::string& path) {
  Allowance all;
  return std::string(read_file(path, all).view());
}

FileReader::FileReader(const std::string& path) : path_(path) {
  struct stat status {};
  file_ = open_to_read(path, status);
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
}

std::size_t FileReader::read(char* to, std::size_t count) {
  return read_all(file_.get(), to, count, path_);
}

}  // namespace kauri::io
