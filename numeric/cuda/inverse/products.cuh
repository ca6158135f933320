// Sums of products of tiles for the selected inverse: operands of the products, their loads into
// shared memory, the places to which sums are written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/inverse/kernels.hpp"
#include "numeric/cuda/inverse/loops.cuh"
#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/kernel/tight.cuh"

namespace kauri::numeric::cuda::inverse {

inline constexpr int kStages = kTight ? 3 : 4;
/// Entries of a stage: one slab of each operand.
inline constexpr int kStageEntries = 2 * kSlabEntries;
template <class T>
inline constexpr std::size_t kProductBytes = sizeof(T) * kStages* kStageEntries;
static_assert(kProductBytes<double> < kernels::ptx::kBlockKilobytes * 1024);

/// Return places in entries: slab_place() that of entry (r, c) in a tile in scratch, slab_cell()
/// that of cell (r, c) there, tile_place() that of tile (i, j), i >= j, in the scratch of a lower
/// triangle of `order` tile rows.
__device__ constexpr Index slab_place(Index r, Index c) {
  return FrontCells::forward_product_place(r, c);
}
__device__ constexpr Index slab_cell(Index r, Index c) { return slab_place(r * kCell, c * kCell); }
__device__ inline Offset tile_place(Index i, Index j, Index order) {
  return (Offset{j} * order - Offset{j} * (j - 1) / 2 + i - j) * kScratchTile;
}

/// A tile as an operand of a product.
template <class T>
struct Operand {
  const T* first;              // first entry of the tile in scratch, or of the panel that has it
  symbolic::CellLayout panel;  // panel.rows == 0: the tile is whole and lies in scratch
  Index row, column;           // cell rows and cell columns of the panel before the tile
  Index height, width;         // cell rows and cell columns that the tile has
  Index columns;               // columns of entries; later ones are loaded as zeros
  bool diagonal;               // the tile has no cells above its diagonal
  bool transposed;             // its slabs are 16 of its rows; else 16 of its columns

  [[nodiscard]] __device__ bool is_whole() const {
    return height == kTileCells && width == kTileCells && columns == kTile && !diagonal;
  }
  [[nodiscard]] __device__ bool has(Index r, Index c) const {
    return r < height && c < width && (!diagonal || r >= c);
  }
  [[nodiscard]] __device__ const T* cell(Index r, Index c) const {
    return first + (panel.rows == 0 ? Offset{slab_cell(r, c)} : panel.cell(row + r, column + c));
  }
};

/// tile_of_panel() returns tile (i, j) of G or Y, transposed or not. tile_of_l() returns tile
/// (i, j) of L, whose columns of padding are loaded as zeros: their diagonal is not zero.
/// tile_in_scratch() returns the whole tile at `tile`.
template <class T>
__device__ __forceinline__ Operand<T> tile_of_panel(const T* panel, const FrontCells& cells,
                                                    Index i, Index j, bool transposed) {
  return {panel,
          cells.panel(),
          cells.first_cell(i),
          cells.first_cell(j),
          cells.cells_of(i),
          cells.cells_of(j),
          kTile,
          i == j,
          transposed};
}
template <class T>
__device__ __forceinline__ Operand<T> tile_of_l(const T* panel, const FrontCells& cells, Index i,
                                                Index j) {
  Operand<T> tile = tile_of_panel(panel, cells, i, j, false);
  tile.columns = cells.rows_of(j);
  return tile;
}
template <class T>
__device__ __forceinline__ Operand<T> tile_in_scratch(const T* tile, bool transposed) {
  return {tile, {0, 0}, 0, 0, kTileCells, kTileCells, kTile, false, transposed};
}

/// A thread's units of a slab: unit `unit` of cells (across + kAcross q, within), q < kPasses,
/// counted along the operand's 64 rows and the slab's 16 columns.
template <class T>
struct Share {
  static constexpr int kUnits = kCellUnits<T>;
  static constexpr int kPasses = 2 * kTileCells * kUnits / kThreads;
  static constexpr int kAcross = kTileCells / kPasses;

  __device__ Share() {
    const auto thread = static_cast<Index>(threadIdx.x);
    unit = thread % kUnits, within = thread / kUnits % 2, across = thread / kUnits / 2;
  }
  [[nodiscard]] __device__ Index cell() const {
    return (2 * across + within) * kCellEntries;
  }  ///< place, in entries of the slab in shared memory, of the thread's first cell
  static constexpr Index kNextCell = 2 * kAcross * kCellEntries;

