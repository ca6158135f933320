// Residuals, each row summed in about twice the precision of T; denominators after Arioli, Demmel &
// Duff 1989. A thread sums a row, whose entries all threads of the block load; a row of more than
// kResidualSegment entries is summed by a block, one segment a thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cfloat>

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/matrix/spmv/stage.cuh"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/kernel/atomic_max.cuh"
#include "numeric/cuda/runtime/kernel/dot2.cuh"
#include "numeric/cuda/runtime/kernel/shared_objects.cuh"
#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr int kWarps = kSpmvThreads / 32;
constexpr unsigned kNormBlocks = 512;

/// Sums along a row or a part of it, rounded as on the CPU: b - A x; |b| + |A| |x|; the row sum of
/// |A|.
struct RowSum {
  Dot2 dot{0, 0};
  double magnitude = 0, row_norm = 0;

  __device__ void begin(double b) { dot.sum = b, magnitude = fabs(b); }
  template <class T>
  __device__ void subtract(double v, double x) {
    dot.subtract<T>(v, x);
    magnitude = __dadd_rn(magnitude, fabs(__dmul_rn(v, x)));
    row_norm = __dadd_rn(row_norm, fabs(v));
  }
  /// Adds the sums of the part that follows.
  __device__ void join(const RowSum& next) {
    const double sum = __dadd_rn(dot.sum, next.dot.sum), shadow = __dsub_rn(sum, dot.sum);
    const double lost =
        __dadd_rn(__dsub_rn(dot.sum, __dsub_rn(sum, shadow)), __dsub_rn(next.dot.sum, shadow));
    dot.error = __dadd_rn(dot.error, __dadd_rn(lost, next.dot.error));
    dot.sum = sum;
    magnitude = __dadd_rn(magnitude, next.magnitude);
    row_norm = __dadd_rn(row_norm, next.row_norm);
  }
  /// Returns the sums of another lane. All lanes of the warp call it with the same `lane`.
  [[nodiscard]] __device__ RowSum of_lane(int lane) const {
    RowSum other;
    other.dot.sum = __shfl_sync(~0U, dot.sum, lane);
    other.dot.error = __shfl_sync(~0U, dot.error, lane);
    other.magnitude = __shfl_sync(~0U, magnitude, lane);
    other.row_norm = __shfl_sync(~0U, row_norm, lane);
    return other;
  }
};

template <class T>
__global__ void __launch_bounds__(kSpmvThreads)
    norms_of_x(Index n, ResidualColumns<T> columns, ResidualNorms* norms) {
  __shared__ double of_warp[kWarps];
  if (is_skipped(columns.run_flag)) return;
  for (Index c = 0; c < columns.count; ++c) {
    double most = 0;
    for (Offset i = Offset{blockIdx.x} * kSpmvThreads + threadIdx.x; i < n;
         i += Offset{gridDim.x} * kSpmvThreads)
      most = max_or_nan(fabs(static_cast<double>(columns.x(i, c))), most);
    atomic_max_over_block<kWarps>(&norms[c].x, most, of_warp);
  }
}

/// Returns |r|, the row sum of |A| and the componentwise error of a row. sum: the row's sums; r:
/// its b - A x, rounded to T; b: |b| of the row; count: its entries; x_norm: infinity norm of x.
template <class T>
__device__ ResidualWorst row_worst(const RowSum& sum, double r, double b, Offset count,
                                   double x_norm) {
  constexpr double epsilon = sizeof(T) == 4 ? double{FLT_EPSILON} : DBL_EPSILON;
  const double residual = fabs(r), entries = static_cast<double>(count),
               reach = __dmul_rn(sum.row_norm, x_norm);
  // A denominator |b| + |A| |x| that consists of rounding errors has no meaning: the row is then of
  // the second kind of Arioli, Demmel & Duff, whose denominator also has the row sum times x_norm.
  const double noise = 1000 * entries * epsilon * __dadd_rn(reach, fabs(b));
  const double scale = sum.magnitude > noise || is_too_large(reach, x_norm)
                           ? sum.magnitude
                           : __dadd_rn(sum.magnitude, reach);
  return {residual, sum.row_norm, residual == 0 ? 0 : residual / scale};
}

