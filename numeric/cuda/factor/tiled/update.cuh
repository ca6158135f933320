// One task of a front, as a team executes it: two 64 x 64 tiles in the accumulators of four
// consuming warps, each with 32 rows of one of the two tiles. The producer, one thread, streams the
// operands of products through a ring of stages in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/correction.cuh"
#include "numeric/cuda/factor/tiled/extend_add.cuh"
#include "numeric/cuda/factor/tiled/team.cuh"

namespace kauri::numeric::cuda::kernels {

template <class T>
__device__ inline void wait_for_slab(const FrontTask& task, const FrontViewOf<T>& front, int slab,
                                     int& ready) {
  if (ready > slab) return;
  ready = wait_for_slabs(task, front, slab + 1);
  ptx::proxy_fence();
}

/// Copies the operands of the task's products to the ring's stages, a pair of cell columns of L
/// each; in a pair, rows are contiguous. `dependent`: waits until L's slabs are finished; else they
/// must be. Called by one thread, the producer.
template <class T>
__device__ inline void produce_products(const FrontTask& task, const FrontViewOf<T>& front,
                                        RingOf<T>& ring, bool dependent) {
  constexpr int kBytes = sizeof(T);
  const symbolic::FrontCells& shape = front.cells;
  const int products = products_of(task, front), cells = cells_in(front, products);
  const int upper = shape.cells_of(task.row),
            lower = task.rows == 2 ? shape.cells_of(task.row + 1) : 0;
  const int right = shape.cells_of(task.column);
  int ready = dependent ? 0 : cells;
  for (int first = 0; first < cells; first += 2) {
    wait_for_slab(task, front, first / 2, ready);
    const int entries = min(2, cells - first) * kCellEntries;  // entries of one row of cells of the
                                                               // pair
    const T* pair = front.panel + shape.panel().pair(first / 2);
    const T* rows = pair + (shape.first_cell(task.row) - first) * entries;
    ptx::barrier_wait(ring.empty(), ring.parity() ^ 1);
    std::uint64_t* full = ring.full();
    T* data = ring.data();
    ptx::barrier_arrive_expecting(full, (upper + lower + right) * entries * kBytes);
    const int together = upper * entries == kSlabEntries ? upper + lower : upper;
    ptx::bulk_copy(data, rows, together * entries * kBytes, full);
    if (together < upper + lower)
      ptx::bulk_copy(data + kSlabEntries, rows + upper * entries, lower * entries * kBytes, full);
    ptx::bulk_copy(data + 2 * kSlabEntries,
                   pair + (shape.first_cell(task.column) - first) * entries,
                   right * entries * kBytes, full);
    ++ring.turn;
  }
}

/// Begins to copy diagonal block k of a pivot tile of L (not its inverse), four cells, to `slab`,
/// for multiply_corrected(); completes on `full`, which the caller has told the bytes. If the block
/// has a single cell, copies of `zeros`, a cell of zeros in global memory, stand for the other
/// three.
__device__ inline void copy_triangle(double* slab, const TileView& triangle, int k,
                                     const double* zeros, std::uint64_t* full) {
  const int cells = triangle.pair_width(2 * k) == 2 ? 4 : 1;
  ptx::bulk_copy(slab, triangle.cell(2 * k, 2 * k), cells * kCellEntries * 8, full);
  for (int c = cells; c < 4; ++c)
    ptx::bulk_copy(slab + c * kCellEntries, zeros, kCellEntries * 8, full);
}

/// Prefetches to the L2 cache the task's tiles, from whose values its consumers start, while these
/// may still work on the task before. Does nothing if they start from zero. Called by one thread.
template <class T>
__device__ inline void prefetch_tiles(const FrontTask& task, const FrontViewOf<T>& front) {
  if (task.kind == TaskKind::contribution && front.loads_block == 0) return;
  for (int r = 0; r < task.rows; ++r) {
    const TileViewOf<T> tile = tile_of(front, task.row + r, task.column);
    for (int column = 0; column < tile.width; column += 2) {
      const int row = tile.diagonal ? column : 0;
      ptx::prefetch(tile.cell(row, column), (tile.height - row) * tile.pair_width(column) *
                                                kCellEntries * static_cast<int>(sizeof(T)));
    }
  }
}

/// Waits until columns 16 k.. of a pivot tile of L, and the inverse of its block k, are in memory;
/// returns the tile's state. `state`: state_of(). Called by one thread.
__device__ inline int wait_for_block(const int* state, int k) {
  Watch watch;
  for (;;) {
    const int now = ptx::load_acquire(state), progress = now & ((1 << kProgressBits) - 1);
    if (progress >= kFirstBlock + k) return now;
    watch.look(Awaited::block, state, kFirstBlock + k, progress);
    __nanosleep(20);
  }
}

/// Returns the number of blocks of 16 columns of a pivot tile that are in memory, from the tile's
/// state, at least kFirstBlock. A finished tile counts four, even if it has fewer.
__device__ inline int blocks_there(int state) {
  return (state & ((1 << kProgressBits) - 1)) - kFirstBlock + 1;
}

__device__ inline void produce(const FrontTask& task, const FrontView& front, Ring& ring,
                               bool dependent) {
  prefetch_tiles(task, front);
  produce_products(task, front, ring, dependent);
  if (task.kind != TaskKind::panel) return;
  const TileView triangle = tile_of(front, task.column, task.column);
  const double* inverses = front.inverses + symbolic::FrontCells::diagonal_place(
                                                task.column * kTile, task.column * kTile);
  for (int k = 0; 2 * k < triangle.width; ++k) {
    // A stage holds an inverse and the blocks of L below its diagonal block. If L lacks the second
    // cell row of the last of these blocks, zeros take its place, copied from right of the
    // inverse's diagonal. Zeros of the left operand multiply them.
    const int below = max(triangle.width - 2 * k - 2, 0);
    const bool padded = below > 0 && triangle.width % 2 != 0;
    const double* inverse = inverses + k * kInverseEntries;
    double* slab = ring.data() + 2 * kSlabEntries;
    ptx::barrier_wait(ring.empty(), ring.parity() ^ 1);
    std::uint64_t* full = ring.full();
    const int corrects = wait_for_block(state_of(front, task.column), k) >> (kProgressBits + k) & 1;
    ptx::proxy_fence();
    *ring.word() = static_cast<std::uint64_t>(corrects);
    ptx::barrier_arrive_expecting(full, ((1 + corrects) * kInverseEntries +
                                         2 * (below + static_cast<int>(padded)) * kCellEntries) *
                                            8);
    if (corrects != 0) copy_triangle(ring.data(), triangle, k, inverse + kCellEntries, full);
    ptx::bulk_copy(slab + 4 * k * kCellEntries, inverse, kInverseEntries * 8, full);
    if (below > 0)
      ptx::bulk_copy(slab + 4 * (k + 1) * kCellEntries, triangle.cell(2 * k + 2, 2 * k),
                     2 * below * kCellEntries * 8, full);
    for (int c = 0; padded && c < 2; ++c)
      ptx::bulk_copy(slab + (2 * triangle.width + c) * kCellEntries, inverse + kCellEntries,
                     kCellEntries * 8, full);
    ++ring.turn;
  }
}

__device__ constexpr int tile_of_warp(int warp) { return warp >> 1; }
__device__ constexpr int row_cell_of_warp(int warp) { return 4 * (warp & 1); }

/// Adds X Y^T to acc; X, (32,16) at `rows`, are this warp's rows of a slab, and Y, (64,16) at
/// `columns`, is the slab of tile row task.column.
__device__ inline void multiply_slab(Accumulators& acc, const double* rows, const double* columns,
                                     int lane) {
  double a[2][8];
  const ptx::SharedAddress address =
      ptx::anew(ptx::shared_address(rows + 2 * lane));  // one address for all loads
  load_a(a[0], address);
  load_a(a[1], address + shared_cell(2, 0) * 8);
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    double b[4];
    load_b(b, columns, n, 0, lane);
    ptx::mma(acc[0][n], a[0], b);
    ptx::mma(acc[1][n], a[1], b);
  }
}

