// Sweeps of several right-hand sides through narrow and small fronts, one warp per front. A lane
// has one right-hand side of every row; of every second row if 16 are solved together, of every
// fourth if 8 are. All numbers of a front lie in shared memory. Sums over them are computed block
// by block of rows, in registers, so that L and the numbers that it multiplies are read once per
// block, L by all lanes together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/shared.cuh"
#include "numeric/cuda/solve/single/fronts.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// A lane's position: it has column `column` of rows `row`, row + kApart, ... of a block of rows.
template <int kWidth>
struct LanePosition {
  static constexpr int kApart = 32 / kWidth;
  static constexpr int kPivots = kWidth == 8 ? 2 : 4,
                       kBelow = kWidth == 8 ? 2 : 8;  // rows of a lane in a block of pivots, and in
                                                      // one of rows below them
  static constexpr int kAwaited = 8;                  // rows whose numbers a lane awaits together
  int row, column;
  __device__ explicit LanePosition(int lane) : row(lane / kWidth), column(lane % kWidth) {}
};

/// Returns x of the lane that has this lane's column and row `of`, 0 <= of < kApart. All lanes call
/// it.
template <int kWidth, class N>
__device__ N from_row(N x, int of, const LanePosition<kWidth>& at) {
  if constexpr (kWidth == 32)
    return x;
  else
    return __shfl_sync(kAll, x, of * kWidth + at.column);
}

/// Indices of the next front (RowPlaces), which the lanes of its rows load while the current front
/// is done.
template <class K, int kRows, bool kForward>
class PlacesAhead {
 public:
  using Panels = FrontShared<K, kRows>;
  using Loads = typename K::Loads;
  __device__ PlacesAhead(Panels& shared, const Fronts<Panels>& fronts, Index count,
                         const SweepView& view, int lane)
      : shared_(shared), fronts_(fronts), count_(count), view_(view), lane_(lane) {
    load(0);
  }
  /// Stores the indices of front number k to shared memory (place, begin, end), and begins to load
  /// those of the next front.
  __device__ void begin(Index k) {
#pragma unroll
    for (int h = 0; h < kRows / 32; ++h) {
      const int r = lane_ + 32 * h;
      shared_.place[r] = next_.place[h];
      if constexpr (kForward) shared_.begin[r] = next_.begin[h], shared_.end[r] = next_.end[h];
    }
    __syncwarp();
    load(k + 1);
  }

  /// Prefetches to the L2 cache the numbers that front number k + 1 starts from, most of which were
  /// written long ago: its update rows in `update` (forward), which are contiguous, and the rows of
  /// its pivots in `own`, b or y.
  __device__ void prefetch(Index k, const typename K::N* update, const typename K::N* own) const {
    constexpr int kBytesOfRow = K::kWidth * static_cast<int>(sizeof(typename K::N));
    if (k + 1 >= count_) return;
    const Front& f = fronts_.front(k + 1);
    if (Loads::takes_part(lane_))
      Loads::prefetch(own + Offset{f.first} * K::kWidth, f.p * kBytesOfRow);
    if constexpr (kForward) {
      const std::uint32_t begin = __shfl_sync(kAll, next_.begin[0], 0);
#pragma unroll
      for (int h = 0; h < kRows / 32; ++h)
        if (const Index last = f.m - 1 - 32 * h; last >= 0 && last < 32) {
          const std::uint32_t end = __shfl_sync(kAll, next_.end[h], last);
          if (Loads::takes_part(lane_) && end > begin)
            Loads::prefetch(update + Offset{begin} * K::kWidth,
                            static_cast<int>(min(end - begin, 1024u)) * kBytesOfRow);
        }
    }
  }

 private:
  __device__ void load(Index k) {
    next_.template load<kForward>(fronts_.front(k), fronts_.id(k), k < count_, view_, lane_);
  }

  Panels& shared_;
  const Fronts<Panels>& fronts_;
  Index count_;
  const SweepView& view_;
  int lane_;
  RowPlaces<kRows / 32> next_;
};

template <class K, int kRows>
__device__ void put_reciprocals(FrontShared<K, kRows>& shared, const typename K::S* l,
                                const Front& f, int lane) {
  typename K::N reciprocal[kRows / 32];
  take_reciprocals(l, f, lane, reciprocal);
#pragma unroll
  for (int h = 0; h < kRows / 32; ++h) shared.reciprocal[lane + 32 * h] = reciprocal[h];
}

