// One task of a front on any device from sm_80 on: two 64 x 64 tiles in the registers of a team's
// four warps. Here is what comes before and after the products, which alone.cuh and supplied.cuh
// add.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/eliminate.cuh"
#include "numeric/cuda/factor/tiled/fill.cuh"
#include "numeric/cuda/factor/tiled/portable/products.cuh"

namespace kauri::numeric::cuda::kernels::portable {

inline constexpr int kThreads = kConsumers;                // threads of a team
inline constexpr int kWarpSlabEntries = 4 * kPairEntries;  // entries of a warp's 32 rows of a slab
inline constexpr int kDiagonalEntries =
    kPacksDiagonal ? slab_place<true>(kSlabs - 1) + kSlabEntries : kTileEntries;
inline constexpr int kWorkEntries = kDiagonalEntries + kTileEntries;
inline constexpr int kStageCount = kPacksDiagonal ? 2 : 3;
inline constexpr int kSharedEntries =
    kPacksDiagonal ? kWorkEntries + 2 * kWarpSlabEntries : kStageCount * kStageEntries;
static_assert(kStageCount * kStageEntries <= kSharedEntries);

/// A thread's place in its team: warp and lane.
struct Member {
  int warp;
  int lane;

  __device__ int thread() const { return 32 * warp + lane; }
};
__device__ __forceinline__ Member this_thread() {
  const int thread = anew(static_cast<int>(threadIdx.x));
  return {thread / 32, thread % 32};
}

/// Shared memory of a team beside the operands of products.
template <class T>
struct Room {
  T* work;         // kWorkEntries: a triangle and rows that are solved for, or the tiles of a chain
  T* reciprocals;  // kTile: reciprocals of the diagonal of the pivot tile that is solved with or
                   // factorised
  T* exchange;     // kExchangeEntries: scratch of a chain
  T* left;         // rows of two warps in kLeftSlabs slabs of L that other teams made, operands of
                   // a chain
  int* blocks;     // number of blocks, in memory, of the pivot tile that is solved with
};

/// Shared memory that a block of either kind of team begins with (alone.cuh, supplied.cuh): the
/// stages, whose memory a task also uses when no products run (Room); reciprocals and scratch for a
/// pivot tile that is solved with or factorised.
template <class T>
struct TeamMemory {
  T stages[kSharedEntries];
  T reciprocals[kTile];
  T exchange[kExchangeEntries];
  int blocks;  // see Room
};

/// Returns the block's shared memory, of type Shared. Each task calls this anew, so that the
/// compiler knows that the accesses are to shared memory.
template <class Shared>
__device__ __forceinline__ Shared& shared_memory() {
  extern __shared__ __align__(128) unsigned char bytes[];
  return *reinterpret_cast<Shared*>(bytes);
}

/// The members that teams of either kind have; each adds sync(), a barrier of the team. Shared: its
/// TeamMemory with what else it needs. The memory of the stages is free once the products are done.
/// Types of other teams (streamed::Streamed) have the same members.
template <class LoopOf, class Shared>
struct TeamOf {
  using Loop = LoopOf;
  using T = typename Loop::T;
  static constexpr int kLeftSlabs = 1;
  /// Threads beside the team that store and announce the results of a chain; 0: the team does.
  static constexpr int kAnnouncers = 0;
  static_assert(kWorkEntries + 2 * kLeftSlabs * kWarpSlabEntries <= kSharedEntries);

