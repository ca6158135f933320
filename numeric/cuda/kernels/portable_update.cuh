// One task of a front on any device from sm_80 on: two 64 x 64 tiles in the registers of a block's four warps, products' operands brought
// to shared memory by asynchronous copies of all threads, some stages ahead.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/fill.cuh"
#include "numeric/cuda/kernels/portable_loops.cuh"

namespace kauri::numeric::cuda::kernels::portable {

inline constexpr int kThreads = kConsumers;  // of a block, which is a team
inline constexpr int kStageCount = 3;
inline constexpr int kSharedEntries = kStageCount * kStageEntries;
inline constexpr int kWarpSlabEntries = 4 * kPairEntries;  // a warp's rows of a slab

/// Who a thread is.
struct Member {
  int warp;
  int lane;

  __device__ int thread() const { return 32 * warp + lane; }
};
__device__ __forceinline__ Member this_thread() {
  const int thread = anew(static_cast<int>(threadIdx.x));
  return {thread / 32, thread % 32};
}

/// A block's shared memory: the stages, in whose place a task keeps what else it needs; the task; and what goes with a diagonal tile.
template <class T>
struct Shared {
  T stages[kSharedEntries];
  T reciprocals[kTile];
  T columns[2 * kSlabColumns];
  FrontTask task;
  FrontViewOf<T> front;
  int ticket;
};

/// Named anew by each task, so that its accesses are known to be of shared memory.
template <class T>
__device__ __forceinline__ Shared<T>& shared_memory() {
  extern __shared__ __align__(128) unsigned char bytes[];
  return *reinterpret_cast<Shared<T>*>(bytes);
}

/// Where a team keeps what is not a product's operand.
template <class T>
struct Room {
  T* work;         // kWorkEntries: a triangle and rows that are solved for, or a chain's tiles
  T* reciprocals;  // kTile
  T* columns;      // two of 16
};
inline constexpr int kWorkEntries = 2 * kTileEntries + 2 * kWarpSlabEntries;

/// A team that is a block, and brings what it multiplies itself: the stages are free when it is done with products. Other kinds of teams
/// have the same members.
template <class LoopOf>
struct Alone {
  using Loop = LoopOf;
  using T = typename Loop::T;
  static_assert(kWorkEntries <= kSharedEntries);

  __device__ static Room<T> room() {
    Shared<T>& shared = shared_memory<T>();
    return {shared.stages, shared.reciprocals, shared.columns};
  }
  __device__ static void sync() { __syncthreads(); }
  /// What the thread has written is about to be announced.
  __device__ static void publish() {}
};

/// As fill() and add_sums() want it.
template <class Kernel>
struct TeamMember : Member {
  __device__ void sync_consumers() const { Kernel::sync(); }
};

template <class T>
__device__ __forceinline__ void copy_run(T* shared, const T* global, int entries, int thread, int threads) {
#pragma unroll 4
  for (int e = thread * kUnit<T>; e < entries; e += threads * kUnit<T>) ptx::copy_16_async(shared + e, global + e);
}

/// Rows of cells [row, row + rows) of pair `column` / 2 of a tile to as many rows of a slab; a column that is alone gets zeros beside it.
template <class T>
__device__ __forceinline__ void copy_slab(T* slab, const TileViewOf<T>& tile, int row, int rows, int column, int thread, int threads) {
  thread = anew(thread);
  const T* from = tile.cell(row, column);
  if (tile.pair_width(column) == 2) {
    copy_run(slab, from, rows * kPairEntries, thread, threads);
    return;
  }
  const T zeros[kUnit<T>] = {};
  for (int e = thread * kUnit<T>; e < rows * kCellEntries; e += threads * kUnit<T>) {
    T* to = slab + e / kCellEntries * kPairEntries + e % kCellEntries;
    ptx::copy_16_async(to, from + e);
    store_unit(to + kCellEntries, zeros);
  }
}

/// What a task multiplies, slab after slab.
template <class T>
struct Operands {
  const FrontTask& task;
  const FrontViewOf<T>& front;
  T* stages;
  int slabs;
  int ready;  // slabs that are known to be there