/// Adds X Y^T to acc; X, (32,8), are this warp's rows from cell row row_cell on, Y is (64,8): the
/// last pivots of a front, whose slab has one column of cells.
__device__ inline void multiply_half_slab(Accumulators& acc, const double* rows,
                                          const double* columns, int row_cell, int lane) {
  double a[2][4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const double* cells = rows + (row_cell + 2 * half) * kCellEntries + 2 * lane;
    const double2 top = *reinterpret_cast<const double2*>(cells),
                  bottom = *reinterpret_cast<const double2*>(cells + kCellEntries);
    a[half][0] = top.x, a[half][1] = bottom.x, a[half][2] = top.y, a[half][3] = bottom.y;
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const double2 pair = *reinterpret_cast<const double2*>(columns + n * kCellEntries + 2 * lane);
    const double b[2] = {pair.x, pair.y};
    ptx::mma(acc[0][n], a[0], b);
    ptx::mma(acc[1][n], a[1], b);
  }
}

/// Leaves the stage entered last, if it belongs to this task; called by all lanes of a warp. Must
/// not follow the products of that stage directly: the compiler may place the arrival right after
/// the loads, and loads queued behind stores to global memory were seen to read the bytes of the
/// next stage.
template <class T>
__device__ inline void leave_stage(const RingOf<T>& ring) {
  __syncwarp();  // all lanes have read the stage
  if (ptx::elect() && ring.turn != ring.left) ptx::barrier_arrive(ring.last_empty());
}

