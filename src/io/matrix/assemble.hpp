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

/// Number of rows that a file may claim without entries in them if max_bytes is not set: arrays of
/// at most 0.8 GB.
inline constexpr Offset kFreeRows = Offset{1} << 24;
/// Number of places of right-hand sides that are allocated on a file's claim alone.
inline constexpr Offset kFreePlaces = Offset{1} << 20;
/// Beyond kFreePlaces, dense right-hand sides given as sparse ones must fill one place in this
/// many, so that their memory stays within a small multiple of the file.
inline constexpr Offset kSparsest = 16;

/// Returns an empty string, or why a matrix of n rows is refused: max_bytes is not set, n is large,
/// and the entries, each of which touches at most two rows, leave most rows empty. A matrix with
/// empty rows is otherwise accepted: its pattern can be analysed, and with a shift it can be
/// solved.
std::string too_many_empty_rows(Offset n, Offset entries, const Allowance& allowance);

/// The rule for reading a matrix of which both halves are stored.
struct BothHalves {
  Storage storage = Storage::full;  ///< full, lower_of_full or upper_of_full
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
  /// Returns the hint that ends errors about halves that differ if one half holds all numbers: how
  /// to read that half. Else returns an empty string.
  [[nodiscard]] std::string words() const {
    if (below_number_ == above_number_) return {};
    const std::string half = below_number_ ? "lower" : "upper";
    return "; all entries off the diagonal that are not 0 are in the " + half +
           " half, which --half " + half + " (ReadOptions::both_halves) takes";
  }

 private:
  bool below_ = false, above_ = false, below_number_ = false, above_number_ = false;
};

/// Returns SeenHalves::words() of triplets.
std::string one_half_words(const Triplets& t);

/// Counts the memory that assemble() takes: rows and values of all entries twice, since they are
/// sorted, and pointers.
void take_matrix(std::string_view name, Index n, Offset entries, Allowance& allowance);

/// Returns the matrix of triplets whose indices are in range. Throws Error(input) with the file's
/// name: if the halves differ, with the first differing entry, as find_asymmetry() words it; if the
/// sum of repeated entries is infinite, with row, column and the place of the last of them.
SymmetricMatrix<double> assemble(std::string_view name, Index n, const Triplets& t,
                                 const BothHalves& halves, const EntryNames& places);

/// Returns the matrix of compressed columns, or rows (by_rows): since A is symmetric, rows are read
/// as columns, and transposed in errors only.
SymmetricMatrix<double> assemble(std::string_view name, Index n, std::span<const Offset> ptr,
                                 std::span<const Index> row, std::span<const double> value,
                                 const BothHalves& halves, const EntryNames& places,
                                 bool by_rows = false);

/// Returns the halves to read if the file does not declare them: if all entries lie in one half,
/// that half (lower if all are on the diagonal), also if the other half holds only zeros, which are
/// dropped. Else returns `both`.
BothHalves halves_of(const Triplets& t, const BothHalves& both);
/// Returns the halves to read of compressed columns, or rows; the half is that of A either way.
BothHalves halves_of(std::span<const Offset> ptr, std::span<const Index> row,
                     std::span<const double> value, const BothHalves& both, bool by_rows);

}  // namespace kauri::io
