// Checks the arrays of a .npz file.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/npz_member.hpp"

#include "src/io/file/file.hpp"

namespace kauri::io {
namespace {

Bytes extract(const ZipArchive& archive, const std::string& array, const std::string& name,
              Allowance& allowance) {
  if (!archive.has(array + ".npy"))
    fail(name, "is missing, expected the arrays of scipy.sparse.save_npz");
  allowance.take(name, archive.members().at(array + ".npy").size, 1, "bytes unpacked");
  return archive.extract(array + ".npy");
}

}  // namespace

NpzMember::NpzMember(const ZipArchive& archive, const std::string& file, const std::string& array,
                     Allowance& allowance)
    : name_(file + ": array '" + array + "'"),
      bytes_(extract(archive, array, name_, allowance)),
      array_(bytes_, name_) {
  allowance.take(name_, static_cast<std::size_t>(array_.size()), sizeof(double), "numbers");
}

void NpzMember::fail_here(const std::string& what) const { fail(name_, what); }

void NpzMember::expect_dimensions(std::size_t count) const {
  if (array_.shape().size() != count)
    fail_here("has " + std::to_string(array_.shape().size()) + " dimensions, expected " +
              std::to_string(count));
}

void NpzMember::expect_length(Offset length, const char* why) const {
  expect_dimensions(1);
  if (array_.size() != length)
    fail_here(std::to_string(array_.size()) + " entries, expected " + std::to_string(length) + why);
}

std::vector<Offset> npz_pointers(const NpzMember& indptr, Index n, Offset entries) {
  indptr.expect_length(Offset{n} + 1, " (rows + 1)");
  auto ptr = indptr->integers<Offset>(0, entries);
  if (ptr[0] != 0) indptr.fail_here("starts with " + std::to_string(ptr[0]) + ", expected 0");
  for (Index j = 0; j < n; ++j)
    if (ptr[j + 1] < ptr[j])
      indptr.fail_here("descends at entry " + std::to_string(j + 1) +
                       ", expected ascending offsets");
  if (ptr[n] != entries)
    indptr.fail_here("ends with " + std::to_string(ptr[n]) + ", but there are " +
                     std::to_string(entries) + " indices");
  return ptr;
}

}  // namespace kauri::io
