// Whole files in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/error.hpp"

namespace kauri::io {

/// Throws Error(input) "name: what".
[[noreturn]] void fail(std::string_view name, const std::string& what);

/// All bytes of a file (or pipe). Read, not mapped: a file that shrinks meanwhile gives an error later, not a signal.
/// Throws Error(input) for a missing file, a directory, an unreadable one; Error(memory) with the size.
std::string read_file(const std::string& path);

/// Creates or replaces a file. Throws Error(input) with the system's reason.
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
  std::string path_;
  int descriptor_;
};

}  // namespace kauri::io
