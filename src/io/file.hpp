// Whole files in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kauri/error.hpp"

namespace kauri::io {

/// Throws Error(input) "name: what".
[[noreturn]] void fail(std::string_view name, const std::string& what);

/// All bytes of a file (or pipe). Read, not mapped: a file that shrinks meanwhile gives an error later, not a signal.
/// Throws Error(input) for a missing file, a directory, an unreadable one; Error(memory) with the size.
std::string read_file(const std::string& path);

/// The bytes of a file from its beginning, not all of them in memory, but those of a pipe. Errors as those of read_file().
class FileReader {
 public:
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  /// Of the whole file, when it was opened.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The next bytes, `count` of them, or fewer where the file ends before.
  std::size_t read(char* to, std::size_t count);

 private:
  std::string path_, whole_;  // whole_: of what tells no size
  std::size_t size_ = 0, at_ = 0;
  int descriptor_ = -1;
};

/// Creates or replaces a file. What was there stays until close(): bytes are written beside it, under a name of their own that then becomes
/// the file's; without close() nothing is left of them. The file keeps the permissions of the one that it replaces; what a symbolic link
/// names is created or replaced, not the link. Pipes and devices are written to at once. Throws Error(input) with the system's reason.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  /// Must be called at the end: only then are all bytes known to be written.
  void close();

 private:
  void open_beside(const std::string& target);

  std::string path_;    // as the caller names it
  std::string target_;  // what it stands for; empty: written to at once
  std::string beside_;  // where the bytes are until close()
  int descriptor_ = -1;
};

}  // namespace kauri::io