/// Stores to shared.number b plus the children's update rows, one after the other, for all rows of
/// the front; waits for two update rows of each row together, and unsets them.
template <class K, int kRows>
__device__ void take_starts(FrontShared<K, kRows>& shared, const Front& f,
                            const typename K::Memory& memory, const LanePosition<K::kWidth>& at) {
  using N = typename K::N;
  using LanePosition = multi::LanePosition<K::kWidth>;
  for (Index first = at.row; first < f.m; first += LanePosition::kAwaited * LanePosition::kApart) {
    N sum[LanePosition::kAwaited];
    N* place[LanePosition::kAwaited];
    std::uint32_t count[LanePosition::kAwaited], most = 0;
#pragma unroll
    for (int j = 0; j < LanePosition::kAwaited; ++j) {
      const Index r = first + LanePosition::kApart * j;
      const bool there = r < f.m;
      sum[j] = r < f.p ? memory.rows[Offset{f.first + r} * K::kWidth + at.column] : N(0);
      count[j] = there ? shared.end[r] - shared.begin[r] : 0;
      place[j] =
          memory.numbers.update + (there ? Offset{shared.begin[r]} * K::kWidth : 0) + at.column;
      most = max(most, count[j]);
    }
    for (std::uint32_t k = 0; k < most; k += 2) {
      N x[2][LanePosition::kAwaited];
#pragma unroll
      for (int u = 0; u < 2; ++u)
#pragma unroll
        for (int j = 0; j < LanePosition::kAwaited; ++j)
          x[u][j] = k + u < count[j] ? load_relaxed(place[j] + u * K::kWidth) : N(0);
      Watch watch;
      for (;;) {
        bool all = true;
#pragma unroll
        for (int u = 0; u < 2; ++u)
#pragma unroll
          for (int j = 0; j < LanePosition::kAwaited; ++j) all = all && is_set(x[u][j]);
        if (all) break;
        look_at<LanePosition::kAwaited>(
            watch, [&](int j) { return is_set(x[0][j]); }, [&](int j) { return place[j]; });
        look_at<LanePosition::kAwaited>(
            watch, [&](int j) { return is_set(x[1][j]); },
            [&](int j) { return place[j] + K::kWidth; });
        __nanosleep(kSoon);
#pragma unroll
        for (int u = 0; u < 2; ++u)
#pragma unroll
          for (int j = 0; j < LanePosition::kAwaited; ++j)
            if (!is_set(x[u][j])) x[u][j] = load_relaxed(place[j] + u * K::kWidth);
      }
#pragma unroll
      for (int j = 0; j < LanePosition::kAwaited; ++j) {
#pragma unroll
        for (int u = 0; u < 2; ++u)
          if (k + u < count[j]) sum[j] += x[u][j], unset(place[j] + u * K::kWidth);
        place[j] += 2 * K::kWidth;
      }
    }
#pragma unroll
    for (int j = 0; j < LanePosition::kAwaited; ++j)
      if (const Index r = first + LanePosition::kApart * j; r < f.m)
        shared.number[r * K::kWidth + at.column] = sum[j];
  }
}

/// Waits for y of the front's pivots and x of the rows below them, and stores them to
/// shared.number.
template <class K, int kRows>
__device__ void take_rows_back(FrontShared<K, kRows>& shared, const Front& f,
                               const typename K::Numbers& memory,
                               const LanePosition<K::kWidth>& at) {
  using LanePosition = multi::LanePosition<K::kWidth>;
  using N = typename K::N;
  // 12: most fronts take two rounds
  constexpr int kAwaited = K::kWidth == 32 ? 12 : LanePosition::kAwaited;
  for (Index first = at.row; first < f.m; first += kAwaited * LanePosition::kApart) {
    N x[kAwaited];
    const N* place[kAwaited];
#pragma unroll
    for (int j = 0; j < kAwaited; ++j) {
      const Index r = first + LanePosition::kApart * j,
                  row = r < f.p   ? f.first + r
                        : r < f.m ? static_cast<Index>(shared.place[r])
                                  : 0;
      place[j] = (r < f.p ? memory.y : memory.x) + Offset{row} * K::kWidth + at.column;
      x[j] = r < f.m ? load_relaxed(place[j]) : N(0);
    }
    await_numbers(place, x, kSoon);
#pragma unroll
    for (int j = 0; j < kAwaited; ++j)
      if (const Index r = first + LanePosition::kApart * j; r < f.m)
        shared.number[r * K::kWidth + at.column] = r < f.p ? handed_on<typename K::S>(x[j]) : x[j];
  }
}

