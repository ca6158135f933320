// The warps that load data for the multiplying warps (single/tiles.cuh): tiles of L, the numbers
// that tiles are multiplied by, and the numbers that sums start from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/draw.cuh"
#include "numeric/cuda/solve/single/shared.cuh"

namespace kauri::numeric::cuda::sweep {

// ---- the loader

/// The loader's side of the ring of stages in shared memory, which it fills. For each stage:
/// begin(), copy() once or more, end(). Called by the lanes that take part (single/loads.cuh).
template <class S, class N, class Loads>
class Stages {
 public:
  __device__ explicit Stages(const Tiles<S, N, Loads>& shared) : shared_(shared) {}
  /// Waits until the next stage is free, announces `bytes` bytes of copies to its barrier, and
  /// returns it.
  __device__ S* begin(int bytes) {
    ptx::barrier_wait(&shared_.barrier.empty[turn_.at], turn_.phase ^ 1);
    Loads::begin(bytes, &shared_.barrier.full[turn_.at]);
    return shared_.data.stage[turn_.at];
  }
  __device__ void copy(S* to, const S* from, int entries) {
    Loads::copy(to, from, entries * kBytes<S>, &shared_.barrier.full[turn_.at]);
  }
  __device__ void end() {
    Loads::end(&shared_.barrier.full[turn_.at]);
    turn_.next();
  }

 private:
  const Tiles<S, N, Loads>& shared_;
  Turn<kStages> turn_;
};

/// Begins copies of tile (i, k) of a panel for the forward sweep, two pairs of columns of cells per
/// stage. Ring: Stages, or another type with stages as large.
template <class Ring, class S>
__device__ void load_tile(Ring& stages, const S* panel, const FrontCells& cells, Index i, Index k) {
  const symbolic::CellLayout layout = cells.panel();
  const Index first = k * symbolic::kTileCells, end = first + cells.cells_of(k),
              rows = cells.cells_of(i), row = cells.first_cell(i);
  for (Index c = first; c < end; c += 4) {
    const int one = rows * layout.width(c) * kCellEntries,
              two = c + 2 < end ? rows * layout.width(c + 2) * kCellEntries : 0;
    S* to = stages.begin((one + two) * kBytes<S>);
    stages.copy(to, panel + layout.cell(row, c), one);
    if (two > 0) stages.copy(to + kForwardPair, panel + layout.cell(row, c + 2), two);
    stages.end();
  }
}

/// Begins copies of tile (i, k) of a panel for the backward sweep, half the rows per stage.
template <class Ring, class S>
__device__ void load_tile_back(Ring& stages, const S* panel, const FrontCells& cells, Index i,
                               Index k) {
  const symbolic::CellLayout layout = cells.panel();
  const Index first = k * symbolic::kTileCells, columns = cells.cells_of(k),
              all = cells.cells_of(i), half = symbolic::kTileCells / 2;
  for (Index at = 0; at < all; at += half) {
    const Index rows = min(half, all - at), row = cells.first_cell(i) + at;
    S* to = stages.begin(rows * columns * kCellEntries * kBytes<S>);
    for (Index c = 0; c < columns; c += 2)
      stages.copy(to + c / 2 * kBackwardPair, panel + layout.cell(row, first + c),
                  rows * layout.width(first + c) * kCellEntries);
    stages.end();
  }
}

template <class Ring, class S>
__device__ void load_inverse(Ring& stages, const S* inverse, int blocks) {
  const int all = blocks * (blocks + 1) / 2, first = min(all, kFirstBlocks);
  S* to = stages.begin(first * symbolic::kInverseEntries * kBytes<S>);
  stages.copy(to, inverse, first * symbolic::kInverseEntries);
  stages.end();
  if (all == first) return;
  to = stages.begin((all - first) * symbolic::kInverseEntries * kBytes<S>);
  stages.copy(to, inverse + first * symbolic::kInverseEntries,
              (all - first) * symbolic::kInverseEntries);
  stages.end();
}

/// Begins copies of a product of an inverse and a tile, whose entries lie in the order in which
/// sweeps read them: half of the product per stage.
template <class Ring, class S>
__device__ void load_product(Ring& stages, const S* product) {
  for (int half = 0; half < 2; ++half) {
    stages.copy(stages.begin(kStageEntries * kBytes<S>), product + half * kStageEntries,
                kStageEntries);
    stages.end();
  }
}

template <bool kForward, class S, class N, class Loads>
__device__ void load_task(Stages<S, N, Loads>& stages, const SweepTask& task, const Front& front,
                          const S* l) {
  const FrontCells cells{front.m, front.p};
  const S *panel = l + front.panel, *inverses = l + front.inverses;
  const Index pivots = cells.pivot_tiles();
  if constexpr (kForward) {
    for (Index i = task.row; i < task.row + task.rows; ++i) {
      const bool product = ends_with_product(task, i, pivots);
      const Index end = last_column(task, i, pivots) - (product ? 1 : 0);
      for (Index k = task.column; k < end; ++k) load_tile(stages, panel, cells, i, k);
      if (i < pivots && task.kind != SweepTask::Kind::part)
        load_inverse(stages, inverses + Offset{i} * symbolic::kTileInverseEntries,
                     blocks_of(cells.cells_of(i)));
      if (product) load_product(stages, inverses + cells.forward_product(i));
    }
  } else {
    const bool product = ends_with_product_back(task, pivots);
    for (Index i = task.row + task.rows, first = task.row + (product ? 1 : 0); i-- > first;)
      load_tile_back(stages, panel, cells, i, task.column);
    if (task.kind != SweepTask::Kind::part)
      load_inverse(stages, inverses + Offset{task.column} * symbolic::kTileInverseEntries,
                   blocks_of(cells.cells_of(task.column)));
    if (product) load_product(stages, inverses + cells.backward_product(task.column));
  }
}

/// Draws tickets until none is left, and fills the ring with the data of their tasks. At the end
/// stores a task whose front is kNone, at which the other warps return. Called by the loader warp.
template <bool kForward, class S, class N, class Loads>
__device__ void run_loader(const Tiles<S, N, Loads>& shared, const SweepView& view,
                           const SweepMemory<S, N>& memory) {
  const SweepTask* tasks = kForward ? view.forward : view.backward;
  const Index count = kForward ? view.forward_tasks : view.backward_tasks;
  int* ticket = memory.ticket + (kForward ? 0 : 1);
  const int lane = ptx::thread_index() % 32;
  Stages<S, N, Loads> stages(shared);
  Turn<2> turn;
  for (;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_empty[turn.at], turn.phase ^ 1);
    int drawn = 0;
    if (lane == 0) drawn = atomicAdd(ticket, 1) + 1;
    drawn = __shfl_sync(0xffffffffu, drawn, 0);
    watchdog::hand_on(turn.at, drawn);
    SweepTask& task = shared.data.task[turn.at];
    if (drawn < count)
      kernels::copy_words(task, tasks[drawn], lane);
    else if (lane == 0)
      task.front = kNone;
    __syncwarp();
    if (drawn < count)
      kernels::copy_words(shared.data.front[turn.at], view.front[task.front], lane);
    __syncwarp();
    if (Loads::takes_part(lane)) {
      if (lane == 0) ptx::barrier_arrive(&shared.barrier.task_full[turn.at]);
      if (drawn < count && task.kind != SweepTask::Kind::gather)
        load_task<kForward>(stages, task, shared.data.front[turn.at], memory.l);
    }
    __syncwarp();
    if (drawn >= count) return;
  }
}

