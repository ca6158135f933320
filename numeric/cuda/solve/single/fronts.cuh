// Fronts of a sweep: which blocks and warps take them, and the sweeps through narrow and small
// fronts, one warp per front. Fronts are dealt in turn, in the order of their levels: so the next
// fronts of a warp are known, and the warp loads their descriptions, places, b or y of their
// pivots, and the next panel while it does the current front. Substitution goes column by column,
// one row per lane (two in fronts of more than 32 rows).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <type_traits>

#include "numeric/cuda/solve/single/shared.cuh"

namespace kauri::numeric::cuda::sweep {

using symbolic::packed_column;
constexpr unsigned kAll = 0xffffffffu;
constexpr int kFrontWords = sizeof(Front) / sizeof(int);

/// A range of blocks of the grid.
struct BlockRange {
  Index first, count;
};

/// This block's index among the `blocks` blocks that do one solve: all blocks of the grid or, if
/// `shares` solves share the grid, every shares-th block.
struct SolveBlock {
  Index block, blocks;
  __device__ explicit SolveBlock(Index shares = 1)
      : block(static_cast<Index>(blockIdx.x) / shares),
        blocks(static_cast<Index>(gridDim.x) / shares) {}
};

/// Ranges of blocks, of those of one solve, that do narrow fronts, small fronts and tiles. If there
/// are blocks enough, the ranges are disjoint, and blocks have loaded their first data when the
/// numbers that they await come; else each range is all blocks, which do one kind after the other.
struct Roles {
  BlockRange narrow, small, tiles;
  /// narrow_warps, small_warps: warps of a block that take such fronts.
  __device__ Roles(const SweepView& view, const SolveBlock& at, Index narrow_warps,
                   Index small_warps) {
    const Index all = at.blocks, few = blocks_of(view.narrow, narrow_warps),
                some = blocks_of(view.small - view.narrow, small_warps),
                tasks = max(view.forward_tasks, view.backward_tasks);
    narrow = small = tiles = {0, all};
    if (few + some + min(tasks, max(all / 4, 1)) > all) return;
    narrow = {0, few}, small = {few, some}, tiles = {few + some, all - few - some};
  }
  __device__ static Index blocks_of(Index count, Index warps) {
    return (count + warps - 1) / warps;
  }
};

/// Returns this block's index in a range of blocks; -1 if it is not in the range.
__device__ inline Index place_in(const BlockRange& group, const SolveBlock& at = SolveBlock()) {
  const Index block = at.block - group.first;
  return block < group.count ? max(block, Index{-1}) : Index{-1};
}

/// Positions in view.order of the fronts that a warp takes: `count` from `first` on, `step` apart
/// (negative: backward).
struct Dealt {
  Index first, step, count;
};

/// Returns the fronts of view.order[begin, end) that warp `warp` of this block takes if they are
/// dealt to `warps` warps in each block of a range: from `begin` on, or backward from end - 1.
template <bool kForward>
__device__ Dealt deal(const BlockRange& group, Index warps, Index begin, Index end, Index warp,
                      const SolveBlock& at = SolveBlock()) {
  const Index block = place_in(group, at);
  if (block < 0) return {begin, 1, 0};
  const Index step = group.count * warps, mine = warp * group.count + block;
  const Index count = mine < end - begin ? (end - begin - mine - 1) / step + 1 : 0;
  return kForward ? Dealt{begin + mine, step, count} : Dealt{end - 1 - mine, -step, count};
}

/// A warp's fronts, one after another: while the warp does number k, shared memory holds the
/// descriptions of fronts k to k + 3, and copies bring the panel of k + 1, if it fits. For each
/// front: begin(), await_panel(), end(). All lanes of the warp call these. Panels: WarpShared, or a
/// type with the same members for panels and descriptions, and Loads.
template <class Panels>
class Fronts {
 public:
  using S = std::remove_extent_t<decltype(Panels::panel)>;
  using Loads = typename Panels::Loads;
  __device__ Fronts(Panels& shared, WarpBarriers& barriers, const SweepView& view, const S* l,
                    const Dealt& dealt, int lane)
      : shared_(shared), barriers_(barriers), view_(view), l_(l), dealt_(dealt), lane_(lane) {
    const Index ids = lane < 4 ? id_of(lane) : 0;
    int word[3];
#pragma unroll
    for (int j = 0; j < 3; ++j) word[j] = word_of(__shfl_sync(kAll, ids, j));
    id_ = __shfl_sync(kAll, ids, 3), word_ = word_of(id_);
#pragma unroll
    for (int j = 0; j < 3; ++j) put(j, word[j], __shfl_sync(kAll, ids, j));
    next_ = id_of(4);
    __syncwarp();
    if (dealt.count > 0) prefetch(0);
  }
  /// Goes on to front number k, and begins to copy the next panel if it fits beside that of k.
  __device__ void begin(Index k) {
    k_ = k;
    watchdog::take_front(id(k));
    put(k + 3, word_, id_);
    id_ = next_, word_ = word_of(id_), next_ = id_of(k + 5);
    __syncwarp();
    fits_ = k + 1 < dealt_.count && storage(k) + storage(k + 1) <= Panels::kRoom;
    if (fits_) prefetch(k + 1);
  }
  /// Call it when the warp has read the panel of the current front (see leave_stage()): begins to
  /// copy the next panel if it did not fit before.
  __device__ void end() {
    Loads::fence();
    __syncwarp();
    if (k_ + 1 < dealt_.count && !fits_) prefetch(k_ + 1);
  }
  [[nodiscard]] __device__ const Front& front(Index k) const { return shared_.front[k & 3]; }
  [[nodiscard]] __device__ Index id(Index k) const { return shared_.id[k & 3]; }
  __device__ const S* await_panel() const {
    ptx::barrier_wait(&barriers_.full[k_ & 1], static_cast<unsigned>(k_) >> 1 & 1u);
    return shared_.panel + place(k_);
  }