  /// That slab of the rows' and the column's tiles of L is finished. Each warp for itself.
  __device__ void wait_for(int slab, int lane) {
    if (ready > slab) return;
    const int seen = lane == 0 ? wait_for_slabs(task, front, slab + 1) : 0;
    ready = __shfl_sync(0xffffffffu, seen, 0);
    __syncwarp();
  }

  /// The copies of a slab, if there is one: slabs of the two row tiles, then of the column's.
  __device__ void bring(int slab, const Member& me) {
    if (slab < slabs) {
      const int k = slab / kSlabs, column = 2 * (slab % kSlabs);
      wait_for(slab, me.lane);
      T* stage = stages + slab % kStageCount * kStageEntries;
      for (int r = 0; r < task.rows; ++r) {
        const TileViewOf<T> tile = tile_of(front, task.row + r, k);
        copy_slab(stage + r * kSlabEntries, tile, 0, tile.height, column, me.thread(), kThreads);
      }
      const TileViewOf<T> right = tile_of(front, task.column, k);
      copy_slab(stage + 2 * kSlabEntries, right, 0, right.height, column, me.thread(), kThreads);
    }
    ptx::commit_copies();
  }
};

/// The tile that a warp works on, and its first row of cells in it. `active`: it has one.
struct Place {
  int tile;
  int row_cell;
  bool active;
};

template <class T>
__device__ __forceinline__ Place place_of(const FrontTask& task, const FrontViewOf<T>& front, int warp) {
  const int tile = warp >> 1, row_cell = 4 * (warp & 1);
  return {tile, row_cell, tile < task.rows && row_cell < front.cells.cells_of(task.row + tile)};
}

template <class T>
__device__ __forceinline__ void wait_until_filled(const FrontViewOf<T>& front, int lane) {
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, lane);
}

/// The tile has a value in memory to begin with.
template <class T>
__device__ __forceinline__ bool has_beginning(const FrontTask& task, const FrontViewOf<T>& front) {
  return task.kind != TaskKind::contribution || front.loads_block != 0;
}

/// A part of a long sum to memory: what is there less the sum, and so on from zero. `before`: something is there.
template <class Loop>
__device__ __forceinline__ void store_part(typename Loop::Accumulators& acc, const FrontTask& task,
                                           const FrontViewOf<typename Loop::T>& front, const Levels& levels, const Place& place,
                                           bool before, int lane) {
  const TileViewOf<typename Loop::T> target = tile_of(front, task.row + place.tile, task.column);
  if (task.kind == TaskKind::contribution) wait_for_levels(levels, front.block_reuses, lane);
  if (before) subtract_tile<Loop>(acc, target, place.row_cell, lane);
  store_accumulators<Loop>(acc, target, place.row_cell, lane);
  set_zero<Loop>(acc);
}

/// Between parts of a long sum. `parts`: one is in memory; then it is.
template <class Loop>
__device__ __forceinline__ void put_part_aside(typename Loop::Accumulators& acc, const FrontTask& task,
                                               const FrontViewOf<typename Loop::T>& front, const Levels& levels, const Place& place,
                                               bool& parts, int lane) {
  const bool before = parts || has_beginning(task, front);
  if (before && !parts) wait_until_filled(front, lane);
  store_part<Loop>(acc, task, front, levels, place, before, lane);
  parts = true;
}

/// The products of a task, from zero; the first stages are on their way. Returns whether a part of them is in memory. Afterwards nothing of
/// the stages is read any more.
template <class Loop>
__device__ __forceinline__ bool add_products(typename Loop::Accumulators& acc, Operands<typename Loop::T>& operands, const Levels& levels,
                                             int least_part, const Place& place, const Member& me) {
  const int slabs = operands.slabs, part = part_of(slabs, least_part);
  bool parts = false;
  set_zero<Loop>(acc);
  for (int slab = 0; slab < slabs; ++slab) {
    if (slab > 0 && slab % part == 0 && place.active)
      put_part_aside<Loop>(acc, operands.task, operands.front, levels, place, parts, me.lane);
    ptx::wait_for_copies<kStageCount - 2>();
    __syncthreads();  // the stage is there, and no one reads the one before
    operands.bring(slab + kStageCount - 1, me);
    const typename Loop::T* stage = operands.stages + slab % kStageCount * kStageEntries;
    if (place.active)
      Loop::multiply(acc, stage + place.tile * kSlabEntries + place.row_cell * kPairEntries, stage + 2 * kSlabEntries, 0, kTileCells,
                     me.lane);
  }
  ptx::wait_for_copies<0>();
  __syncthreads();
  return parts;
}

