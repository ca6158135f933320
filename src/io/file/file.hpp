// Reads files, as a whole into memory or piece by piece, and writes files completely or not at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kauri/core/error.hpp"
#include "kauri/core/types.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/file/bytes.hpp"
#include "src/io/file/unfinished.hpp"

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
/// Number of bytes that a Look gets. A Look is not called for a file of no more bytes, all of which
/// is read; the file's parser then reports the same errors.
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

/// Place of the bytes until the file is finished.
enum class Unfinished {
  /// A file without a name, which the system removes however the process ends; as `named` if the
  /// file system has no nameless files.
  nameless,
  /// A file in the target's folder with the name NAME.partPROCESS.NUMBER, which is registered for
  /// remove_unfinished().
  named,
};

/// Follows symbolic links from `path` and returns the name at their end, which a FileWriter creates
/// if no file has it. Returns any name of a circle of links.
std::string end_of_links(const std::string& path);

/// Creates or replaces a file. The old file stays until close(): the bytes are written elsewhere in
/// its folder and reach the disk before they become the file, and the folder's entry is on the disk
/// when close() returns; without close() nothing is left of them. The new file has owner, group and
/// permissions of the one it replaces from its first byte on; if owner or group cannot be kept,
/// nobody gets more rights than before. For a symbolic link the file that it names is created or
/// replaced, not the link. Pipes and devices are written directly. Throws Error(input) with the
/// system's reason.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path, Unfinished unfinished = Unfinished::nameless);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  /// Finishes the file. Required: only after it are all bytes known to be written.
  void close();

 private:
  /// A name beside the target, which is removed if a signal or an exception ends the work.
  class Beside;

  static constexpr Offset kStretch =
      Offset{4} << 20;  // bytes of a stretch sent to the disk; two stretches are under way

  void sync_to_disk();
  void open_target(Unfinished unfinished, mode_t mode);
  bool open_nameless(mode_t mode);
  /// Calls try_name(path) with names beside the target until it returns true. If it returns false,
  /// errno must be set: to EEXIST if the name is taken; another error is thrown as Error(input).
  template <class TryName>
  void name_beside(TryName&& try_name);
  void link_to_target();
  void synchronise_folder();
  [[noreturn]] void fail_here(const char* what) const;

  std::string path_;    // as the caller names it
  std::string target_;  // the file that path_ resolves to; empty: path_ is written directly
  std::string folder_;  // folder of the target
  Descriptor file_;
  Offset written_ = 0, begun_ = 0,
         there_ = 0;  // bytes: written in all, sent to the disk, known to be on the disk
  std::unique_ptr<Beside> beside_;  // null if the file has no name, or is written directly
};

}  // namespace kauri::io
