// Errors of matrices put together.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/assemble.hpp"

#include <cmath>

#include "src/io/file.hpp"

namespace kauri::io {
namespace {

/// "line 7: " of the last entry of the file that is added to (i, j), where the file can say so.
std::string last_place(const Triplets& t, const Places& places, Index i, Index j) {
  for (auto k = static_cast<Offset>(t.row.size()) - 1; places.words && k >= 0; --k)
    if ((t.row[k] == i && t.col[k] == j) || (t.row[k] == j && t.col[k] == i)) return places.words(k) + ": ";
  return {};
}

template <class Entries>
void check_sums(std::string_view name, const SymmetricMatrix<double>& a, const Places& places, Entries&& entries) {
  const Pattern p = a.pattern();
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k)
      if (!std::isfinite(a.value()[k]))
        fail(name, last_place(entries(), places, p.row[k], j) + "the sum of the repeated entries (" +
                       std::to_string(Offset{p.row[k]} + places.first) + ", " + std::to_string(Offset{j} + places.first) +
                       "), counted from " + std::to_string(places.first) + ", is too large for double precision, expected a finite number");
}

Triplets triplets_of(Index n, std::span<const Offset> ptr, std::span<const Index> row, std::span<const double> value, bool by_rows) {
  Triplets t;
  t.reserve(row.size());
  for (Index j = 0; j < n; ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k) by_rows ? t.add(j, row[k], value[k]) : t.add(row[k], j, value[k]);
  return t;
}

Storage half(bool below, bool above) { return below && above ? Storage::full : above ? Storage::upper : Storage::lower; }

/// make(), whose errors get the file's name and, where the halves differ, the place.
template <class Make, class Entries>
SymmetricMatrix<double> checked(std::string_view name, const Places& places, Make&& make, Entries&& entries) {
  try {
    SymmetricMatrix<double> a = make();
    check_sums(name, a, places, entries);
    return a;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input || std::string_view(e.what()).starts_with(name)) throw;
    const std::string asymmetry = places.words ? find_asymmetry(entries(), places) : std::string();
    if (!asymmetry.empty()) fail(name, asymmetry);
    fail(name, std::string(e.what()) + " (rows and columns counted from 0)");
  }
}

}  // namespace

SymmetricMatrix<double> assemble(std::string_view name, Index n, const Triplets& t, Storage storage, const Places& places) {
  return checked(
      name, places, [&] { return SymmetricMatrix<double>::from_triplets(n, t.row, t.col, t.value, storage); },
      [&]() -> const Triplets& { return t; });
}

SymmetricMatrix<double> assemble(std::string_view name, Index n, std::span<const Offset> ptr, std::span<const Index> row,
                                 std::span<const double> value, Storage storage, const Places& places, bool by_rows) {
  return checked(
      name, places, [&] { return SymmetricMatrix<double>::from_csc(n, ptr, row, value, storage); },
      [&] { return triplets_of(n, ptr, row, value, by_rows); });
}

Storage half_of(std::span<const Index> row, std::span<const Index> col) {
  bool below = false, above = false;
  for (std::size_t k = 0; k < row.size(); ++k) {
    below = below || row[k] > col[k];
    above = above || row[k] < col[k];
  }
  return half(below, above);
}

Storage half_of_columns(std::span<const Offset> ptr, std::span<const Index> row) {
  bool below = false, above = false;
  for (std::size_t j = 0; j + 1 < ptr.size(); ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k) {
      below = below || row[k] > static_cast<Index>(j);
      above = above || row[k] < static_cast<Index>(j);
    }
  return half(below, above);
}

}  // namespace kauri::io