// ---- the warps that load numbers

/// Number of last tiles of a sum whose numbers the next step of a chain waits for: the last tile,
/// which is multiplied after the inverse, and the two before it, multiplied before the inverse: a
/// poll with pauses takes as long as a step of the chain.
constexpr Index kNear = 3;

/// Addresses of a lane's two numbers of a tile; null: zero stands for the number.
template <class N>
struct LaneAddresses {
  const N* of[2];
  const N* last;  // address of the tile's number that is likely to be set last
};
template <class N>
struct Two {
  N of[2];
};
template <class N>
__device__ inline Two<N> look(const LaneAddresses<N>& at) {
  return {{at.of[0] == nullptr ? N(0) : load_relaxed(at.of[0]),
           at.of[1] == nullptr ? N(0) : load_relaxed(at.of[1])}};
}

/// Waits until both numbers of every lane are set, and returns them. With `next`, the next step
/// needs them: all lanes poll both, without pause. Otherwise lane 0 first polls one number alone,
/// with pauses: at.last. This keeps the polls of many waiting blocks from crowding the L2 cache.
/// Called by all lanes of a warp.
template <class N>
__device__ inline Two<N> await_two(const LaneAddresses<N>& at, bool next, int lane) {
  Two<N> out = look(at);
  Watch watch;
  while (__any_sync(0xffffffffu, !is_set(out.of[0]) || !is_set(out.of[1]))) {
    if (!next) {
      if (lane == 0) await_there(at.last, kLater);
      __syncwarp();
    }
    look_at<2>(
        watch, [&](int k) { return is_set(out.of[k]); }, [&](int k) { return at.of[k]; });
    out = look(at);
  }
  return out;
}

