// Inverses of whole diagonal tiles of L for the sweeps of a solve and for the selected inverse, and
// for sweeps products of these inverses with the adjacent tiles of L. They are computed after L and
// the inverses of its 16 x 16 diagonal blocks.
//
// Blocks of V = inv(T) at the same distance below the diagonal are computed together, V(I,J) =
// -V(I,I) sum_{K=J..I-1} T(I,K) V(K,J). This V is about as accurate as the diagonal blocks that it
// is made of (J. J. Du Croz, N. J. Higham, Stability of methods for matrix inversion, IMA J. Numer.
// Anal. 12, 1992): if |V| |T| is large, a product with V needs a correction, and the tile is marked
// (factor/tiled/correction.cuh).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tile_inverses.hpp"

#include "numeric/cuda/factor/tiled/correction.cuh"
#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr int kThreads = 128;
constexpr Index kMost = symbolic::kTileSlabs;  // 16 x 16 blocks along the side of a tile
constexpr Index kOrder = symbolic::kInverseOrder;
constexpr Index kTileInverseEntries = symbolic::kTileInverseEntries;
constexpr Index kOwn =
    symbolic::kInverseEntries / kThreads;  // entries of a 16 x 16 block that one thread holds

/// A thread's two entries of each 16 x 16 block: (row, column) and (row + 8, column). In a block of
/// a tile's inverse (FrontCells::inverse_place) they lie at `number` and number + kThreads;
/// `number` is the thread's index. Eight lanes read a row of a right factor and the other lanes
/// read the same addresses, so there are no bank conflicts.
struct Thread {
  Index number, row, column;

  __device__ Thread()
      : number(static_cast<Index>(threadIdx.x)),
        row(number / symbolic::kCell % symbolic::kCell),
        column(number / 64 * 8 + number % 8) {}
};

/// Returns the index of entry (r, c) in a 16 x 16 block, which is stored as 2 x 2 cells.
__device__ constexpr Index place_in_block(Index r, Index c) {
  return static_cast<Index>(symbolic::CellLayout{2, 2}.place(r, c));
}

/// Calls f(block row, block column, offset of the block in a tile's inverse) for the lower blocks
/// of a tile of `blocks` x `blocks` blocks.
template <class F>
__device__ void over_blocks(Index blocks, const F& f) {
#pragma unroll
  for (Index i = 0; i < kMost; ++i)
#pragma unroll
    for (Index j = 0; j <= i; ++j)
      if (i < blocks) f(i, j, FrontCells::inverse_block(i, j));
}

/// Copies pivot tile k of L to `triangle` and the inverses of its 16 x 16 diagonal blocks to
/// `inverse`, both in shared memory and laid out as a tile's inverse; does not synchronise the
/// threads afterwards. `blocks`: 16 x 16 blocks along the side of the tile. Entries above the
/// diagonal and beyond the pivots become those of an identity: not all factorisation kernels write
/// them.
template <class T>
__device__ void load_tile(T* triangle, T* inverse, const T* panel, const FrontCells& cells, Index k,
                          Index blocks) {
  const Thread me;
  const Index first = cells.first_cell(k), pivots = cells.rows_of(k);
  const symbolic::CellLayout layout = cells.panel();
  const T* diagonal = panel + layout.entries() + FrontCells::diagonal_place(k * kTile, k * kTile);
  T l[kTileInverseEntries / kThreads],
      v[kMost * kOwn];  // all loads are issued before the first is awaited
  over_blocks(blocks, [&](Index i, Index j, Index place) {
#pragma unroll
    for (Index h = 0; h < kOwn; ++h) {
      const Index row = me.row + 8 * h, r = kOrder * i + row, c = kOrder * j + me.column;
      const bool there = c <= r && r < pivots;
      const T other = T(r == c ? 1 : 0);
      const Index own = place / kThreads + h;
      l[own] = there ? panel[layout.place(symbolic::kCell * first + r, symbolic::kCell * first + c)]
                     : other;
      if (i == j) v[kOwn * i + h] = there ? diagonal[kThreads * (kOwn * i + h) + me.number] : other;
    }
  });
  over_blocks(blocks, [&](Index i, Index j, Index place) {
#pragma unroll
    for (Index h = 0; h < kOwn; ++h) {
      triangle[place + kThreads * h + me.number] = l[place / kThreads + h];
      if (i == j) inverse[place + kThreads * h + me.number] = v[kOwn * i + h];
    }
  });
}

