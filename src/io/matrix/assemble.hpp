// The last step of every matrix reader: sort, sum, check symmetry, with errors that name the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kauri/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/asymmetry.hpp"
#include "src/io/matrix/triplets.hpp"

namespace kauri::io {

/// Rows that a file may have without entries where nothing bounds the bytes: 0.8 GB of arrays at most are taken on its word.
inline constexpr Offset kFreeRows = Offset{1} << 24;
/// Places of right-hand sides that are taken on a file's word.
inline constexpr Offset kFreePlaces = Offset{1} << 20;
/// Dense right-hand sides given as sparse ones: beyond those that are free, a place in so many must be filled, so that the memory they take
/// stays within a small multiple of the file.
inline constexpr Offset kSparsest = 16;

/// Empty; or why a matrix of so many rows is not taken: nothing bounds the bytes, and the entries, each of which meets at most two rows,
/// leave most of very many rows empty. A pattern of such rows, and a matrix that is shifted, can be solved.
std::string too_many_empty_rows(Offset n, Offset entries, const Allowance& allowance);

/// How matrices are taken of which both halves are there.
struct BothHalves {
  Storage storage = Storage::full;  ///< or lower_of_full, or upper_of_full
  double symmetry = 0;              ///< of full: CompressedView::symmetry
};

/// Which halves hold anything, and which hold numbers that are not 0.
class SeenHalves {
 public:
  void add(Offset row, Offset col, double value) {
    const bool zero = value == 0;
    below_ |= row > col;
    above_ |= row < col;
    below_number_ |= row > col && !zero;
    above_number_ |= row < col && !zero;
  }
  /// The half to take, by the rule of halves_of().
  [[nodiscard]] BothHalves taken(const BothHalves& both) const {
    if (!below_ || !above_) return {above_ ? Storage::upper : Storage::lower};
    if (below_number_ == above_number_) return both;
    return {below_number_ ? Storage::lower_of_full : Storage::upper_of_full};
  }
  /// What errors of halves that differ end with where one holds all numbers: how to take that one. Else empty.
  [[nodiscard]] std::string words() const {
    if (below_number_ == above_number_) return {};
    const std::string half = below_number_ ? "lower" : "upper";
    return "; all entries off the diagonal that are not 0 are in the " + half + " half, which --half " + half +
           " (ReadOptions::both_halves) takes";
  }

 private:
  bool below_ = false, above_ = false, below_number_ = false, above_number_ = false;
};

/// SeenHalves::words() of triplets.
std::string one_half_words(const Triplets& t);

/// Counts what assemble() takes: rows and values of all entries twice while they are sorted, and pointers.
void take_matrix(std::string_view name, Index n, Offset entries, Allowance& allowance);

/// The matrix of triplets whose indices are in range. Throws Error(input) with the file's name: of halves that differ, the first entry as
/// find_asymmetry() tells it; of repeated entries whose sum is infinite, row, column and where the last of them stands.
SymmetricMatrix<double> assemble(std::string_view name, Index n, const Triplets& t, const BothHalves& halves, const Places& places);

/// The same of compressed columns, or of rows: A is symmetric, so that these are read as columns, and turned in errors only.
SymmetricMatrix<double> assemble(std::string_view name, Index n, std::span<const Offset> ptr, std::span<const Index> row,
                                 std::span<const double> value, const BothHalves& halves, const Places& places, bool by_rows = false);

/// What to do with entries of which nobody said where they are: if all lie in one half, that is taken (lower if they are on the diagonal);
/// zeros beside it are left out. Else `both`.
BothHalves halves_of(const Triplets& t, const BothHalves& both);
/// The same of compressed columns, or of rows: the half is that of A either way.
BothHalves halves_of(std::span<const Offset> ptr, std::span<const Index> row, std::span<const double> value, const BothHalves& both,
                     bool by_rows);

}  // namespace kauri::io