  Index unit, within, across;
};

/// A thread's share of the slabs of a whole tile, one slab after another: its q-th unit is at `at`
/// + q stride - q^2 bend.
template <class T>
struct Cursor {
  __device__ Cursor() = default;
  __device__ Cursor(const Operand<T>& x, const Share<T>& share) {
    constexpr Index pairs = Share<T>::kAcross / 2;  // pairs of columns from pass to pass
    const Index r = x.transposed ? share.within : share.across,
                c = x.transposed ? share.across : share.within;
    at = x.cell(r, c) + share.unit * kUnit<T>;
    stride = Share<T>::kAcross * kPairEntries, bend = 0, step = kSlabEntries, turn = 0;
    // Cells of one row of a panel, in column pairs K and K + 1, are (rows - 2 - 2 K) pairs of cells
    // apart.
    const Index left = x.panel.rows - 1 - 2 * ((x.column + c) / 2);
    if (x.transposed) {
      step = 2 * kPairEntries;
      stride = (x.panel.rows == 0 ? kTileCells : left) * pairs * kPairEntries;
      bend = x.panel.rows == 0 ? 0 : pairs * pairs * kPairEntries;
    } else if (x.panel.rows != 0) {
      step = (left - 1) * kPairEntries, turn = 2 * kPairEntries;
    }
  }
  __device__ void advance() { at += step, step -= turn; }

  const T* at = nullptr;
  Index stride = 0, bend = 0, step = 0, turn = 0;
};

/// Load the thread's share of a slab of an operand to `slab` in shared memory: load_whole() of a
/// whole tile, the slab that the cursor has reached; load_part() slab `s` of any tile. Copies are
/// asynchronous, in the group of the next ptx::commit_copies(); what does not exist becomes zero.
template <class Loop, bool kTransposed>
__device__ __forceinline__ void load_whole(typename Loop::T* slab,
                                           const Cursor<typename Loop::T>& from,
                                           const Share<typename Loop::T>& share) {
  using T = typename Loop::T;
  T* to = slab + share.cell() +
          (kTransposed ? Loop::transposed_unit(share.unit) : share.unit) * kUnit<T>;
#pragma unroll
  for (Index q = 0; q < Share<T>::kPasses; ++q)
    kernels::ptx::copy_16_async(to + q * Share<T>::kNextCell,
                                from.at + (q * from.stride - q * q * from.bend));
}
template <class Loop>
__device__ __forceinline__ void load_part(typename Loop::T* slab,
                                          const Operand<typename Loop::T>& x, Index s,
                                          const Share<typename Loop::T>& share) {
  using T = typename Loop::T;
  T* to = slab + share.cell() +
          (x.transposed ? Loop::transposed_unit(share.unit) : share.unit) * kUnit<T>;
#pragma unroll 1
  for (Index across = share.across; across < kTileCells;
       across += Share<T>::kAcross, to += Share<T>::kNextCell) {
    const Index inner = 2 * s + share.within, r = x.transposed ? inner : across,
                c = x.transposed ? across : inner;
    const bool there = x.has(r, c);
    const T* from = x.cell(there ? r : 0, there ? c : 0) + share.unit * kUnit<T>;
    if (there && (c + 1) * kCell <= x.columns) {
      kernels::ptx::copy_16_async(to, from);
      continue;
    }
    T kept[kUnit<T>] = {};
    if (there) load_unit(kept, from);
#pragma unroll
    for (int e = 0; e < kUnit<T>; ++e)
      if (c * kCell + (share.unit * kUnit<T> + e) % kCell >= x.columns) kept[e] = T(0);
    kernels::portable::store_unit(to, kept);
  }
}

/// Tile (i, j) of a front that a block of threads computes; in shared memory. `h`: InverseStep::h,
/// 0 for sums that are of no step.
template <class T>
struct TileAtWork {
  __device__ void find(const PlanView& plan, const InverseMemory<T>& memory,
                       const InverseTile& tile, Index step) {
    const Front& f = plan.front[tile.front];
    cells = {f.m, f.p};
    i = tile.i, j = tile.j, h = step, pivot_tiles = cells.pivot_tiles(),
    row_tiles = cells.row_tiles();
    l = memory.l + f.panel, panel = memory.z + f.panel;
    z = memory.scratch + memory.place[f.tiled].z,
    halves = memory.scratch + memory.place[f.tiled].halves;
  }
  /// Returns the first tile row of the lower one of two neighbouring diagonal blocks of h tiles, of
  /// which the upper one has tile column j. product() returns the address in scratch of tile
  /// (row, j) of their product L21 G11.
  [[nodiscard]] __device__ Index lower() const { return j / (2 * h) * 2 * h + h; }
  [[nodiscard]] __device__ T* product(Index row) const {
    return halves +
           (Offset{j / (2 * h)} * h * h + Offset{row - lower()} * h + j % h) * kScratchTile;
  }
  /// Returns the address in scratch of tile (r, c), r >= c, of the front's Z.
  [[nodiscard]] __device__ T* z_tile(Index r, Index c) const {
    return z + tile_place(r, c, row_tiles);
  }

