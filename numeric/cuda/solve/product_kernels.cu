// Products with L, level by level from the leaves up, and with L^T, whose fronts are independent of
// one another. A block of threads does a small front, or a row or column of tiles of a tiled front.
// Each sum goes over columns (or rows) of the front in order, then over children; no atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/product_kernels.hpp"

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 128;

/// Returns the address of row r of a front in y = L x: of a pivot's row of memory.y, or of an
/// update row of the front.
template <class T>
__device__ T* product_row(const SolveMemory<T>& memory, const Front& f, Index r) {
  return r < f.p ? memory.y + Offset{f.first + r} * memory.nrhs
                 : memory.update + (f.update + r - f.p) * memory.nrhs;
}

/// Computes rows [begin, begin + rows) of a front in y = L x: its columns times x, plus its
/// children's update rows for these rows, child after child. Called by all threads of a block.
template <class T>
__device__ void multiply_rows(const PlanView& plan, const SolveMemory<T>& memory, const Front& f,
                              Index begin, Index rows) {
  const Index nrhs = memory.nrhs, thread = static_cast<Index>(threadIdx.x),
              threads = static_cast<Index>(blockDim.x);
  for (Index e = thread; e < rows * nrhs; e += threads) {
    const Index r = begin + e % rows, column = e / rows;
    T sum = T(0);
    for (Index c = 0; c < min(f.p, r + 1); ++c)
      sum += memory.l[factor_place(f, r, c)] * memory.x[Offset{f.first + c} * nrhs + column];
    product_row(memory, f, r)[column] = sum;
  }
  __syncthreads();
  for (Index k = f.child_begin; k < f.child_end; ++k) {
    const Front& child = plan.front[plan.child[k]];
    const Index* relative = plan.relative + child.relative;
    const Index q = child.m - child.p, first = lower_bound(relative, q, begin),
                some = lower_bound(relative, q, begin + rows) - first;
    for (Index e = thread; e < some * nrhs; e += threads) {
      const Index r = first + e / nrhs, column = e % nrhs;
      product_row(memory, f, relative[r])[column] +=
          memory.update[(child.update + r) * nrhs + column];
    }
    __syncthreads();
  }
}

/// Computes rows of y = L^T x: those of a front's pivots [begin, begin + columns). Called by all
/// threads of a block.
template <class T>
__device__ void multiply_columns(const PlanView& plan, const SolveMemory<T>& memory, const Front& f,
                                 Index begin, Index columns) {
  const Index nrhs = memory.nrhs;
  for (Index e = static_cast<Index>(threadIdx.x); e < columns * nrhs;
       e += static_cast<Index>(blockDim.x)) {
    const Index c = begin + e % columns, column = e / columns;
    T sum = T(0);
    for (Index r = c; r < f.m; ++r)
      sum +=
          memory.l[factor_place(f, r, c)] * memory.x[Offset{plan.row[f.row + r]} * nrhs + column];
    memory.y[Offset{f.first + c} * nrhs + column] = sum;
  }
}

template <bool kTransposed, class T>
__global__ void __launch_bounds__(kThreads)
    multiply_small(PlanView plan, SolveMemory<T> memory, Index begin) {
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  if (kTransposed)
    multiply_columns(plan, memory, f, 0, f.p);
  else
    multiply_rows(plan, memory, f, 0, f.m);
}

/// One block of threads for each tile of the fronts. Computes a whole tile row in the block of each
/// tile in a front's first tile column or, if kTransposed, a whole tile column of pivots in the
/// block of each tile on the diagonal; the blocks of other tiles return.
template <bool kTransposed, class T>
__global__ void __launch_bounds__(kThreads)
    multiply_tiled(PlanView plan, SolveMemory<T> memory, TileList list) {
  __shared__ TileAt at;
  if (threadIdx.x == 0) at = find_tile(plan, list, static_cast<Index>(blockIdx.x));
  __syncthreads();
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const TilePair t = pair_of(at.tile, cells.row_tiles());
  if (kTransposed) {
    if (t.i == t.j && t.j < cells.pivot_tiles())
      multiply_columns(plan, memory, f, cells.first_row(t.j), cells.rows_of(t.j));
  } else if (t.j == 0) {
    multiply_rows(plan, memory, f, cells.first_row(t.i), cells.rows_of(t.i));
  }
}

template <bool kTransposed, class T>
void enqueue_either(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                    cudaStream_t stream) {
  if (level.small > 0)
    check(kernels::launch(multiply_small<kTransposed, T>, static_cast<unsigned>(level.small),
                          kThreads, 0, stream, plan, memory, level.first),
          "a launch of a product");
  if (level.tiles.tiles > 0)
    check(kernels::launch(multiply_tiled<kTransposed, T>, static_cast<unsigned>(level.tiles.tiles),
                          kThreads, 0, stream, plan, memory, level.tiles),
          "a launch of a product");
}

template <class T>
void load_products() {
  load(multiply_small<false, T>);
  load(multiply_small<true, T>);
  load(multiply_tiled<false, T>);
  load(multiply_tiled<true, T>);
}

}  // namespace

void load_product_kernels() {
  load_products<float>();
  load_products<double>();
}

template <class T>
void enqueue_product(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream) {
  enqueue_either<false>(plan, level, memory, stream);
}

template <class T>
void enqueue_transposed_product(const PlanView& plan, const Level& level,
                                const SolveMemory<T>& memory, cudaStream_t stream) {
  enqueue_either<true>(plan, level, memory, stream);
}

template void enqueue_product(const PlanView&, const Level&, const SolveMemory<float>&,
                              cudaStream_t);
template void enqueue_product(const PlanView&, const Level&, const SolveMemory<double>&,
                              cudaStream_t);
template void enqueue_transposed_product(const PlanView&, const Level&, const SolveMemory<float>&,
                                         cudaStream_t);
template void enqueue_transposed_product(const PlanView&, const Level&, const SolveMemory<double>&,
                                         cudaStream_t);

}  // namespace kauri::numeric::cuda