/// Adds this thread's two entries of left * right, 16 x 16 blocks in shared memory, to `sum`.
template <class T>
__device__ void add_product(T (&sum)[kOwn], const T* left, const T* right, const Thread& me) {
#pragma unroll
  for (Index k = 0; k < kOrder; ++k) {
    const T factor = right[place_in_block(k, me.column)];
#pragma unroll
    for (Index h = 0; h < kOwn; ++h)
      sum[h] = fma(left[place_in_block(me.row + 8 * h, k)], factor, sum[h]);
  }
}

/// Computes the blocks of the tile's inverse V at distance kBelow below the diagonal, in shared
/// memory; blocks nearer to the diagonal must be there. The blocks' memory first holds the sums
/// over K, before the product with -V(I,I). Called by all threads of the block.
template <Index kBelow, class T>
__device__ void invert_below(const T* triangle, T* inverse, Index blocks) {
  const Thread me;
  T v[kMost - kBelow][kOwn];
  __syncthreads();
#pragma unroll
  for (Index j = 0; j < kMost - kBelow; ++j) {
    const Index i = j + kBelow;
    if (i >= blocks) break;
    T sum[kOwn] = {};
#pragma unroll 1
    for (Index k = j; k < i; ++k)
      add_product(sum, triangle + FrontCells::inverse_block(i, k),
                  inverse + FrontCells::inverse_block(k, j), me);
#pragma unroll
    for (Index h = 0; h < kOwn; ++h)
      inverse[FrontCells::inverse_block(i, j) + kThreads * h + me.number] = sum[h];
  }
  __syncthreads();
#pragma unroll
  for (Index j = 0; j < kMost - kBelow; ++j) {
    const Index i = j + kBelow;
    if (i >= blocks) break;
#pragma unroll
    for (Index h = 0; h < kOwn; ++h) v[j][h] = T(0);
    add_product(v[j], inverse + FrontCells::diagonal_inverse(i),
                inverse + FrontCells::inverse_block(i, j), me);
  }
  __syncthreads();
#pragma unroll
  for (Index j = 0; j < kMost - kBelow; ++j) {
    if (j + kBelow >= blocks) break;
#pragma unroll
    for (Index h = 0; h < kOwn; ++h)
      inverse[FrontCells::inverse_block(j + kBelow, j) + kThreads * h + me.number] = T(0) - v[j][h];
  }
}

/// Returns the sum of |entry (r, c)| f(c) over row r of a lower triangular tile in shared memory,
/// laid out as a tile's inverse. Lanes begin at different columns, since otherwise eight of them
/// would meet in a bank.
template <class T, class F>
__device__ T row_sum(const T* tile, Index r, const F& f) {
  T sum = T(0);
  for (Index j = 0; j <= r / kOrder; ++j)
    for (Index k = 0; k < kOrder; ++k) {
      const Index c = k / 8 * 8 + (k + r) % 8;
      sum += fabs(tile[FrontCells::inverse_block(r / kOrder, j) + place_in_block(r % kOrder, c)]) *
             f(kOrder * j + c);
    }
  return sum;
}

