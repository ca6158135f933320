// The oracle and the fallback of solves: forward and backward substitution level by level, L y = P
// b, L^T (P x) = y. Tests compare sweeps with these kernels, which solve where a device or a plan
// has no sweeps. Forward, fronts pull their children's update rows in a fixed order, then go
// through their tile columns, with up to two launches per step for all tiled fronts of a level;
// backward one launch does a level. Sums of the backward sweep keep their rounding errors
// (dot2.cuh); those of the forward sweep were not seen to matter (docs/design/10-gpu-solve.md).
//
// gather() and scatter() also serve products with L, and sweeps of one right-hand side in one
// direction.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/fallback/kernels.hpp"

#include <limits>

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/kernel/dot2.cuh"
#include "numeric/cuda/runtime/kernel/skip.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 128;

}  // namespace

namespace fallback {
namespace {

constexpr Index kBlock = symbolic::kInverseOrder;

/// Returns the address of row r of a front in a forward sweep: of a pivot's row of memory.x, or of
/// an update row of the front.
template <class T>
__device__ T* forward_row(const SolveMemory<T>& memory, const Front& f, Index r) {
  return r < f.p ? memory.x + Offset{f.first + r} * memory.nrhs
                 : memory.update + (f.update + r - f.p) * memory.nrhs;
}

/// Sets a front's update rows to zero, then adds its children's update rows to its pivot rows of x
/// and to its update rows, child after child. Called by all threads of a block; ends with a
/// barrier.
template <class T>
__device__ void pull_children(const PlanView& plan, const SolveMemory<T>& memory, const Front& f) {
  const Index nrhs = memory.nrhs;
  for (Offset k = threadIdx.x; k < Offset{f.m - f.p} * nrhs; k += blockDim.x)
    memory.update[f.update * nrhs + k] = T(0);
  __syncthreads();
  for (Index c = f.child_begin; c < f.child_end; ++c) {
    const Front& child = plan.front[plan.child[c]];
    for (Offset k = threadIdx.x; k < Offset{child.m - child.p} * nrhs; k += blockDim.x) {
      const auto r = static_cast<Index>(k / nrhs), column = static_cast<Index>(k % nrhs);
      forward_row(memory, f, plan.relative[child.relative + r])[column] +=
          memory.update[child.update * nrhs + k];
    }
    __syncthreads();
  }
}

/// Returns the number of pivots that step k eliminates: all pivots of a small front, or those of
/// pivot tile k of a tiled one.
__device__ Index pivots_of(const Front& f, Index k) {
  return f.tiled == kNone ? f.p : cells_of(f).rows_of(k);
}

/// Computes y = L(0,0)^-1 x of a small front, L(0,0): its pivots' rows of L, column by column; y: p
/// x nrhs in shared memory. Called by all threads of the block; ends with a barrier.
template <class T>
__device__ void small_pivot_rows(const SolveMemory<T>& memory, const Front& f, T* y) {
  const Index nrhs = memory.nrhs;
  const T* l = memory.l + f.panel;
  const SmallLayout layout = small_of(f);
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  for (Index e = thread; e < f.p * nrhs; e += threads) y[e] = memory.x[Offset{f.first} * nrhs + e];
  __syncthreads();
  for (Index c = 0; c < f.p; ++c) {
    for (Index e = thread; e < nrhs; e += threads) y[c * nrhs + e] /= l[layout.place(c, c)];
    __syncthreads();
    for (Index e = thread; e < (f.p - c - 1) * nrhs; e += threads) {
      const Index r = c + 1 + e / nrhs;
      y[r * nrhs + e % nrhs] -= l[layout.place(r, c)] * y[c * nrhs + e % nrhs];
    }
    __syncthreads();
  }
}

/// Row `lane` of a triangular 16 x 16 block of L, or of its transpose, and of the inverse of that
/// triangle.
template <class T>
struct BlockRow {
  T l[kBlock], inverse[kBlock];
};

/// Loads a row of the 16 x 16 diagonal block of a tiled front that begins with pivot `first` and
/// has `rows` pivots, and of its inverse; of their transposes if kTransposed. Called by 16 lanes, a
/// row each.
template <bool kTransposed, class T>
__device__ BlockRow<T> load_block_row(const SolveMemory<T>& memory, const Front& f, Index first,
                                      Index rows, Index lane) {
  BlockRow<T> row;
#pragma unroll
  for (Index k = 0; k < kBlock; ++k) {
    const Index r = kTransposed ? k : lane, c = kTransposed ? lane : k;
    const bool there = c <= r && r < rows;
    row.l[k] = there ? memory.l[factor_place(f, first + r, first + c)] : T(0);
    row.inverse[k] = there ? memory.l[diagonal_place(f, first + r, first + c)] : T(0);
  }
  return row;
}

/// Returns, in each lane, its entry of the product of a 16 x 16 matrix, one row per lane, and x,
/// one entry per lane. Called by all lanes of a warp, each half for itself.
template <class T>
__device__ T multiply_row(const T (&row)[kBlock], T x) {
  T sum = T(0);
#pragma unroll
  for (Index k = 0; k < kBlock; ++k) sum += row[k] * __shfl_sync(0xffffffffu, x, k, kBlock);
  return sum;
}

/// Computes y = L_bb^-1 x, or L_bb^-T x if kTransposed, L_bb: the diagonal block of `rows` pivots
/// from pivot `first` on, by its inverse and one step of refinement: the inverse alone would lose
/// digits if the block is nearly singular (factor/tiled/correction.cuh). The residual keeps its
/// rounding errors. x, y: rows x nrhs, row-major; x of T or of Dot2. Called by all threads of the
/// block, a half warp per column.
template <bool kTransposed, class Right, class T>
__device__ void solve_block(const SolveMemory<T>& memory, const Front& f, Index first, Index rows,
                            const Right* x, T* y) {
  const Index nrhs = memory.nrhs, lane = static_cast<Index>(threadIdx.x) % kBlock;
  const BlockRow<T> row = load_block_row<kTransposed>(memory, f, first, rows, lane);
  for (Index begin = 0; begin < nrhs; begin += static_cast<Index>(blockDim.x) / kBlock) {
    const Index column = begin + static_cast<Index>(threadIdx.x) / kBlock;
    const bool there = lane < rows && column < nrhs;
    Dot2 rest = there ? Dot2{x[Offset{lane} * nrhs + column]} : Dot2{};
    const T start = multiply_row(row.inverse, static_cast<T>(rest.value()));
#pragma unroll
    for (Index k = 0; k < kBlock; ++k)
      rest.subtract<T>(row.l[k], __shfl_sync(0xffffffffu, start, k, kBlock));
    const T solution = start + multiply_row(row.inverse, static_cast<T>(rest.value()));
    if (there) y[Offset{lane} * nrhs + column] = solution;
  }
}

/// Computes y_k = L(k,k)^-1 x_k to `y`, w x nrhs in shared memory, w: pivots_of(f, k); for a tiled
/// front by blocks of 16 columns, by the stored inverses of its diagonal blocks, and with changes
/// to x_k in memory.x. Called by all threads of the block.
template <class T>
__device__ void pivot_rows(const SolveMemory<T>& memory, const Front& f, Index k, T* y) {
  if (f.tiled == kNone) return small_pivot_rows(memory, f, y);
  const Index w = pivots_of(f, k), nrhs = memory.nrhs;
  const Index first = k * kTile;
  T* x = memory.x + Offset{f.first + k * kTile} * nrhs;
  for (Index b = 0; b < w; b += kBlock) {
    const Index rows = min(kBlock, w - b);
    for (Index e = static_cast<Index>(threadIdx.x); b > 0 && e < rows * nrhs;
         e += static_cast<Index>(blockDim.x)) {
      const Index r = b + e / nrhs, column = e % nrhs;
      T sum = T(0);
      for (Index c = 0; c < b; ++c)
        sum += memory.l[factor_place(f, first + r, first + c)] * y[c * nrhs + column];
      x[Offset{r} * nrhs + column] -= sum;
    }
    __syncthreads();
    solve_block<false>(memory, f, first + b, rows, x + Offset{b} * nrhs, y + b * nrhs);
    __syncthreads();
  }
}

/// Subtracts L(., k) y_k from rows [first, first + rows) of a front in the forward sweep; y: y_k in
/// shared memory. Called by all threads of a block.
template <class T>
__device__ void update_rows(const SolveMemory<T>& memory, const Front& f, Index first, Index rows,
                            Index k, const T* y) {
  const Index w = pivots_of(f, k), nrhs = memory.nrhs;
  for (Index e = static_cast<Index>(threadIdx.x); e < rows * nrhs;
       e += static_cast<Index>(blockDim.x)) {
    const Index r = e % rows, column = e / rows;
    T sum = T(0);
    for (Index c = 0; c < w; ++c)
      sum += memory.l[factor_place(f, first + r, k * kTile + c)] * y[c * nrhs + column];
    forward_row(memory, f, first + r)[column] -= sum;
  }
}

template <class T>
__device__ void keep_rows(const SolveMemory<T>& memory, const Front& f, Index k, const T* y) {
  const Index w = pivots_of(f, k);
  for (Index e = static_cast<Index>(threadIdx.x); e < w * memory.nrhs;
       e += static_cast<Index>(blockDim.x))
    memory.y[Offset{f.first + k * kTile} * memory.nrhs + e] = y[e];
}

/// Does the forward sweep of whole small fronts (at most 64 rows), one block of threads per front.
template <class T>
__global__ void forward_small(PlanView plan, SolveMemory<T> memory, Index begin) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (is_skipped(memory.run_flag)) return;
  T* y = reinterpret_cast<T*>(shared);
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  pull_children(plan, memory, f);
  pivot_rows(memory, f, 0, y);
  __syncthreads();
  keep_rows(memory, f, 0, y);
  update_rows(memory, f, f.p, f.m - f.p, 0, y);
}

template <class T>
__global__ void forward_pull(PlanView plan, SolveMemory<T> memory, Index begin) {
  if (is_skipped(memory.run_flag)) return;
  pull_children(plan, memory, plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]]);
}

