// Sums of products of tiles for the selected inverse: whose tiles, how they come to shared memory, where sums go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/inverse_kernels.hpp"
#include "numeric/cuda/inverse_loops.cuh"
#include "numeric/cuda/tile.cuh"

namespace kauri::numeric::cuda::inverse {

inline constexpr int kStages = 3;
/// A slab of each operand.
inline constexpr int kStageEntries = 2 * kSlabEntries;
template <class T>
inline constexpr std::size_t kProductBytes = sizeof(T) * kStages* kStageEntries;

/// Place of entry (r, c) of a tile in scratch; of cell (r, c); of tile (i, j), i >= j, of a lower triangle of `order` tile rows.
__device__ constexpr Index slab_place(Index r, Index c) { return FrontCells::forward_product_place(r, c); }
__device__ constexpr Index slab_cell(Index r, Index c) { return slab_place(r * kCell, c * kCell); }
__device__ inline Offset tile_place(Index i, Index j, Index order) {
  return (Offset{j} * order - Offset{j} * (j - 1) / 2 + i - j) * kScratchTile;
}

/// A tile as operand.
template <class T>
struct Operand {
  const T* first;              // of the tile, or of the panel that it is in
  symbolic::CellLayout panel;  // without rows: the tile is whole, in scratch
  Index row, column;           // cells of the panel before it
  Index height, width;         // cells that there are
  Index columns;               // entries; what is behind them is taken for zeros
  bool diagonal;               // nothing above the diagonal
  bool transposed;

  [[nodiscard]] __device__ bool has(Index r, Index c) const { return r < height && c < width && (!diagonal || r >= c); }
  [[nodiscard]] __device__ const T* cell(Index r, Index c) const {
    return first + (panel.rows == 0 ? Offset{slab_cell(r, c)} : panel.cell(row + r, column + c));
  }
};

/// Tile (i, j) of G or Y, transposed or not; of L, whose padding may be anything.
template <class T>
__device__ __forceinline__ Operand<T> tile_of_panel(const T* panel, const FrontCells& cells, Index i, Index j, bool transposed) {
  return {panel, cells.panel(), cells.first_cell(i), cells.first_cell(j), cells.cells_of(i), cells.cells_of(j), kTile, i == j, transposed};
}
template <class T>
__device__ __forceinline__ Operand<T> tile_of_l(const T* panel, const FrontCells& cells, Index i, Index j) {
  Operand<T> tile = tile_of_panel(panel, cells, i, j, false);
  tile.columns = cells.rows_of(j);
  return tile;
}
template <class T>
__device__ __forceinline__ Operand<T> tile_in_scratch(const T* tile, bool transposed) {
  return {tile, {0, 0}, 0, 0, kTileCells, kTileCells, kTile, false, transposed};
}

/// The thread's share of slab `s` of an operand.
template <class Loop>
__device__ __forceinline__ void bring_slab(typename Loop::T* slab, const Operand<typename Loop::T>& operand, Index s) {
  using T = typename Loop::T;
  constexpr int units = kCellUnits<T>;
  const auto thread = static_cast<Index>(threadIdx.x);
  const Index unit = thread % units;
#pragma unroll
  for (Index q = 0; q < 2 * kTileCells; q += kThreads / units) {
    const Index k = q + thread / units, across = k / 2, r = operand.transposed ? 2 * s + k % 2 : across,
                c = operand.transposed ? across : 2 * s + k % 2;
    T* to = slab + k * kCellEntries + (operand.transposed ? Loop::transposed_unit(unit) : unit) * kUnit<T>;
    if (operand.has(r, c) && (c + 1) * kCell <= operand.columns) {
      kernels::ptx::copy_16_async(to, operand.cell(r, c) + unit * kUnit<T>);
      continue;
    }
    T x[kUnit<T>] = {};
    if (operand.has(r, c)) {
      load_unit(x, operand.cell(r, c) + unit * kUnit<T>);
#pragma unroll
      for (int e = 0; e < kUnit<T>; ++e)
        if (c * kCell + (unit * kUnit<T> + e) % kCell >= operand.columns) x[e] = T(0);
    }
    kernels::portable::store_unit(to, x);
  }
}

/// Tile (i, j) of a front that a block of threads works on. `h`: of an InverseStep, else 0.
template <class T>
struct TileAtWork {
  __device__ TileAtWork(const PlanView& plan, const InverseMemory<T>& memory, const InverseTile& tile, Index h)
      : f(plan.front[tile.front]),
        cells(cells_of(f)),
        i(tile.i),
        j(tile.j),
        h(h),
        pivot_tiles(cells.pivot_tiles()),
        row_tiles(cells.row_tiles()),
        l(memory.l + f.panel),
        panel(memory.z + f.panel),
        z(memory.scratch + memory.place[f.tiled].z),
        halves(memory.scratch + memory.place[f.tiled].halves) {}