/// The numbers of a lane's rows of a block, which begins with row `first` of the front, less the
/// products of L's columns before `end`; rows behind row `last` repeat it. number:
/// FrontShared::number; l: the panel, of m rows.
template <int kCount, class K>
struct RowBlock {
  using N = typename K::N;
  N sum[kCount];
  Index row[kCount];
  __device__ RowBlock(const N* number, const typename K::S* l, Index m, Index first, Index last,
                      Index end, const LanePosition<K::kWidth>& at) {
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      row[j] = min(first + at.row + LanePosition<K::kWidth>::kApart * j, last),
      sum[j] = number[row[j] * K::kWidth + at.column];
    const typename K::S* column = l;
#pragma unroll 4
    for (Index c = 0; c < end; ++c) {
      const N y = number[c * K::kWidth + at.column];
#pragma unroll
      for (int j = 0; j < kCount; ++j) sum[j] = fma(-static_cast<N>(column[row[j]]), y, sum[j]);
      column += m - c - 1;
    }
  }
};

/// Computes y of the front's pivots from shared.number, stores it there and publishes it. Called by
/// all lanes of a warp.
template <class K, int kRows>
__device__ void eliminate_rows(FrontShared<K, kRows>& shared, const typename K::S* l,
                               const Front& f, const typename K::Numbers& memory,
                               const LanePosition<K::kWidth>& at) {
  using N = typename K::N;
  using LanePosition = multi::LanePosition<K::kWidth>;
  for (Index first = 0; first < f.p; first += LanePosition::kPivots * LanePosition::kApart) {
    RowBlock<LanePosition::kPivots, K> block(shared.number, l, f.m, first, f.p - 1, first, at);
#pragma unroll
    for (int j = 0; j < LanePosition::kPivots; ++j)
#pragma unroll
      for (int k = 0; k < LanePosition::kApart; ++k) {
        const Index c = first + LanePosition::kApart * j + k;
        if (c >= f.p) break;
        const N y = from_row(block.sum[j] * shared.reciprocal[c], k, at);
        if (at.row == k) block.sum[j] = y;
        const typename K::S* column = l + packed_column(c, f.m);
#pragma unroll
        for (int i = j; i < LanePosition::kPivots; ++i)
          if (first + at.row + LanePosition::kApart * i > c)
            block.sum[i] = fma(-static_cast<N>(column[block.row[i]]), y, block.sum[i]);
      }
    __syncwarp();  // all lanes have read the numbers that are overwritten
#pragma unroll
    for (int j = 0; j < LanePosition::kPivots; ++j)
      if (const Index r = first + at.row + LanePosition::kApart * j; r < f.p) {
        shared.number[r * K::kWidth + at.column] = block.sum[j];
        publish(memory.y + Offset{f.first + r} * K::kWidth + at.column, block.sum[j]);
      }
    __syncwarp();
  }
}

template <class K, int kRows>
__device__ void sweep_fronts_forward(FrontShared<K, kRows>& shared, WarpBarriers& barriers,
                                     const SweepView& view, const typename K::Memory& memory,
                                     const Dealt& dealt, int lane) {
  using LanePosition = multi::LanePosition<K::kWidth>;
  if (dealt.count <= 0) return;
  const LanePosition at(lane);
  Fronts<FrontShared<K, kRows>> fronts(shared, barriers, view, memory.numbers.l, dealt, lane);
  PlacesAhead<K, kRows, true> ahead(shared, fronts, dealt.count, view, lane);
  for (Index k = 0; k < dealt.count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front(k);
    ahead.begin(k);
    take_starts(shared, f, memory, at);
    ahead.prefetch(k, memory.numbers.update, memory.rows);
    const typename K::S* l = fronts.await_panel();
    put_reciprocals(shared, l, f, lane);
    __syncwarp();
    eliminate_rows(shared, l, f, memory.numbers, at);
    for (Index first = f.p; first < f.m; first += LanePosition::kBelow * LanePosition::kApart) {
      const RowBlock<LanePosition::kBelow, K> block(shared.number, l, f.m, first, f.m - 1, f.p, at);
#pragma unroll
      for (int j = 0; j < LanePosition::kBelow; ++j)
        if (const Index r = first + at.row + LanePosition::kApart * j; r < f.m)
          publish(memory.numbers.update + Offset{shared.place[r]} * K::kWidth + at.column,
                  block.sum[j]);
    }
    fronts.end();
  }
}

/// Number of products of a column that are added up before they are added to a sum that keeps its
/// rounding error.
constexpr Index kCarried = 8;

