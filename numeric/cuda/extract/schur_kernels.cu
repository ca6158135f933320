// Products with L22: one thread for each number of the result, which adds up the terms of the
// fronts, column after column, in the order and with the roundings of the host's loops
// (src/facade/schur.cpp). The rows of OrderingOptions::last are the pivots of one front; any other
// number of last rows may be pivots of several.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/schur_kernels.hpp"

#include <algorithm>
#include <limits>

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/kernel/unfused.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr Offset kMostBlocks = 1 << 16;

/// Calls f(i, j) for all entries of a matrix, by all threads of the launch; neighbouring threads
/// have neighbouring rows.
template <class F>
__device__ void for_entries(Index rows, Index cols, const F& f) {
  const Offset all = Offset{rows} * cols, stride = Offset{gridDim.x} * kThreads;
  for (Offset e = Offset{blockIdx.x} * kThreads + threadIdx.x; e < all; e += stride)
    f(static_cast<Index>(e % rows), static_cast<Index>(e / rows));
}

/// Returns `value`, or NaN if the verdict is not good.
template <class T>
__device__ T if_good(const LastBlock<T>& block, T value) {
  return block.verdict->status == VerdictStatus::positive_definite
             ? value
             : std::numeric_limits<T>::quiet_NaN();
}

/// Returns the position in a front of row `row` of B, or kNone if the front does not have this row.
__device__ Index row_in(const PlanView& plan, const Front& f, Index row) {
  if (row < f.first + f.p) return row < f.first ? kNone : row - f.first;
  const Index* below = plan.row + f.row + f.p;
  const Index q = f.m - f.p, at = lower_bound(below, q, row);
  return at < q && below[at] == row ? f.p + at : kNone;
}

