// The warps that bring what others multiply, for several right-hand sides: the loader as in solves of one, and warps that bring all
// numbers: each has some rows of every tile, 16 bytes a lane, and asks for all of them at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/sweep_bring.cuh"
#include "numeric/cuda/wide_shared.cuh"

namespace kauri::numeric::cuda::sweep::wide {

// ---- the loader

/// Stages of the ring, as the loader fills them.
template <int kWidth>
class Stages {
 public:
  __device__ explicit Stages(const Tiles<kWidth>& shared) : shared_(shared) {}
  /// The next stage, free, for so many bytes.
  __device__ double* begin(int bytes) {
    ptx::barrier_wait(&shared_.barrier.empty[turn_.at], turn_.phase ^ 1);
    ptx::barrier_arrive_expecting(&shared_.barrier.full[turn_.at], bytes);
    return shared_.data.stage[turn_.at];
  }
  __device__ void copy(double* to, const double* from, int entries) {
    ptx::bulk_copy(to, from, entries * 8, &shared_.barrier.full[turn_.at]);
  }
  __device__ void end() { turn_.next(); }

 private:
  const Tiles<kWidth>& shared_;
  Turn<Shape<kWidth>::kStages> turn_;
};

template <bool kForward, int kWidth>
__device__ void load_task(Stages<kWidth>& stages, const SweepTask& task, const Front& front, const double* l) {
  const FrontCells cells{front.m, front.p};
  const double *panel = l + front.panel, *inverses = l + front.inverses;
  const Index pivots = cells.pivot_tiles();
  if constexpr (kForward) {
    for (Index i = task.row; i < task.row + task.rows; ++i) {
      for (Index k = task.column; k < last_column(task, i, pivots); ++k) load_tile(stages, panel, cells, i, k);
      if (i < pivots && task.kind != SweepTask::Kind::part)
        load_inverse(stages, inverses + i * symbolic::kTileInverseEntries, sweep::blocks_of(cells.cells_of(i)));
    }
  } else {
    for (Index i = task.row + task.rows; i-- > task.row;) load_tile_back(stages, panel, cells, i, task.column);
    if (task.kind != SweepTask::Kind::part)
      load_inverse(stages, inverses + task.column * symbolic::kTileInverseEntries, sweep::blocks_of(cells.cells_of(task.column)));
  }
}

/// Draws tickets until there are none, and fills the ring. A task whose front is kNone is the end.
template <bool kForward, int kWidth>
__device__ void run_loader(const Tiles<kWidth>& shared, const SweepView& view, const SweepMemory& memory) {
  const SweepTask* tasks = kForward ? view.forward : view.backward;
  const Index count = kForward ? view.forward_tasks : view.backward_tasks;
  int* ticket = memory.ticket + (kForward ? 0 : 1);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Stages<kWidth> stages(shared);
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_empty[turn.at], turn.phase ^ 1);
    int drawn = 0;
    if (lane == 0) drawn = atomicAdd(ticket, 1) + 1;
    drawn = __shfl_sync(kAll, drawn, 0);
    SweepTask& task = shared.data.task[turn.at];
    if (drawn < count)
      kernels::copy_words(task, tasks[drawn], lane);
    else if (lane == 0)
      task.front = kNone;
    __syncwarp();
    if (drawn < count) kernels::copy_words(shared.data.front[turn.at], view.front[task.front], lane);
    __syncwarp();
    if (lane == 0) {
      ptx::barrier_arrive(&shared.barrier.task_full[turn.at]);
      if (drawn < count && task.kind != SweepTask::Kind::gather) load_task<kForward>(stages, task, shared.data.front[turn.at], memory.l);
    }
    __syncwarp();
    if (drawn >= count) return;
  }
}

// ---- those that bring numbers

/// Which numbers of a tile a lane brings: columns `column` and the next, of rows row, row + kStep, ... in kRounds.
template <int kWidth>
struct Bringer {
  static constexpr int kLanes = kWidth / 2, kStep = 32 / kLanes * kBringers, kRounds = (kTile + kStep - 1) / kStep;
  int lane, row, column;
  __device__ explicit Bringer(int warp, int in_warp)
      : lane(in_warp), row(32 / kLanes * warp + in_warp / kLanes), column(in_warp % kLanes * 2) {}
  [[nodiscard]] __device__ int row_of(int round) const { return row + kStep * round; }
};