template <class S, class N, class Loads>
__device__ inline void load_input_tile(const Tiles<S, N, Loads>& shared, Turn<kInputs>& turn,
                                       const Two<N>& numbers, int lane) {
  ptx::barrier_wait(&shared.barrier.input_empty[turn.at], turn.phase ^ 1);
  shared.data.input[turn.at][lane] = numbers.of[0];
  shared.data.input[turn.at][lane + 32] = numbers.of[1];
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.input_full[turn.at]);
  turn.next();
}

template <class N>
__device__ inline LaneAddresses<N> rows_at(const N* numbers, Index rows, int lane) {
  return {
      {lane < rows ? numbers + lane : nullptr, lane + 32 < rows ? numbers + lane + 32 : nullptr},
      numbers + rows - 1};
}

/// Returns the addresses of a lane's two numbers x of tile row i in the backward sweep: of the
/// front's own pivots, or of its ancestors'.
template <class S, class N>
__device__ inline LaneAddresses<N> places_back(const Front& front, const FrontCells& cells, Index i,
                                               const SweepView& view,
                                               const SweepMemory<S, N>& memory, int lane) {
  const Index rows = cells.rows_of(i);
  if (i < cells.pivot_tiles()) return rows_at(memory.x + front.first + i * kTile, rows, lane);
  const Index* row = view.row + front.row + cells.first_row(i);
  return {{lane < rows ? memory.x + row[lane] : nullptr,
           lane + 32 < rows ? memory.x + row[lane + 32] : nullptr},
          memory.x + row[0]};
}

template <bool kForward, class S, class N, class Loads>
__device__ void load_inputs(const Tiles<S, N, Loads>& shared, const SweepTask& task,
                            const Front& front, const SweepView& view,
                            const SweepMemory<S, N>& memory, Turn<kInputs>& turn, int lane) {
  const FrontCells cells{front.m, front.p};
  const Index pivots = cells.pivot_tiles();
  const bool whole = task.kind != SweepTask::Kind::part;
  if constexpr (kForward) {
    for (Index i = task.row; i < task.row + task.rows; ++i) {
      if (reads_own(task, i)) continue;
      const Index end = last_column(task, i, pivots);
      for (Index k = task.column; k < end; ++k) {
        const LaneAddresses<N> at =
            rows_at(memory.y + front.first + k * kTile, cells.rows_of(k), lane);
        load_input_tile(shared, turn, await_two(at, whole && k + kNear >= end, lane), lane);
      }
    }
  } else if (task.rows > 0) {
    LaneAddresses<N> at = places_back(front, cells, task.row + task.rows - 1, view, memory, lane);
    for (Index i = task.row + task.rows; i-- > task.row;) {
      const LaneAddresses<N> now = at;
      if (i > task.row)
        at = places_back(front, cells, i - 1, view, memory,
                         lane);  // loads of these places take as long as loads of numbers
      load_input_tile(shared, turn, await_two(now, whole && i < task.row + kNear, lane), lane);
    }
  }
}

template <bool kForward, class S, class N, class Loads>
__device__ void run_input(const Tiles<S, N, Loads>& shared, const SweepView& view,
                          const SweepMemory<S, N>& memory) {
  const int lane = ptx::thread_index() % 32;
  Turn<kInputs> inputs;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    watchdog::take_handed(turn.at);
    if (task.kind != SweepTask::Kind::gather)
      load_inputs<kForward>(shared, task, shared.data.front[turn.at], view, memory, inputs, lane);
    __syncwarp();
    if (lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

/// A lane of a start warp has rows `lane` and 32 + lane of a tile; returns true if row h of these
/// is one of the tile's `rows`.
__device__ inline bool has_row(Index rows, int lane, int h) { return lane + 32 * h < rows; }

/// Waits for and returns the numbers that the forward sums of the lane's two rows of a tile row
/// start from: b, if the row of the front, `first` for row 0 of the tile, is a pivot, plus the
/// children's update rows one after the other (or their gathered sum), less the parts of its
/// products that other tasks summed.
template <class S, class N>
__device__ inline Two<N> row_starts(const SweepTask& task, const Front& front, Index first,
                                    Index rows, int lane, const SweepView& view,
                                    const SweepMemory<S, N>& memory) {
  Two<N> sum{};
  const N* from[2];
  Index count[2];
  const std::uint32_t* ptr = view.ptr + front.row + task.front + first + lane;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const bool there = has_row(rows, lane, h);
    const Index row = first + lane + 32 * h;
    if (there && row < front.p)
      sum.of[h] = memory.b[row_of(view.old_of, front.first + row) * memory.b_step];
    if (task.kind == SweepTask::Kind::gathered) {
      from[h] = memory.forward_part + Offset{task.part + task.parts} * kTile + lane + 32 * h;
      count[h] = there ? 1 : 0;
    } else {
      const std::uint32_t begin = there ? ptr[32 * h] : 0, end = there ? ptr[32 * h + 1] : 0;
      from[h] = memory.update + begin;
      count[h] = static_cast<Index>(end - begin);
    }
  }
  for_two(from[0], from[1], 1, count[0], count[1], kSoon, [&](int h, N x) { sum.of[h] += x; });
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    from[h] = memory.forward_part + Offset{task.part} * kTile + lane + 32 * h;
    count[h] = has_row(rows, lane, h) ? task.parts : 0;
  }
  for_two(from[0], from[1], kTile, count[0], count[1], kLater, [&](int h, N x) { sum.of[h] -= x; });
  return sum;
}

