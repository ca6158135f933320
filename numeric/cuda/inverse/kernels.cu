// The selected inverse from the root down (Takahashi, Fagan & Chen 1973; by supernodes: Lin et al.
// 2011). Z of a small front is computed column by column. For a tiled front of m rows with
// L = [L11; L21], let G = L11^-1 and Y = L21 G; then
//
//     Z21 = -Z22 Y,   Z11 = G^T G - Y^T Z21
//
// G and Y need no other front and are computed for all fronts at once, G by blocks of pivots that
// are twice as large in each step (J. J. Du Croz, N. J. Higham, Stability of methods for matrix
// inversion, IMA J. Numer. Anal. 12, 1992). Z22 is gathered from the panels of ancestors. A sum
// takes its tiles in ascending order, without atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/inverse/kernels.hpp"

#include <limits>

#include "numeric/cuda/inverse/products.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

using inverse::kThreads;
using inverse::LoopOf;
using inverse::slab_cell;
using inverse::slab_place;
using inverse::tile_place;
using symbolic::kCell;
using symbolic::kCellEntries;
using symbolic::kTileCells;

constexpr unsigned kGatherThreads = 256;
constexpr unsigned kReadThreads = 64;

/// Calls take(i, j, Z(rows[i], columns[j])) for all rows[i] >= columns[j], i < height, j < width.
/// Both lists ascend; each of these rows must be a row of the front that has columns[j] as a pivot,
/// and Z of these fronts must be complete. `place`: shared memory for the positions of `height`
/// rows in a front. All threads of the block call it; it ends with a barrier if width > 0.
template <class T, class Take>
__device__ void gather_entries(const PlanView& plan, const InverseMemory<T>& memory,
                               const Index* rows, Index height, const Index* columns, Index width,
                               Index* place, const Take& take) {
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  for (Index begin = 0; begin < width;) {  // columns of one front
    const Front f = plan.front[memory.front_of[columns[begin]]];
    const Index end = lower_bound(columns, width, f.first + f.p);
    for (Index i = thread; i < height; i += threads)
      if (const Index row = rows[i]; row >= columns[begin])
        place[i] = row < f.first + f.p ? row - f.first
                                       : f.p + lower_bound(plan.row + f.row + f.p, f.m - f.p, row);
    __syncthreads();
    int shift = 2;  // 4 to 32 lanes read one row of Z: entries of neighbouring columns
    while (shift < 5 && 1 << shift < end - begin) ++shift;
    for (Index j = begin + (thread & ((1 << shift) - 1)); j < end; j += 1 << shift) {
      const Index column = columns[j];
#pragma unroll 4
      for (Index i = thread >> shift; i < height; i += threads >> shift)
        if (rows[i] >= column) take(i, j, memory.z[factor_place(f, place[i], column - f.first)]);
    }
    __syncthreads();
    begin = end;
  }
}

/// Computes Z of narrow and small fronts from position `begin` of plan.order on, one block of
/// threads a front: by columns, from the last pivot to the first, in a square of order m in shared
/// memory. Z of their ancestors must be complete.
template <class T>
__global__ void small_inverses(PlanView plan, InverseMemory<T> memory, Index begin) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* z = reinterpret_cast<T*>(shared);
  __shared__ Index place[symbolic::DeviceSchedule::kSmall];
  __shared__ T y[symbolic::DeviceSchedule::kSmall];
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  const SmallLayout layout = small_of(f);
  const Index m = f.m, p = f.p, ld = m | 1, thread = static_cast<Index>(threadIdx.x),
              threads = static_cast<Index>(blockDim.x);
  const Index* below = plan.row + f.row + p;
  gather_entries(plan, memory, below, m - p, below, m - p, place, [&](Index i, Index j, T value) {
    z[(p + i) + (p + j) * ld] = z[(p + j) + (p + i) * ld] = value;
  });
  const T* l = memory.l + f.panel;
  for (Index c = p; c-- > 0;) {
    const T pivot = l[layout.place(c, c)];
    for (Index r = c + 1 + thread; r < m; r += threads) y[r] = l[layout.place(r, c)] / pivot;
    __syncthreads();
    for (Index r = c + 1 + thread; r < m; r += threads) {
      T sum = T(0);
      for (Index h = c + 1; h < m; ++h) sum += z[r + h * ld] * y[h];
      z[r + c * ld] = z[c + r * ld] = -sum;
    }
    __syncthreads();
    if (thread < 32) {
      T sum = T(0);
      for (Index h = c + 1 + thread; h < m; h += 32) sum += y[h] * z[h + c * ld];
      for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0U, sum, by);
      if (thread == 0) z[c + c * ld] = T(1) / pivot / pivot - sum;
    }
    __syncthreads();
  }
  for (Index k = thread; k < m * p; k += threads)
    if (const Index r = k % m, c = k / m; r >= c)
      memory.z[f.panel + layout.place(r, c)] = z[r + c * ld];
}

