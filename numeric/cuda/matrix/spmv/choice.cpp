// Chooses the kernel that multiplies by a sparse matrix, and makes tiles of the merge path (Merrill
// & Garland 2016).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/spmv/choice.hpp"

#include <algorithm>
#include <limits>

namespace kauri::numeric::cuda {
namespace {

/// The merge path is chosen if the slowest block has more entries than kFreeEntries + (all entries)
/// / kShareOfOneBlock. kFreeEntries: the time of three chunks is lost at the beginning and the end
/// of any launch. kShareOfOneBlock: a multiprocessor with one block does about 1/900 of what a
/// device with all of its blocks does.
constexpr Offset kFreeEntries = 3 * kSpmvChunk, kShareOfOneBlock = 900;
/// Cost of an entry that a single lane adds to the sum of a row, in entries of a block: a lane adds
/// one eighth as fast as a block loads entries.
constexpr Offset kLaneCost = 8;
/// Mean entries of a row above which `lanes` is chosen with 16 lanes: a row then fills the loads of
/// its lanes by itself, and shared memory would be a detour (M62 of docs/measurements). Above three
/// times kLongRows a whole warp takes a row.
constexpr Offset kLongRows = 32;

/// Returns the number of entries of the fullest block, if each block has `rows_of_block` rows.
Offset fullest_block(const FullRows& rows, Index rows_of_block) {
  Offset most = 0;
  const Offset n = rows.n();
  for (Offset first = 0; first < n; first += rows_of_block)
    most = std::max(most, rows.ptr[static_cast<std::size_t>(std::min(first + rows_of_block, n))] -
                              rows.ptr[static_cast<std::size_t>(first)]);
  return most;
}

Offset longest_row(const FullRows& rows) {
  Offset most = 0;
  for (Index i = 0; i < rows.n(); ++i) most = std::max(most, rows.length(i));
  return most;
}

}  // namespace

std::string name_of(const SpmvChoice& choice) {
  if (choice.way == SpmvWay::merge) return "merge";
  return (choice.way == SpmvWay::lanes ? "lanes " : "staged ") + std::to_string(choice.lanes);
}

std::vector<SpmvChoice> spmv_choices() {
  std::vector<SpmvChoice> all{{SpmvWay::merge, 1}, {SpmvWay::staged, 1}};
  for (const int lanes : {2, 4, 8, 16, 32}) {
    all.push_back({SpmvWay::staged, lanes});
    all.push_back({SpmvWay::lanes, lanes});
  }
  return all;
}

bool is_spmv(const SpmvChoice& choice) {
  const std::vector<SpmvChoice> all = spmv_choices();
  return choice.way == SpmvWay::merge || std::find(all.begin(), all.end(), choice) != all.end();
}

SpmvChoice choose_spmv(const FullRows& rows) {
  const Offset n = std::max<Offset>(rows.n(), 1), entries = rows.entries();
  const bool are_long = entries > kLongRows * n;
  int lanes = are_long ? (entries > 3 * kLongRows * n ? 32 : 16) : 1;
  while (!are_long && kSpmvThreads / lanes * entries > kSpmvChunk * n)
    lanes *= 2;  // until the rows of a block fit into a chunk, in the mean
  const Offset slowest =
      std::max(fullest_block(rows, kSpmvThreads / lanes), kLaneCost * longest_row(rows) / lanes);
  if (slowest > kFreeEntries + entries / kShareOfOneBlock) return {SpmvWay::merge, 1};
  return {are_long ? SpmvWay::lanes : SpmvWay::staged, lanes};
}

MergeTiles merge_tiles(const FullRows& rows) {
  const Offset n = rows.n(), items = n + rows.entries(),
               count = (items + kMergeTile - 1) / kMergeTile;
  if (count >= std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "a product of more than 2^31 - 1 tiles");
  MergeTiles tiles;
  tiles.row.reserve(static_cast<std::size_t>(count) + 1);
  for (Offset t = 0; t <= count; ++t) {
    const Offset diagonal = std::min(t * kMergeTile, items);
    Offset low = std::max<Offset>(diagonal - rows.entries(), 0), high = std::min(diagonal, n);
    while (low < high) {  // finds the first row that does not end among the first `diagonal` items
      const Offset middle = (low + high) / 2;
      if (rows.ptr[static_cast<std::size_t>(middle) + 1] <= diagonal - middle - 1)
        low = middle + 1;
      else
        high = middle;
    }
    tiles.row.push_back(static_cast<Index>(low));
  }
  for (Index t = 0; t < count; ++t) {
    const Index row = tiles.row[static_cast<std::size_t>(t) + 1];
    if (row == n || std::min((t + Offset{1}) * kMergeTile, items) - row ==
                        rows.ptr[static_cast<std::size_t>(row)])
      continue;
    if (tiles.run.empty() || tiles.run.back().row != row) tiles.run.push_back({row, t, t});
    tiles.run.back().last = t + 1;
  }
  tiles.ended.assign(static_cast<std::size_t>(count), -1);
  for (std::size_t k = 0; k < tiles.run.size(); ++k)
    tiles.ended[static_cast<std::size_t>(tiles.run[k].last)] = static_cast<Index>(k);
  return tiles;
}

}  // namespace kauri::numeric::cuda
