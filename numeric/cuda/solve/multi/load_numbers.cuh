// The warps that load all entries of b, x, y, update rows and parts for the multiplying warps, for
// several right-hand sides. Each warp has some rows of every tile, 16 bytes per lane, and loads all
// of them at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/shared.cuh"
#include "numeric/cuda/solve/single/load.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// Rounds in which a lane loads its numbers of a tile, one row each: kMain rows from its first one
/// on, then kSpare rows from a second one on, kApart rows from one to the next.
template <int kWidth>
struct Rounds;
template <>
struct Rounds<8> {
  static constexpr int kApart = 24, kMain = 3, kSpare = 0;
};
template <>
struct Rounds<16> {
  static constexpr int kApart = 8, kMain = 6, kSpare = 2;
};
template <>
struct Rounds<32> {
  static constexpr int kApart = 8, kMain = 8, kSpare = 3;
};

/// The numbers of a tile that a lane loads: columns `column` and the next, of rows row, row +
/// kApart, ... in kMain rounds, then of rows spare, spare + kApart, ... in the other rounds; rows
/// from kTile on are left out. turn_of() is the same for all rows of either sequence, so each
/// sequence is one address plus constants.
template <int kWidth>
struct NumberLoader : Rounds<kWidth> {
  using Rounds<kWidth>::kApart, Rounds<kWidth>::kMain, Rounds<kWidth>::kSpare;
  static constexpr int kLanes = kWidth / 2;  // lanes that load one row, two columns each
  static constexpr int kRounds = kMain + kSpare;
  int lane, row, spare, column;
  /// Computes the lane's part. An object is made anew at each use: kept, it would cost registers of
  /// all loops.
  __device__ NumberLoader() {
    const int thread = ptx::thread_index() - 32 * (kLoader + 1), warp = thread / 32;
    lane = thread % 32, column = lane % kLanes * 2;
    const int r = lane / kLanes;
    if constexpr (kWidth == 8) row = 8 * warp + r, spare = kTile;
    if constexpr (kWidth == 16)
      row = warp < 2 ? 4 * warp + r : 48 + r, spare = warp < 2 ? kTile : 52 + r;
    if constexpr (kWidth == 32) row = 2 * warp + r, spare = 24 * warp + 6 + r;
    static_assert(kNumberLoaders == 3);
  }
  [[nodiscard]] __device__ int row_of(int round) const {
    return round < kMain ? row + kApart * round : spare + kApart * (round - kMain);
  }
  /// Returns the lane's pair of row row_of(round) of a tile in shared memory.
  template <class N>
  [[nodiscard]] __device__ PairOf<N>& at(N* tile, int round) const {
    const int first = place_of<N, kWidth>(round < kMain ? row : spare, column);
    return *reinterpret_cast<PairOf<N>*>(
        tile + first + (round < kMain ? round : round - kMain) * (kApart * kWidth));
  }
};

/// The operation by which loaded numbers change those of a tile in shared memory: they replace
/// them, are added to them, or are subtracted from them.
enum class Accumulate { set, add, subtract };

/// Loads a lane's numbers of a tile to x and waits until those of all lanes of the warp are set;
/// rows from rows.count on are zeros. kList: rows.row is not null. If `next`, all lanes poll
/// without pause; else lane 0 alone polls the row likely to be set last or, if rows are read once,
/// all pause. Unsets rows that are read once. Calls meanwhile() after the first loads.
template <bool kList, int kWidth, class N, class F>
__device__ __forceinline__ void await_rows(const Rows<N>& rows, bool next,
                                           const NumberLoader<kWidth>& mine,
                                           PairOf<N> (&x)[NumberLoader<kWidth>::kRounds],
                                           const F& meanwhile) {
  constexpr int kRounds = NumberLoader<kWidth>::kRounds, kMain = NumberLoader<kWidth>::kMain,
                kStep = NumberLoader<kWidth>::kApart * kWidth;
  N *main = nullptr, *spare = nullptr;
  Index row[kRounds];
  if constexpr (kList) {
#pragma unroll
    for (int j = 0; j < kRounds; ++j)
      row[j] = mine.row_of(j) < rows.count ? __ldg(rows.row + mine.row_of(j)) : 0;
  } else {
    main = rows.array + mine.row * kWidth + mine.column,
    spare = rows.array + mine.spare * kWidth + mine.column;
  }
  const auto place = [&](int j) {
    if constexpr (kList) return rows.array + Offset{row[j]} * kWidth + mine.column;
    return j < kMain ? main + j * kStep : spare + (j - kMain) * kStep;
  };
#pragma unroll
  for (int j = 0; j < kRounds; ++j) {
    x[j] = {0, 0};
    if (mine.row_of(j) < rows.count) x[j] = look(place(j));
  }
  meanwhile();
  Watch watch;
  for (;;) {
    bool all = true;
#pragma unroll
    for (int j = 0; j < kRounds; ++j) all = all && is_set(x[j]);
    if (__any_sync(kAll, !all) == 0) break;
    look_at<kRounds>(
        watch, [&](int j) { return is_set(x[j]); }, place);
    if (!next) {
      if (rows.once) {
        __nanosleep(kLater);  // no poll of the last row: another warp may have read and unset it
      } else if (mine.lane == 0) {
        await_there(rows.array + Offset{kList ? __ldg(rows.row + rows.last) : rows.last} * kWidth,
                    kLater);
      }
      __syncwarp();
    }
#pragma unroll
    for (int j = 0; j < kRounds; ++j)
      if (!is_set(x[j])) x[j] = look(place(j));
  }
  if (!rows.once) return;
#pragma unroll
  for (int j = 0; j < kRounds; ++j)
    if (mine.row_of(j) < rows.count) unset_pair(place(j));
}

