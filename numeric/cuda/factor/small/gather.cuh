// Assembly of small fronts in shared memory: A's entries, then the children's contribution blocks,
// child after child, are added to a packed triangle. T: the factor's scalar; S: that of the
// triangle and of all sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"
#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/tiled/extend_add.cuh"

namespace kauri::numeric::cuda {
namespace gather {

using kernels::packed_column;
using kernels::packed_entries;
inline constexpr unsigned kAll = 0xffffffffu;
inline constexpr int kRowsPerLane = symbolic::DeviceSchedule::kSmall / 32;

/// An array of 32 kRowsPerLane indices over the lanes of a warp: lane l holds items l, l + 32, ...
/// at(k) returns item k, which may differ from lane to lane; all lanes call it.
struct LaneIndices {
  Index value[kRowsPerLane];

  __device__ Index at(Index k) const {
    Index found = __shfl_sync(kAll, value[0], k % 32);
    for (int i = 1; i < kRowsPerLane; ++i) {
      const Index other = __shfl_sync(kAll, value[i], k % 32);
      if (k / 32 == i) found = other;
    }
    return found;
  }
};

/// A child's contribution block: a packed lower triangle of order q, and the rows of the parent
/// that its rows go to.
template <class T>
struct Child {
  const T* block;
  const Index* relative;
  Index q;

  __device__ LaneIndices rows(int lane) const {
    LaneIndices rows{};
    for (int i = 0; i < kRowsPerLane; ++i)
      if (const Index r = lane + 32 * i; r < q) rows.value[i] = __ldg(relative + r);
    return rows;
  }
};

/// Sets `entries` numbers to zero, and those behind them up to a whole unit of 16 bytes.
template <class S>
__device__ void clear(S* packed, Index entries, int lane) {
  constexpr Index unit = 16 / sizeof(S);
  int4* units = reinterpret_cast<int4*>(packed);
  for (Index e = lane; e < (entries + unit - 1) / unit; e += 32) units[e] = make_int4(0, 0, 0, 0);
}

/// Sets A's entries in the cleared triangle `packed`, and adds the shift to the diagonal of its
/// pivots. The lanes hold where each column's entries begin, and search there for the columns of 32
/// entries at a time. Called by one warp.
template <class T, class S>
__device__ void add_entries(const GatherSource<T>& source, const GatheredFront<T>& front, S* packed,
                            int lane) {
  const std::uint32_t* column = source.plan.entry_ptr + front.first;
  const std::uint32_t begin = column[0];
  const Index* row = source.plan.entry_row + begin;
  const std::uint32_t* from = source.plan.entry_source + begin;
  const auto count = static_cast<Index>(column[front.pivots] - begin);
  LaneIndices starts{};
  for (int i = 0; i < kRowsPerLane; ++i)
    if (const Index c = lane + 32 * i; c < front.pivots)
      starts.value[i] = static_cast<Index>(column[c] - begin);
  for (Index base = 0; base < count; base += 32) {
    const Index e = base + lane;
    Index c = 0;
    for (Index step = kRowsPerLane * 16; step > 0; step /= 2) {
      const Index start = starts.at(min(c + step, kRowsPerLane * 32 - 1));
      if (c + step < front.pivots && start <= e) c += step;
    }
    if (e < count)
      packed[packed_column(c, front.rows) + row[e]] = static_cast<S>(source.memory.value[from[e]]);
  }
  const S shift = static_cast<S>(*source.memory.shift);
  if (shift == S(0)) return;
  __syncwarp();
  for (Index c = lane; c < front.pivots; c += 32) packed[packed_column(c, front.rows) + c] += shift;
}

template <class T>
__device__ Child<T> child_at(const GatherSource<T>& source, Index at) {
  const Front& f = source.plan.front[source.plan.child[at]];
  const symbolic::SmallLayout layout{f.m, f.p};
  return {source.memory.entries + f.block + layout.padding(), source.plan.relative + f.relative,
          f.m - f.p};
}

inline constexpr int kAtOnce = 4;        // entries of a child's block that a lane holds at once
inline constexpr int kNarrowBlock = 32;  // most rows of a narrow block: one for each lane

/// Loads entries first + lane, first + 32 + lane, ... of a child's block for add_narrow_block();
/// zeros behind its last entry, and if the block has more than kNarrowBlock rows. The loads do not
/// wait for one another.
template <class S, class T>
__device__ void load_entries(S (&entry)[kAtOnce], const Child<T>& child, Index first, int lane) {
  const Index count = child.q <= kNarrowBlock ? packed_entries(child.q) - first : 0;
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i)
    entry[i] =
        lane + 32 * i < count ? static_cast<S>(__ldcg(child.block + first + 32 * i + lane)) : S(0);
}

/// Returns the column of entry e of a packed triangle of order q <= kNarrowBlock.
__device__ inline Index column_of_entry(Index e, Index q) {
  const float b = static_cast<float>(2 * q + 1);
  Index c = static_cast<Index>(0.5f * (b - sqrtf(b * b - 8.0f * static_cast<float>(e))));
  if (packed_column(c, q) + c > e) --c;
  if (packed_column(c + 1, q) + c + 1 <= e) ++c;
  return c;
}

/// Adds a child's block of at most kNarrowBlock rows to the packed triangle of order m. `entry`
/// holds what load_entries() loads from entry 0 on, and is changed; `rows`: the parent's row of the
/// block's row `lane`. Called by one warp.
template <class S, class T>
__device__ void add_narrow_block(const Child<T>& child, S (&entry)[kAtOnce], Index rows, Index m,
                                 S* packed, int lane) {
  const Index count = packed_entries(child.q);
  for (Index first = 0; first < count; first += 32 * kAtOnce) {
    if (first > 0) load_entries(entry, child, first, lane);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (first + 32 * i >= count) break;
      const Index e = min(first + 32 * i + lane, count - 1), c = column_of_entry(e, child.q),
                  r = e - packed_column(c, child.q);
      const Index column = __shfl_sync(kAll, rows, c), row = __shfl_sync(kAll, rows, r);
      if (first + 32 * i + lane < count) packed[packed_column(column, m) + row] += entry[i];
    }
  }
  __syncwarp();
}