/// Stores the results of one column, and raises its norms, which are maxima. All threads of the
/// block call finish(), each with a row (`there`) or without one.
template <class T, bool kApart>
struct Ends {
  const ResidualColumns<T>& columns;
  ResidualNorms* norms;
  double* of_warp;

  [[nodiscard]] __device__ double b(Index c, Offset row) const {
    return columns.b.data == nullptr
               ? 0
               : static_cast<double>((&columns.b(0, c))[row_place<kApart>(row, columns.b.row)]);
  }
  __device__ void finish(Index c, Offset row, bool there, const RowSum& sum, Offset count) const {
    ResidualWorst worst{0, 0, 0};
    double b_norm = 0;
    if (there) {
      const T value = static_cast<T>(sum.dot.value());
      (&columns.y(0, c))[row_place<kApart>(row, columns.y.row)] =
          columns.b.data == nullptr ? static_cast<T>(0 - sum.dot.value()) : value;
      if (norms != nullptr) {
        b_norm = fabs(b(c, row));
        worst = row_worst<T>(sum, static_cast<double>(value), b_norm, count, norms[c].x);
      }
    }
    if (norms == nullptr) return;
    atomic_max_over_block<kWarps>(&norms[c].worst.residual, worst.residual, of_warp);
    atomic_max_over_block<kWarps>(&norms[c].worst.row_norm, worst.row_norm, of_warp);
    atomic_max_over_block<kWarps>(&norms[c].worst.componentwise, worst.componentwise, of_warp);
    atomic_max_over_block<kWarps>(&norms[c].b, b_norm, of_warp);
  }
};

/// Sums one row of more than kResidualSegment entries by all threads of the block: each thread a
/// segment, each warp a stretch, in rounds. `of_warp`: shared memory, kWarps sums.
template <bool kApart, class T>
__device__ void long_row(const RowsView<T>& a, Index row, const ResidualColumns<T>& columns,
                         const Ends<T, kApart>& ends, RowSum* of_warp) {
  const Offset begin = a.ptr[row], count = a.ptr[row + 1] - begin;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  for (Index c = 0; c < columns.count; ++c) {
    const T* x = &columns.x(0, c);
    RowSum all;  // valid in thread 0
    for (Offset round = 0; round < count; round += kWarps * kResidualStretch) {
      const Offset stretch = round + warp * kResidualStretch,
                   segment = stretch + lane * kResidualSegment;
      RowSum sum;
      if (segment == 0) sum.begin(ends.b(c, row));
      for (Offset k = segment; k < min(segment + kResidualSegment, count); ++k)
        sum.subtract<T>(static_cast<double>(a.value[begin + k]),
                        static_cast<double>(x[row_place<kApart>(a.col[begin + k], columns.x.row)]));
      for (int l = 1; l < 32 && stretch + l * kResidualSegment < count; ++l) {
        const RowSum next = sum.of_lane(l);
        if (lane == 0) sum.join(next);
      }
      if (lane == 0) of_warp[warp] = sum;
      __syncthreads();
      for (int w = 0; threadIdx.x == 0 && w < kWarps && round + w * kResidualStretch < count; ++w) {
        if (round == 0 && w == 0)
          all = of_warp[0];
        else
          all.join(of_warp[w]);
      }
      __syncthreads();
    }
    ends.finish(c, row, threadIdx.x == 0, all, count);
  }
}