/// Waits for a lane's numbers of a tile and, once phase `phase` of `empty` is complete, stores them
/// to `tile` in shared memory, or adds them to or subtracts them from the numbers that the same
/// lane has stored there (`how`). next, meanwhile: as for await_rows(). Called by all lanes of a
/// warp.
template <int kWidth, class S, class N, class F>
__device__ __forceinline__ void load_numbers(const Rows<N>& rows, N* tile, Accumulate how,
                                             bool next, std::uint64_t* empty, unsigned phase,
                                             const F& meanwhile) {
  constexpr int kRounds = NumberLoader<kWidth>::kRounds;
  const NumberLoader<kWidth> mine;
  PairOf<N> x[kRounds];
  if (rows.row != nullptr)
    await_rows<true>(rows, next, mine, x, meanwhile);
  else
    await_rows<false>(rows, next, mine, x, meanwhile);
  ptx::barrier_wait(empty, phase);
  if (sizeof(S) != sizeof(N) && rows.handed_on) {
#pragma unroll
    for (int j = 0; j < kRounds; ++j) x[j].x = handed_on<S>(x[j].x), x[j].y = handed_on<S>(x[j].y);
  }
  if (how != Accumulate::set) {
    const N sign = how == Accumulate::subtract ? N(-1) : N(1);
#pragma unroll
    for (int j = 0; j < kRounds; ++j) {
      if (mine.row_of(j) >= kTile) continue;
      const PairOf<N> to = mine.at(tile, j);
      x[j].x = fma(sign, x[j].x, to.x), x[j].y = fma(sign, x[j].y, to.y);
    }
  }
#pragma unroll
  for (int j = 0; j < kRounds; ++j)
    if (mine.row_of(j) < kTile) mine.at(tile, j) = x[j];
  __syncwarp();
}

/// Begins copies of a lane's numbers of a tile, set or unset, to `tile` in shared memory, as one
/// group of copies; they are under way when this returns. Rows from rows.count on become zeros.
template <int kWidth>
__device__ __forceinline__ void ask(const Rows<double>& rows, double* tile) {
  const NumberLoader<kWidth> mine;
#pragma unroll
  for (int j = 0; j < NumberLoader<kWidth>::kRounds; ++j) {
    const int r = mine.row_of(j);
    if (r >= kTile) continue;
    if (r < rows.count)
      ptx::copy_16_async(&mine.at(tile, j),
                         rows.array +
                             Offset{rows.row != nullptr ? __ldg(rows.row + r) : r} * kWidth +
                             mine.column);
    else
      mine.at(tile, j) = make_double2(0, 0);
  }
  ptx::commit_copies();
}

/// Waits for the copies that the warp began before its last group (ask() of `tile`), and returns
/// true if none of their numbers was unset when it was copied. Called by all lanes of a warp.
template <int kWidth>
__device__ __forceinline__ bool have_come(double* tile) {
  const NumberLoader<kWidth> mine;
  ptx::wait_for_copies<1>();
  bool all = true;
#pragma unroll
  for (int j = 0; j < NumberLoader<kWidth>::kRounds; ++j)
    all = all && (mine.row_of(j) >= kTile || is_set(mine.at(tile, j)));
  return __any_sync(kAll, !all) == 0;
}