/// Adds a child's block of up to 64 rows to the packed triangle of order m, four columns at a time,
/// whose loads do not wait for one another. `rows`: the parent's rows of the block's rows. Called
/// by one warp.
template <class S, class T>
__device__ void add_block(const Child<T>& child, const LaneIndices& rows, Index m, S* packed,
                          int lane) {
  constexpr int kColumns = 4;
  for (Index first = 0; first < child.q; first += kColumns) {
    S entry[kColumns][kRowsPerLane];
    for (int u = 0; u < kColumns; ++u)
      for (int i = 0; i < kRowsPerLane; ++i) {
        const Index c = first + u, r = lane + 32 * i;
        entry[u][i] = c <= r && r < child.q
                          ? static_cast<S>(__ldcg(child.block + packed_column(c, child.q) + r))
                          : S(0);
      }
    for (int u = 0; u < kColumns; ++u) {
      const Index c = first + u, column = packed_column(rows.at(c % (32 * kRowsPerLane)), m);
      for (int i = 0; i < kRowsPerLane; ++i)
        if (const Index r = lane + 32 * i; c <= r && r < child.q)
          packed[column + rows.value[i]] += entry[u][i];
    }
  }
  __syncwarp();
}

template <class T, class S>
__device__ void add_children(const GatherSource<T>& source, const GatheredFront<T>& front,
                             S* packed, int lane) {
  for (Index begin = front.child_begin; begin < front.child_end; begin += 32) {
    const Index count = min(front.child_end - begin, 32);
    const Child<T> mine = child_at(source, begin + min(static_cast<Index>(lane), count - 1));
    const auto child = [&](Index k) {
      const auto pointer = [&](auto* p) {
        return reinterpret_cast<decltype(p)>(
            __shfl_sync(kAll, reinterpret_cast<unsigned long long>(p), k));
      };
      return Child<T>{pointer(mine.block), pointer(mine.relative), __shfl_sync(kAll, mine.q, k)};
    };
    Child<T> next = child(0);
    LaneIndices rows = next.rows(lane);
    if (begin == front.child_begin && front.awaited > 0)
      kernels::wait_warp(source.done + front.place, front.awaited, watchdog::Awaited::small, lane);
    S entry[kAtOnce];
    load_entries(entry, next, 0, lane);
    for (Index k = 0; k < count;
         ++k) {  // the data of the next child are being loaded while this child is added
      const Child<T> now = next;
      const LaneIndices places = rows;
      S held[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) held[i] = entry[i];
      next = child(min(k + 1, count - 1));
      rows = next.rows(lane);
      load_entries(entry, next, 0, lane);
      if (now.q <= kNarrowBlock) {
        add_narrow_block(now, held, places.value[0], front.rows, packed, lane);
      } else {
        add_block(now, places, front.rows, packed, lane);
      }
    }
  }
}

}  // namespace gather

/// The Assembly (front_kernels.cuh) that adds A's entries and the children's contribution blocks;
/// stored() is left to the kernels, which store in different ways.
template <class T, class S>
struct Gather : GatherSource<T> {
  using FrontRecord = GatheredFront<T>;
  static constexpr bool kExact = true;

  __device__ int draw(int, int lane) const {
    int next = 0;
    if (lane == 0) next = atomicAdd(this->ticket, 1);
    return __shfl_sync(gather::kAll, next, 0);
  }
  template <class Group>
  __device__ void begin(const FrontRecord&, S*, std::uint64_t*, const Group&) const {}
  template <class Group>
  __device__ void finish(const FrontRecord& front, S* packed, std::uint64_t*, int,
                         const Group& group) const {
    gather::clear(packed, kernels::whole_units(kernels::packed_entries(front.rows)), group.thread);
    __syncwarp();
    gather::add_entries(*this, front, packed, group.thread);
    __syncwarp();
    gather::add_children(*this, front, packed, group.thread);
  }
  __device__ void record(const FrontRecord& front, int, const S* packed, int column) const {
    if (column < 0) return;
    const FactorMemory<T>& memory = this->memory;
    memory.state[front.front] = FrontState::failed;
    memory.failed_column[front.front] = front.first + column;
    memory.failed_pivot[front.front] =
        static_cast<double>(packed[kernels::packed_column(column, front.rows) + column]);
  }
};

}  // namespace kauri::numeric::cuda