  /// slabs_of() returns the number of slabs in tile row (or column) k, slabs() that in [begin,
  /// end). All have kTileSlabs but the last one of the pivots, and the last one of all rows.
  [[nodiscard]] __device__ Index slabs_of(Index k) const { return (cells.cells_of(k) + 1) / 2; }
  [[nodiscard]] __device__ Index slabs(Index begin, Index end) const {
    const auto missing = [&](Index k) {
      return begin <= k && k < end ? symbolic::kTileSlabs - slabs_of(k) : 0;
    };
    return symbolic::kTileSlabs * (end - begin) - missing(row_tiles - 1) -
           (row_tiles > pivot_tiles ? missing(pivot_tiles - 1) : 0);
  }

  FrontCells cells;
  Index i, j, h, pivot_tiles, row_tiles;
  const T* l;
  T* panel;
  T* z;
  T* halves;
};

/// Tile (t.i, t.j) of a matrix as the sum of op(left(k)) right(k) over k in [begin, end); op
/// transposes if flips(k), which it does for all k from some k on, after slabs_before_flips()
/// slabs. right() returns tile (k, t.j) as `transposed`, since the loops take slabs of its rows.
/// The sum goes to scratch() as a whole tile, or, if that is null, to the panel, with its sign
/// changed if kNegative; rows of padding are zeros. This struct has the defaults of most sums.
struct Sum {
  template <class T>
  static __device__ Operand<T> right(const TileAtWork<T>& t, Index k) {
    return tile_of_panel<T>(t.panel, t.cells, k, t.j, true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& /*t*/) {
    return nullptr;
  }
  template <class T>
  static __device__ bool flips(const TileAtWork<T>& /*t*/, Index /*k*/) {
    return false;
  }
  template <class T>
  static __device__ Index slabs_before_flips(const TileAtWork<T>& /*t*/) {
    return 0;
  }
  static constexpr bool kFlips = false;
  static constexpr bool kNegative = false;
};
struct LowerTimesG : Sum {  // L21 G11 of a step
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
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.product(t.i);
  }
};
struct GTimesProduct : Sum {  // -G22 (L21 G11)
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
  static constexpr bool kNegative = true;
};
struct Quotient : Sum {  // Y = L21 G
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
};
struct BelowTimesQuotient : Sum {  // Z22 Y, which is -Z21
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
    return tile_in_scratch<T>(t.z_tile(max(t.i, k), min(t.i, k)), flips(t, k));
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.z_tile(t.i, t.j);
  }
  template <class T>
  static __device__ bool flips(const TileAtWork<T>& t, Index k) {
    return k > t.i;
  }
  template <class T>
  static __device__ Index slabs_before_flips(const TileAtWork<T>& t) {
    return t.slabs(t.pivot_tiles, t.i + 1);
  }
  static constexpr bool kFlips = true;
};
struct Pivots : Sum {  // G^T G + Y^T (Z22 Y), which is Z11
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
    return k < t.pivot_tiles ? tile_of_panel<T>(t.panel, t.cells, k, t.j, true)
                             : tile_in_scratch<T>(t.z_tile(k, t.j), true);
  }
  template <class T>
  static __device__ T* scratch(const TileAtWork<T>& t) {
    return t.z_tile(t.i, t.j);
  }
  template <class T>
  static __device__ bool flips(const TileAtWork<T>& /*t*/, Index /*k*/) {
    return true;
  }
  static constexpr bool kFlips = true;
};

/// A thread's position among the slabs of both operands of a sum, in the order in which all threads
/// of the block load them into shared memory.
template <class Loop, class Kind>
struct Coming {
  using T = typename Loop::T;

  __device__ explicit Coming(const TileAtWork<T>& tile) : tile(tile), k(Kind::begin(tile)) {
    enter();
  }
  /// Begins with the first slab of tile k.
  __device__ void enter() {
    const Operand<T> x = Kind::left(tile, k), w = Kind::right(tile, k);
    slab = 0, slabs = tile.slabs_of(k);
    whole_x = x.is_whole(), whole_w = w.is_whole();
    if (whole_x) from_x = {x, share};
    if (whole_w) from_w = {w, share};
  }
  /// Loads the thread's share of the current slab of both operands to the stage `to`.
  __device__ void load_stage(T* to) {
    if (!whole_x)
      load_part<Loop>(to, Kind::left(tile, k), slab, share);
    else if (Kind::flips(tile, k))
      load_whole<Loop, true>(to, from_x, share);
    else
      load_whole<Loop, false>(to, from_x, share);
    if (whole_w)
      load_whole<Loop, true>(to + kSlabEntries, from_w, share);
    else
      load_part<Loop>(to + kSlabEntries, Kind::right(tile, k), slab, share);
  }
  /// Goes to the next slab; returns false after the last one.
  __device__ bool advance() {
    from_x.advance();
    from_w.advance();
    if (++slab < slabs) return true;
    if (++k >= Kind::end(tile)) return false;
    enter();
    return true;
  }