/// What the products are taken from: the tile in memory, and the children's blocks.
template <class Loop>
__device__ __forceinline__ void subtract_beginning(typename Loop::Accumulators& acc, const FrontTask& task,
                                                   const FrontViewOf<typename Loop::T>& front, const Place& place, bool parts, int lane) {
  if (parts || has_beginning(task, front)) {
    wait_until_filled(front, lane);
    subtract_tile<Loop>(acc, tile_of(front, task.row + place.tile, task.column), place.row_cell, lane);
  }
  if (front.child_count == 0) return;
  wait_for_children(front, lane);
  const int row = (front.cells.first_cell(task.row + place.tile) + place.row_cell) * kCell;
  gather<Loop>(acc, front, row, front.cells.first_cell(task.column) * kCell, lane);
}

/// A row's 16 entries in a slab: x, with x T^T = the row as it was. `triangle`: T, a 16 x 16 block of a slab; with the reciprocals of its
/// diagonal. One lane.
template <class T>
__device__ __forceinline__ void substitute(T* row, const T* triangle, const T* reciprocals) {
  constexpr int kUnits = kSlabColumns / kUnit<T>;
  T x[kSlabColumns];
#pragma unroll
  for (int u = 0; u < kUnits; ++u) {
    T unit[kUnit<T>];
    load_unit(unit, row + u * kUnit<T> / kCell * kCellEntries + u * kUnit<T> % kCell);
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e) x[u * kUnit<T> + e] = unit[e];
  }
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) {
    x[c] *= reciprocals[c];
#pragma unroll
    for (int f = c + 1; f < kSlabColumns; ++f)
      x[f] = fma(-x[c], triangle[f / kCell * kPairEntries + c / kCell * kCellEntries + f % kCell * kCell + c % kCell], x[f]);
  }
#pragma unroll
  for (int u = 0; u < kUnits; ++u) {
    T unit[kUnit<T>];
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e) unit[e] = x[u * kUnit<T> + e];
    store_unit(row + u * kUnit<T> / kCell * kCellEntries + u * kUnit<T> % kCell, unit);
  }
}

/// Row r of a slab.
template <class T>
__device__ __forceinline__ T* slab_row(T* slab, int r) {
  return slab + r / kCell * kPairEntries + r % kCell * kCell;
}

/// A warp's rows of a slab to pair `column` / 2 of a tile.
template <class T>
__device__ __forceinline__ void store_slab(const TileViewOf<T>& tile, const T* x, int row_cell, int column, int lane) {
  lane = anew(lane);
  const int rows = min(4, tile.height - row_cell), width = tile.pair_width(column);
  T* to = tile.cell(row_cell, column);
  for (int e = lane * kUnit<T>; e < rows * width * kCellEntries; e += 32 * kUnit<T>) {
    T unit[kUnit<T>];
    load_unit(unit, width == 2 ? x + e : x + e / kCellEntries * kPairEntries + e % kCellEntries);
    store_unit(to + e, unit);
  }
}

/// X, X T^T = C, for a warp's rows, from its columns 16 s.. on: the block of 16 columns by substitution, a row a lane, then C's columns
/// right of it less what it gives them. In: minus C in acc; T in slabs, with the reciprocals of its diagonal. `x`: the warp's room for a
/// slab.
template <class Loop, int s>
__device__ __forceinline__ void solve_slabs(typename Loop::Accumulators& acc, typename Loop::T* x, const typename Loop::T* triangle,
                                            const typename Loop::T* reciprocals, const TileViewOf<typename Loop::T>& tile, int row_cell,
                                            int lane) {
  if constexpr (s < kSlabs) {
    if (2 * s >= tile.width) return;
    const typename Loop::T* slab = triangle + s * kSlabEntries;
    put<Loop>(acc, x - s * kSlabEntries, 2 * s, 2 * s + 2, lane);
    __syncwarp();
    substitute(slab_row(x, lane), slab + 2 * s * kPairEntries, reciprocals + s * kSlabColumns);
    __syncwarp();
    Loop::InTile::multiply(acc, x, slab, 2 * s + 2, kTileCells, lane);
    store_slab(tile, x, row_cell, 2 * s, lane);
    __syncwarp();
    solve_slabs<Loop, s + 1>(acc, x, triangle, reciprocals, tile, row_cell, lane);
  }
}