/// Returns the index in a front of its first pivot that is one of the last rows.count columns of B.
__device__ Index first_column(const LastRows& rows, const Front& f) {
  return max(0, rows.begin - f.first);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    last_product(LastBlock<T> block, Index cols, StridedView<const T> y2, StridedView<T> g) {
  const LastRows& rows = block.rows;
  for_entries(rows.count, cols, [&](Index i, Index column) {
    const Index row = rows.begin + i;
    T sum = T(0);
    for (Index s = rows.front; s < rows.fronts; ++s) {
      const Front& f = block.plan.front[s];
      if (f.first > row) break;
      const Index r = row_in(block.plan, f, row);
      if (r == kNone) continue;
      for (Index c = first_column(rows, f); c < min(f.p, r + 1); ++c)
        sum = add_rn(sum,
                     mul_rn(block.l[factor_place(f, r, c)], y2(f.first + c - rows.begin, column)));
    }
    g(i, column) = if_good(block, sum);
  });
}

/// Returns the front that eliminates column `column` of B, one of the last rows.count columns.
__device__ Index front_of(const PlanView& plan, const LastRows& rows, Index column) {
  Index low = rows.front, high = rows.fronts;  // first of low <= column < first of high
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (plan.front[middle].first <= column ? low : high) = middle;
  }
  return low;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    last_transposed(LastBlock<T> block, Index cols, StridedView<const T> x2, StridedView<T> y2) {
  const LastRows& rows = block.rows;
  for_entries(rows.count, cols, [&](Index k, Index column) {
    const Front& f = block.plan.front[front_of(block.plan, rows, rows.begin + k)];
    const Index c = rows.begin + k - f.first;
    T sum = T(0);
    for (Index r = c; r < f.m; ++r) {
      const Index row = block.plan.row[f.row + r] - rows.begin;
      sum = add_rn(sum, mul_rn(block.l[factor_place(f, r, c)], x2(row, column)));
    }
    y2(k, column) = if_good(block, sum);
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads) last_square(LastBlock<T> block, StridedView<T> out) {
  const LastRows& rows = block.rows;
  for_entries(rows.count, rows.count, [&](Index i, Index j) {
    if (i < j) return;
    T sum = T(0);
    for (Index s = rows.front; s < rows.fronts; ++s) {
      const Front& f = block.plan.front[s];
      if (f.first > rows.begin + j) break;
      const Index upper = row_in(block.plan, f, rows.begin + j);
      const Index lower = upper == kNone ? kNone : row_in(block.plan, f, rows.begin + i);
      if (lower == kNone) continue;
      for (Index c = first_column(rows, f); c < min(f.p, upper + 1); ++c)
        sum = add_rn(
            sum, mul_rn(block.l[factor_place(f, upper, c)], block.l[factor_place(f, lower, c)]));
    }
    out(i, j) = if_good(block, sum);
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    below_zeros(Index begin, Index count, Index cols, StridedView<const T> g, StridedView<T> y) {
  for_entries(begin + count, cols, [&](Index i, Index column) {
    y(i, column) = i < begin ? T(0) : g(i - begin, column);
  });
}

/// Copies the last rows of L to y, one warp for each front; these rows are the last ones of every
/// front.
template <class T>
__global__ void __launch_bounds__(kThreads) rows_of_l(LastBlock<T> block, StridedView<T> y) {
  const LastRows& rows = block.rows;
  const Index warps = static_cast<Index>(gridDim.x * (kThreads / 32)),
              lane = static_cast<Index>(threadIdx.x % 32);
  for (Index s = static_cast<Index>((blockIdx.x * kThreads + threadIdx.x) / 32); s < rows.fronts;
       s += warps) {
    const Front& f = block.plan.front[s];
    for (Index c = lane; c < f.p; c += 32)
      for (Index r = 0; r < rows.count; ++r)
        y(f.first + c, r) =
            f.first + c < rows.begin ? block.l[factor_place(f, f.m - rows.count + r, c)] : T(0);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    copy_matrix(Index rows, Index cols, StridedView<const T> from, StridedView<T> to) {
  for_entries(rows, cols, [&](Index i, Index column) { to(i, column) = from(i, column); });
}

/// Launches one thread for each of `entries` entries, but at most kMostBlocks blocks, which are
/// enough for any device: threads of for_entries() take several entries.
template <class... P, class... A>
void over(void (*kernel)(P...), Offset entries, cudaStream_t stream, A&&... arguments) {
  if (entries == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min((entries + kThreads - 1) / kThreads, kMostBlocks));
  check(kernels::launch(kernel, blocks, kThreads, 0, stream, std::forward<A>(arguments)...),
        "a launch of a Schur complement");
}

template <class T>
void load_schur() {
  load(last_product<T>);
  load(last_transposed<T>);
  load(last_square<T>);
  load(below_zeros<T>);
  load(rows_of_l<T>);
  load(copy_matrix<T>);
}

}  // namespace

void load_schur_kernels() {
  load_schur<float>();
  load_schur<double>();
}

template <class T>
void enqueue_last_product(const LastBlock<T>& block, Index cols, const StridedView<const T>& y2,
                          const StridedView<T>& g, cudaStream_t stream) {
  over(last_product<T>, Offset{block.rows.count} * cols, stream, block, cols, y2, g);
}

template <class T>
void enqueue_last_transposed(const LastBlock<T>& block, Index cols, const StridedView<const T>& x2,
                             const StridedView<T>& y2, cudaStream_t stream) {
  over(last_transposed<T>, Offset{block.rows.count} * cols, stream, block, cols, x2, y2);
}

template <class T>
void enqueue_last_square(const LastBlock<T>& block, const StridedView<T>& s, cudaStream_t stream) {
  over(last_square<T>, Offset{block.rows.count} * block.rows.count, stream, block, s);
}

template <class T>
void enqueue_below_zeros(Index begin, Index count, Index cols, const StridedView<const T>& g,
                         const StridedView<T>& y, cudaStream_t stream) {
  over(below_zeros<T>, Offset{begin + count} * cols, stream, begin, count, cols, g, y);
}

template <class T>
void enqueue_rows_of_l(const LastBlock<T>& block, const StridedView<T>& y, cudaStream_t stream) {
  over(rows_of_l<T>, Offset{block.rows.fronts} * 32, stream, block, y);
}

template <class T>
void enqueue_copy(Index rows, Index cols, const StridedView<const T>& from,
                  const StridedView<T>& to, cudaStream_t stream) {
  over(copy_matrix<T>, Offset{rows} * cols, stream, rows, cols, from, to);
}

#define KAURI_SCHUR_LAUNCHES(T)                                                                  \
  template void enqueue_last_product(const LastBlock<T>&, Index, const StridedView<const T>&,    \
                                     const StridedView<T>&, cudaStream_t);                       \
  template void enqueue_last_transposed(const LastBlock<T>&, Index, const StridedView<const T>&, \
                                        const StridedView<T>&, cudaStream_t);                    \
  template void enqueue_last_square(const LastBlock<T>&, const StridedView<T>&, cudaStream_t);   \
  template void enqueue_below_zeros(Index, Index, Index, const StridedView<const T>&,            \
                                    const StridedView<T>&, cudaStream_t);                        \
  template void enqueue_rows_of_l(const LastBlock<T>&, const StridedView<T>&, cudaStream_t);     \
  template void enqueue_copy(Index, Index, const StridedView<const T>&, const StridedView<T>&,   \
                             cudaStream_t);
KAURI_SCHUR_LAUNCHES(float)
KAURI_SCHUR_LAUNCHES(double)
#undef KAURI_SCHUR_LAUNCHES

}  // namespace kauri::numeric::cuda