 private:
  /// Returns the supernode of the warp's front number k; 0 if k is behind the last.
  [[nodiscard]] __device__ Index id_of(Index k) const {
    return k < dealt_.count ? __ldg(view_.order + dealt_.first + k * dealt_.step) : 0;
  }
  [[nodiscard]] __device__ int word_of(Index s) const {
    return lane_ < kFrontWords ? __ldg(reinterpret_cast<const int*>(view_.front + s) + lane_) : 0;
  }
  __device__ void put(Index k, int word, Index id) {
    if (lane_ < kFrontWords) reinterpret_cast<int*>(&shared_.front[k & 3])[lane_] = word;
    if (lane_ == 0) shared_.id[k & 3] = id;
  }
  /// Returns the number of entries of the panel of front k, rounded up to units of 16 bytes, in
  /// which panels begin. panel_storage() is even, so only panels in float need rounding.
  [[nodiscard]] __device__ int storage(Index k) const {
    const int entries = small_of(front(k)).panel_storage();
    return sizeof(S) == sizeof(double) ? entries : (entries + 3) / 4 * 4;
  }
  [[nodiscard]] __device__ int place(Index k) const {
    return k % 2 == 0 ? 0 : Panels::kRoom - storage(k);
  }
  __device__ void prefetch(Index k) {
    if (!Loads::takes_part(lane_)) return;
    const int bytes = storage(k) * kBytes<S>;
    std::uint64_t* full = &barriers_.full[k & 1];
    Loads::begin(bytes, full);
    Loads::copy(shared_.panel + place(k), l_ + front(k).panel, bytes, full);
    Loads::end(full);
  }

  Panels& shared_;
  WarpBarriers& barriers_;
  const SweepView& view_;
  const S* l_;
  Dealt dealt_;
  Index k_ = 0, id_ = 0, next_ = 0;
  int lane_, word_ = 0;
  bool fits_ = false;
};

/// Indices of the numbers that a lane's rows of a front, lane and lane + 32, read from other
/// fronts, and of their results.
template <int kHalves>
struct RowPlaces {
  std::uint32_t own[kHalves];    // pivots: row of b (forward) or of `out` (backward)
  std::uint32_t place[kHalves];  // rows below the pivots: forward the place of the update row,
                                 // backward the row of x
  std::uint32_t begin[kHalves], end[kHalves];  // forward: places of the children's update rows that
                                               // a row starts from