/// Do step k of tiled fronts: forward_pivots() computes y_k, one block of threads per front; then
/// forward_tiles() subtracts its products from the rows below, one block for each tile below.
template <class T>
__global__ void forward_pivots(PlanView plan, SolveMemory<T> memory, Index begin, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (is_skipped(memory.run_flag)) return;
  T* y = reinterpret_cast<T*>(shared);
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  pivot_rows(memory, f, k, y);
  __syncthreads();
  keep_rows(memory, f, k, y);
}

template <class T>
__global__ void forward_tiles(PlanView plan, SolveMemory<T> memory, TileList list, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (is_skipped(memory.run_flag)) return;
  T* y = reinterpret_cast<T*>(shared);
  __shared__ TileAt at;
  if (threadIdx.x == 0) at = find_tile(plan, list, static_cast<Index>(blockIdx.x));
  __syncthreads();
  const Front f = plan.front[at.front];
  const Index w = pivots_of(f, k);
  for (Index e = static_cast<Index>(threadIdx.x); e < w * memory.nrhs;
       e += static_cast<Index>(blockDim.x))
    y[e] = memory.y[Offset{f.first + k * kTile} * memory.nrhs + e];
  __syncthreads();
  const FrontCells cells = cells_of(f);
  update_rows(memory, f, cells.first_row(k + 1 + at.tile), cells.rows_of(k + 1 + at.tile), k, y);
}