  __device__ static Room<T> room() {
    TeamMemory<T>& shared = shared_memory<Shared>();
    return {shared.stages, shared.reciprocals, shared.exchange, shared.stages + kWorkEntries,
            &shared.blocks};
  }
  /// Each thread calls this after its writes, before these are announced to other teams.
  __device__ static void publish() {}
};

/// A Member with sync_consumers(), a barrier of the team, which fill() and add_sums() call.
template <class Kernel>
struct TeamMember : Member {
  __device__ void sync_consumers() const { Kernel::sync(); }
};

template <class T>
__device__ __forceinline__ void copy_run(T* shared, const T* global, int entries, int thread,
                                         int threads) {
#pragma unroll 4
  for (int e = thread * kUnit<T>; e < entries; e += threads * kUnit<T>)
    ptx::copy_16_async(shared + e, global + e);
}

/// Begins to copy rows of cells [row, row + rows) of pair `column` / 2 of a tile in global memory
/// to as many rows of a slab in shared memory; the caller commits the copies. If the pair has a
/// single column, the second one is set to zero. Called by `threads` threads.
template <class T>
__device__ __forceinline__ void copy_slab(T* slab, const TileViewOf<T>& tile, int row, int rows,
                                          int column, int thread, int threads) {
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

/// Begins to copy the operands of a task's products with slab `slab` of L to a stage: slabs of the
/// two row tiles, then of the column's tile; the caller commits the copies. Returns false if the
/// slab has a single column of cells, whose second one copy_slab() set to zero. Called by `threads`
/// threads.
template <class T>
__device__ __forceinline__ bool copy_stage(T* stage, const FrontTask& task,
                                           const FrontViewOf<T>& front, int slab, int thread,
                                           int threads) {
  const int k = slab / kSlabs, column = 2 * (slab % kSlabs);
  for (int r = 0; r < task.rows; ++r) {
    const TileViewOf<T> tile = tile_of(front, task.row + r, k);
    copy_slab(stage + r * kSlabEntries, tile, 0, tile.height, column, thread, threads);
  }
  const TileViewOf<T> right = tile_of(front, task.column, k);
  copy_slab(stage + 2 * kSlabEntries, right, 0, right.height, column, thread, threads);
  return right.pair_width(column) == 2;
}

/// The tile that a warp works on (0 or 1 of the task's two), and its first row of cells there.
/// `active`: the warp has rows; false if the task or the tile is too small.
struct WarpTile {
  int tile;
  int row_cell;
  bool active;
};

template <class T>
__device__ __forceinline__ WarpTile place_of(const FrontTask& task, const FrontViewOf<T>& front,
                                             int warp) {
  const int tile = warp >> 1, row_cell = 4 * (warp & 1);
  return {tile, row_cell, tile < task.rows && row_cell < front.cells.cells_of(task.row + tile)};
}

template <class T>
__device__ __forceinline__ void wait_until_filled(const FrontViewOf<T>& front, int lane) {
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, Awaited::filled, lane);
}

/// Returns true if the task's products are subtracted from values that the tiles hold in memory;
/// false if from zero or from children's entries alone.
template <class T>
__device__ __forceinline__ bool has_beginning(const FrontTask& task, const FrontViewOf<T>& front) {
  return task.kind != TaskKind::contribution || front.loads_block != 0;
}

/// Ends a part of a long sum, of which the values before the products are no part: stores minus
/// acc, plus the earlier parts that the tile in memory holds if `parts`, to the tile; then sets acc
/// to zero and `parts` to true. Waits for the memory of a contribution block before its first
/// store. Called by each warp that has rows.
template <class Loop>
__device__ __forceinline__ void put_part_aside(typename Loop::Accumulators& acc,
                                               const FrontTask& task,
                                               const FrontViewOf<typename Loop::T>& front,
                                               const Levels& levels, const WarpTile& place,
                                               bool& parts, int lane) {
  const TileViewOf<typename Loop::T> target = tile_of(front, task.row + place.tile, task.column);
  if (parts)
    subtract_tile<Loop>(acc, target, place.row_cell, lane);
  else if (task.kind == TaskKind::contribution)
    wait_for_levels(levels, front.block_reuses, lane);
  store_accumulators<Loop>(acc, target, place.row_cell, lane);
  set_zero<Loop>(acc);
  parts = true;
}

/// Writes to `there`, in local memory, minus the values that a tile has before the products: the
/// tile in memory, if it holds values, and the entries of children that are pulled. Waits for both.
/// Inlined, or kept in registers, it would take these from the loop of products, whose accumulators
/// would be spilled. Called by each warp that has rows.
template <class Loop>
__device__ __noinline__ void load_beginning(typename Loop::Accumulators& there,
                                            const FrontTask& task,
                                            const FrontViewOf<typename Loop::T>& front,
                                            const WarpTile& place, int lane) {
  typename Loop::Accumulators acc;
  set_zero<Loop>(acc);
  if (has_beginning(task, front)) {
    wait_until_filled(front, lane);
    subtract_tile<Loop>(acc, tile_of(front, task.row + place.tile, task.column), place.row_cell,
                        lane);
  }
  if (front.child_count > 0) {
    wait_for_children(front, lane);
    const int row = (front.cells.first_cell(task.row + place.tile) + place.row_cell) * kCell;
    gather<Loop>(acc, front, row, front.cells.first_cell(task.column) * kCell, lane);
  }
  copy<Loop>(there, acc);
}

/// Returns the address of row r of a slab.
template <class T>
__device__ __forceinline__ T* slab_row(T* slab, int r) {
  return slab + r / kCell * kPairEntries + r % kCell * kCell;
}

/// Copies 16 entries of a row of a slab or of a 16 x 16 block, from slab_row(), to registers;
/// store_row() copies them back.
template <class T>
__device__ __forceinline__ void load_row(T (&x)[kSlabColumns], const T* row) {
#pragma unroll
  for (int u = 0; u < kSlabColumns; u += kUnit<T>) {
    T unit[kUnit<T>];
    load_unit(unit, row + u / kCell * kCellEntries + u % kCell);
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e) x[u + e] = unit[e];
  }
}
template <class T>
__device__ __forceinline__ void store_row(T* row, const T (&x)[kSlabColumns]) {
#pragma unroll
  for (int u = 0; u < kSlabColumns; u += kUnit<T>) {
    T unit[kUnit<T>];
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e) unit[e] = x[u + e];
    store_unit(row + u / kCell * kCellEntries + u % kCell, unit);
  }
}