  const TileAtWork<T>& tile;
  Index k, slab, slabs;
  Share<T> share;
  bool whole_x, whole_w;
  Cursor<T> from_x, from_w;
};

/// Adds the warp's part of the sum to acc, if `active`. All threads of the block call it, since all
/// load the operands. `stages`: shared memory, kStages * kStageEntries entries.
template <class Loop, class Kind>
__device__ __forceinline__ void add_up(typename Loop::Accumulators& acc,
                                       const TileAtWork<typename Loop::T>& tile, bool active,
                                       typename Loop::T* stages) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Coming<Loop, Kind> coming(tile);
  Index left = tile.slabs(Kind::begin(tile), Kind::end(tile));  // slabs not multiplied yet
  const Index flipped =
      left -
      Kind::slabs_before_flips(tile);  // value of `left` from which on left operands are transposed
  bool more = true;
  const auto load_stage = [&](int stage) {
    if (more) coming.load_stage(stages + stage * kStageEntries);
    kernels::ptx::commit_copies();
    if (more) more = coming.advance();
  };
#pragma unroll 1
  for (int stage = 0; stage < kStages - 1; ++stage) load_stage(stage);
  const auto* x = stages + warp_row(warp) * kPairEntries;
  const auto* w = stages + kSlabEntries + warp_column(warp) * kPairEntries;
#pragma unroll 1
  for (int stage = 0; left > 0; --left) {
    kernels::ptx::wait_for_copies<kStages - 2>();
    __syncthreads();
    load_stage(stage == 0 ? kStages - 1 : stage - 1);
    if (active) {
      if (Kind::kFlips && left <= flipped)
        Loop::template multiply<true>(acc, x + stage * kStageEntries, w + stage * kStageEntries,
                                      lane);
      else
        Loop::template multiply<false>(acc, x + stage * kStageEntries, w + stage * kStageEntries,
                                       lane);
    }
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }
}

/// Store the warp's part of a sum: in the tile `to` in scratch, with zeros in rows from `rows` on;
/// or in the panel, with zeros in rows of padding and the other sign if kNegative.
template <class Loop>
__device__ __forceinline__ void store_in_scratch(const typename Loop::Accumulators& acc,
                                                 typename Loop::T* to, Index rows) {
  using T = typename Loop::T;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Loop::for_each(acc, lane, [&](int i, int r, int n, int c, T x) {
    const Index row = warp_row(warp) + i;
    to[slab_cell(row, warp_column(warp) + n) + r * kCell + c] = row * kCell + r < rows ? x : T(0);
  });
}
template <class Loop, bool kNegative>
__device__ __forceinline__ void store_in_panel(const typename Loop::Accumulators& acc,
                                               const TileAtWork<typename Loop::T>& tile) {
  using T = typename Loop::T;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index height = tile.cells.cells_of(tile.i), width = tile.cells.cells_of(tile.j),
              rows = tile.cells.rows_of(tile.i);
  const Index first_row = tile.cells.first_cell(tile.i),
              first_column = tile.cells.first_cell(tile.j);
  Loop::for_each(acc, lane, [&](int i, int r, int n, int c, T x) {
    const Index row = warp_row(warp) + i, column = warp_column(warp) + n;
    if (row < height && column < width)
      tile.panel[tile.cells.panel().cell(first_row + row, first_column + column) + r * kCell + c] =
          row * kCell + r >= rows ? T(0)
          : kNegative             ? -x
                                  : x;
  });
}

/// Computes one tile of a sum by each block. `h`: InverseStep::h, else 0.
template <class Loop, class Kind>
__global__ void __launch_bounds__(kThreads, 3)
    multiply_tiles(PlanView plan, InverseMemory<typename Loop::T> memory, InverseTiles tiles,
                   Index h) {
  using T = typename Loop::T;
  extern __shared__ __align__(16) unsigned char stages[];
  __shared__ TileAtWork<T> tile;
  if (threadIdx.x == 0)
    tile.find(plan, memory, memory.tile[tiles.first + static_cast<Offset>(blockIdx.x)], h);
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool active = warp_row(warp) < tile.cells.cells_of(tile.i) &&
                      warp_column(warp) < tile.cells.cells_of(tile.j);
  typename Loop::Accumulators acc = {};
  add_up<Loop, Kind>(acc, tile, active, reinterpret_cast<T*>(stages));
  if (T* to = Kind::scratch(tile); to != nullptr)
    store_in_scratch<Loop>(acc, to, tile.cells.rows_of(tile.i));
  else
    store_in_panel<Loop, Kind::kNegative>(acc, tile);
}

}  // namespace kauri::numeric::cuda::inverse