/// Computes x = L(0,0)^-T z of a small front, column by column from the last; z, p x nrhs in shared
/// memory, is replaced by x, which is also stored to memory.x. Called by all threads of the block.
template <class T>
__device__ void small_pivot_rows_back(const SolveMemory<T>& memory, const Front& f, Dot2* z) {
  const Index nrhs = memory.nrhs;
  const T* l = memory.l + f.panel;
  const SmallLayout layout = small_of(f);
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  for (Index c = f.p; c-- > 0;) {
    for (Index e = thread; e < nrhs; e += threads) {
      const T x = static_cast<T>(z[c * nrhs + e].value() / l[layout.place(c, c)]);
      z[c * nrhs + e] = {x};
      memory.x[Offset{f.first + c} * nrhs + e] = x;
    }
    __syncthreads();
    for (Index e = thread; e < c * nrhs; e += threads)
      z[e].template subtract<T>(l[layout.place(c, e / nrhs)], z[c * nrhs + e % nrhs].sum);
    __syncthreads();
  }
}

/// Computes x_k = L(k,k)^-T z_k to memory.x; z: z_k in shared memory, which is changed. Called by
/// all threads of the block.
template <class T>
__device__ void pivot_rows_back(const SolveMemory<T>& memory, const Front& f, Index k, Dot2* z) {
  if (f.tiled == kNone) return small_pivot_rows_back(memory, f, z);
  const Index w = pivots_of(f, k), nrhs = memory.nrhs;
  const Index first = k * kTile;
  T* x = memory.x + Offset{f.first + k * kTile} * nrhs;
  for (Index b = (w - 1) / kBlock * kBlock; b >= 0; b -= kBlock) {
    const Index end = min(w, b + kBlock);
    solve_block<true>(memory, f, first + b, end - b, z + b * nrhs, x + Offset{b} * nrhs);
    __syncthreads();
    for (Index e = static_cast<Index>(threadIdx.x); e < b * nrhs;
         e += static_cast<Index>(blockDim.x)) {
      const Index c = e / nrhs, column = e % nrhs;
      Dot2 sum = z[e];
      for (Index r = b; r < end; ++r)
        sum.template subtract<T>(memory.l[factor_place(f, first + r, first + c)],
                                 x[Offset{r} * nrhs + column]);
      z[e] = sum;
    }
    __syncthreads();
  }
}

