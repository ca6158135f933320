// The kernels that copy the right-hand sides of a solve to rows of the order of L, and the solution
// back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/solve/multi/shared.cuh"

namespace kauri::numeric::cuda::sweep::multi {
namespace {

constexpr int kCopyThreads = 256, kCopyRows = 32;

/// Returns the offset of row k and column c of a block of right-hand sides in an array that holds n
/// rows of kWidth columns for each group.
template <int kWidth>
__device__ Offset place_of_row(Index k, int c, Index n) {
  return (Offset{c / kWidth} * n + k) * kWidth + c % kWidth;
}

/// Calls f(row, column) for kCopyRows rows of kColumns, along rows if kByRows, else along columns.
/// The threads of a block share out the calls.
template <int kColumns, bool kByRows, class F>
__device__ void for_block(const F& f) {
#pragma unroll
  for (int j = 0; j < kCopyRows * kColumns / kCopyThreads; ++j) {
    const int e = static_cast<int>(threadIdx.x) + kCopyThreads * j;
    if constexpr (kByRows)
      f(e / kColumns, e % kColumns);
    else
      f(e % kCopyRows, e / kCopyRows);
  }
}

/// Calls f(row, column) for kCopyRows rows of kColumns, along the direction that is contiguous in
/// the caller's array: along columns if the array's rows are `step` = 1 apart, else along rows.
template <int kColumns, class F>
__device__ void for_caller(Offset step, const F& f) {
  if (step == 1)
    for_block<kColumns, false>(f);
  else
    for_block<kColumns, true>(f);
}

/// Copies b to memory.rows, by rows, unsets x and y of the solve, and sets its tickets to -1. If
/// not `forward`, for a backward sweep alone or no sweep, y = b instead, with the caller's NaNs
/// replaced, which could have the bits of an unset number.
template <class S, class N, int kWidth, int kColumns>
__global__ void __launch_bounds__(kCopyThreads) take_b(MultiMemory<S, N> memory, bool forward) {
  if (!ptx::begin_block()) return;
  if (is_skipped(memory.numbers.run_flag)) return;
  __shared__ N block[kColumns][kCopyRows + 1];
  const Index first = static_cast<Index>(blockIdx.x) * kCopyRows;
  if (blockIdx.x == 0 && threadIdx.x < symbolic::kMultiTickets)
    memory.numbers.ticket[threadIdx.x] = -1;
  for_caller<kColumns>(memory.numbers.b_step, [&](int r, int c) {
    const bool there = first + r < memory.n && c < memory.columns;
    block[c][r] =
        there ? static_cast<N>(
                    memory.numbers.b[(first + r) * memory.numbers.b_step + c * memory.b_column])
              : N(0);
  });
  __syncthreads();
  for_block<kColumns, true>([&](int r, int c) {
    if (first + r >= memory.n || c / kWidth >= memory.groups) return;
    const Offset place = place_of_row<kWidth>(row_of(memory.b_row, first + r), c, memory.n);
    memory.numbers.x[place] = unset_number<N>();
    memory.numbers.y[place] = forward ? unset_number<N>() : as_number(block[c][r]);
    if (forward) memory.rows[place] = block[c][r];
  });
}

/// Copies `from`, x or after a forward sweep alone y, to out; writes NaN if the verdict is not
/// good.
template <class S, class N, int kWidth, int kColumns>
__global__ void __launch_bounds__(kCopyThreads) give_x(MultiMemory<S, N> memory, const N* from) {
  if (!ptx::begin_block()) return;
  if (is_skipped(memory.numbers.run_flag)) return;
  __shared__ N block[kColumns][kCopyRows + 1];
  const Index first = static_cast<Index>(blockIdx.x) * kCopyRows;
  const bool good = memory.numbers.verdict->status == VerdictStatus::positive_definite;
  for_block<kColumns, true>([&](int r, int c) {
    if (first + r < memory.n && c < memory.columns)
      block[c][r] = from[place_of_row<kWidth>(row_of(memory.out_row, first + r), c, memory.n)];
  });
  __syncthreads();
  for_caller<kColumns>(memory.numbers.out_step, [&](int r, int c) {
    if (first + r < memory.n && c < memory.columns)
      memory.numbers.out[(first + r) * memory.numbers.out_step + c * memory.out_column] =
          good ? static_cast<S>(block[c][r]) : std::numeric_limits<S>::quiet_NaN();
  });
}

inline unsigned copy_blocks(Index n) {
  return static_cast<unsigned>((Offset{n} + kCopyRows - 1) / kCopyRows);
}

}  // namespace
}  // namespace kauri::numeric::cuda::sweep::multi