/// Waits for the numbers that the sums of the lane's two columns of tile column task.column start
/// from, and stores them, and behind them the rounding errors of these sums.
template <class S, class N>
__device__ inline void column_starts(const SweepTask& task, const Front& front, Index columns,
                                     int lane, const SweepMemory<S, N>& memory, N* start) {
  Dot2Of<N> sum[2] = {};
  const N* from[2];
  Index count[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    from[h] = memory.y + front.first + task.column * kTile + lane + 32 * h;
    count[h] = has_row(columns, lane, h) ? 1 : 0;
  }
  for_two(from[0], from[1], 1, count[0], count[1], kSoon,
          [&](int h, N x) { sum[h] = Dot2Of<N>{handed_on<S>(x)}; });
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    from[h] = memory.backward_part + Offset{task.part} * kTile + lane + 32 * h;
    count[h] = has_row(columns, lane, h) ? task.parts : 0;
  }
  for_two(from[0], from[1], kTile, count[0], count[1], kLater,
          [&](int h, N x) { sum[h] = add(sum[h], Dot2Of<N>{-x}); });
#pragma unroll
  for (int h = 0; h < 2; ++h)
    start[lane + 32 * h] = sum[h].sum, start[kTile + lane + 32 * h] = sum[h].error;
}

/// Stores to shared memory the numbers that the sums of tile row i (backward of tile column i)
/// start from, and for each the index of its result, TileShared::place, as the `at`-th start of the
/// ring. Called by one of the two start warps.
template <bool kForward, class S, class N, class Loads>
__device__ void load_start(const Tiles<S, N, Loads>& shared, const SweepTask& task,
                           const Front& front, Index i, const SweepView& view,
                           const SweepMemory<S, N>& memory, int at, unsigned phase, int lane) {
  const FrontCells cells{front.m, front.p};
  ptx::barrier_wait(&shared.barrier.start_empty[at], phase ^ 1);
  const Index first = cells.first_row(i), rows = cells.rows_of(i);
  std::uint32_t* place = shared.data.place[at];
  N* start = shared.data.start[at];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    if (!has_row(rows, lane, h)) continue;
    const Index row = first + lane + 32 * h;
    if constexpr (!kForward)
      place[lane + 32 * h] = static_cast<std::uint32_t>(row_of(view.back_of, front.first + row));
    else if (row >= front.p)
      place[lane + 32 * h] = view.slot[front.relative + row - front.p];
  }
  if constexpr (kForward) {
    const Two<N> sum = row_starts(task, front, first, rows, lane, view, memory);
    start[lane] = sum.of[0], start[lane + 32] = sum.of[1];
  } else {
    column_starts(task, front, rows, lane, memory, start);
  }
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.start_full[at]);
}

/// The two start warps take tile rows in turn, each those of its own place in the ring. So the
/// loads of a row, of which each waits for the one before it, are under way while the other warp
/// waits for the numbers of the row before, also if that is a row of another task.
template <bool kForward, class S, class N, class Loads>
__device__ void run_start(const Tiles<S, N, Loads>& shared, const SweepView& view,
                          const SweepMemory<S, N>& memory) {
  const int own = ptx::thread_index() / 32 - kStart, lane = ptx::thread_index() % 32;
  int next = 0;
  unsigned phase = 0;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    watchdog::take_handed(turn.at);
    if (task.kind == SweepTask::Kind::whole || task.kind == SweepTask::Kind::gathered) {
      const Index first = kForward ? task.row : task.column,
                  end = kForward ? first + task.rows : first + 1;
      for (Index i = first; i < end; ++i, next ^= 1) {
        if (next != own) continue;
        load_start<kForward>(shared, task, shared.data.front[turn.at], i, view, memory, own, phase,
                             lane);
        phase ^= 1;
      }
    }
    __syncwarp();
    if (lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

}  // namespace kauri::numeric::cuda::sweep