template <int kCount, class F>
__device__ void look_at_all(double2 (&x)[kCount], const F& at) {
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const double* p = at(j);
    x[j] = p == nullptr ? make_double2(0, 0) : look(p);
  }
}
template <int kCount>
__device__ bool all_set(const double2 (&x)[kCount]) {
  bool all = true;
#pragma unroll
  for (int j = 0; j < kCount; ++j) all = all && is_set(x[j]);
  return all;
}
template <int kCount, class F>
__device__ void look_again(double2 (&x)[kCount], const F& at) {
#pragma unroll
  for (int j = 0; j < kCount; ++j)
    if (!is_set(x[j])) x[j] = look(at(j));
}

/// x[j] from at(j); null: there is none, and zeros count. Each lane looks again and again, with pauses if there are any: for numbers that
/// the next step waits for.
template <int kCount, class F>
__device__ void await_pairs(double2 (&x)[kCount], const F& at, unsigned pause) {
  look_at_all(x, at);
  while (!all_set(x)) {
    if (pause > 0) __nanosleep(pause);
    look_again(x, at);
  }
}
/// The same of numbers that come later: one lane looks at `last`, which is likely to come last, so that many blocks that wait do not keep
/// the L2 cache from the few that all wait for.
template <int kCount, class F>
__device__ void await_later(double2 (&x)[kCount], const F& at, const double* last, int lane) {
  look_at_all(x, at);
  while (__any_sync(kAll, !all_set(x)) != 0) {
    if (lane == 0)
      while (!is_set(load_relaxed(last))) __nanosleep(kLater);
    __syncwarp();
    look_again(x, at);
  }
}

__device__ inline double2 sum_of(const double2& a, const double2& b) { return make_double2(a.x + b.x, a.y + b.y); }

template <int kWidth>
__device__ void leave_full(const Tiles<kWidth>& shared, Turn<Shape<kWidth>::kInputs>& turn, int lane) {
  __syncwarp();
  if (lane == 0) ptx::barrier_arrive(&shared.barrier.input_full[turn.at]);
  turn.next();
}

/// What a tile of numbers is to a sum.
enum class Add { first, more, less };

/// What a sum of a tile's rows starts from, in shared memory: each lane its own numbers, one addition after the other.
template <int kWidth>
class Start {
 public:
  using At = Bringer<kWidth>;
  __device__ Start(const Tiles<kWidth>& shared, Turn<Shape<kWidth>::kStarts>& turn, const At& at, Index rows)
      : shared_(shared), turn_(turn), at_(at), rows_(rows), number_(shared.data.start[turn.at]) {
    ptx::barrier_wait(&shared.barrier.start_empty[turn.at], turn.phase ^ 1);
  }
  /// Rows one after the other, from `from` on.
  template <Add kAdd>
  __device__ void add(const double* from) {
    double2 x[At::kRounds];
    const double* first = from + at_.row * kWidth + at_.column;
    const auto at = [&](int j) { return at_.row_of(j) < rows_ ? first + j * At::kStep * kWidth : nullptr; };
    await_later(x, at, from + (rows_ - 1) * kWidth, at_.lane);
#pragma unroll
    for (int j = 0; j < At::kRounds; ++j)
      if (at_.row_of(j) < kTile) {
        double2& to = *of(at_.row_of(j));
        to = kAdd == Add::first ? x[j] : kAdd == Add::more ? sum_of(to, x[j]) : make_double2(to.x - x[j].x, to.y - x[j].y);
      }
  }
  /// b, and, unless tasks of their own add them up, the children's update rows one after the other, of rows from `row` on: six of a lane's
  /// at a time.
  __device__ void add_updates(const SweepTask& task, const Front& front, Index row, bool gathered, const SweepView& view,
                              const WideMemory& memory) {
    constexpr int kSome = At::kRounds < 6 ? At::kRounds : 6;
    for (int first = 0; first < At::kRounds; first += kSome) {
      double2 sum[kSome], x[kSome];
      const double* next[kSome];
      std::uint32_t left[kSome], most = 0;
#pragma unroll
      for (int j = 0; j < kSome; ++j) {
        const int r = at_.row_of(first + j);
        const bool there = r < rows_, adds = there && !gathered;
        sum[j] = there && row + r < front.p ? right_hand_side(front.first + row + r, view, memory) : make_double2(0, 0);
        const std::uint32_t* ptr = view.ptr + front.row + task.front + row + r;
        const std::uint32_t begin = adds ? __ldg(ptr) : 0;
        left[j] = adds ? __ldg(ptr + 1) - begin : 0;
        next[j] = memory.numbers.update + Offset{begin} * kWidth + at_.column;
        most = max(most, left[j]);
      }
      for (std::uint32_t k = 0; k < most; ++k) {
        await_pairs(
            x, [&](int j) { return k < left[j] ? next[j] : nullptr; }, kSoon);
#pragma unroll
        for (int j = 0; j < kSome; ++j) sum[j] = sum_of(sum[j], x[j]), next[j] += kWidth;
      }
#pragma unroll
      for (int j = 0; j < kSome; ++j)
        if (at_.row_of(first + j) < kTile) *of(at_.row_of(first + j)) = sum[j];
    }
  }
  __device__ void end() {
    __syncwarp();
    if (at_.lane == 0) ptx::barrier_arrive(&shared_.barrier.start_full[turn_.at]);
    turn_.next();
  }

