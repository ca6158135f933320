// SciPy's .npz: arrays format, shape, indptr, indices and data in a zip archive.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/npz.hpp"

#include <limits>
#include <vector>

#include "src/io/assemble.hpp"
#include "src/io/file.hpp"
#include "src/io/npy.hpp"
#include "src/io/text.hpp"
#include "src/io/zip.hpp"

namespace kauri::io {
namespace {

/// A member of the archive and the array inside it.
class Member {
 public:
  Member(const ZipArchive& archive, const std::string& file, const std::string& array)
      : name_(file + ": array '" + array + "'"), bytes_(extract(archive, array, name_)), array_(bytes_, name_) {}
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  const NpyArray* operator->() const { return &array_; }
  [[noreturn]] void fail_here(const std::string& what) const { fail(name_, what); }

 private:
  static std::string extract(const ZipArchive& archive, const std::string& array, const std::string& name) {
    if (!archive.has(array + ".npy"))
      fail(name, "is missing, expected the arrays of scipy.sparse.save_npz (format, shape, indptr, indices, data)");
    return archive.extract(array + ".npy");
  }
  std::string name_, bytes_;
  NpyArray array_;  // borrows bytes_
};

Index square_dimension(const Member& shape) {
  if (shape->size() != 2) shape.fail_here(std::to_string(shape->size()) + " entries, expected 2");
  const auto size = shape->integers<Offset>(0, std::numeric_limits<Index>::max());
  if (size[0] != size[1])
    shape.fail_here("the matrix has " + std::to_string(size[0]) + " rows and " + std::to_string(size[1]) +
                    " columns, expected a square one");
  return static_cast<Index>(size[0]);
}

void check_vector(const Member& array, Offset length, const char* why) {
  if (array->shape().size() != 1) array.fail_here("has " + std::to_string(array->shape().size()) + " dimensions, expected 1");
  if (length >= 0 && array->size() != length)
    array.fail_here(std::to_string(array->size()) + " entries, expected " + std::to_string(length) + why);
}

std::vector<Offset> pointers(const Member& indptr, Index n, Offset entries) {
  check_vector(indptr, Offset{n} + 1, " (rows + 1)");
  auto ptr = indptr->integers<Offset>(0, entries);
  if (ptr[0] != 0) indptr.fail_here("starts with " + std::to_string(ptr[0]) + ", expected 0");
  for (Index j = 0; j < n; ++j)
    if (ptr[j + 1] < ptr[j]) indptr.fail_here("descends at entry " + std::to_string(j + 1));
  if (ptr[n] != entries)
    indptr.fail_here("ends with " + std::to_string(ptr[n]) + ", but there are " + std::to_string(entries) + " indices");
  return ptr;
}

/// Which half the entries lie in, as compressed columns.
Storage half_of(std::span<const Offset> ptr, std::span<const Index> row) {
  bool below = false, above = false;
  for (std::size_t j = 0; j + 1 < ptr.size(); ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k) {
      below = below || row[k] > static_cast<Index>(j);
      above = above || row[k] < static_cast<Index>(j);
    }
  return below && above ? Storage::full : above ? Storage::upper : Storage::lower;
}

}  // namespace

SymmetricMatrix<double> parse_npz(std::string_view bytes, const std::string& name) {
  const ZipArchive archive(bytes, name);
  const std::string format = Member(archive, name, "format")->text();
  if (format != "csr" && format != "csc")
    fail(name + ": array 'format'", "is '" + printable(format) + "', expected csr or csc (convert with .tocsr())");
  const Index n = square_dimension(Member(archive, name, "shape"));
  std::vector<Index> row;
  {
    const Member indices(archive, name, "indices");
    check_vector(indices, -1, "");
    row = indices->integers<Index>(0, Offset{n} - 1);
  }
  const auto ptr = pointers(Member(archive, name, "indptr"), n, static_cast<Offset>(row.size()));
  std::vector<double> value;
  {
    const Member data(archive, name, "data");
    check_vector(data, static_cast<Offset>(row.size()), " (one for each index)");
    value = data->reals();
  }
  // For a symmetric matrix rows and columns are the same thing: CSR is read as CSC of the transpose.
  return assemble(name, [&] { return SymmetricMatrix<double>::from_csc(n, ptr, row, value, half_of(ptr, row)); });
}

}  // namespace kauri::io