  /// Of blocks of h tiles: the first tile of the lower one of two; place of tile (i, j) of their product.
  [[nodiscard]] __device__ Index lower() const { return j / (2 * h) * 2 * h + h; }
  [[nodiscard]] __device__ T* product(Index row) const {
    return halves + (Offset{j / (2 * h)} * h * h + Offset{row - lower()} * h + j % h) * kScratchTile;
  }
  [[nodiscard]] __device__ T* z_tile(Index r, Index c) const { return z + tile_place(r, c, row_tiles); }

  Front f;
  FrontCells cells;
  Index i, j, h, pivot_tiles, row_tiles;
  const T* l;
  T* panel;
  T* z;
  T* halves;
};

/// What is summed over tiles k in [begin, end): left(k) right(k). Where the sum goes: to a whole tile in scratch, whose rows behind rows()
/// are zeros, or to the panel, with its sign changed if kFlips.
struct LowerTimesG {  // L21 G11 of a step
  template <class T>
  static __device__ Index begin(const TileAtWork<T>& t) {
    return t.j;
  }
  template <class T>
  static __device__ Index end(const TileAtWork<T>& t) {
    return t.lower();
  }
  template <class T>
  static __device__ Operand<T> left(const TileAtWork<T>& t, Index k) {
    return tile_of_l(t.l, t.cells, t.i, k);
  }
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, k, t.j, true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.product(t.i);
  }
  static constexpr bool kFlips = false;
};
struct GTimesProduct {  // -G22 (L21 G11)
  template <class T>
  static __device__ Index begin(const TileAtWork<T>& t) {
    return t.lower();
  }
  template <class T>
  static __device__ Index end(const TileAtWork<T>& t) {
    return t.i + 1;
  }
  template <class T>
  static __device__ Operand<T> left(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, t.i, k, false);
  }
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return tile_in_scratch<T>(t.product(k), true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& /*t*/) {
    return nullptr;
  }
  static constexpr bool kFlips = true;
};
struct Quotient {  // Y = L21 G
  template <class T>
  static __device__ Index begin(const TileAtWork<T>& t) {
    return t.j;
  }
  template <class T>
  static __device__ Index end(const TileAtWork<T>& t) {
    return t.pivot_tiles;
  }
  template <class T>
  static __device__ Operand<T> left(const TileAtWork<T>& t, Index k) {
    return tile_of_l(t.l, t.cells, t.i, k);
  }
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, k, t.j, true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& /*t*/) {
    return nullptr;
  }
  static constexpr bool kFlips = false;
};
struct BelowTimesQuotient {  // Z22 Y, which is -Z21
  template <class T>
  static __device__ Index begin(const TileAtWork<T>& t) {
    return t.pivot_tiles;
  }
  template <class T>
  static __device__ Index end(const TileAtWork<T>& t) {
    return t.row_tiles;
  }
  template <class T>
  static __device__ Operand<T> left(const TileAtWork<T>& t, Index k) {
    return tile_in_scratch<T>(t.z_tile(max(t.i, k), min(t.i, k)), k > t.i);
  }
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, k, t.j, true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.z_tile(t.i, t.j);
  }
  static constexpr bool kFlips = false;
};
struct Pivots {  // G^T G + Y^T (Z22 Y), which is Z11
  template <class T>
  static __device__ Index begin(const TileAtWork<T>& t) {
    return t.i;
  }
  template <class T>
  static __device__ Index end(const TileAtWork<T>& t) {
    return t.row_tiles;
  }
  template <class T>
  static __device__ Operand<T> left(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, k, t.i, true);
  }
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return k < t.pivot_tiles ? tile_of_panel<T>(t.panel, t.cells, k, t.j, true) : tile_in_scratch<T>(t.z_tile(k, t.j), true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.z_tile(t.i, t.j);
  }
  static constexpr bool kFlips = false;
};

/// Slabs of tiles k in [first, end), one after another.
struct SlabAt {
  Index k, slab, slabs;