/// Gathers Z22 of tiled fronts into scratch, one tile a block, with zeros for missing rows. A
/// diagonal tile gets both triangles. Z of the fronts' ancestors must be complete.
template <class T>
__global__ void __launch_bounds__(kGatherThreads)
    gather_tiles(PlanView plan, InverseMemory<T> memory, InverseTiles tiles) {
  __shared__ Index place[kTile];
  const InverseTile tile = memory.tile[tiles.first + static_cast<Offset>(blockIdx.x)];
  const Front f = plan.front[tile.front];
  const FrontCells cells = cells_of(f);
  T* to = memory.scratch + memory.place[f.tiled].z + tile_place(tile.i, tile.j, cells.row_tiles());
  if (cells.rows_of(tile.i) < kTile || cells.rows_of(tile.j) < kTile) {
    for (Index e = static_cast<Index>(threadIdx.x); e < kScratchTile;
         e += static_cast<Index>(blockDim.x))
      to[e] = T(0);
    __syncthreads();
  }
  const Index* row = plan.row + f.row;
  gather_entries(plan, memory, row + cells.first_row(tile.i), cells.rows_of(tile.i),
                 row + cells.first_row(tile.j), cells.rows_of(tile.j), place,
                 [&](Index i, Index j, T value) {
                   to[slab_place(i, j)] = value;
                   if (tile.i == tile.j) to[slab_place(j, i)] = value;
                 });
}

/// Writes the diagonal tiles of G to memory.z, one tile a block: V(k) = L(k,k)^-1, which the factor
/// holds, with zeros in the place of missing pivots.
template <class T>
__global__ void __launch_bounds__(kGatherThreads)
    begin_inverses(PlanView plan, InverseMemory<T> memory, TileList list) {
  __shared__ TileAt at;
  if (threadIdx.x == 0) at = find_tile(plan, list, static_cast<Index>(blockIdx.x));
  __syncthreads();
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const Index width = cells.cells_of(at.tile) * kCell, pivots = cells.rows_of(at.tile),
              first = at.tile * kTile;
  for (Index e = static_cast<Index>(threadIdx.x); e < kTile * kTile;
       e += static_cast<Index>(blockDim.x)) {
    const Index r = e / kTile, c = e % kTile;
    if (r >= width || c / kCell > r / kCell) continue;
    memory.z[f.panel + cells.panel().place(first + r, first + c)] =
        c <= r && r < pivots
            ? memory.l[f.inverses + FrontCells::inverse_place(first + r, first + c)]
            : T(0);
  }
}