/// Returns true if a product with the tile's inverse V alone would lose digits: the row sum of |V|
/// |T| in this thread's row exceeds kLargestCondition, the bound for blocks that a factorisation
/// corrects, or is NaN. False in threads >= rows. `sums`: shared memory for `rows` numbers. Called
/// by all threads of the block.
template <class T>
__device__ bool is_inaccurate(const T* triangle, const T* inverse, T* sums, Index rows) {
  const auto r = static_cast<Index>(threadIdx.x);
  if (r < rows) sums[r] = row_sum(triangle, r, [](Index) { return T(1); });
  __syncthreads();
  return r < rows &&
         !(row_sum(inverse, r, [&](Index c) { return sums[c]; }) <= T(kernels::kLargestCondition));
}

/// A pair of cell columns of a tile of L, contiguous in memory: its first cell row and cell column
/// in the front's panel, and its number of cell rows.
struct Slab {
  Index row, column, rows;  // in cells
};
constexpr Index kPair = 2 * symbolic::kCellEntries;  // entries of a cell row of a slab
constexpr Index kSlabEntries = symbolic::kTileCells * kPair;

/// Copies a slab to shared memory, with zeros in the cell rows that the tile lacks of eight. Called
/// by all threads of the block, which it synchronises before and after.
template <class T>
__device__ void load_slab(T* to, const T* panel, const symbolic::CellLayout& layout,
                          const Slab& at) {
  __syncthreads();
  const T* from = panel + layout.cell(at.row, at.column);
  for (Index e = static_cast<Index>(threadIdx.x); e < kSlabEntries; e += kThreads)
    to[e] = e < at.rows * kPair ? from[e] : T(0);
  __syncthreads();
}

/// Writes V C, or C if V is `marked`, to `out`, in the order of forward_product_place(); V: the
/// pivot tile's inverse, C: the tile of L left of that tile, whose first slab is `at`. `slab`:
/// kSlabEntries of shared memory. A thread computes one column of each slab of 16 and the rows of
/// one cell.
template <class T>
__device__ void multiply_from_left(const T* inverse, bool marked, T* slab, const T* panel,
                                   const symbolic::CellLayout& layout, Slab at, T* out) {
  const auto thread = static_cast<Index>(threadIdx.x);
  const Index c = thread % kOrder, cell = thread / kOrder,
              own = cell * kPair + c / 8 * symbolic::kCellEntries + c % 8;
  for (Index s = 0; s < kMost; ++s, at.column += 2) {
    load_slab(slab, panel, layout, at);
    for (Index i = 0; i < symbolic::kCell; ++i) {
      T sum = T(0);
      if (marked) {
        sum = slab[own + 8 * i];
      } else if (cell < at.rows) {
        const Index r = cell % 2 * 8 + i;
        for (Index block = 0; block <= cell / 2; ++block) {
          const T* left = inverse + FrontCells::inverse_block(cell / 2, block);
          const T* right = slab + 2 * block * kPair + c / 8 * symbolic::kCellEntries + c % 8;
#pragma unroll
          for (Index k = 0; k < kOrder; ++k)
            sum = fma(left[place_in_block(r, k)], right[k / 8 * kPair + k % 8 * 8], sum);
        }
      }
      out[FrontCells::forward_product_place(8 * cell + i, kOrder * s + c)] = sum;
    }
  }
}

/// Writes C V, or C if V is `marked`, to `out`, in the order of backward_product_place(); V: the
/// pivot tile's inverse, C: the tile of L below that tile, whose first slab is `at`. `slab`:
/// kSlabEntries of shared memory. Goes through C's slabs, each times a block row of V: a thread has
/// one column of the product and half of its rows, whose sums continue from slab to slab.
template <class T>
__device__ void multiply_from_right(const T* inverse, bool marked, T* slab, const T* panel,
                                    const symbolic::CellLayout& layout, Slab at, T* out) {
  const auto thread = static_cast<Index>(threadIdx.x);
  const Index c = thread % kTile, first = thread / kTile * (kTile / 2);
  T sum[kTile / 2] = {};
  for (Index s = 0; s < kMost; ++s, at.column += 2) {
    load_slab(slab, panel, layout, at);
    if (marked ? s != c / kOrder : s < c / kOrder) continue;
#pragma unroll 1
    for (Index k = 0; k < kOrder; ++k) {
      const T factor =
          marked
              ? T(k == c % kOrder ? 1 : 0)
              : inverse[FrontCells::inverse_block(s, c / kOrder) + place_in_block(k, c % kOrder)];
      const T* left = slab + first / 8 * kPair + k / 8 * symbolic::kCellEntries + k % 8;
#pragma unroll
      for (Index i = 0; i < kTile / 2; ++i)
        sum[i] = fma(left[i / 8 * kPair + i % 8 * 8], factor, sum[i]);
    }
  }
#pragma unroll
  for (Index i = 0; i < kTile / 2; ++i)
    out[FrontCells::backward_product_place(first + i, c)] = sum[i];
}