  __device__ SlabAt(const FrontCells& cells, Index k) : k(k), slab(0), slabs((cells.cells_of(k) + 1) / 2) {}
  __device__ void advance(const FrontCells& cells, Index end) {
    if (++slab < slabs) return;
    slab = 0;
    if (++k < end) slabs = (cells.cells_of(k) + 1) / 2;
  }
};

/// The warp's part of the sum.
template <class Loop, class Kind>
__device__ __forceinline__ void add_up(typename Loop::Accumulators& acc, const TileAtWork<typename Loop::T>& tile, bool active,
                                       typename Loop::T* stages) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index end = Kind::end(tile);
  SlabAt coming(tile.cells, Kind::begin(tile)), now = coming;
  const auto bring = [&](int stage) {
    if (coming.k < end) {
      auto* to = stages + stage * kStageEntries;
      bring_slab<Loop>(to, Kind::left(tile, coming.k), coming.slab);
      bring_slab<Loop>(to + kSlabEntries, Kind::right(tile, coming.k), coming.slab);
      coming.advance(tile.cells, end);
    }
    kernels::ptx::commit_copies();
  };
#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) bring(stage);
#pragma unroll 1
  for (int stage = 0; now.k < end; stage = stage + 1 == kStages ? 0 : stage + 1) {
    kernels::ptx::wait_for_copies<kStages - 2>();
    __syncthreads();
    bring(stage == 0 ? kStages - 1 : stage - 1);
    const auto* slab = stages + stage * kStageEntries;
    if (active)
      Loop::multiply(acc, slab + warp_row(warp) * kPairEntries, Kind::left(tile, now.k).transposed,
                     slab + kSlabEntries + warp_column(warp) * kPairEntries, lane);
    now.advance(tile.cells, end);
  }
}

/// The warp's part of a sum to scratch, zeros in rows from `rows` on; and to the panel.
template <class Loop>
__device__ __forceinline__ void store_in_scratch(const typename Loop::Accumulators& acc, typename Loop::T* to, Index rows) {
  using T = typename Loop::T;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Loop::for_each(acc, lane, [&](int i, int r, int n, int c, const T(&x)[Loop::kBeside]) {
    const Index row = warp_row(warp) + i;
    T kept[Loop::kBeside];
#pragma unroll
    for (int b = 0; b < Loop::kBeside; ++b) kept[b] = row * kCell + r < rows ? x[b] : T(0);
    store_beside(to + slab_cell(row, warp_column(warp) + n) + r * kCell + c, kept);
  });
}
template <class Loop, bool kFlips>
__device__ __forceinline__ void store_in_panel(const typename Loop::Accumulators& acc, const TileAtWork<typename Loop::T>& tile) {
  using T = typename Loop::T;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index height = tile.cells.cells_of(tile.i), width = tile.cells.cells_of(tile.j), rows = tile.cells.rows_of(tile.i);
  const Index first_row = tile.cells.first_cell(tile.i), first_column = tile.cells.first_cell(tile.j);
  Loop::for_each(acc, lane, [&](int i, int r, int n, int c, const T(&x)[Loop::kBeside]) {
    const Index row = warp_row(warp) + i, column = warp_column(warp) + n;
    if (row >= height || column >= width) return;
    T kept[Loop::kBeside];
#pragma unroll
    for (int b = 0; b < Loop::kBeside; ++b) kept[b] = row * kCell + r < rows ? (kFlips ? -x[b] : x[b]) : T(0);
    store_beside(tile.panel + tile.cells.panel().cell(first_row + row, first_column + column) + r * kCell + c, kept);
  });
}

/// A tile of a sum a block.
template <class Loop, class Kind>
__global__ void __launch_bounds__(kThreads, 3)
    multiply_tiles(PlanView plan, InverseMemory<typename Loop::T> memory, InverseTiles tiles, Index h) {
  using T = typename Loop::T;
  extern __shared__ __align__(16) unsigned char stages[];
  const TileAtWork<T> tile(plan, memory, memory.tile[tiles.first + static_cast<Offset>(blockIdx.x)], h);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool active = warp_row(warp) < tile.cells.cells_of(tile.i) && warp_column(warp) < tile.cells.cells_of(tile.j);
  typename Loop::Accumulators acc = {};
  add_up<Loop, Kind>(acc, tile, active, reinterpret_cast<T*>(stages));
  if (T* to = Kind::scratch(tile); to != nullptr)
    store_in_scratch<Loop>(acc, to, tile.cells.rows_of(tile.i));
  else
    store_in_panel<Loop, Kind::kFlips>(acc, tile);
}

}  // namespace kauri::numeric::cuda::inverse