/// Copies tiles of Z21 and Z11 from scratch to the panels in memory.z, one tile a block. Scratch
/// holds -Z21, whose sign is changed.
template <class T>
__global__ void __launch_bounds__(kGatherThreads)
    store_tiles(PlanView plan, InverseMemory<T> memory, InverseTiles tiles) {
  const InverseTile tile = memory.tile[tiles.first + static_cast<Offset>(blockIdx.x)];
  const Front f = plan.front[tile.front];
  const FrontCells cells = cells_of(f);
  const T* from =
      memory.scratch + memory.place[f.tiled].z + tile_place(tile.i, tile.j, cells.row_tiles());
  T* panel = memory.z + f.panel;
  const bool below = tile.i >= cells.pivot_tiles();
  for (Index e = static_cast<Index>(threadIdx.x); e < kScratchTile;
       e += static_cast<Index>(blockDim.x)) {
    const Index pair = e / kCellEntries, r = pair / 2 % kTileCells,
                c = pair / (2 * kTileCells) * 2 + pair % 2;
    if (r >= cells.cells_of(tile.i) || c >= cells.cells_of(tile.j) || (tile.i == tile.j && r < c))
      continue;
    panel[cells.panel().cell(cells.first_cell(tile.i) + r, cells.first_cell(tile.j) + c) +
          e % kCellEntries] = below ? -from[e] : from[e];
  }
}

/// Returns true if `verdict` is not null and not good: results are then NaN.
__device__ bool is_nothing(const DeviceVerdict* verdict) {
  return verdict != nullptr && verdict->status != VerdictStatus::positive_definite;
}

template <class T>
__global__ void __launch_bounds__(kReadThreads)
    read_diagonal(PlanView plan, const T* entries, T* out, const DeviceVerdict* verdict) {
  const Front f = plan.front[blockIdx.x];
  const bool none = is_nothing(verdict);
  for (Index c = static_cast<Index>(threadIdx.x); c < f.p; c += kReadThreads) {
    const Index to = plan.old_of != nullptr ? plan.old_of[f.first + c] : f.first + c;
    out[to] = none ? std::numeric_limits<T>::quiet_NaN() : entries[factor_place(f, c, c)];
  }
}

template <class T>
__global__ void __launch_bounds__(kReadThreads)
    read_entries(PlanView plan, const T* entries, T* out, const DeviceVerdict* verdict) {
  const Front f = plan.front[blockIdx.x];
  const bool none = is_nothing(verdict);
  for (Index c = 0; c < f.p; ++c)
    for (Offset e = Offset{plan.entry_ptr[f.first + c]} + threadIdx.x;
         e < plan.entry_ptr[f.first + c + 1]; e += kReadThreads)
      out[plan.entry_source[e]] = none ? std::numeric_limits<T>::quiet_NaN()
                                       : entries[factor_place(f, plan.entry_row[e], c)];
}

template <class T>
std::size_t square_of(Index order) {
  return sizeof(T) * static_cast<std::size_t>(order) * static_cast<std::size_t>(order | 1);
}

template <class T, class Kind>
void load_products() {
  check(cudaFuncSetAttribute(inverse::multiply_tiles<LoopOf<T>, Kind>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(inverse::kProductBytes<T>)),
        "shared memory of a kernel");
}

template <class T>
void load_inverses() {
  load(small_inverses<T>);
  load(gather_tiles<T>);
  load(begin_inverses<T>);
  load(store_tiles<T>);
  load(read_diagonal<T>);
  load(read_entries<T>);
  load_products<T, inverse::LowerTimesG>();
  load_products<T, inverse::GTimesProduct>();
  load_products<T, inverse::Quotient>();
  load_products<T, inverse::BelowTimesQuotient>();
  load_products<T, inverse::Pivots>();
}

/// Launches a kernel with one block for each tile; does nothing if there are no tiles. `bytes`:
/// dynamic shared memory of a block.
template <class Kernel, class T, class... More>
void over(Kernel* kernel, const InverseTiles& tiles, unsigned threads, std::size_t bytes,
          cudaStream_t stream, const PlanView& plan, const InverseMemory<T>& memory, More... more) {
  if (tiles.count > 0)
    check(kernels::launch(kernel, static_cast<unsigned>(tiles.count), threads, bytes, stream, plan,
                          memory, tiles, more...),
          "a launch of inverses");
}
template <class Kind, class T>
void multiply(const InverseTiles& tiles, Index h, const PlanView& plan,
              const InverseMemory<T>& memory, cudaStream_t stream) {
  over(inverse::multiply_tiles<LoopOf<T>, Kind>, tiles, kThreads, inverse::kProductBytes<T>, stream,
       plan, memory, h);
}

}  // namespace