/// Waits until the ring's current stage is full, then leaves the one before: by then the products
/// that read that one have been issued.
template <class T>
__device__ inline void enter_stage(const RingOf<T>& ring) {
  ptx::barrier_wait(ring.full(), ring.parity());
  leave_stage(ring);
}

/// Enters `stages` stages, leaving the one before each, without reading them: for a warp without
/// rows in the task.
__device__ inline void pass(int stages, Ring& ring) {
  for (int s = 0; s < stages; ++s) {
    enter_stage(ring);
    ++ring.turn;
  }
}

/// Arrives at solved[s] of a panel task: this warp has stored its rows of slab s, or has none.
__device__ inline void finish_slab(std::uint64_t* solved, int s) {
  __syncwarp();
  if (ptx::elect()) ptx::barrier_arrive(solved + s);
}

/// Solves X T^T = C for this warp's rows of tile `tile` of the task, T = L(task.column,
/// task.column), with minus C in `acc`, and stores X. 16 columns after 16 columns: X_s = C_s
/// inv(T_ss)^T, then C_r -= X_s T_rs^T for r > s; arrives at solved[s] when X_s is stored. The
/// accumulators move up, so that all steps are the same instructions: the instruction cache of a
/// multiprocessor holds some 2000 of them, and those of four different steps were fetched from a
/// farther level each time.
__device__ inline void solve(Accumulators& acc, const FrontTask& task, const FrontView& front,
                             Ring& ring, std::uint64_t* solved, int tile, int row_cell, int lane) {
#pragma unroll 1
  for (int s = 0; 2 * s < front.cells.cells_of(task.column); ++s) {
    enter_stage(ring);
    const double* slab = ring.data() + 2 * kSlabEntries;
    const bool corrects = *ring.word() != 0;
    double a[2][8];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      as_operand(a[half], acc[half][0], acc[half][1]);
      if (corrects) {
        multiply_corrected(acc[half][0], acc[half][1], a[half], ring.data(),
                           slab + shared_cell(2 * s, 0), lane);
      } else {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          double b[4];
          load_b(b, slab, 2 * s + n, 0, lane);
          set_zero(acc[half][n]);
          ptx::mma(acc[half][n], a[half], b);
        }
      }
      flipped_operand(a[half], acc[half][0], acc[half][1]);
    }
    store_pair(tile_of(front, task.row + ptx::anew(tile), task.column), s, acc, 0,
               ptx::anew(row_cell), lane);
    finish_slab(solved, s);
#pragma unroll
    for (int n = 2; n < 8; ++n) {
      if (n % 2 == 0 && n + 2 * s >= symbolic::kTileCells) break;
      double b[4];
      load_b(b, slab, 2 * s + n, 0, lane);
      ptx::mma(acc[0][n - 2], a[0], b, acc[0][n]);
      ptx::mma(acc[1][n - 2], a[1], b, acc[1][n]);
    }
    ++ring.turn;
  }
}

/// Sets acc to its values before the products: minus (the tile in memory, if it holds values, plus
/// the children's entries that are pulled). Waits until the tile is filled and the children's
/// blocks are written.
__device__ inline void start_accumulators(Accumulators& acc, const FrontTask& task,
                                          const FrontView& front, int tile, int row_cell,
                                          int lane) {
  if (task.kind != TaskKind::contribution || front.loads_block != 0) {
    if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, Awaited::filled, lane);
    load_accumulators(acc, tile_of(front, task.row + tile, task.column), row_cell, lane);
  } else {
#pragma unroll
    for (int n = 0; n < 8; ++n) set_zero(acc[0][n]), set_zero(acc[1][n]);
  }
  if (front.child_count == 0) return;
  wait_for_children(front, lane);
  const int row = front.cells.first_cell(task.row + tile) + row_cell,
            column = front.cells.first_cell(task.column) * symbolic::kCell;
