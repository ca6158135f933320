// Arrays in the zip archive of a .npz file.
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
  /// Extracts the member. Counts its bytes, and 8 more for each of its numbers, in `allowance`,
  /// each before memory is taken for them. Throws Error(input) if there is no member of that name.
  NpzMember(const ZipArchive& archive, const std::string& file, const std::string& array,
            Allowance& allowance);
  NpzMember(const NpzMember&) = delete;
  NpzMember& operator=(const NpzMember&) = delete;

  const NpyArray* operator->() const { return &array_; }
  [[noreturn]] void fail_here(const std::string& what) const;
  /// Throws Error(input) unless the array has `count` dimensions.
  void expect_dimensions(std::size_t count) const;
  /// Throws Error(input) unless the array has one dimension of this length; `why` follows the
  /// number in the error.
  void expect_length(Offset length, const char* why) const;

 private:
  std::string name_;
  Bytes bytes_;
  NpyArray array_;  // borrows bytes_
};

/// Returns the pointers of compressed rows or columns: n+1 numbers from 0 to `entries`, ascending.
/// Throws Error(input) if `indptr` does not hold that.
std::vector<Offset> npz_pointers(const NpzMember& indptr, Index n, Offset entries);

}  // namespace kauri::io