void load_inverse_kernels() {
  load_inverses<float>();
  load_inverses<double>();
}

template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level,
                            const InverseMemory<T>& memory, cudaStream_t stream) {
  const auto some = [&](Index begin, Index end, Index order, unsigned threads) {
    if (begin < end)
      check(kernels::launch(small_inverses<T>, static_cast<unsigned>(end - begin), threads,
                            square_of<T>(order), stream, plan, memory, level.first + begin),
            "a launch of inverses of small fronts");
  };
  some(0, level.small16, 16, 32);
  some(level.small16, level.small32, 32, 32);
  some(level.small32, level.small, symbolic::DeviceSchedule::kSmall, 64);
}

template <class T>
void enqueue_quotients(const PlanView& plan, const TileList& pivot_tiles,
                       std::span<const InverseStep> steps, const InverseTiles& quotients,
                       const InverseMemory<T>& memory, cudaStream_t stream) {
  if (pivot_tiles.tiles == 0) return;
  check(kernels::launch(begin_inverses<T>, static_cast<unsigned>(pivot_tiles.tiles), kGatherThreads,
                        0, stream, plan, memory, pivot_tiles),
        "a launch of inverses");
  for (const InverseStep& step : steps) {
    multiply<inverse::LowerTimesG>(step.products, step.h, plan, memory, stream);
    multiply<inverse::GTimesProduct>(step.quarters, step.h, plan, memory, stream);
  }
  multiply<inverse::Quotient>(quotients, 0, plan, memory, stream);
}

template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const InverseRun& run,
                            const InverseMemory<T>& memory, cudaStream_t stream) {
  over(gather_tiles<T>, run.below, kGatherThreads, 0, stream, plan, memory);
  multiply<inverse::BelowTimesQuotient>(run.beside, 0, plan, memory, stream);
  multiply<inverse::Pivots>(run.pivots, 0, plan, memory, stream);
  const InverseTiles all{run.beside.first, run.beside.count + run.pivots.count};
  over(store_tiles<T>, all, kGatherThreads, 0, stream, plan, memory);
}

template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out,
                      const DeviceVerdict* verdict, cudaStream_t stream) {
  if (fronts == 0) return;
  check(kernels::launch(read_diagonal<T>, static_cast<unsigned>(fronts), kReadThreads, 0, stream,
                        plan, entries, out, verdict),
        "a launch that reads a diagonal");
}

template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out,
                     const DeviceVerdict* verdict, cudaStream_t stream) {
  if (fronts == 0) return;
  check(kernels::launch(read_entries<T>, static_cast<unsigned>(fronts), kReadThreads, 0, stream,
                        plan, entries, out, verdict),
        "a launch that reads entries");
}

#define KAURI_INVERSE_LAUNCHES(T)                                                                 \
  template void enqueue_quotients(const PlanView&, const TileList&, std::span<const InverseStep>, \
                                  const InverseTiles&, const InverseMemory<T>&, cudaStream_t);    \
  template void enqueue_tiled_inverses(const PlanView&, const InverseRun&,                        \
                                       const InverseMemory<T>&, cudaStream_t);                    \
  template void enqueue_small_inverses(const PlanView&, const Level&, const InverseMemory<T>&,    \
                                       cudaStream_t);                                             \
  template void enqueue_diagonal(const PlanView&, Index, const T*, T*, const DeviceVerdict*,      \
                                 cudaStream_t);                                                   \
  template void enqueue_entries(const PlanView&, Index, const T*, T*, const DeviceVerdict*,       \
                                cudaStream_t);
KAURI_INVERSE_LAUNCHES(float)
KAURI_INVERSE_LAUNCHES(double)
#undef KAURI_INVERSE_LAUNCHES

}  // namespace kauri::numeric::cuda
