// Y = alpha A X + beta Y along the merge path of row ends and entries: each thread has the same
// number of row ends and entries, in sum. No atomics: if a row continues in the next thread or
// tile, its parts are added in a fixed order.
//
// D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector multiplication, SC 2016.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "numeric/cuda/matrix/spmv/kernels.hpp"
#include "numeric/cuda/matrix/spmv/stage.cuh"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr int kWarps = kSpmvThreads / 32;
/// Blocks that an H200 holds at once. If there are fewer tiles, several blocks share a tile, some
/// columns each: a column waits for gathers and for a scan, and only other blocks hide that
/// latency. The number of blocks changes no sum.
constexpr Offset kBlocksAtOnce = 8 * 132;
static_assert(kMergeTile + 3 <= kSpmvChunk);

/// The sum of the last, unfinished row of some consecutive threads, and whether that row began
/// among these threads.
template <class T>
struct Piece {
  bool begins;
  T sum;
  /// Joins the pieces of consecutive threads.
  __device__ static Piece joined(const Piece& before, const Piece& after) {
    return {before.begins || after.begins, after.begins ? after.sum : before.sum + after.sum};
  }
};

/// Scans the pieces of a block's threads, which all call it, in a fixed shape: `before` becomes the
/// piece of all threads before this one, `all` that of all threads. `of_warp`: kWarps pieces of
/// shared memory, which may be reused after the next barrier.
template <class T>
__device__ void scan(Piece<T> mine, Piece<T>* of_warp, Piece<T>& before, Piece<T>& all) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    const int from = lane < by ? lane : lane - by;
    const Piece<T> left{__shfl_sync(~0U, static_cast<int>(mine.begins), from) != 0,
                        __shfl_sync(~0U, mine.sum, from)};
    if (lane >= by) mine = Piece<T>::joined(left, mine);
  }
  if (lane == 31) of_warp[warp] = mine;
  const int from = lane == 0 ? 0 : lane - 1;
  before = {__shfl_sync(~0U, static_cast<int>(mine.begins), from) != 0,
            __shfl_sync(~0U, mine.sum, from)};
  if (lane == 0) before = {false, T(0)};
  __syncthreads();
  all = {false, T(0)};
  Piece<T> earlier = all;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) earlier = all;
    all = Piece<T>::joined(all, of_warp[w]);
  }
  before = Piece<T>::joined(earlier, before);
}

/// A tile in which `rows` rows end and that has `entries` entries. `end`, in shared memory, has the
/// ends of these rows, counted in entries from the tile's first entry, and then a number that no
/// entry reaches.
struct MergeTile {
  int rows, entries;
  const int* end;