  template <bool kForward>
  __device__ void load(const Front& f, Index id, bool there, const SweepView& view, int lane) {
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      const bool pivot = there && r < f.p, below = there && r >= f.p && r < f.m;
      own[h] = pivot ? static_cast<std::uint32_t>(
                           row_of(kForward ? view.old_of : view.back_of, f.first + r))
                     : 0;
      if constexpr (kForward) {
        place[h] = below ? view.slot[f.relative + r - f.p] : 0;
        const std::uint32_t* ptr = view.ptr + f.row + id + r;
        begin[h] = pivot || below ? ptr[0] : 0, end[h] = pivot || below ? ptr[1] : 0;
      } else {
        place[h] = below ? static_cast<std::uint32_t>(view.row[f.row + r]) : 0;
      }
    }
  }
};

/// `places`: the RowPlaces of a lane's rows of front number k; `number`: b (forward) or y
/// (backward) of its pivots, y perhaps unset. Meanwhile loads of the numbers of front k + 1 and of
/// the places of front k + 2 are under way. For each front: ask(), then next().
template <class Panels, class S, bool kForward>
class Ahead {
 public:
  using N = typename Panels::N;
  static constexpr int kHalves = Panels::kHalves;
  __device__ Ahead(const Fronts<Panels>& fronts, Index count, const SweepView& view,
                   const SweepMemory<S, N>& memory, int lane)
      : fronts_(fronts), count_(count), view_(view), memory_(memory), lane_(lane) {
    next_.template load<kForward>(fronts.front(0), fronts.id(0), count > 0, view, lane);
    look(0);
    RowPlaces<kHalves> second;
    second.template load<kForward>(fronts.front(1), fronts.id(1), count > 1, view, lane);
    places = next_, next_ = second;
#pragma unroll
    for (int h = 0; h < kHalves; ++h) number[h] = coming_[h];
  }
  /// Begins to load the numbers of front k + 1 and the places of front k + 2, while k is the front
  /// being done.
  __device__ void ask(Index k) {
    look(k + 1);
    after_.template load<kForward>(fronts_.front(k + 2), fronts_.id(k + 2), k + 2 < count_, view_,
                                   lane_);
  }
  __device__ void next() {
    places = next_, next_ = after_;
#pragma unroll
    for (int h = 0; h < kHalves; ++h) number[h] = coming_[h];
  }

  RowPlaces<kHalves> places;
  N number[kHalves];  // b (forward) or y (backward) of the lane's pivots

 private:
  __device__ void look(Index k) {
    const Front& f = fronts_.front(k);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane_ + 32 * h;
      coming_[h] = 0;
      if (k >= count_ || r >= f.p) continue;
      if constexpr (kForward)
        coming_[h] = memory_.b[next_.own[h] * memory_.b_step];
      else
        coming_[h] = load_relaxed(memory_.y + f.first + r);
    }
  }

  const Fronts<Panels>& fronts_;
  Index count_;
  const SweepView& view_;
  const SweepMemory<S, N>& memory_;
  int lane_;
  RowPlaces<kHalves> next_, after_;
  N coming_[kHalves];
};

/// Computes 1 / L(r, r) for a lane's rows r, lane and lane + 32, that are pivots; 0 for its other
/// rows.
template <class S, class N, int kHalves>
__device__ void take_reciprocals(const S* l, const Front& f, int lane, N (&out)[kHalves]) {
#pragma unroll
  for (int h = 0; h < kHalves; ++h) {
    const Index r = lane + 32 * h;
    out[h] = r < f.p ? N(1) / static_cast<N>(l[packed_column(r, f.m) + r]) : N(0);
  }
}

/// Adds the children's update rows, one after the other, to v, the sums of a lane's rows; waits for
/// the update rows of both rows together.
template <class N, int kHalves>
__device__ void add_updates(const N* update, const RowPlaces<kHalves>& at, N (&v)[kHalves]) {
  if constexpr (kHalves == 1) {
    for_numbers(update + at.begin[0], 1, static_cast<Index>(at.end[0] - at.begin[0]), kSoon,
                [&](N x) { v[0] += x; });
  } else {
    const std::uint32_t count[2] = {at.end[0] - at.begin[0], at.end[1] - at.begin[1]},
                        most = max(count[0], count[1]);
    for (std::uint32_t k = 0; k < most; k += 2) {
      const N* const place[4] = {update + at.begin[0] + k, update + at.begin[0] + k + 1,
                                 update + at.begin[1] + k, update + at.begin[1] + k + 1};
      N x[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) x[u] = k + u % 2 < count[u / 2] ? load_relaxed(place[u]) : N(0);
      await_numbers(place, x, kSoon);
#pragma unroll
      for (int u = 0; u < 4; ++u) v[u / 2] += x[u];
    }
  }
}