/// Computes x_k = inv(L(k,k))^T (y_k - sum over rows below of L(., k)^T x) to memory.x; x of the
/// rows below the front's pivots is read from the ancestors' pivots, which must be done. `z`:
/// shared memory for the pivots of step k times nrhs. One block of threads per front.
template <class T>
__device__ void backward_step(const PlanView& plan, const SolveMemory<T>& memory, const Front& f,
                              Index k, Dot2* z) {
  const Index w = pivots_of(f, k), nrhs = memory.nrhs, begin = k * kTile;
  const Index* row = plan.row + f.row;
  for (Index e = static_cast<Index>(threadIdx.x); e < w * nrhs;
       e += static_cast<Index>(blockDim.x)) {
    const Index c = e / nrhs, column = e % nrhs;
    Dot2 sum{memory.y[Offset{f.first + begin} * nrhs + e]};
    for (Index r = begin + w; r < f.m; ++r) {
      const Index at = r < f.p ? f.first + r : row[r];
      sum.template subtract<T>(memory.l[factor_place(f, r, begin + c)],
                               memory.x[Offset{at} * nrhs + column]);
    }
    z[e] = sum;
  }
  __syncthreads();
  pivot_rows_back(memory, f, k, z);
}

template <class T>
__global__ void backward_fronts(PlanView plan, SolveMemory<T> memory, Index begin) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (is_skipped(memory.run_flag)) return;
  Dot2* z = reinterpret_cast<Dot2*>(shared);
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  for (Index k = f.tiled == kNone ? 1 : cells_of(f).pivot_tiles(); k-- > 0;)
    backward_step(plan, memory, f, k, z);
}

/// Returns the bytes of shared memory for one Number for each pivot of a tile and each right-hand
/// side.
template <class Number>
std::size_t pivot_bytes(Index nrhs) {
  return sizeof(Number) * static_cast<std::size_t>(kTile) * static_cast<std::size_t>(nrhs);
}

template <class T>
void load_kernels() {
  load(forward_small<T>);
  load(forward_pull<T>);
  load(forward_pivots<T>);
  load(forward_tiles<T>);
  load(backward_fronts<T>);
}

}  // namespace
}  // namespace fallback

namespace {

/// Returns the row in the caller's numbering of row k of L: old_of[k], or k itself if old_of is
/// null.
__device__ Index row_of(const Index* old_of, Index k) { return old_of != nullptr ? old_of[k] : k; }

template <class T, class V>
__global__ void gather(PlanView plan, Index n, StridedView<const T> b, SolveMemory<V> memory) {
  if (is_skipped(memory.run_flag)) return;
  const Index k = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= n) return;
  for (Index c = 0; c < memory.nrhs; ++c)
    memory.x[Offset{k} * memory.nrhs + c] = b(row_of(plan.old_of, k), c);
}

template <class T, class V>
__global__ void scatter(PlanView plan, Index n, StridedView<T> b, SolveMemory<V> memory,
                        const DeviceVerdict* verdict) {
  if (is_skipped(memory.run_flag)) return;
  const Index k = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= n) return;
  const bool good = verdict->status == VerdictStatus::positive_definite;
  for (Index c = 0; c < memory.nrhs; ++c)
    b(row_of(plan.old_of, k), c) = good ? static_cast<T>(memory.x[Offset{k} * memory.nrhs + c])
                                        : std::numeric_limits<T>::quiet_NaN();
}