/// The backward sweep's sums for a lane's columns of L in a block that begins with column `first`,
/// for the lane's one of kWidth right-hand sides: y less the products with x of L's rows from `end`
/// on. sum[j].error holds the rounding errors of sum[j].sum. Columns from `end` on repeat column
/// end - 1. number: FrontShared::number; panel: L, of m rows.
template <class K>
struct ColumnBlock {
  using N = typename K::N;
  using LanePosition = multi::LanePosition<K::kWidth>;
  Dot2Of<N> sum[LanePosition::kPivots];
  const typename K::S* l[LanePosition::kPivots];
  __device__ ColumnBlock(const N* number, const typename K::S* panel, Index m, Index first,
                         Index end, const LanePosition& at) {
#pragma unroll
    for (int j = 0; j < LanePosition::kPivots; ++j) {
      const Index c = min(first + at.row + LanePosition::kApart * j, end - 1);
      l[j] = panel + packed_column(c, m), sum[j].sum = number[c * K::kWidth + at.column];
    }
    for (Index begin = end; begin < m; begin += kCarried) {
      for (Index r = begin; r < min(begin + kCarried, m); ++r) {
        const N x = number[r * K::kWidth + at.column];
#pragma unroll
        for (int j = 0; j < LanePosition::kPivots; ++j)
          sum[j].error = fma(-static_cast<N>(l[j][r]), x, sum[j].error);
      }
#pragma unroll
      for (int j = 0; j < LanePosition::kPivots; ++j)
        sum[j] = add(Dot2Of<N>{sum[j].sum}, Dot2Of<N>{sum[j].error});
    }
  }
};

/// Computes x of the front's pivots from shared.number, block of columns after block from the last,
/// stores it there and publishes it. Called by all lanes of a warp.
template <class K, int kRows>
__device__ void eliminate_columns(FrontShared<K, kRows>& shared, const typename K::S* l,
                                  const Front& f, const typename K::Memory& memory,
                                  const LanePosition<K::kWidth>& at) {
  using N = typename K::N;
  using LanePosition = multi::LanePosition<K::kWidth>;
  constexpr Index kBlock = LanePosition::kPivots * LanePosition::kApart;
  for (Index first = (f.p - 1) / kBlock * kBlock; first >= 0; first -= kBlock) {
    ColumnBlock<K> block(shared.number, l, f.m, first, min(first + kBlock, f.p), at);
#pragma unroll
    for (int j = LanePosition::kPivots - 1; j >= 0; --j)
#pragma unroll
      for (int k = LanePosition::kApart - 1; k >= 0; --k) {
        const Index c = first + LanePosition::kApart * j + k;
        if (c >= f.p) continue;
        const N x = from_row(block.sum[j].value() * shared.reciprocal[c], k, at);
        if (at.row == k) block.sum[j] = {x};
#pragma unroll
        for (int i = 0; i <= j; ++i)
          if (first + at.row + LanePosition::kApart * i < c)
            block.sum[i].error = fma(-static_cast<N>(block.l[i][c]), x, block.sum[i].error);
      }
    __syncwarp();  // all lanes have read the numbers that are overwritten
#pragma unroll
    for (int j = 0; j < LanePosition::kPivots; ++j) {
      const Index r = first + at.row + LanePosition::kApart * j;
      if (r >= f.p) continue;
      const N x = block.sum[j].sum;
      shared.number[r * K::kWidth + at.column] = x;
      publish(memory.numbers.x + Offset{f.first + r} * K::kWidth + at.column, x);
    }
    __syncwarp();
  }
}

template <class K, int kRows>
__device__ void sweep_fronts_backward(FrontShared<K, kRows>& shared, WarpBarriers& barriers,
                                      const SweepView& view, const typename K::Memory& memory,
                                      const Dealt& dealt, int lane) {
  if (dealt.count <= 0) return;
  const LanePosition<K::kWidth> at(lane);
  Fronts<FrontShared<K, kRows>> fronts(shared, barriers, view, memory.numbers.l, dealt, lane);
  PlacesAhead<K, kRows, false> ahead(shared, fronts, dealt.count, view, lane);
  for (Index k = 0; k < dealt.count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front(k);
    ahead.begin(k);
    take_rows_back(shared, f, memory.numbers, at);
    ahead.prefetch(k, nullptr, memory.numbers.y);
    const typename K::S* l = fronts.await_panel();
    put_reciprocals(shared, l, f, lane);
    __syncwarp();
    eliminate_columns(shared, l, f, memory, at);
    fronts.end();
  }
}

}  // namespace kauri::numeric::cuda::sweep::multi