#pragma unroll  // one half of acc after the other: together they would take registers from the
                // products' loop
  for (int h = 0; h < 2; ++h)
    gather<1, 8>(acc + h, front, (row + 2 * h) * symbolic::kCell, column, lane);
}

/// Waits until all tasks of the levels below `level` are done, then publishes that in
/// levels.passed. Called by all lanes of a warp: each lane polls the count of one level, from the
/// first not known to be done. A thread releases its accesses before it adds its task to `done`;
/// these accesses happen before the reads of a lane that acquires the count. __syncwarp() orders
/// the lanes' reads before lane 0's fence, which releases all of them with `passed`. Happens-before
/// is transitive, so a thread that acquires `passed` need not read the counts.
__device__ inline void wait_for_levels(const Levels& levels, int level, int lane) {
  if (level == 0) return;
  int passed = 0;
  if (lane == 0) passed = ptx::load_acquire(levels.passed);
  passed = __shfl_sync(0xffffffffu, passed, 0);
  for (int l = passed + lane; l < level; l += 32)
    wait_at_least(levels.done + l, __ldg(levels.tasks + l), Awaited::levels);
  __syncwarp();
  if (passed >= level || lane != 0) return;
  ptx::release_fence();
  ptx::max_relaxed(levels.passed, level);
}

/// Products of many slabs are added up in at most kParts parts. In a single sum, each of thousands
/// of products would be rounded relative to a number as large as A's diagonal (a backward error of
/// 4e-14 at 10^4 pivots); kParts parts divide the error by kParts. Each part costs the traffic of
/// the tile, so all but the last have at least `least` slabs. part_of() returns the number of slabs
/// in a part.
inline constexpr int kParts = 4;
__device__ inline int part_of(int slabs, int least) {
  return max(least, (slabs + kParts - 1) / kParts);
}

/// Ends a part of a long sum, the first part being the values before the products: adds the sum of
/// earlier parts, which is in the tile in memory unless `first`, to acc; unless `last`, stores acc
/// to the tile and sets it to zero. Waits for the memory of a contribution block before its first
/// store.
__device__ inline void change_sums(Accumulators& acc, const FrontTask& task, const FrontView& front,
                                   const Levels& levels, bool first, bool last, int tile,
                                   int row_cell, int lane) {
  row_cell = ptx::anew(row_cell);
  const TileView target = tile_of(front, task.row + tile, task.column);
  if (!first) subtract_tile(acc, target, row_cell, lane);
  if (last) return;
  if (first && task.kind == TaskKind::contribution)
    wait_for_levels(levels, front.block_reuses, lane);
  store_accumulators(acc, target, row_cell, lane);
#pragma unroll
  for (int n = 0; n < 8; ++n) set_zero(acc[0][n]), set_zero(acc[1][n]);
}

/// Adds the task's products over the first `cells` columns of cells of L to acc, whose rows begin
/// at cell row `row_cell` of tile `tile` of the task's two. Sums of more than `least_part` slabs go
/// in parts (change_sums()).
__device__ inline void add_products(Accumulators& acc, const FrontTask& task,
                                    const FrontView& front, const Levels& levels, int cells,
                                    int least_part, Ring& ring, int tile, int row_cell, int lane) {
  int left = cells;  // columns of cells left; values that can be found again from `cells` need not
                     // be kept
  for (bool first = true;; first = false) {
    const int slabs = ptx::anew(cells) / 2;
    if (slabs > least_part)
      change_sums(acc, task, front, levels, first, left < 2, tile, row_cell, lane);
    if (left < 2) break;
    const int part = slabs > least_part ? part_of(slabs, least_part) : slabs;
    const int end = max(left - 2 * part, left % 2);
    do {
      enter_stage(ring);
      multiply_slab(acc, ring.warp_rows(), ring.data() + 2 * kSlabEntries, lane);
      ++ring.turn;
      left -= 2;
    } while (left > end);
  }
  if (left == 0) return;
  enter_stage(ring);
  const double* data = ring.data();
  multiply_half_slab(acc, data + tile * kSlabEntries, data + 2 * kSlabEntries, row_cell, lane);
  ++ring.turn;
}

