// Arrays in the zip archive that a .npz file is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "src/io/file/allowance.hpp"
#include "src/io/numpy/npy.hpp"
#include "src/io/packed/zip.hpp"

namespace kauri::io {

/// A member of the archive and the array inside it. Errors name file and array.
class NpzMember {
 public:
  /// Counts the member's bytes, and 8 more for each number of it, before either is there. Throws Error(input) if there is none of that
  /// name.
  NpzMember(const ZipArchive& archive, const std::string& file, const std::string& array, Allowance& allowance);
  NpzMember(const NpzMember&) = delete;
  NpzMember& operator=(const NpzMember&) = delete;

  const NpyArray* operator->() const { return &array_; }
  [[noreturn]] void fail_here(const std::string& what) const;
  /// Throws Error(input) unless the array has so many dimensions.
  void expect_dimensions(std::size_t count) const;
  /// The same for one dimension, and so many entries; `why` follows the number in the error.
  void expect_length(Offset length, const char* why) const;

 private:
  std::string name_;
  Bytes bytes_;
  NpyArray array_;  // borrows bytes_
};

/// Pointers of compressed rows or columns: n+1, from 0 to `entries`, ascending.
std::vector<Offset> npz_pointers(const NpzMember& indptr, Index n, Offset entries);

}  // namespace kauri::io