/// Solves x T^T = row for the 16 entries of a row of a slab, in place. `triangle`: T, a 16 x 16
/// block of a slab; `reciprocals`: of T's diagonal. Each lane calls it for one row.
template <class T>
__device__ __forceinline__ void substitute(T* row, const T* triangle, const T* reciprocals) {
  T x[kSlabColumns];
  load_row(x, row);
#pragma unroll
  for (int first = 0; first < kSlabColumns; first += kUnit<T>) {
    T over[kUnit<T>], t[kSlabColumns][kUnit<T>];
    load_unit(over, reciprocals + first);
#pragma unroll
    for (int f = first; f < kSlabColumns; ++f)
      load_unit(t[f], slab_row(triangle, f) + first / kCell * kCellEntries + first % kCell);
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e) {
      const int c = first + e;
      x[c] *= over[e];
#pragma unroll
      for (int f = c + 1; f < kSlabColumns; ++f) x[f] = fma(-x[c], t[f][e], x[f]);
    }
  }
  store_row(row, x);
}

/// Stores a warp's rows of a slab, at x in shared memory, to pair `column` / 2 of a tile from cell
/// row row_cell on.
template <class T>
__device__ __forceinline__ void store_slab(const TileViewOf<T>& tile, const T* x, int row_cell,
                                           int column, int lane) {
  lane = anew(lane);
  const int rows = min(4, tile.height - row_cell), width = tile.pair_width(column);
  T* to = tile.cell(row_cell, column);
  for (int e = lane * kUnit<T>; e < rows * width * kCellEntries; e += 32 * kUnit<T>) {
    T unit[kUnit<T>];
    load_unit(unit, width == 2 ? x + e : x + e / kCellEntries * kPairEntries + e % kCellEntries);
    store_unit(to + e, unit);
  }
}

/// Waits until block column `from` (16 columns) of L(column, column) is in memory; copies all block
/// columns from there on that are in memory, from the diagonal downwards, to slabs in room.work,
/// and sets room.reciprocals to the reciprocals of their diagonals. Returns the number of block
/// columns in memory, including those before `from`; four for a finished tile. Called by the whole
/// team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ int load_blocks(const Room<T>& room, const FrontViewOf<T>& front,
                                           int column, int from, const Member& me) {
  if (me.thread() == 0) *room.blocks = blocks_there(wait_for_block(state_of(front, column), from));
  Kernel::sync();
  const int end = *room.blocks;
  const TileViewOf<T> tile = tile_of(front, column, column);
#pragma unroll 1
  for (int c = 2 * from; c < min(2 * end, tile.width); c += 2)
    copy_slab(room.work + c / 2 * kSlabEntries + c * kPairEntries, tile, c, tile.width - c, c,
              me.thread(), kThreads);
  ptx::commit_copies();
  ptx::wait_for_copies<0>();
  Kernel::sync();
  if (const int c = from * kSlabColumns + me.thread();
      c < min(end * kSlabColumns, tile.width * kCell))
    room.reciprocals[c] = T(1) / slab_row(room.work + c / kSlabColumns * kSlabEntries,
                                          c)[c / kCell % 2 * kCellEntries + c % kCell];
  Kernel::sync();
  return end;
}