/// Computes Y = A X or Y = B - A X, one ResidualTask a block. norms: null for Y = A X; else norms
/// of x in, and all other norms out. kApart: rows of x, b or y need not lie side by side.
template <class T, bool kApart>
__global__ void __launch_bounds__(kSpmvThreads)
    sum_rows(RowsView<T> a, ResidualColumns<T> columns, ResidualNorms* norms) {
  __shared__ T value[kSkewedChunk<T>], factor[kSkewedChunk<T>];
  __shared__ SharedObjects<RowSum, kWarps> part_of_warp;
  __shared__ double of_warp[kWarps];
  if (is_skipped(columns.run_flag)) return;
  const Ends<T, kApart> ends{columns, norms, of_warp};
  const ResidualTask task = a.task[blockIdx.x];
  if (task.rows == 0) return long_row<kApart>(a, task.first, columns, ends, part_of_warp.of);
  const Offset base = a.ptr[task.first] & ~Offset{3}, end = a.ptr[task.first + task.rows];
  const bool there = static_cast<Index>(threadIdx.x) < task.rows;
  const Offset row = Offset{task.first} + threadIdx.x;
  const int row_begin = there ? static_cast<int>(a.ptr[row] - base) : 0,
            row_end = there ? static_cast<int>(a.ptr[row + 1] - base) : 0;
  ChunkPart<T> part;
  part.load(a.col, a.value, base, end);
  part.each(base, end, [&](int at, int g, int k) { value[skewed<T>(at)] = part.value[g][k]; });
  for (Index c = 0; c < columns.count; ++c) {
    const T* x = &columns.x(0, c);
    if (c > 0) __syncthreads();  // all sums of the column before have been made
    part.each(base, end, [&](int at, int g, int k) {
      factor[skewed<T>(at)] = __ldg(x + row_place<kApart>(part.col[g][k], columns.x.row));
    });
    __syncthreads();
    RowSum sum;
    if (there) sum.begin(ends.b(c, row));
    for (int k = row_begin; k < row_end; ++k)
      sum.subtract<T>(static_cast<double>(value[skewed<T>(k)]),
                      static_cast<double>(factor[skewed<T>(k)]));
    ends.finish(c, row, there, sum, row_end - row_begin);
  }
}

template <class T>
void launch_sums(const RowsView<T>& a, const ResidualColumns<T>& columns, ResidualNorms* norms,
                 cudaStream_t stream) {
  const bool apart =
      columns.x.row != 1 || columns.y.row != 1 || (columns.b.data != nullptr && columns.b.row != 1);
  auto* kernel = apart ? sum_rows<T, true> : sum_rows<T, false>;
  check(kernels::launch(kernel, static_cast<unsigned>(a.tasks), kSpmvThreads, 0, stream, a, columns,
                        norms),
        "sums over rows of A");
}

}  // namespace

template <class T>
void load_residual_kernels() {
  load(norms_of_x<T>);
  load(sum_rows<T, false>), load(sum_rows<T, true>);
}

template <class T>
void enqueue_product(const RowsView<T>& a, const ResidualColumns<T>& columns, cudaStream_t stream) {
  if (a.tasks == 0) return;
  launch_sums(a, columns, nullptr, stream);
}

template <class T>
void enqueue_residual(const RowsView<T>& a, const ResidualColumns<T>& columns, ResidualNorms* norms,
                      cudaStream_t stream) {
  check(cudaMemsetAsync(norms, 0, static_cast<std::size_t>(columns.count) * sizeof(ResidualNorms),
                        stream),
        "norms");
  if (a.tasks == 0) return;
  const auto blocks = static_cast<unsigned>((Offset{a.n} + kSpmvThreads - 1) / kSpmvThreads);
  check(kernels::launch(norms_of_x<T>, std::min(blocks, kNormBlocks), kSpmvThreads, 0, stream, a.n,
                        columns, norms),
        "a residual");
  launch_sums(a, columns, norms, stream);
}

template <class T>
void enqueue_residual_sums(const RowsView<T>& a, const ResidualColumns<T>& columns,
                           ResidualNorms* norms, cudaStream_t stream) {
  if (a.tasks > 0) launch_sums(a, columns, norms, stream);
}

#define KAURI_INSTANTIATE(T)                                                                    \
  template void load_residual_kernels<T>();                                                     \
  template void enqueue_product(const RowsView<T>&, const ResidualColumns<T>&, cudaStream_t);   \
  template void enqueue_residual(const RowsView<T>&, const ResidualColumns<T>&, ResidualNorms*, \
                                 cudaStream_t);                                                 \
  template void enqueue_residual_sums(const RowsView<T>&, const ResidualColumns<T>&,            \
                                      ResidualNorms*, cudaStream_t);
KAURI_INSTANTIATE(float)
KAURI_INSTANTIATE(double)
#undef KAURI_INSTANTIATE

}  // namespace kauri::numeric::cuda