/// Executes a task with products (prepare, panel, contribution), but does not announce it. Called
/// by the four consumer warps; the caller leaves the last stage. solved[s]: barrier where each warp
/// of a panel task arrives once its rows of slab s are stored.
__device__ inline void consume(const FrontTask& task, const FrontView& front, const Levels& levels,
                               int least_part, Ring& ring, std::uint64_t* solved,
                               const Member& member) {
  Member me = member;
  int row_cell = row_cell_of_warp(me.warp), tile = tile_of_warp(me.warp);
  if (tile >= task.rows || row_cell >= front.cells.cells_of(task.row + tile)) {
    const int solve_slabs = task.kind == TaskKind::panel ? blocks_of(front, task.column) : 0;
    pass(slabs_in(front, products_of(task, front)) + solve_slabs, ring);
    for (int s = 0; task.kind == TaskKind::panel && s < kSlabs; ++s) finish_slab(solved, s);
    return;
  }
  Accumulators acc;
  start_accumulators(acc, task, front, tile, row_cell, me.lane);
  add_products(acc, task, front, levels, cells_in(front, products_of(task, front)), least_part,
               ring, tile, row_cell, me.lane);
  me = member.again(), row_cell = row_cell_of_warp(me.warp), tile = tile_of_warp(me.warp);
  const TileView target = tile_of(front, task.row + tile, task.column);
  if (task.kind == TaskKind::panel) {
    if (!target.whole()) {
#pragma unroll
      for (int n = 1; n < 8; ++n)
        if (n >= target.width) set_zero(acc[0][n]), set_zero(acc[1][n]);
    }
    solve(acc, task, front, ring, solved, tile, row_cell, me.lane);
    for (int s = blocks_of(front, task.column); s < kSlabs; ++s) finish_slab(solved, s);
    return;
  }
  if (task.kind == TaskKind::contribution) {
    wait_for_levels(levels, front.block_reuses, me.lane);
  }
  store_accumulators(acc, target, row_cell, me.lane);
}

/// Announces that the first `slabs` slabs of L are finished in the tile rows of a panel task.
/// Called by one thread, after a release_fence() that follows the stores of these slabs.
template <class T>
__device__ inline void announce_rows(const FrontTask& task, const FrontViewOf<T>& front,
                                     int slabs) {
  if (watchdog::loses()) return;
  for (int r = 0; r < task.rows; ++r)
    ptx::store_relaxed(front.counters + kRows + task.row + r, slabs);
}

/// Announces to other blocks that the task's tiles are written: by the front's counters, those of
/// its parent (contribution), and the count of its level. Called by one thread, after a barrier
/// that the team's other threads reach after their stores.
template <class T>
__device__ inline void count_task(const FrontTask& task, const FrontViewOf<T>& front,
                                  const Levels& levels) {
  if (watchdog::loses()) return;
  ptx::release_fence();
  if (task.kind == TaskKind::fill || task.kind == TaskKind::sum) {
    ptx::add_relaxed(front.counters + kFilled, 1);
  } else if (task.kind == TaskKind::prepare) {
    ptx::store_relaxed(state_of(front, task.column), kPrepared);
  } else if (task.kind == TaskKind::panel) {
    announce_rows(task, front, slabs_in(front, task.column + 1));
  } else if (front.parent_counters != nullptr) {
    ptx::add_relaxed(front.parent_counters + kChildren, 1);
  }
  if (levels.done != nullptr) ptx::add_relaxed(levels.done + front.level, 1);
}

/// Announces a task once each consumer has written its part. Called by all consumers; does nothing
/// for panel tasks, which the fetcher announces, and for contribution tasks that no other task
/// waits for.
__device__ inline void announce(const FrontTask& task, const FrontView& front, const Levels& levels,
                                const Member& me) {
  if (task.kind == TaskKind::panel || (task.kind == TaskKind::contribution &&
                                       front.parent_counters == nullptr && levels.done == nullptr))
    return;
  ptx::proxy_fence();
  me.sync_consumers();
  if (me.warp == 0 && me.lane == 0) count_task(task, front, levels);
}

/// Announces the slabs of a panel task one by one, each when all warps have arrived at solved[s],
/// so that later tasks need not wait for all slabs; then counts the task in its level. `phase`:
/// parity of these barriers for this task. Called by one thread, while the consumers go on.
template <class T>
__device__ inline void announce_panel(const FrontTask& task, const FrontViewOf<T>& front,
                                      const Levels& levels, std::uint64_t* solved, unsigned phase) {
  const int first = slabs_in(front, task.column), slabs = slabs_in(front, task.column + 1) - first;
  for (int s = 0; s < kSlabs; ++s) {
    ptx::barrier_wait(solved + s, phase);
    if (s >= slabs) continue;
    ptx::proxy_fence();
    ptx::release_fence();
    announce_rows(task, front, first + s + 1);
  }
  if (levels.done != nullptr) ptx::add_relaxed(levels.done + front.level, 1);
}

}  // namespace kauri::numeric::cuda::kernels
