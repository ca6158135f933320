// Writes zip archives with deflated members (PKWARE APPNOTE 6.3), zip64 if sizes or places need it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "src/io/file/file.hpp"
#include "src/io/packed/zip.hpp"

namespace kauri::io {

class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}
  /// Adds a member whose bytes are the parts, one after another. Holds it compressed in memory.
  /// Throws as FileWriter does.
  void add(const std::string& name, std::initializer_list<std::string_view> parts);
  /// Writes the directory. Must be called at the end.
  void close();

 private:
  void write(std::string_view bytes);

  FileWriter file_;
  std::uint64_t written_ = 0, count_ = 0;
  std::string directory_;
};

}  // namespace kauri::io