/// Eliminates pivots 32 kHalf to end - 1 from the rows below each: v_r -= (L_rc / L_cc) v_c, so
/// that from column to column there are one exchange and one product. v of a pivot is then L_cc
/// y_c. `reciprocal`: 1 / L_cc in shared memory. Called by all lanes of a warp.
template <int kHalf, class S, class N, int kHalves>
__device__ void eliminate(const S* l, const N* reciprocal, Index m, Index end, int lane,
                          N (&v)[kHalves]) {
  const S* column = l + packed_column(32 * kHalf, m) + lane;
#pragma unroll 4
  for (Index c = 32 * kHalf; c < end; ++c) {
    N factor[kHalves];
#pragma unroll
    for (int h = kHalf; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      factor[h] = r > c && r < m ? -column[32 * h] * reciprocal[c] : N(0);
    }
    const N pivot = __shfl_sync(kAll, v[kHalf], c % 32);
#pragma unroll
    for (int h = kHalf; h < kHalves; ++h) v[h] = fma(factor[h], pivot, v[h]);
    column += m - c - 1;
  }
}

template <class Panels, class S, class N>
__device__ void sweep_fronts_forward(Panels& shared, WarpBarriers& barriers, const SweepView& view,
                                     const SweepMemory<S, N>& memory, const Dealt& dealt,
                                     int lane) {
  constexpr int kHalves = Panels::kHalves;
  if (dealt.count <= 0) return;
  Fronts<Panels> fronts(shared, barriers, view, memory.l, dealt, lane);
  Ahead<Panels, S, true> ahead(fronts, dealt.count, view, memory, lane);
  for (Index k = 0; k < dealt.count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front(k);
    ahead.ask(k);
    N v[kHalves], reciprocal[kHalves];
    const S* l = fronts.await_panel();
    take_reciprocals(l, f, lane, reciprocal);
#pragma unroll
    for (int h = 0; h < kHalves; ++h)
      shared.x[lane + 32 * h] = reciprocal[h], v[h] = ahead.number[h];
    __syncwarp();
    add_updates(memory.update, ahead.places, v);
    __syncwarp();
    eliminate<0>(l, shared.x, f.m, min(f.p, 32), lane, v);
    if constexpr (kHalves > 1) eliminate<1>(l, shared.x, f.m, f.p, lane, v);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r < f.m)
        publish(r < f.p ? memory.y + f.first + r : memory.update + ahead.places.place[h],
                r < f.p ? v[h] * reciprocal[h] : v[h]);
    }
    fronts.end();
    ahead.next();
  }
}

/// A sum in twice the precision. subtract() adds its rounding error to sum.error one step late,
/// from `last`, so that no operation waits for it.
template <class N>
struct Trailing {
  Dot2Of<N> sum;
  N last = 0;
  template <class S>
  __device__ void subtract(N v, N x) {
    const N before = sum.error;
    sum.error = 0;
    sum.template subtract<S>(v, x);
    const N error = sum.error;
    sum.error = before + last;
    last = error;
  }
};

/// Solves for columns end - 1 down to 32 kHalf: computes x of each and subtracts its products from
/// z of the columns before it. `column`: the lane's columns are `column` and column + 32. The
/// rounding error of the last product, with the column eliminated just before, is left out, since
/// it would come five operations too late; all other errors are added. Called by all lanes of a
/// warp.
template <int kHalf, class S, class N, int kHalves>
__device__ void eliminate_back(const S* l, const Front& f, Index end, Index column,
                               const N (&reciprocal)[kHalves], Trailing<N> (&z)[kHalves],
                               N (&x)[kHalves], int lane) {
  const S* row[kHalves];
#pragma unroll
  for (int h = 0; h <= kHalf; ++h) row[h] = l + packed_column(column + 32 * h, f.m);
#pragma unroll 2
  for (Index c = end; c-- > 32 * kHalf;) {
    const N solution = __shfl_sync(kAll, z[kHalf].sum.value() * reciprocal[kHalf], c % 32);
    if (lane == c % 32) x[kHalf] = solution;
#pragma unroll
    for (int h = 0; h <= kHalf; ++h)
      if (column + 32 * h < c) z[h].template subtract<S>(static_cast<N>(row[h][c]), solution);
  }
}

