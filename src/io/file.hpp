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