/// L(column, column), from the blocks on its diagonal downwards, to slabs in room.work, and the reciprocals of its diagonal. The whole
/// team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void bring_triangle(const Room<T>& room, const FrontViewOf<T>& front, int column, const Member& me) {
  wait_warp(state_of(front, column), kFinished, me.lane);
  const TileViewOf<T> tile = tile_of(front, column, column);
  for (int c = 0; c < tile.width; c += 2)
    copy_slab(room.work + c / 2 * kSlabEntries + c * kPairEntries, tile, c, tile.width - c, c, me.thread(), kThreads);
  ptx::commit_copies();
  ptx::wait_for_copies<0>();
  Kernel::sync();
  if (const int c = me.thread(); c < tile.width * kCell)
    room.reciprocals[c] = T(1) / slab_row(room.work + c / kSlabColumns * kSlabEntries, c)[c / kCell % 2 * kCellEntries + c % kCell];
  Kernel::sync();
}

/// A task on tiles after its products, with minus their result in acc; all but its announcement.
template <class Kernel, class Loop = typename Kernel::Loop>
__device__ __forceinline__ void finish_tiles(typename Loop::Accumulators& acc, const FrontTask& task,
                                             const FrontViewOf<typename Loop::T>& front, const Levels& levels, const Place& place,
                                             const Member& me) {
  const Room<typename Loop::T> room = Kernel::room();
  if (task.kind == TaskKind::panel) bring_triangle<Kernel>(room, front, task.column, me);
  if (!place.active) return;
  const TileViewOf<typename Loop::T> target = tile_of(front, task.row + place.tile, task.column);
  if (task.kind == TaskKind::panel) {
    typename Loop::T* x = room.work + kTileEntries + me.warp * kWarpSlabEntries;
    solve_slabs<Loop, 0>(acc, x, room.work, room.reciprocals, target, place.row_cell, me.lane);
    return;
  }
  if (task.kind == TaskKind::contribution) wait_for_levels(levels, front.block_reuses, me.lane);
  store_accumulators<Loop>(acc, target, place.row_cell, me.lane);
}

/// All of a task on tiles but its announcement.
template <class Loop>
__device__ __forceinline__ void run_tiles(const Levels& levels, int least_part) {
  using T = typename Loop::T;
  Shared<T>& shared = shared_memory<T>();
  const FrontTask& task = shared.task;
  const FrontViewOf<T>& front = shared.front;
  const Member me = this_thread();
  const int products = products_of(task, front);
  Operands<T> operands{task, front, shared.stages, slabs_in(front, products), 0};
  const Place place = place_of(task, front, me.warp);
#pragma unroll 1
  for (int slab = 0; slab < kStageCount - 1; ++slab) operands.bring(slab, me);
  typename Loop::Accumulators acc;
  const bool parts = add_products<Loop>(acc, operands, levels, least_part, place, me);
  if (place.active) subtract_beginning<Loop>(acc, task, front, place, parts, me.lane);
  finish_tiles<Alone<Loop>>(acc, task, front, levels, place, me);
}

/// Tasks that compute no products; false for others.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ bool fill_or_sum(const FrontTask& task, const FrontViewOf<T>& front, const Levels& levels,
                                            const ValuesOf<T>& values, const SumsOf<T>& sums) {
  const TeamMember<Kernel> me{this_thread()};
  if (task.kind == TaskKind::fill)
    fill(task, front, levels, values, me);
  else if (task.kind == TaskKind::sum)
    add_sums(task, front, sums, me);
  else
    return false;
  return true;
}

/// Tells other teams that the task's tiles are written. The whole team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void announce(const FrontTask& task, const FrontViewOf<T>& front, const Levels& levels) {
  Kernel::publish();
  Kernel::sync();
  if (threadIdx.x == 0) count_task(task, front, levels);
}

}  // namespace kauri::numeric::cuda::kernels::portable