/// Sets z[h] to y (`number`) less the products of the rows below the pivots, whose x is in shared
/// memory, for column `column` + 32 h. A warp does `width` columns side by side; the 32 / width
/// lanes of one column divide its rows, and all end with the sum.
template <class S, class N, int kHalves>
__device__ void subtract_below(const S* l, const Front& f, const N* x, const N (&number)[kHalves],
                               int width, Index column, int lane, Trailing<N> (&z)[kHalves]) {
#pragma unroll
  for (int h = 0; h < kHalves; ++h) {
    if (32 * h >= f.p) continue;
    const Index own = column + 32 * h;
    Dot2Of<N> sum;
    if (own < f.p) {
      const S* below = l + packed_column(own, f.m);
      for (Index r = f.p + lane / width; r < f.m; r += 32 / width)
        sum.template subtract<S>(static_cast<N>(below[r]), x[r]);
    }
    __syncwarp();
    for (int lanes = width; lanes < 32; lanes *= 2) sum = add(sum, exchange(sum, lanes));
    z[h].sum = add(Dot2Of<N>{__shfl_sync(kAll, number[h], column)}, sum);
  }
}

/// Waits for x of the rows below the pivots, all together, and stores it to `x` in shared memory;
/// waits for y of the lane's pivots (`number`), which is set by then or a little later.
template <class S, class N, int kHalves>
__device__ void await_rows_below(const Front& f, const SweepMemory<S, N>& memory,
                                 const RowPlaces<kHalves>& at, int lane, N* x,
                                 N (&number)[kHalves]) {
  const N* place[2 * kHalves];
  N below[2 * kHalves];
#pragma unroll
  for (int h = 0; h < kHalves; ++h) {
    const Index r = lane + 32 * h;
    place[h] = memory.x + at.place[h], place[kHalves + h] = memory.y + f.first + r;
    below[h] = r >= f.p && r < f.m ? load_relaxed(place[h]) : N(0), below[kHalves + h] = number[h];
  }
  await_numbers(place, below, kSoon);
#pragma unroll
  for (int h = 0; h < kHalves; ++h)
    x[lane + 32 * h] = below[h], number[h] = handed_on<S>(below[kHalves + h]);
}

template <class Panels, class S, class N>
__device__ void sweep_fronts_backward(Panels& shared, WarpBarriers& barriers, const SweepView& view,
                                      const SweepMemory<S, N>& memory, const Dealt& dealt,
                                      int lane) {
  constexpr int kHalves = Panels::kHalves;
  if (dealt.count <= 0) return;
  Fronts<Panels> fronts(shared, barriers, view, memory.l, dealt, lane);
  const bool good = memory.verdict->status == VerdictStatus::positive_definite;
  Ahead<Panels, S, false> ahead(fronts, dealt.count, view, memory, lane);
  for (Index k = 0; k < dealt.count; ++k) {
    fronts.begin(k);
    const Front& f = fronts.front(k);
    ahead.ask(k);
    const S* l = fronts.await_panel();
    N reciprocal[kHalves], x[kHalves] = {};
    take_reciprocals(l, f, lane, reciprocal);
    await_rows_below(f, memory, ahead.places, lane, shared.x, ahead.number);
    __syncwarp();
    int width = 1;
    while (width < f.p && width < 32) width *= 2;
    const Index column = lane % width;
    Trailing<N> z[kHalves];
    subtract_below(l, f, shared.x, ahead.number, width, column, lane, z);
    if constexpr (kHalves > 1) eliminate_back<1>(l, f, f.p, column, reciprocal, z, x, lane);
    eliminate_back<0>(l, f, min(f.p, 32), column, reciprocal, z, x, lane);
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      const Index r = lane + 32 * h;
      if (r >= f.p) continue;
      publish(memory.x + f.first + r, x[h]);
      memory.out[ahead.places.own[h] * memory.out_step] =
          good ? static_cast<S>(x[h]) : std::numeric_limits<S>::quiet_NaN();
    }
    fronts.end();
    ahead.next();
  }
}

}  // namespace kauri::numeric::cuda::sweep