/// Repeats the copies that ask() has begun for `tile` until all of its numbers were set when they
/// were copied; one later group of copies must have been committed. Lane 0 polls the row likely to
/// be set last, with shorter pauses if `next`.
template <int kWidth>
__device__ __forceinline__ void await_copies(const Rows<double>& rows, double* tile, bool next) {
  const NumberLoader<kWidth> mine;
  Watch watch;
  while (!have_come<kWidth>(tile)) {
    look_at<NumberLoader<kWidth>::kRounds>(
        watch, [&](int j) { return mine.row_of(j) >= kTile || is_set(mine.at(tile, j)); },
        [&](int j) {
          return rows.array +
                 Offset{rows.row != nullptr ? __ldg(rows.row + mine.row_of(j)) : mine.row_of(j)} *
                     kWidth;
        });
    if (ptx::thread_index() % 32 == 0) {
      const double* last =
          rows.array +
          Offset{rows.row != nullptr ? __ldg(rows.row + rows.last) : rows.last} * kWidth;
      Watch at_last;
      while (!is_set(load_relaxed(last)))
        at_last.look(Awaited::number, last, 0, 0), __nanosleep(next ? kSoon : kLater);
    }
    __syncwarp();
    ask<kWidth>(rows, tile);
    ptx::commit_copies();  // an empty group: have_come() leaves out the last
  }
}

/// Loads x[j] from at(j), until it is set, for all j; x[j] is zero if at(j) is null. Each lane
/// polls, with pauses.
template <int kCount, class Pair, class F>
__device__ void await_pairs(Pair (&x)[kCount], const F& at) {
  Watch watch;
#pragma unroll
  for (int j = 0; j < kCount; ++j)
    x[j].x = x[j].y = at(j) == nullptr ? 0 : unset_number<decltype(Pair::x)>();
  for (;;) {
    bool all = true;
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      if (!is_set(x[j])) x[j] = look(at(j));
#pragma unroll
    for (int j = 0; j < kCount; ++j) all = all && is_set(x[j]);
    if (all) return;
    look_at<kCount>(
        watch, [&](int j) { return is_set(x[j]); }, at);
    __nanosleep(kSoon);
  }
}

/// Writes to `tile`, in shared memory, the values that the sums of tile row i of a forward task
/// start from: b, and, unless other tasks add them up, the children's update rows one after the
/// other, which it unsets; waits for those of all of a lane's rows together, since each wait is a
/// trip to the L2 cache and back.
template <class K>
__device__ void put_starts(typename K::N* tile, const SweepTask& task, const Front& front, Index i,
                           const SweepView& view, const typename K::Memory& memory) {
  using Pair = typename K::Pair;
  constexpr int kRounds = NumberLoader<K::kWidth>::kRounds, kTogether = K::kWidth == 32 ? 1 : 2;
  const NumberLoader<K::kWidth> mine;
  const FrontCells cells{front.m, front.p};
  const Index row = cells.first_row(i), rows = cells.rows_of(i);
  const bool adds = task.kind != SweepTask::Kind::gathered;
  const std::uint32_t* ptr = view.ptr + front.row + task.front + row;
  std::uint32_t begin[kRounds], end[kRounds], most = 0;
  Pair x[kRounds];
#pragma unroll
  for (int j = 0; j < kRounds; ++j) {
    const int r = mine.row_of(j);
    begin[j] = adds && r < rows ? __ldg(ptr + r) : 0;
    end[j] = adds && r < rows ? __ldg(ptr + r + 1) : 0;
    x[j] = r < rows && row + r < front.p
               ? *reinterpret_cast<const Pair*>(
                     memory.rows + Offset{front.first + row + r} * K::kWidth + mine.column)
               : Pair{0, 0};
  }
#pragma unroll
  for (int j = 0; j < kRounds; ++j) {
    most = max(most, end[j] - begin[j]);
    if (mine.row_of(j) < kTile) mine.at(tile, j) = x[j];
  }
#pragma unroll 1
  for (std::uint32_t k = 0; k < most; k += kTogether) {
    Pair next[kTogether * kRounds];
    const auto place = [&](int j) {
      const std::uint32_t own =
          static_cast<std::uint32_t>(ptx::anew(static_cast<int>(begin[j % kRounds])));
      return memory.numbers.update +
             Offset{own + k + static_cast<std::uint32_t>(j / kRounds)} * K::kWidth + mine.column;
    };
    const auto there = [&](int j) {
      return k + static_cast<std::uint32_t>(j / kRounds) < end[j % kRounds] - begin[j % kRounds];
    };
    await_pairs(next, [&](int j) { return there(j) ? place(j) : nullptr; });
#pragma unroll
    for (int j = 0; j < kTogether * kRounds; ++j) {
      if (!there(j)) continue;
      Pair& to = mine.at(tile, j % kRounds);
      to = sum_of(to, next[j]);
      unset_pair(place(j));
    }
  }
  __syncwarp();
}

