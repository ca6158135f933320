// Choice of the kernel that multiplies by a sparse matrix, by the lengths of its rows; tiles of the
// merge path.
//
// J. L. Greathouse, M. Daga, Efficient sparse matrix-vector multiplication on GPUs using the CSR
// storage format, SC 2014 (rows staged). D. Merrill, M. Garland, Merge-based parallel sparse
// matrix-vector multiplication, SC 2016.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "numeric/cuda/matrix/spmv/full_rows.hpp"

namespace kauri::numeric::cuda {

inline constexpr int kSpmvThreads = 256;  ///< threads of a block, in all kernels of products
inline constexpr int kSpmvChunk =
    8 * kSpmvThreads;  ///< entries that a block holds in shared memory at once
inline constexpr int kMergeItems =
    7;  ///< items of a thread; odd, so that threads meet different banks of shared memory
inline constexpr int kMergeTile =
    kMergeItems * kSpmvThreads;  ///< items (row ends and entries) of a tile, which a block does; a
                                 ///< chunk has room for 3 entries before them

enum class SpmvWay {
  lanes,   ///< lanes of a warp share a row and read it in global memory
  staged,  ///< sums as of `lanes`, after the block has loaded the entries of its rows into shared
           ///< memory: its loads do not wait for row pointers
  merge,   ///< each thread has the same number of row ends and entries, in sum, wherever rows end
};

/// A kernel of sparse products. The order in which a row is summed depends on the pattern and this
/// choice alone: `lanes` and `staged` with the same number of lanes give the same bits.
struct SpmvChoice {
  SpmvWay way = SpmvWay::staged;
  int lanes = 1;  ///< lanes that share a row: 1 (staged only), 2, 4, 8, 16, 32; unused by merge

  friend bool operator==(const SpmvChoice&, const SpmvChoice&) = default;
};
/// Returns the name of a kernel, such as "staged 4".
std::string name_of(const SpmvChoice& choice);
/// Returns true if there is a kernel for the choice.
bool is_spmv(const SpmvChoice& choice);
/// Returns all choices that have a kernel.
std::vector<SpmvChoice> spmv_choices();

/// Chooses the kernel by the lengths of the rows alone, so a product has the same bits on every
/// device. O(n).
SpmvChoice choose_spmv(const FullRows& rows);

/// Tiles of the merge path. The items of the path are the entries of A by rows, and after the last
/// entry of each row an item for the row's end; a tile has kMergeTile items.
struct MergeTiles {
  /// A row that ends in tile `last`, after the tiles [first, last), each of which sums a part of
  /// it.
  struct Run {
    Index row, first, last;
  };
  std::vector<Index>
      row;  ///< length tiles + 1: tile t begins in row row[t], at entry t kMergeTile - row[t]
  std::vector<Run> run;      ///< ascending; one for each row in which at least one tile ends
  std::vector<Index> ended;  ///< per tile: the run whose row ends in it, or -1

  [[nodiscard]] Index count() const { return static_cast<Index>(row.size()) - 1; }
};
/// Returns the tiles of a matrix. Throws Error(overflow) for 2^31 - 1 tiles or more. O(tiles log
/// n).
MergeTiles merge_tiles(const FullRows& rows);

}  // namespace kauri::numeric::cuda
