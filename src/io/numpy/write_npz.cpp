// Writes SciPy's .npz: arrays format, shape, indptr, indices and data in a zip archive.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/write_npz.hpp"

#include <array>
#include <bit>
#include <string_view>
#include <vector>

#include "src/io/numpy/npy_header.hpp"
#include "src/io/packed/zip_writer.hpp"

namespace kauri::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

template <class T>
std::string_view bytes_of(const T* first, std::size_t count) {
  return {reinterpret_cast<const char*>(first), count * sizeof(T)};
}

/// Compressed columns with both halves; rows ascend.
struct Full {
  std::vector<Offset> ptr;
  std::vector<Index> row;
  std::vector<double> value;
};

Full both_halves(const SymmetricView<double>& a) {
  const Pattern& p = a.pattern;
  Full full{std::vector<Offset>(static_cast<std::size_t>(p.n) + 1, 0), {}, {}};
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      ++full.ptr[j + 1];
      if (p.row[k] != j) ++full.ptr[p.row[k] + 1];
    }
  for (Index j = 0; j < p.n; ++j) full.ptr[j + 1] += full.ptr[j];
  full.row.resize(static_cast<std::size_t>(full.ptr[p.n]));
  full.value.resize(full.row.size());
  std::vector<Offset> next(full.ptr.begin(), full.ptr.end() - 1);
  const auto put = [&](Index i, Index j, double value) {
    full.row[next[j]] = i;
    full.value[next[j]++] = value;
  };
  // Column j gets its upper part from the columns before it, in their order, then its own entries.
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      put(p.row[k], j, a.value[k]);
      if (p.row[k] != j) put(j, p.row[k], a.value[k]);
    }
  return full;
}

}  // namespace

void write_npz(const std::string& path, const SymmetricView<double>& a) {
  ZipWriter zip(path);
  const Full full = both_halves(a);
  const auto add = [&](const char* name, const char* descr, Offset length, std::string_view data) {
    zip.add(std::string(name) + ".npy", {to_bytes({descr, false, {length}}), data});
  };
  const std::array<Offset, 2> shape = {a.pattern.n, a.pattern.n};
  add("indices", "<i4", static_cast<Offset>(full.row.size()),
      bytes_of(full.row.data(), full.row.size()));
  add("indptr", "<i8", static_cast<Offset>(full.ptr.size()),
      bytes_of(full.ptr.data(), full.ptr.size()));
  zip.add("format.npy", {to_bytes({"|S3", false, {}}), "csc"});
  add("shape", "<i8", 2, bytes_of(shape.data(), shape.size()));
  add("data", "<f8", static_cast<Offset>(full.value.size()),
      bytes_of(full.value.data(), full.value.size()));
  zip.close();
}

}  // namespace kauri::io