/// Moves the columns of cells of acc left by two; the last two columns keep their values.
template <class Loop>
__device__ __forceinline__ void move_up(typename Loop::Accumulators& acc) {
#pragma unroll
  for (int n = 2; n < kTileCells; ++n) {
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i) {
#pragma unroll
      for (int b = 0; b < Loop::kBeside; ++b) acc[i][n - 2][b] = acc[i][n][b];
    }
  }
}

/// Finishes a panel task after its products: solves X T^T = C for each warp's rows and stores X, 16
/// columns after 16, by substitution, a row per lane, then updates the columns right of them; T =
/// L(task.column, task.column). acc: minus C on entry. The accumulators move up, so that the loop
/// is not unrolled: the instructions of an unrolled loop were fetched from a farther cache each
/// time. told(s) is called once the warp has stored its rows of columns 16 s.., or has none. Called
/// by the whole team.
template <class Kernel, class Told, class Loop = typename Kernel::Loop, class T = typename Loop::T>
__device__ __forceinline__ void solve_slabs(typename Loop::Accumulators& acc,
                                            const FrontViewOf<T>& front, const FrontTask& task,
                                            const WarpTile& place, const Member& me,
                                            const Told& told) {
  const Room<T> room = Kernel::room();
  const int width = front.cells.cells_of(task.column);
  int blocks = 0;  // block columns of T, from the first, that are in room.work
#pragma unroll 1
  for (int s = 0; s < kSlabs; ++s) {
    const bool there = 2 * s < width, active = there && place.active;
    if (there && s >= blocks) blocks = load_blocks<Kernel>(room, front, task.column, s, me);
    T* x = room.work + kTileEntries + me.warp * kWarpSlabEntries;
    const T* block = room.work + s * kSlabEntries + 2 * s * kPairEntries;
    if (active) {
      put<Loop>(acc, x, 0, 2, me.lane);
      __syncwarp();
      substitute(slab_row(x, me.lane), block, room.reciprocals + s * kSlabColumns);
      __syncwarp();
      store_slab(tile_of(front, task.row + place.tile, task.column), x, place.row_cell, 2 * s,
                 me.lane);
    }
    told(s);
    if (active) {
      Loop::InTile::multiply(acc, x, block, 2, kTileCells - 2 * s, me.lane);
      move_up<Loop>(acc);
    }
    __syncwarp();
  }
}

/// Finishes a task after its products: solves if it is a panel task, else stores the tiles. acc:
/// minus the result on entry; if `parts`, without the parts that the tile in memory holds. Does not
/// announce the task. told: as for solve_slabs(). Called by the whole team.
template <class Kernel, class Told, class Loop = typename Kernel::Loop>
__device__ __forceinline__ void finish_tiles(typename Loop::Accumulators& acc,
                                             const FrontTask& task,
                                             const FrontViewOf<typename Loop::T>& front,
                                             const Levels& levels, const WarpTile& place,
                                             bool parts, const Member& me, const Told& told) {
  if (parts && place.active)
    subtract_tile<Loop>(acc, tile_of(front, task.row + place.tile, task.column), place.row_cell,
                        me.lane);
  if (task.kind == TaskKind::panel) return solve_slabs<Kernel>(acc, front, task, place, me, told);
  if (!place.active) return;
  if (task.kind == TaskKind::contribution) wait_for_levels(levels, front.block_reuses, me.lane);
  store_accumulators<Loop>(acc, tile_of(front, task.row + place.tile, task.column), place.row_cell,
                           me.lane);
}

/// Executes a task of kind `fill` or `sum` and returns true; does nothing for other kinds and
/// returns false. Called by the whole team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ bool fill_or_sum(const FrontTask& task, const FrontViewOf<T>& front,
                                            const Levels& levels, const ValuesOf<T>& values,
                                            const SumsOf<T>& sums) {
  const TeamMember<Kernel> me{this_thread()};
  if (task.kind == TaskKind::fill)
    fill(task, front, levels, values, me);
  else if (task.kind == TaskKind::sum)
    add_sums(task, front, sums, me);
  else
    return false;
  return true;
}

/// Announces to other teams that the task's tiles are written. Called by the whole team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void announce(const FrontTask& task, const FrontViewOf<T>& front,
                                         const Levels& levels) {
  Kernel::publish();
  Kernel::sync();
  if (threadIdx.x == 0) count_task(task, front, levels);
}

}  // namespace kauri::numeric::cuda::kernels::portable