/// Steps of a sum over tiles, in order: `adds` vectors that its start is made of, and `inputs`
/// tiles to multiply by. The last vector, step `late`, comes just before the last kTilesAfter
/// tiles, since it is made of the numbers just before those of these tiles. is_add(s): step s is a
/// vector; add(s) and input(s): its number among the vectors, or among the tiles.
struct Sequence {
  static constexpr Index kTilesAfter = 2;
  Index adds, inputs, late;
  __device__ Sequence(Index vectors, Index tiles)
      : adds(vectors),
        inputs(tiles),
        late(vectors > 0 ? vectors - 1 + max(tiles - kTilesAfter, 0) : -1) {}
  [[nodiscard]] __device__ bool is_add(Index s) const { return s < adds - 1 || s == late; }
  [[nodiscard]] __device__ Index add(Index s) const { return s == late ? adds - 1 : s; }
  [[nodiscard]] __device__ Index input(Index s) const { return s - adds + (s < late ? 1 : 0); }
};

template <bool kForward>
__device__ Sequence sequence_of(const SweepTask& task, const FrontCells& cells, Index i) {
  const bool whole = task.kind != SweepTask::Kind::part;
  if constexpr (!kForward) return {whole ? task.parts + 1 : 0, task.rows};
  const Index adds = task.parts + (task.kind == SweepTask::Kind::gathered ? 1 : 0);
  if (has_one_input(task)) return {adds, task.row > 0 && i == task.row ? 1 : 0};
  return {whole ? adds : 0, last_column(task, i, cells.pivot_tiles()) - task.column};
}

/// Returns vector number `a` of the vectors that make the start of tile row (backward: column) i:
/// backward y, then the parts to subtract; forward the gathered sum, if the task has one, then the
/// parts.
template <bool kForward, class K>
__device__ Rows<typename K::N> vector_of(const SweepTask& task, const Front& front, Index i,
                                         Index a, const typename K::Numbers& memory) {
  const Index count = FrontCells{front.m, front.p}.rows_of(i);
  using N = typename K::N;
  const auto part = [&](N* parts, Index k) { return parts + Offset{k} * (kTile * K::kWidth); };
  if constexpr (kForward) {
    const bool gathered = task.kind == SweepTask::Kind::gathered;
    const Index k = !gathered ? a : a == 0 ? task.parts : a - 1;
    return {part(memory.forward_part, task.part + k), nullptr, count, count - 1, true};
  } else {
    N* from = a == 0 ? memory.y + Offset{front.first + i * kTile} * K::kWidth
                     : part(memory.backward_part, task.part + a - 1);
    return {from, nullptr, count, count - 1, a > 0, a == 0};
  }
}

/// Returns the n-th tile of numbers that a task's tiles are multiplied by: forward y of pivot
/// tiles, backward x of tile rows from the last, of the front's pivots or of its ancestors'.
template <bool kForward, class K>
__device__ Rows<typename K::N> input_of(const SweepTask& task, const Front& front, Index n,
                                        const SweepView& view, const typename K::Numbers& memory) {
  const FrontCells cells{front.m, front.p};
  const Index k = kForward ? task.column + n : task.row + task.rows - 1 - n,
              count = cells.rows_of(k);
  if (k < cells.pivot_tiles())
    return {(kForward ? memory.y : memory.x) + Offset{front.first + k * kTile} * K::kWidth, nullptr,
            count, count - 1, false};
  return {memory.x, view.row + front.row + cells.first_row(k), count, 0, false};
}

/// Positions in the rings of inputs and starts of a warp that loads numbers.
template <class K>
struct NumberRings {
  Turn<RingLengths<K>::kInputs> input;
  Turn<RingLengths<K>::kStarts> start;
};

/// True if a tile is asked for before the one before it has come: the ring of inputs has room, and
/// the pair of numbers of a lane is a unit of copies past the L1 cache, which would hand out
/// numbers that have been set since.
template <class K>
constexpr bool kAhead = RingLengths<K>::kInputs > 2 && sizeof(typename K::Pair) == 16;

template <class Turn>
__device__ void leave_full(std::uint64_t* full, Turn& turn) {
  __syncwarp();
  if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(full + turn.at);
  turn.next();
}