 private:
  [[nodiscard]] __device__ double2* of(int row) const { return reinterpret_cast<double2*>(number_ + place_of<kWidth>(row, at_.column)); }
  [[nodiscard]] __device__ double2 right_hand_side(Index k, const SweepView& view, const WideMemory& memory) const {
    const double* b = memory.numbers.b + row_of(view.old_of, k) + at_.column * memory.b_ld;
    return make_double2(at_.column < memory.columns ? b[0] : 0.0, at_.column + 1 < memory.columns ? b[memory.b_ld] : 0.0);
  }

  const Tiles<kWidth>& shared_;
  Turn<Shape<kWidth>::kStarts>& turn_;
  const At& at_;
  Index rows_;
  double* number_;
};

/// Starts of tile row i of a forward task: all but the last part of its sum, which the last numbers but a few make, then that.
template <int kWidth>
struct ForwardStart {
  const SweepTask& task;
  const Front& front;
  const SweepView& view;
  const WideMemory& memory;
  [[nodiscard]] __device__ const double* part(Index k) const { return memory.numbers.forward_part + Offset{k} * (kTile * kWidth); }
  __device__ void begin(Start<kWidth>& start, const FrontCells& cells, Index i) const {
    start.add_updates(task, front, cells.first_row(i), task.kind == SweepTask::Kind::gathered, view, memory);
    if (task.kind == SweepTask::Kind::gathered) start.template add<Add::more>(part(task.part + task.parts));
    for (Index k = 0; k + 1 < task.parts; ++k) start.template add<Add::less>(part(task.part + k));
  }
  __device__ void end(Start<kWidth>& start) const {
    if (task.parts > 0) start.template add<Add::less>(part(task.part + task.parts - 1));
    start.end();
  }
};

/// The next tile of numbers of the ring; `next`: the next step of a front's chain waits for it.
template <int kWidth, class F>
__device__ void bring_tile(const Tiles<kWidth>& shared, Turn<Shape<kWidth>::kInputs>& turn, const Bringer<kWidth>& mine, const F& at,
                           const double* last, bool next) {
  double2 x[Bringer<kWidth>::kRounds];
  if (next)
    await_pairs(x, at, 0);
  else
    await_later(x, at, last, mine.lane);
  ptx::barrier_wait(&shared.barrier.input_empty[turn.at], turn.phase ^ 1);
  double* input = shared.data.input[turn.at];
#pragma unroll
  for (int j = 0; j < Bringer<kWidth>::kRounds; ++j)
    if (mine.row_of(j) < kTile) *reinterpret_cast<double2*>(input + place_of<kWidth>(mine.row_of(j), mine.column)) = x[j];
  leave_full(shared, turn, mine.lane);
}

/// Tile k of a front's y.
template <int kWidth>
__device__ void bring_pivots(const Tiles<kWidth>& shared, Turn<Shape<kWidth>::kInputs>& turn, const Bringer<kWidth>& mine,
                             const Front& front, Index k, const SweepMemory& memory, bool next) {
  const Index rows = FrontCells{front.m, front.p}.rows_of(k);
  const double* from = memory.y + Offset{front.first + k * kTile} * kWidth;
  const double* first = from + mine.row * kWidth + mine.column;
  const auto at = [&](int j) { return mine.row_of(j) < rows ? first + j * Bringer<kWidth>::kStep * kWidth : nullptr; };
  bring_tile(shared, turn, mine, at, from + (rows - 1) * kWidth, next);
}

/// How many tiles before a sum's last the last part of it is asked for.
constexpr Index kTilesAfterParts = 2;