unsigned blocks_for(Index n) { return (static_cast<unsigned>(n) + kThreads - 1) / kThreads; }

template <class T>
void load_kernels() {
  load(gather<T, T>);
  load(gather<T, double>);
  fallback::load_kernels<T>();
  load(scatter<T, T>);
  load(scatter<T, double>);
}

}  // namespace

void load_solve_kernels() {
  load_kernels<float>();
  load_kernels<double>();
}

template <class T>
void enqueue_forward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream) {
  const std::size_t bytes = fallback::pivot_bytes<T>(memory.nrhs);
  if (level.small > 0)
    check(kernels::launch(fallback::forward_small<T>, static_cast<unsigned>(level.small), kThreads,
                          bytes, stream, plan, memory, level.first),
          "a launch of a forward sweep");
  if (const Index large = level.count - level.small; large > 0)
    check(kernels::launch(fallback::forward_pull<T>, static_cast<unsigned>(large), kThreads, 0,
                          stream, plan, memory, level.first + level.small),
          "a launch of a forward sweep");
  for (const Step& step : level.steps) {
    check(kernels::launch(fallback::forward_pivots<T>, static_cast<unsigned>(step.panel.count),
                          kThreads, bytes, stream, plan, memory, step.panel.first, step.k),
          "a launch of a forward sweep");
    if (step.panel.tiles > 0)
      check(kernels::launch(fallback::forward_tiles<T>, static_cast<unsigned>(step.panel.tiles),
                            kThreads, bytes, stream, plan, memory, step.panel, step.k),
            "a launch of a forward sweep");
  }
}

template <class T>
void enqueue_backward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                      cudaStream_t stream) {
  check(
      kernels::launch(fallback::backward_fronts<T>, static_cast<unsigned>(level.count), kThreads,
                      fallback::pivot_bytes<Dot2>(memory.nrhs), stream, plan, memory, level.first),
      "a launch of a backward sweep");
}

template <class T, class V>
void enqueue_gather(const PlanView& plan, Index n, const StridedView<const T>& b,
                    const SolveMemory<V>& memory, cudaStream_t stream) {
  check(kernels::launch(gather<T, V>, blocks_for(n), kThreads, 0, stream, plan, n, b, memory),
        "a launch of a gather");
}

template <class T, class V>
void enqueue_scatter(const PlanView& plan, Index n, const StridedView<T>& b,
                     const SolveMemory<V>& memory, const DeviceVerdict* verdict,
                     cudaStream_t stream) {
  check(kernels::launch(scatter<T, V>, blocks_for(n), kThreads, 0, stream, plan, n, b, memory,
                        verdict),
        "a launch of a scatter");
}

template void enqueue_forward(const PlanView&, const Level&, const SolveMemory<float>&,
                              cudaStream_t);
template void enqueue_forward(const PlanView&, const Level&, const SolveMemory<double>&,
                              cudaStream_t);
template void enqueue_backward(const PlanView&, const Level&, const SolveMemory<float>&,
                               cudaStream_t);
template void enqueue_backward(const PlanView&, const Level&, const SolveMemory<double>&,
                               cudaStream_t);
template void enqueue_gather(const PlanView&, Index, const StridedView<const float>&,
                             const SolveMemory<float>&, cudaStream_t);
template void enqueue_gather(const PlanView&, Index, const StridedView<const float>&,
                             const SolveMemory<double>&, cudaStream_t);
template void enqueue_gather(const PlanView&, Index, const StridedView<const double>&,
                             const SolveMemory<double>&, cudaStream_t);
template void enqueue_scatter(const PlanView&, Index, const StridedView<float>&,
                              const SolveMemory<float>&, const DeviceVerdict*, cudaStream_t);
template void enqueue_scatter(const PlanView&, Index, const StridedView<float>&,
                              const SolveMemory<double>&, const DeviceVerdict*, cudaStream_t);
template void enqueue_scatter(const PlanView&, Index, const StridedView<double>&,
                              const SolveMemory<double>&, const DeviceVerdict*, cudaStream_t);

}  // namespace kauri::numeric::cuda
