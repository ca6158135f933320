// The last step of every matrix reader: sorts, sums and checks symmetry, with errors that name the
// file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kauri/core/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/asymmetry.hpp"
#include "src/io/matrix/triplets.hpp"

namespace kauri::io {

/// Most rows that a file may claim with any number of entries, if max_bytes is not set; arrays over
/// them take at most 0.8 GB.
inline constexpr Offset kFreeRows = Offset{1} << 24;
/// Number of entries of right-hand sides (rows times columns) for which memory is allocated on a
/// file's claim alone.
inline constexpr Offset kFreePlaces = Offset{1} << 20;
/// Right-hand sides of more than kFreePlaces entries that a file holds as a sparse matrix must have
/// a stored entry for each kSparsest of them, so that their memory is a small multiple of the file.
inline constexpr Offset kSparsest = 16;

/// Returns an empty string, or why a matrix of n rows is refused: max_bytes is not set, n is large,
/// and the entries, each of which touches at most two rows, leave most rows empty. A matrix with
/// empty rows is otherwise accepted: its pattern can be analysed, and with a shift it can be
/// solved.
std::string too_many_empty_rows(Offset n, Offset entries, const Allowance& allowance);

/// The rule for reading the halves of a matrix. storage: full, lower_of_full or upper_of_full, as
/// asked for a file that may hold both; lower or upper if only this half has entries.
struct BothHalves {
  Storage storage = Storage::full;  ///< half to read; full: both, which must agree
  double symmetry = 0;              ///< CompressedView::symmetry, for Storage::full
};

/// Records which halves have entries, and which have entries that are not 0.
class SeenHalves {
 public:
  void add(Offset row, Offset col, double value) {
    const bool zero = value == 0;
    below_ |= row > col;
    above_ |= row < col;
    below_number_ |= row > col && !zero;
    above_number_ |= row < col && !zero;
  }
  /// Returns the half to read, by the rule of halves_of().
  [[nodiscard]] BothHalves taken(const BothHalves& both) const {
    if (!below_ || !above_) return {above_ ? Storage::upper : Storage::lower};
    if (below_number_ == above_number_) return both;
    return {below_number_ ? Storage::lower_of_full : Storage::upper_of_full};
  }
  /// Returns a text for errors about halves that differ, if one half holds all nonzero entries off
  /// the diagonal: how to read that half. Else returns an empty string.
  [[nodiscard]] std::string words() const {
    if (below_number_ == above_number_) return {};
    const std::string half = below_number_ ? "lower" : "upper";
    return "; all entries off the diagonal that are not 0 are in the " + half +
           " half, which --half " + half + " (ReadOptions::both_halves) takes";
  }

 private:
  bool below_ = false, above_ = false, below_number_ = false, above_number_ = false;
};

/// Returns SeenHalves::words() for the entries t.
std::string one_half_words(const Triplets& t);

/// Counts in `allowance` the memory that assemble() takes: rows and values of all entries twice,
/// since they are sorted, and pointers.
void take_matrix(std::string_view name, Index n, Offset entries, Allowance& allowance);

/// Returns the matrix of triplets whose indices are in range. Throws Error(input) with the file's
/// name: if the halves differ, with the first differing entry, as find_asymmetry() words it; if the
/// sum of repeated entries is infinite, with row, column and the place of the last of them.
SymmetricMatrix<double> assemble(std::string_view name, Index n, const Triplets& t,
                                 const BothHalves& halves, const EntryNames& places);

/// Returns the matrix of compressed columns, or of compressed rows (by_rows), whose indices are in
/// range. Throws as assemble() of triplets.
SymmetricMatrix<double> assemble(std::string_view name, Index n, std::span<const Offset> ptr,
                                 std::span<const Index> row, std::span<const double> value,
                                 const BothHalves& halves, const EntryNames& places,
                                 bool by_rows = false);

/// Returns which half to read if the file does not declare it: the one that has all entries (lower
/// if all are on the diagonal), or all nonzero entries; the zeros of the other half are then
/// dropped. Returns `both` if both halves have nonzero entries, or both only zeros.
BothHalves halves_of(const Triplets& t, const BothHalves& both);
/// Returns the halves to read of compressed columns, or rows; the half is that of A either way.
BothHalves halves_of(std::span<const Offset> ptr, std::span<const Index> row,
                     std::span<const double> value, const BothHalves& both, bool by_rows);

}  // namespace kauri::io