template <int kWidth>
__device__ void bring_task(const Tiles<kWidth>& shared, const SweepTask& task, const Front& front, const SweepView& view,
                           const WideMemory& memory, Turn<Shape<kWidth>::kInputs>& inputs, Turn<Shape<kWidth>::kStarts>& starts,
                           const Bringer<kWidth>& mine) {
  const FrontCells cells{front.m, front.p};
  const Index pivots = cells.pivot_tiles();
  const bool whole = task.kind != SweepTask::Kind::part;
  const ForwardStart<kWidth> from{task, front, view, memory};
  if (has_one_input(task) && task.row == 0) {
    ptx::barrier_wait(&shared.barrier.input_empty[inputs.at], inputs.phase ^ 1);
    leave_full(shared, inputs, mine.lane);  // as it is: the task's own numbers are to lie there
  }
  for (Index i = task.row; i < task.row + task.rows; ++i) {
    const Index end = has_one_input(task) ? task.column : last_column(task, i, pivots);
    const auto bring = [&](Index begin, Index to) {
      for (Index k = begin; k < to; ++k) bring_pivots(shared, inputs, mine, front, k, memory.numbers, whole && i < pivots && k + 1 == end);
    };
    if (!whole) {
      bring(task.column, end);
      continue;
    }
    Start<kWidth> start(shared, starts, mine, cells.rows_of(i));
    from.begin(start, cells, i);
    const Index late = max(end - kTilesAfterParts, task.column);
    bring(task.column, late);
    from.end(start);
    bring(late, end);
    if (has_one_input(task) && task.row > 0 && i == task.row) bring_pivots(shared, inputs, mine, front, 0, memory.numbers, false);
  }
}

/// Rows of x that a lane brings of tile row i: the front's own pivots, or its ancestors'.
template <int kWidth>
struct RowsBack {
  Index of[Bringer<kWidth>::kRounds];  // kNone: none
  Index last;
  __device__ RowsBack(const Front& front, const FrontCells& cells, Index i, const SweepView& view, const Bringer<kWidth>& mine) {
    const Index rows = cells.rows_of(i), pivot = front.first + i * kTile;
    const bool own = i < cells.pivot_tiles();
    const Index* row = view.row + front.row + cells.first_row(i);
#pragma unroll
    for (int j = 0; j < Bringer<kWidth>::kRounds; ++j) {
      const Index r = mine.row_of(j);
      of[j] = r >= rows ? kNone : own ? pivot + r : __ldg(row + r);
    }
    last = own ? pivot + rows - 1 : __ldg(row);
  }
};

template <int kWidth>
__device__ void bring_task_back(const Tiles<kWidth>& shared, const SweepTask& task, const Front& front, const SweepView& view,
                                const SweepMemory& memory, Turn<Shape<kWidth>::kInputs>& inputs, Turn<Shape<kWidth>::kStarts>& starts,
                                const Bringer<kWidth>& mine) {
  const FrontCells cells{front.m, front.p};
  const bool whole = task.kind != SweepTask::Kind::part;
  const auto part = [&](Index k) { return memory.backward_part + Offset{k} * (kTile * kWidth); };
  const auto bring = [&](Index begin, Index end) {  // from the last
    for (Index i = end; i-- > begin;) {
      const RowsBack<kWidth> rows(front, cells, i, view, mine);
      const auto at = [&](int j) { return rows.of[j] == kNone ? nullptr : memory.x + Offset{rows.of[j]} * kWidth + mine.column; };
      bring_tile(shared, inputs, mine, at, memory.x + Offset{rows.last} * kWidth, whole && i == task.row);
    }
  };
  if (!whole) return bring(task.row, task.row + task.rows);
  Start<kWidth> start(shared, starts, mine, cells.rows_of(task.column));
  start.template add<Add::first>(memory.y + Offset{front.first + task.column * kTile} * kWidth);
  for (Index k = 0; k + 1 < task.parts; ++k) start.template add<Add::less>(part(task.part + k));
  const Index late = task.row + min(kTilesAfterParts, task.rows);
  bring(late, task.row + task.rows);
  if (task.parts > 0) start.template add<Add::less>(part(task.part + task.parts - 1));
  start.end();
  bring(task.row, late);
}

template <bool kForward, int kWidth>
__device__ void run_bringer(const Tiles<kWidth>& shared, const SweepView& view, const WideMemory& memory) {
  const int thread = static_cast<int>(threadIdx.x) - 32 * (kLoader + 1);
  const Bringer<kWidth> mine(thread / 32, thread % 32);
  Turn<Shape<kWidth>::kInputs> inputs;
  Turn<Shape<kWidth>::kStarts> starts;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    const Front& front = shared.data.front[turn.at];
    if (task.kind != SweepTask::Kind::gather) {
      if constexpr (kForward)
        bring_task(shared, task, front, view, memory, inputs, starts, mine);
      else
        bring_task_back(shared, task, front, view, memory.numbers, inputs, starts, mine);
    }
    __syncwarp();
    if (mine.lane == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

}  // namespace kauri::numeric::cuda::sweep::wide