/// Loads all numbers of the sums of tile row i of a task, or backward of tile column i: the
/// numbers that the sums start from, and the numbers to multiply by, in the order of sequence_of().
/// Called by the warps that load numbers.
template <bool kForward, class K>
__device__ void load_sums(const Tiles<K>& shared, NumberRings<K>& rings, const SweepTask& task,
                          const Front& front, Index i, const SweepView& view,
                          const typename K::Memory& memory) {
  const FrontCells cells{front.m, front.p};
  const bool whole = task.kind != SweepTask::Kind::part;
  const Sequence sequence = sequence_of<kForward>(task, cells, i);
  if constexpr (kForward) {
    if (whole) {
      ptx::barrier_wait(&shared.barrier.start_empty[rings.start.at], rings.start.phase ^ 1);
      put_starts<K>(shared.data.start[rings.start.at], task, front, i, view, memory);
      if (sequence.adds == 0) leave_full(shared.barrier.start_full, rings.start);
    }
  }
  const bool chain = whole && (!kForward || (i < cells.pivot_tiles() && !has_one_input(task)));
  const auto is_next = [&](Index n) { return chain && n + 2 >= sequence.inputs; };
  const auto input = [&](Index n) {
    return input_of<kForward, K>(task, front, n, view, memory.numbers);
  };
  Index asked = -1;  // number of the input whose copies are under way, to place `coming`; -1: none
  Turn<RingLengths<K>::kInputs> coming;
  const auto finish = [&] {
    if constexpr (kAhead<K>)
      await_copies<K::kWidth>(input(asked), shared.data.input[coming.at], is_next(asked));
    leave_full(shared.barrier.input_full, coming);
  };
#pragma unroll 1
  for (Index s = 0; s < sequence.adds + sequence.inputs; ++s) {
    const bool add = sequence.is_add(s);
    const Index n = add ? sequence.add(s) : sequence.input(s);
    if constexpr (kAhead<K>) {
      if (!add && n + 1 < sequence.inputs) {
        ptx::barrier_wait(&shared.barrier.input_empty[rings.input.at], rings.input.phase ^ 1);
        ask<K::kWidth>(input(n), shared.data.input[rings.input.at]);
        if (asked >= 0) finish();
        asked = n, coming = rings.input;
        rings.input.next();
        continue;
      }
    }
    const Rows<typename K::N> rows =
        add ? vector_of<kForward, K>(task, front, i, n, memory.numbers) : input(n);
    const bool first = n == 0 && (!kForward || task.kind == SweepTask::Kind::gathered);
    const Accumulate how = !add || (first && !kForward) ? Accumulate::set
                           : first                      ? Accumulate::add
                                                        : Accumulate::subtract;
    load_numbers<K::kWidth, typename K::S>(
        rows, add ? shared.data.start[rings.start.at] : shared.data.input[rings.input.at], how,
        !add && is_next(n),
        add ? &shared.barrier.start_empty[rings.start.at]
            : &shared.barrier.input_empty[rings.input.at],
        (add ? rings.start.phase : rings.input.phase) ^ 1, [&] {
          if (!kAhead<K> || asked < 0) return;
          ptx::commit_copies();  // an empty group: have_come() leaves out the last
          finish();
          asked = -1;
        });
    if (!add)
      leave_full(shared.barrier.input_full, rings.input);
    else if (s == sequence.late)
      leave_full(shared.barrier.start_full, rings.start);
  }
}

template <bool kForward, class K>
__device__ void load_task_numbers(const Tiles<K>& shared, NumberRings<K>& rings,
                                  const SweepTask& task, const Front& front, const SweepView& view,
                                  const typename K::Memory& memory) {
  if constexpr (!kForward)
    return load_sums<false>(shared, rings, task, front, task.column, view, memory);
  if (has_one_input(task) && task.row == 0) {
    ptx::barrier_wait(&shared.barrier.input_empty[rings.input.at], rings.input.phase ^ 1);
    leave_full(shared.barrier.input_full,
               rings.input);  // this input is not filled: the task stores its own numbers there
  }
  for (Index i = task.row; i < task.row + task.rows; ++i)
    load_sums<true>(shared, rings, task, front, i, view, memory);
}

template <bool kForward, class K>
__device__ void run_number_loader(const Tiles<K>& shared, const SweepView& view,
                                  const typename K::Memory& memory) {
  NumberRings<K> rings;
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_full[turn.at], turn.phase);
    const SweepTask& task = shared.data.task[turn.at];
    if (task.front == kNone) return;
    watchdog::take_handed(turn.at);
    if (task.kind != SweepTask::Kind::gather)
      load_task_numbers<kForward>(shared, rings, task, shared.data.front[turn.at], view, memory);
    __syncwarp();
    if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(&shared.barrier.task_empty[turn.at]);
  }
}

}  // namespace kauri::numeric::cuda::sweep::multi