/// Inverts the pivot tiles of tiled fronts, one block of threads for each tile, and marks the
/// inverses that need a correction. Skips fronts whose state is not `done`. If `products`, also
/// writes the products of each inverse with the tiles of L left of and below its pivot tile.
template <class T>
__global__ void __launch_bounds__(kThreads)
    invert_tiles(PlanView plan, TileList list, FactorMemory<T> memory, bool products) {
  __shared__ T triangle[kTileInverseEntries];
  __shared__ __align__(16) T inverse[kTileInverseEntries];
  __shared__ T sums[kTile];
  __shared__ TileAt at;
  __shared__ int marked;
  const auto thread = static_cast<Index>(threadIdx.x);
  if (thread == 0) at = find_tile(plan, list, static_cast<Index>(blockIdx.x)), marked = 0;
  __syncthreads();
  if (memory.state[at.front] != FrontState::done) return;
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const Index blocks = (cells.cells_of(at.tile) + 1) / 2;
  const T* panel = memory.entries + f.panel;
  T *inverses = memory.entries + f.inverses,
    *out = inverses + Offset{at.tile} * kTileInverseEntries;
  load_tile(triangle, inverse, panel, cells, at.tile, blocks);
  invert_below<1>(triangle, inverse, blocks);
  invert_below<2>(triangle, inverse, blocks);
  invert_below<3>(triangle, inverse, blocks);
  __syncthreads();
  const Index entries = FrontCells::inverse_block(blocks, 0);
  for (Index e = thread; e < entries; e += kThreads) out[e] = inverse[e];
  if (is_inaccurate(triangle, inverse, sums, kOrder * blocks)) atomicAdd(&marked, 1);
  __syncthreads();
  if (thread == 0) out[FrontCells::kInverseFlag] = T(marked != 0 ? 1 : 0);
  if (!products) return;
  const Index k = at.tile, column = k * symbolic::kTileCells;
  if (k > 0)
    multiply_from_left(inverse, marked != 0, triangle, panel, cells.panel(),
                       {column, column - symbolic::kTileCells, cells.cells_of(k)},
                       inverses + cells.forward_product(k));
  if (k + 1 < cells.pivot_tiles())
    multiply_from_right(inverse, marked != 0, triangle, panel, cells.panel(),
                        {cells.first_cell(k + 1), column, cells.cells_of(k + 1)},
                        inverses + cells.backward_product(k));
}

}  // namespace

void load_tile_inverses() {
  load(invert_tiles<float>);
  load(invert_tiles<double>);
}

template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles,
                           const FactorMemory<T>& memory, bool products, cudaStream_t stream) {
  if (tiles.tiles == 0) return;
  check(kernels::launch(invert_tiles<T>, static_cast<unsigned>(tiles.tiles), kThreads, 0, stream,
                        plan, tiles, memory, products),
        "a launch of inverses");
}

template void enqueue_tile_inverses(const PlanView&, const TileList&, const FactorMemory<float>&,
                                    bool, cudaStream_t);
template void enqueue_tile_inverses(const PlanView&, const TileList&, const FactorMemory<double>&,
                                    bool, cudaStream_t);

}  // namespace kauri::numeric::cuda
