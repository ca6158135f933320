// Assembles matrices, and words the errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/matrix/assemble.hpp"

#include <cmath>

#include "src/io/file/file.hpp"

namespace kauri::io {
namespace {

/// Returns the place, as "line 7: ", of the last entry of the file that is added to (i, j); an
/// empty string if `places` has no words.
std::string last_place(const Triplets& t, const EntryNames& places, Index i, Index j) {
  for (auto k = static_cast<Offset>(t.row.size()) - 1; places.words && k >= 0; --k)
    if ((t.row[k] == i && t.col[k] == j) || (t.row[k] == j && t.col[k] == i))
      return places.words(k) + ": ";
  return {};
}

template <class Entries>
void check_sums(std::string_view name, const SymmetricMatrix<double>& a, const EntryNames& places,
                Entries&& entries) {
  const Pattern p = a.pattern();
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k)
      if (!std::isfinite(a.value()[k]))
        fail(name, last_place(entries(), places, p.row[k], j) +
                       "the sum of the repeated entries (" +
                       std::to_string(Offset{p.row[k]} + places.first) + ", " +
                       std::to_string(Offset{j} + places.first) + "), counted from " +
                       std::to_string(places.first) +
                       ", is too large for double precision, expected a finite number");
}

Triplets triplets_of(Index n, std::span<const Offset> ptr, std::span<const Index> row,
                     std::span<const double> value, bool by_rows) {
  Triplets t;
  t.reserve(row.size());
  for (Index j = 0; j < n; ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k)
      by_rows ? t.add(j, row[k], value[k]) : t.add(row[k], j, value[k]);
  return t;
}

SeenHalves seen_in(const Triplets& t) {
  SeenHalves seen;
  for (std::size_t k = 0; k < t.row.size(); ++k) seen.add(t.row[k], t.col[k], t.value[k]);
  return seen;
}

/// Returns make(), a matrix whose sums must be finite. Errors get the file's name and, if the
/// halves differ, the place of the first entry that does. entries() returns the triplets; it is
/// called only to word an error.
template <class Make, class Entries>
SymmetricMatrix<double> checked(std::string_view name, const EntryNames& places, double symmetry,
                                Make&& make, Entries&& entries) {
  try {
    SymmetricMatrix<double> a = make();
    check_sums(name, a, places, entries);
    return a;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input || std::string_view(e.what()).starts_with(shown(name))) throw;
    const std::string asymmetry =
        places.words ? find_asymmetry(entries(), places, SymmetryRule<double>(symmetry))
                     : std::string();
    if (!asymmetry.empty()) fail(name, asymmetry + one_half_words(entries()));
    fail(name, std::string(e.what()) + " (rows and columns counted from 0)");
  }
}

}  // namespace

std::string too_many_empty_rows(Offset n, Offset entries, const Allowance& allowance) {
  if (n <= kFreeRows || n / 4 <= entries || allowance.bounded()) return {};
  return std::to_string(n) + " rows with " + std::to_string(entries) +
         " entries: most rows would be empty, expected " + std::to_string(n / 4) +
         " entries or more, or a bound of bytes (max_bytes, --max-gb)";
}

void take_matrix(std::string_view name, Index n, Offset entries, Allowance& allowance) {
  allowance.take(name, static_cast<std::size_t>(n) + 1, 3 * sizeof(Offset),
                 "columns of the matrix");
  allowance.take(name, static_cast<std::size_t>(entries) + static_cast<std::size_t>(n),
                 2 * (sizeof(Index) + sizeof(double)), "entries of the matrix");
}

SymmetricMatrix<double> assemble(std::string_view name, Index n, const Triplets& t,
                                 const BothHalves& halves, const EntryNames& places) {
  return checked(
      name, places, halves.symmetry,
      [&] {
        return SymmetricMatrix<double>::from_triplets(n, t.row, t.col, t.value, halves.storage,
                                                      halves.symmetry);
      },
      [&]() -> const Triplets& { return t; });
}

SymmetricMatrix<double> assemble(std::string_view name, Index n, std::span<const Offset> ptr,
                                 std::span<const Index> row, std::span<const double> value,
                                 const BothHalves& halves, const EntryNames& places, bool by_rows) {
  CompressedView<double, Index, Offset> view{n, ptr, row, value, halves.storage};
  view.compression = by_rows ? Compression::rows : Compression::columns;
  view.symmetry = halves.symmetry;
  return checked(
      name, places, halves.symmetry, [&] { return SymmetricMatrix<double>::from_compressed(view); },
      [&] { return triplets_of(n, ptr, row, value, by_rows); });
}

std::string one_half_words(const Triplets& t) { return seen_in(t).words(); }

BothHalves halves_of(const Triplets& t, const BothHalves& both) { return seen_in(t).taken(both); }

BothHalves halves_of(std::span<const Offset> ptr, std::span<const Index> row,
                     std::span<const double> value, const BothHalves& both, bool by_rows) {
  SeenHalves seen;
  const auto columns = static_cast<Offset>(ptr.size()) - 1;
  for (Offset j = 0; j < columns; ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k)
      by_rows ? seen.add(j, row[k], value[k]) : seen.add(row[k], j, value[k]);
  return seen.taken(both);
}

}  // namespace kauri::io
