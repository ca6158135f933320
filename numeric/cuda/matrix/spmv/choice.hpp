// Which kernel multiplies by a sparse matrix, from the lengths of its rows; tiles of the merge path.
//
// J. L. Greathouse, M. Daga, Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format, SC 2014 (rows staged).
// D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector multiplication, SC 2016.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "numeric/cuda/matrix/full_rows.hpp"

namespace kauri::numeric::cuda {

inline constexpr int kSpmvThreads = 256;                       ///< of a block, of every kernel
inline constexpr int kSpmvChunk = 8 * kSpmvThreads;            ///< entries that a block holds in shared memory at once
inline constexpr int kMergeItems = 7;                          ///< of a thread; odd, so that threads meet different banks of shared memory
inline constexpr int kMergeTile = kMergeItems * kSpmvThreads;  ///< rows and entries of a block; with what precedes them up to 16 bytes,
                                                               ///< no more than a chunk

enum class SpmvWay {
  lanes,   ///< lanes of a warp share a row and read it where it lies
  staged,  ///< the same sums, once the block has the entries of its rows in shared memory: its loads do not wait for row pointers
  merge,   ///< as many rows and entries, in sum, for each thread, wherever rows end
};

/// A kernel. The order of a row's sum depends on nothing else: `lanes` and `staged` of as many lanes give the same bits.
struct SpmvChoice {
  SpmvWay way = SpmvWay::staged;
  int lanes = 1;  ///< of a row: 1 (staged only), 2, 4, 8, 16, 32; of no meaning for merge

  friend bool operator==(const SpmvChoice&, const SpmvChoice&) = default;
};
/// As "staged 4".
std::string name_of(const SpmvChoice& choice);
/// True for what there is a kernel for.
bool is_spmv(const SpmvChoice& choice);
/// All there are.
std::vector<SpmvChoice> spmv_choices();

/// O(n). Depends on the lengths of the rows alone, so a product has the same bits on every device.
SpmvChoice choose_spmv(const FullRows& rows);

/// Tiles of the merge path: its items are the entries, and the ends of rows after their last entries.
struct MergeTiles {
  /// A row that ends behind the tiles [first, last), each of which adds up some of it.
  struct Run {
    Index row, first, last;
  };
  std::vector<Index> row;    ///< tiles + 1: tile t begins in the row row[t], at its entry t kMergeTile - row[t]
  std::vector<Run> run;      ///< ascending; of all tiles that end within a row
  std::vector<Index> ended;  ///< of each tile the run whose row ends in it, or -1

  [[nodiscard]] Index count() const { return static_cast<Index>(row.size()) - 1; }
};
/// Throws Error(overflow) for 2^31 tiles or more. O(tiles log n).
MergeTiles merge_tiles(const FullRows& rows);

}  // namespace kauri::numeric::cuda