  /// Returns the number of rows that end among the first `items` items of the tile.
  [[nodiscard]] __device__ int rows_before(int items) const {
    int low = max(items - entries, 0), high = min(items, rows);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (end[middle] <= items - middle - 1)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The destination of a tile's sums of one column.
template <class T, bool kApart>
struct TileSums {
  const SpmvColumns<T>& columns;
  T* y;      ///< place in y of the tile's first row
  T* begun;  ///< null, or, if the first row began in an earlier tile and ends in this one, the
             ///< place for its part in this tile: merge_carries() adds the other parts and stores
             ///< the sum

  __device__ void put(int row, T sum) const {
    put_sum(columns, sum, y[row_place<kApart>(row, columns.y.row)]);
  }
  /// Stores the sum of the first row that ends in a thread's part.
  __device__ void put_head(int row, T sum) const {
    if (row == 0 && begun != nullptr)
      *begun = sum;
    else
      put(row, sum);
  }
};

/// Sums the rows of a tile for one column, whose products are in shared memory, the first at
/// `first_place`. Returns the tile's part of the row that the tile ends in. All threads of the
/// block call it.
template <class T, bool kApart>
__device__ T merge_column(const MergeTile& tile, const T* product, int first_place,
                          Piece<T>* of_warp, const TileSums<T, kApart>& sums) {
  const int items = tile.rows + tile.entries,
            begin = min(static_cast<int>(threadIdx.x) * kMergeItems, items);
  int row = tile.rows_before(begin), entry = begin - row, head = -1;
  T sum = 0, head_sum = 0;
#pragma unroll
  for (int k = 0; k < kMergeItems; ++k) {
    if (begin + k >= items) continue;
    if (entry < tile.end[row]) {
      sum += product[skewed<T>(first_place + entry++)];
      continue;
    }
    if (head < 0) {
      head = row;
      head_sum = sum;
    } else {
      sums.put(row, sum);
    }
    sum = 0;
    ++row;
  }
  Piece<T> before, all;
  scan<T>({head >= 0, sum}, of_warp, before, all);
  if (head >= 0) sums.put_head(head, before.sum + head_sum);
  return all.sum;
}

/// Multiplies by a tile: block b does columns [g each, (g + 1) each) of tile b % tiles, with g = b
/// / tiles.
template <class T, class P, bool kApart>
__global__ void __launch_bounds__(kSpmvThreads)
    merge_product(CsrView<T, P> a, MergeView<T> merge, SpmvColumns<T> columns, Index each) {
  T* product = shared_chunk<T>();
  __shared__ int row_end[kMergeTile + 1];
  __shared__ Piece<T> of_warp[kWarps];
  const Index group = static_cast<Index>(blockIdx.x) / merge.tiles,
              t = static_cast<Index>(blockIdx.x) - group * merge.tiles;
  const Index row = __ldg(merge.row + t), rows = __ldg(merge.row + t + 1) - row,
              ended = __ldg(merge.ended + t);
  const Offset items = Offset{a.n} + __ldg(a.ptr + a.n), item = Offset{t} * kMergeTile;
  const auto first = static_cast<P>(item - row);
  const MergeTile tile{rows, static_cast<int>(min(Offset{kMergeTile}, items - item)) - rows,
                       row_end};
  const P base = first & ~P{3}, end = first + tile.entries;
  ChunkPart<T> part;
  part.load(a.col, a.value, base, end);
  for (int k = static_cast<int>(threadIdx.x); k < rows; k += kSpmvThreads)
    row_end[k] = static_cast<int>(__ldg(a.ptr + row + k + 1) - first);
  if (threadIdx.x == 0) row_end[rows] = 2 * kMergeTile;
  for (Index c = group * each; c < min((group + 1) * each, columns.count);
       ++c) {  // needs no barrier here: that of scan() comes after all reads of `product`
    part.template multiply<kApart>(&columns.x(0, c), columns.x.row, base, end, product);
    __syncthreads();
    const TileSums<T, kApart> sums{
        columns, &columns.y(0, c) + row_place<kApart>(row, columns.y.row),
        ended < 0 ? nullptr : merge.end + Offset{c} * merge.runs + ended};
    const T rest = merge_column(tile, product, static_cast<int>(first - base), of_warp, sums);
    if (threadIdx.x == 0) merge.carry[Offset{c} * merge.tiles + t] = rest;
  }
}

/// Completes the row of a run, one warp for each run and column: adds the parts that tiles have of
/// the row, in a tree of fixed shape, then its end, and stores the sum.
template <class T>
__global__ void __launch_bounds__(kSpmvThreads)
    merge_carries(MergeView<T> merge, SpmvColumns<T> columns) {
  const Offset warp = Offset{blockIdx.x} * kWarps + threadIdx.x / 32, c = warp / merge.runs;
  if (c >= columns.count) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const MergeTiles::Run run = merge.run[warp - c * merge.runs];
  const T* carry = merge.carry + c * merge.tiles;
  T sum = 0;
  for (Index t = run.first + lane; t < run.last; t += 32) sum += carry[t];
#pragma unroll
  for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0U, sum, by);
  if (lane == 0) put_sum(columns, merge.end[warp] + sum, columns.y(run.row, c));
}

/// Returns the number of columns that a block does: the fewest with which a launch has at most
/// kBlocksAtOnce blocks, or all columns if there are more tiles than kBlocksAtOnce.
Index columns_of_block(Index tiles, Index columns) {
  const auto groups = static_cast<Index>(std::clamp<Offset>(kBlocksAtOnce / tiles, 1, columns));
  return (columns + groups - 1) / groups;
}

}  // namespace

template <class T, class P>
void load_merge_product() {
  load(merge_product<T, P, false>);
  load(merge_product<T, P, true>);
  load(merge_carries<T>);
}

template <class T, class P>
void enqueue_merge_product(const CsrView<T, P>& a, const MergeView<T>& merge,
                           const SpmvColumns<T>& columns, cudaStream_t stream) {
  auto* kernel = are_apart(columns) ? merge_product<T, P, true> : merge_product<T, P, false>;
  for (Index c = 0; a.n > 0 && c < columns.count; c += kMergeColumns) {
    const SpmvColumns<T> some = some_of(columns, c, std::min(kMergeColumns, columns.count - c));
    const Index each = columns_of_block(merge.tiles, some.count);
    const Offset blocks = Offset{merge.tiles} * ((some.count + each - 1) / each);
    check(kernels::launch(kernel, static_cast<unsigned>(blocks), kSpmvThreads, 0, stream, a, merge,
                          some, each),
          "a launch of a product along the merge path");
    if (merge.runs > 0)
      check(kernels::launch(
                merge_carries<T>,
                static_cast<unsigned>((Offset{merge.runs} * some.count + kWarps - 1) / kWarps),
                kSpmvThreads, 0, stream, merge, some),
            "a launch of a product along the merge path");
  }
}

#define KAURI_INSTANTIATE(T, P)                                                  \
  template void load_merge_product<T, P>();                                      \
  template void enqueue_merge_product(const CsrView<T, P>&, const MergeView<T>&, \
                                      const SpmvColumns<T>&, cudaStream_t);
KAURI_INSTANTIATE(float, std::int32_t)
KAURI_INSTANTIATE(float, Offset)
KAURI_INSTANTIATE(double, std::int32_t)
KAURI_INSTANTIATE(double, Offset)
#undef KAURI_INSTANTIATE

}  // namespace kauri::numeric::cuda
