// SciPy's .npz: arrays format and shape, and the arrays of that format, in a zip archive.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/numpy/npz.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "src/io/file/file.hpp"
#include "src/io/matrix/assemble.hpp"
#include "src/io/numpy/npz_member.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {
namespace {

/// An archive, and the order n and reading rules of the matrix in it.
struct NpzMatrix {
  const ZipArchive& archive;
  const std::string& name;
  Index n;
  const BothHalves& both;
  Allowance& allowance;
  [[nodiscard]] NpzMember array(const char* called) const {
    return {archive, name, called, allowance};
  }
};

Index square_dimension(const NpzMember& shape) {
  if (shape->size() != 2) shape.fail_here(std::to_string(shape->size()) + " entries, expected 2");
  const auto size = shape->integers<Offset>(0, std::numeric_limits<Index>::max());
  if (size[0] != size[1])
    shape.fail_here("the matrix has " + std::to_string(size[0]) + " rows and " +
                    std::to_string(size[1]) + " columns, expected a square one");
  return static_cast<Index>(size[0]);
}

std::string entry_words(Offset k) { return "array 'data': entry " + std::to_string(k); }

/// Throws Error(input) if n is large, more than four times the number of entries, and no bound of
/// bytes is set: n comes from a few bytes of the file.
void expect_entries(const NpzMatrix& source, Offset entries) {
  const std::string why = too_many_empty_rows(source.n, entries, source.allowance);
  if (!why.empty()) source.array("shape").fail_here(why);
}

/// Counts memory for the row, column, value and index in `data` of each entry, and for the matrix
/// made of the entries.
void take_triplets(const NpzMatrix& source, Offset entries) {
  source.allowance.take(source.name, static_cast<std::size_t>(entries),
                        2 * sizeof(Index) + sizeof(double) + sizeof(Offset), "entries");
  take_matrix(source.name, source.n, entries, source.allowance);
}

/// Returns `both`, with a tolerance of kSymmetryEps eps if none is set and the elements of `data`
/// are narrower than double, eps being that of their type: the values were rounded to that type, so
/// the halves may differ by as much.
BothHalves rounded_to(BothHalves both, const NpzMember& data) {
  if (both.symmetry == 0 && data->eps() > std::numeric_limits<double>::epsilon())
    both.symmetry = std::min(1.0, kSymmetryEps * data->eps());
  return both;
}

SymmetricMatrix<double> assemble_half(const NpzMatrix& source, const Triplets& t,
                                      const NpzMember& data,
                                      const std::function<std::string(Offset)>& where) {
  return assemble(source.name, source.n, t, halves_of(t, rounded_to(source.both, data)),
                  {where, 0});
}

/// Reads CSC or CSR: arrays indices and data, one element for each entry, and indptr, length n + 1.
SymmetricMatrix<double> compressed(const NpzMatrix& source, bool by_rows) {
  std::vector<Index> index;
  {
    const NpzMember indices = source.array("indices");
    indices.expect_dimensions(1);
    index = indices->integers<Index>(0, Offset{source.n} - 1);
  }
  const auto entries = static_cast<Offset>(index.size());
  take_matrix(source.name, source.n, entries, source.allowance);
  const auto ptr = npz_pointers(source.array("indptr"), source.n, entries);
  std::vector<double> value;
  BothHalves both;
  {
    const NpzMember data = source.array("data");
    data.expect_length(entries, " (one for each index)");
    value = data->reals();
    both = rounded_to(source.both, data);
  }
  return assemble(source.name, source.n, ptr, index, value,
                  halves_of(ptr, index, value, both, by_rows), {entry_words, 0}, by_rows);
}

/// Reads COO: arrays row, col and data, one element for each entry.
SymmetricMatrix<double> coordinates(const NpzMatrix& source) {
  const NpzMember data = source.array("data");
  data.expect_dimensions(1);
  expect_entries(source, data->size());
  take_triplets(source, data->size());
  Triplets t;
  const auto value = data->reals();
  t.value.assign(value.begin(), value.end());
  const auto take = [&](const char* called, Array<Index>& to) {
    const NpzMember array = source.array(called);
    array.expect_length(data->size(), " (one for each value)");
    const auto index = array->integers<Index>(0, Offset{source.n} - 1);
    to.assign(index.begin(), index.end());
  };
  take("row", t.row);
  take("col", t.col);
  return assemble_half(source, t, data, entry_words);
}

/// Reads BSR: arrays data (k, R, C), k blocks of R x C entries, indices (k) and indptr (n/R + 1).
/// Drops off-diagonal zeros, which fill blocks.
SymmetricMatrix<double> blocks(const NpzMatrix& source) {
  const NpzMember data = source.array("data");
  data.expect_dimensions(3);
  const Offset count = data->shape()[0], rows = data->shape()[1], cols = data->shape()[2];
  if (rows < 1 || cols < 1 || source.n % rows != 0 || source.n % cols != 0)
    data.fail_here("blocks of " + std::to_string(rows) + " x " + std::to_string(cols) +
                   ", expected sizes that divide " + std::to_string(source.n) +
                   " rows and columns");
  expect_entries(source, data->size());
  const NpzMember indices = source.array("indices");
  indices.expect_length(count, " (one for each block)");
  const auto block_col = indices->integers<Index>(0, source.n / cols - 1);
  const auto ptr = npz_pointers(source.array("indptr"), static_cast<Index>(source.n / rows), count);
  take_triplets(source, data->size());
  const auto value = data->reals_by_rows();
  Triplets t;
  std::vector<Offset> place;  // index in `data` of each triplet
  for (std::size_t b = 0; b + 1 < ptr.size(); ++b)
    for (Offset k = ptr[b]; k < ptr[b + 1]; ++k)
      for (Offset e = 0; e < rows * cols; ++e) {
        const auto i = static_cast<Index>(static_cast<Offset>(b) * rows + e / cols),
                   j = static_cast<Index>(block_col[k] * cols + e % cols);
        const double x = value[k * rows * cols + e];
        if (x == 0 && i != j) continue;
        t.add(i, j, x);
        place.push_back(k * rows * cols + e);
      }
  return assemble_half(source, t, data, [&](Offset k) { return entry_words(place[k]); });
}

/// Reads DIA: arrays data (k, columns) and offsets (k): data[d, j] is entry (j - offsets[d], j).
/// Drops off-diagonal zeros.
SymmetricMatrix<double> diagonals(const NpzMatrix& source) {
  const NpzMember data = source.array("data"), offsets = source.array("offsets");
  data.expect_dimensions(2);
  const Offset length = data->shape()[1];
  expect_entries(source, data->size());
  offsets.expect_length(data->shape()[0], " (one for each diagonal)");
  const auto offset = offsets->integers<Offset>(-Offset{source.n}, source.n);
  take_triplets(source, data->size());
  const auto value = data->reals_by_rows();
  Triplets t;
  std::vector<Offset> place;
  for (std::size_t d = 0; d < offset.size(); ++d) {
    const Offset begin = std::max<Offset>(0, offset[d]),
                 end = std::min({length, Offset{source.n}, source.n + offset[d]});
    for (Offset j = begin; j < end; ++j) {
      const Offset k = static_cast<Offset>(d) * length + j;
      if (value[k] == 0 && offset[d] != 0) continue;
      t.add(static_cast<Index>(j - offset[d]), static_cast<Index>(j), value[k]);
      place.push_back(k);
    }
  }
  return assemble_half(source, t, data, [&](Offset k) { return entry_words(place[k]); });
}

}  // namespace

SymmetricMatrix<double> parse_npz(std::string_view bytes, const std::string& name,
                                  const BothHalves& both, Allowance allowance) {
  const ZipArchive archive(bytes, name, allowance);
  const std::string format = NpzMember(archive, name, "format", allowance)->text();
  const NpzMatrix source{archive, name,
                         square_dimension(NpzMember(archive, name, "shape", allowance)), both,
                         allowance};
  if (format == "csr" || format == "csc") return compressed(source, format == "csr");
  if (format == "coo") return coordinates(source);
  if (format == "bsr") return blocks(source);
  if (format == "dia") return diagonals(source);
  fail(name + ": array 'format'",
       "is '" + printable(format) + "', expected csc, csr, coo, bsr or dia");
}

}  // namespace kauri::io
