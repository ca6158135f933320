// Kernels of a mixed solve: passes over the entries of A and over vectors. The order of a sum
// depends on n alone; maxima are raised by integer atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/mixed_kernels.hpp"

#include <algorithm>

#include "numeric/cuda/runtime/kernel/atomic_max.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"
#include "numeric/scaling_rule.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 1024;
constexpr int kWarps = kThreads / 32;

/// Calls f(i) for 0 <= i < count, rows or entries, by all threads of the launch.
template <class F>
__device__ void for_all(Offset count, const F& f) {
  for (Offset i = Offset{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += Offset{gridDim.x} * kThreads)
    f(i);
}

/// Returns the row of entry k, the last i in [low, high) with ptr[i] <= k. Requires ptr[low] <= k.
__device__ Index row_of(const Offset* ptr, Index low, Index high, Offset k) {
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    if (ptr[middle] <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Calls f(k, row, column) for all entries k of A by full rows, by all threads of the launch. A
/// block has a stretch of entries, and searches all rows only for the row of the first entry. No
/// row is empty, so for later entries its threads search the next kThreads + 1 rows, which their L1
/// cache holds. A search among all rows takes some twenty reads of the L2 cache, each of which
/// waits for the one before.
template <class F>
__device__ void for_entries(const RowsView<double>& a, const F& f) {
  const Offset entries = a.ptr[a.n], turns = (entries + kThreads - 1) / kThreads,
               share = (turns + gridDim.x - 1) / gridDim.x * kThreads;
  Offset begin = blockIdx.x * share;
  const Offset end = min(begin + share, entries);
  if (begin >= end) return;
  Index low = row_of(a.ptr, 0, a.n, begin);
  for (; begin < end; begin += kThreads) {
    const auto high = static_cast<Index>(min(Offset{low} + kThreads + 1, Offset{a.n}));
    const Offset k = begin + threadIdx.x;
    if (k < end) f(k, row_of(a.ptr, low, high, k), a.col[k]);
    if (begin + kThreads < end) low = row_of(a.ptr, low, high, begin + kThreads);
  }
}

__global__ void __launch_bounds__(kThreads)
    find_exponents(RowsView<double> a, const std::uint32_t* source, const double* lower,
                   int* exponent, MixedFlags* flags) {
  for_all(a.n, [&](Offset i) {
    Offset low = a.ptr[i], high = a.ptr[i + 1];  // columns ascend, and the diagonal entry exists
    while (high - low > 1) {
      const Offset middle = low + (high - low) / 2;
      if (a.col[middle] <= i)
        low = middle;
      else
        high = middle;
    }
    const double diagonal = lower[source[low]];
    exponent[i] = scale_exponent(diagonal);
    if (!(diagonal > 0 && is_finite(diagonal))) flags->wrong = 1;
  });
}

__global__ void __launch_bounds__(kThreads)
    scale(RowsView<double> a, const std::uint32_t* source, const double* lower, const int* exponent,
          double* value, float* rounded) {
  for_entries(a, [&](Offset k, Index row, Index col) {
    const double entry = scaled_entry(lower[source[k]], exponent[row] + exponent[col]);
    value[k] = entry;
    if (col <= row) rounded[source[k]] = narrowed<float>(entry);
  });
}

__global__ void __launch_bounds__(kThreads)
    gather(RowsView<double> a, const std::uint32_t* source, double* lower) {
  for_entries(a, [&](Offset k, Index row, Index col) {
    if (col <= row) lower[source[k]] = a.value[k];
  });
}

__global__ void __launch_bounds__(kThreads)
    find_height(Index n, StridedView<const double> b, const int* exponent, MixedFlags* flags) {
  __shared__ int of_warp[kWarps];
  int above = kNoExponent;
  for_all(n, [&](Offset i) {
    const double number = b(i, 0);
    above = max(above, exponent_above(number) - exponent[i]);
    if (!is_finite(number)) flags->wrong = 1;
  });
  for (int by = 16; by > 0; by /= 2) above = max(above, __shfl_xor_sync(~0U, above, by));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = above;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < kWarps; ++w) above = max(above, of_warp[w]);
  atomicMax(&flags->above, above);
}

__device__ bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

__global__ void __launch_bounds__(kThreads)
    load_column(Index n, StridedView<const double> b, const int* exponent, const MixedFlags* flags,
                double* c, double* y, double* r, ResidualNorms* norms) {
  const int power = loading_exponent(flags->above);
  if (is_first_thread()) norms->worst.residual = 0.5;
  for_all(n, [&](Offset i) {
    r[i] = c[i] = std::scalbn(b(i, 0), -exponent[i] - power);
    y[i] = 0;
  });
}

__global__ void __launch_bounds__(kThreads)
    store_column(Index n, const double* y, const int* exponent, StridedView<double> x,
                 MixedFlags* flags) {
  const int power = loading_exponent(flags->above);
  for_all(n, [&](Offset i) {
    const double number = std::scalbn(y[i], power - exponent[i]);
    x(i, 0) = number;
    if (!is_finite(number)) flags->wrong = 1;
  });
}

__global__ void __launch_bounds__(kThreads)
    round_columns(MixedColumns columns, const double* r, ResidualNorms* norms, float* d,
                  double* grow) {
  for (Index c = 0; c < columns.count; ++c, r += columns.n, d += columns.n) {
    const int exponent = shrinking_exponent(norms[c].worst.residual);
    const double shrink = std::scalbn(1.0, -exponent);
    if (is_first_thread()) grow[c] = std::scalbn(1.0, exponent), norms[c].x = 0;
    for_all(columns.n, [&](Offset i) { d[i] = static_cast<float>(r[i] * shrink); });
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    add_columns(MixedColumns columns, const T* d, const double* grow, double* y, double* before,
                ResidualNorms* norms) {
  __shared__ double of_warp[kWarps];
  for (Index c = 0; c < columns.count; ++c, d += columns.n, y += columns.n, before += columns.n) {
    const double times = grow == nullptr ? 1 : grow[c];
    double most = 0;
    for_all(columns.n, [&](Offset i) {
      before[i] = y[i];
      const double sum = before[i] + __dmul_rn(static_cast<double>(d[i]), times);
      y[i] = sum;
      most = max_or_nan(fabs(sum), most);
    });
    if (is_first_thread()) norms[c].worst = {0, 0, 0}, norms[c].b = 0;
    atomic_max_over_block<kWarps>(&norms[c].x, most, of_warp);
  }
}

__global__ void __launch_bounds__(kThreads)
    grow_column(Index n, const float* d, const double* grow, double* z, double* p) {
  for_all(n, [&](Offset i) {
    z[i] = static_cast<double>(d[i]) * *grow;
    if (p != nullptr) p[i] = z[i];
  });
}

__global__ void __launch_bounds__(kThreads)
    advance_column(Index n, const double* r, double* before, double step, const double* p,
                   double* y) {
  for_all(n, [&](Offset i) {
    before[i] = r[i];
    y[i] += step * p[i];
  });
}

__global__ void __launch_bounds__(kThreads)
    turn_column(Index n, const double* z, double beta, double* p) {
  for_all(n, [&](Offset i) { p[i] = z[i] + beta * p[i]; });
}

/// Returns the sums over all threads of the block, which all call it, in thread 0. of_warp: shared
/// memory, length kWarps.
__device__ Dots sum_of_block(Dots sum, Dots* of_warp) {
  for (int by = 16; by > 0; by /= 2) {
    sum.first += __shfl_down_sync(~0U, sum.first, by);
    sum.second += __shfl_down_sync(~0U, sum.second, by);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int w = 1; threadIdx.x == 0 && w < kWarps; ++w)
    sum.first += of_warp[w].first, sum.second += of_warp[w].second;
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    dots(Index n, const double* u, const double* v, const double* w, Dots* part) {
  __shared__ Dots of_warp[kWarps];
  Dots sum{0, 0};
  for_all(n, [&](Offset i) {
    sum.first += u[i] * v[i];
    sum.second += u[i] * w[i];
  });
  sum = sum_of_block(sum, of_warp);
  if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) add_dots(unsigned parts, const Dots* part, Dots* to) {
  static_assert(kDotBlocks == kThreads);
  __shared__ Dots of_warp[kWarps];
  const Dots sum = sum_of_block(threadIdx.x < parts ? part[threadIdx.x] : Dots{0, 0}, of_warp);
  if (threadIdx.x == 0) *to = sum;
}

unsigned blocks_for(Offset count) {
  return static_cast<unsigned>(
      std::clamp<Offset>((count + kThreads - 1) / kThreads, 1, Offset{kMostBlocks}));
}

template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned blocks, cudaStream_t stream, A&&... arguments) {
  check(kernels::launch(kernel, blocks, kThreads, 0, stream, std::forward<A>(arguments)...),
        "a launch of a mixed solve");
}

}  // namespace

void load_mixed_kernels() {
  load(find_exponents);
  load(scale);
  load(gather);
  load(find_height);
  load(load_column);
  load(store_column);
  load(round_columns);
  load(add_columns<float>);
  load(add_columns<double>);
  load(grow_column);
  load(advance_column);
  load(turn_column);
  load(dots);
  load(add_dots);
}

void enqueue_exponents(const RowsView<double>& rows, const std::uint32_t* source,
                       const double* lower, int* exponent, MixedFlags* flags, cudaStream_t stream) {
  launch(find_exponents, blocks_for(rows.n), stream, rows, source, lower, exponent, flags);
}
void enqueue_scaling(const RowsView<double>& rows, std::span<const std::uint32_t> source,
                     const double* lower, const int* exponent, double* value, float* rounded,
                     cudaStream_t stream) {
  launch(scale, blocks_for(static_cast<Offset>(source.size())), stream, rows, source.data(), lower,
         exponent, value, rounded);
}
void enqueue_gathering(const RowsView<double>& rows, std::span<const std::uint32_t> source,
                       double* lower, cudaStream_t stream) {
  launch(gather, blocks_for(static_cast<Offset>(source.size())), stream, rows, source.data(),
         lower);
}
void enqueue_height(Index n, const StridedView<const double>& b, const int* exponent,
                    MixedFlags* flags, cudaStream_t stream) {
  launch(find_height, blocks_for(n), stream, n, b, exponent, flags);
}
void enqueue_load(Index n, const StridedView<const double>& b, const int* exponent,
                  const MixedFlags* flags, double* c, double* y, double* r, ResidualNorms* norms,
                  cudaStream_t stream) {
  launch(load_column, blocks_for(n), stream, n, b, exponent, flags, c, y, r, norms);
}
void enqueue_store(Index n, const double* y, const int* exponent, const StridedView<double>& x,
                   MixedFlags* flags, cudaStream_t stream) {
  launch(store_column, blocks_for(n), stream, n, y, exponent, x, flags);
}
void enqueue_rounding(const MixedColumns& columns, const double* r, ResidualNorms* norms, float* d,
                      double* grow, cudaStream_t stream) {
  launch(round_columns, blocks_for(columns.n), stream, columns, r, norms, d, grow);
}
template <class T>
void enqueue_addition(const MixedColumns& columns, const T* d, const double* grow, double* y,
                      double* before, ResidualNorms* norms, cudaStream_t stream) {
  launch(add_columns<T>, blocks_for(columns.n), stream, columns, d, grow, y, before, norms);
}
template void enqueue_addition(const MixedColumns&, const float*, const double*, double*, double*,
                               ResidualNorms*, cudaStream_t);
template void enqueue_addition(const MixedColumns&, const double*, const double*, double*, double*,
                               ResidualNorms*, cudaStream_t);
void enqueue_growth(Index n, const float* d, const double* grow, double* z, double* p,
                    cudaStream_t stream) {
  launch(grow_column, blocks_for(n), stream, n, d, grow, z, p);
}
void enqueue_advance(Index n, const double* r, double* before, double step, const double* p,
                     double* y, cudaStream_t stream) {
  launch(advance_column, blocks_for(n), stream, n, r, before, step, p, y);
}
void enqueue_turn(Index n, const double* z, double beta, double* p, cudaStream_t stream) {
  launch(turn_column, blocks_for(n), stream, n, z, beta, p);
}
void enqueue_dots(Index n, const double* u, const double* v, const double* w, Dots* part, Dots* to,
                  cudaStream_t stream) {
  const unsigned blocks = std::min(blocks_for(n), kDotBlocks);
  launch(dots, blocks, stream, n, u, v, w, part);
  launch(add_dots, 1U, stream, blocks, part, to);
}

}  // namespace kauri::numeric::cuda
