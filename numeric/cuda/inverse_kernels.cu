// The selected inverse from the root down, level by level (Takahashi, Fagan & Chen 1973; by supernodes: Lin et al. 2011). A supernode is a
// small front, by columns, or a column of tiles of a tiled front: with Y = L21 L11^-1,
//
//     Z21 = -Z22 Y,   Z11 = L11^-T L11^-1 - Y^T Z21
//
// where Z22 of a tiled front, gathered once from the panels of its ancestors, is joined by the tiles of its own that are done. Sums go by
// tiles in their order; no atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/inverse_kernels.hpp"

#include "numeric/cuda/kernels/gather.cuh"
#include "numeric/cuda/kernels/portable_loops.cuh"
#include "numeric/cuda/tile.cuh"

namespace kauri::numeric::cuda {
namespace {

using kernels::kSlabEntries;
using kernels::kTileEntries;
using kernels::portable::FmaLoop;
using kernels::portable::kPairEntries;
using kernels::portable::TensorLoop;
using symbolic::kCell;
using symbolic::kCellEntries;
using symbolic::kTileCells;

constexpr unsigned kProductThreads = 128;
constexpr unsigned kGatherThreads = 256;
constexpr unsigned kReadThreads = 64;
constexpr Index kSlices = kTileCells;  // blocks that finish a diagonal tile, a column of cells each

/// Place of entry (r, c) of a tile in scratch or in shared memory; of cell (r, c).
__device__ constexpr Index slab_place(Index r, Index c) { return FrontCells::forward_product_place(r, c); }
__device__ constexpr Index slab_cell(Index r, Index c) { return slab_place(r * kCell, c * kCell); }

/// take(i, j, entry) for all rows[i] >= columns[j], both ascending and in fronts that are done. `place`: `height` words of shared memory.
/// All threads of the block, which meet afterwards.
template <class T, class Take>
__device__ void gather_entries(const PlanView& plan, const InverseMemory<T>& memory, const Index* rows, Index height, const Index* columns,
                               Index width, Index* place, const Take& take) {
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  for (Index begin = 0; begin < width;) {  // columns of one front
    const Front f = plan.front[memory.front_of[columns[begin]]];
    const Index end = lower_bound(columns, width, f.first + f.p);
    for (Index i = thread; i < height; i += threads)
      if (const Index row = rows[i]; row >= columns[begin])
        place[i] = row < f.first + f.p ? row - f.first : f.p + lower_bound(plan.row + f.row + f.p, f.m - f.p, row);
    __syncthreads();
    for (Index k = thread; k < height * (end - begin); k += threads)
      if (const Index i = k % height, j = begin + k / height; rows[i] >= columns[j])
        take(i, j, memory.z[factor_place(f, place[i], columns[j] - f.first)]);
    __syncthreads();
    begin = end;
  }
}

/// A small front by columns, from the last to the first, in a square of order m: one block of threads.
template <class T>
__global__ void small_inverses(PlanView plan, InverseMemory<T> memory, Index begin) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* z = reinterpret_cast<T*>(shared);
  __shared__ Index place[DeviceSchedule::kSmall];
  __shared__ T y[DeviceSchedule::kSmall];
  const Front f = plan.front[plan.order[begin + static_cast<Index>(blockIdx.x)]];
  const SmallLayout layout = small_of(f);
  const Index m = f.m, p = f.p, ld = m | 1, thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  const Index* below = plan.row + f.row + p;
  gather_entries(plan, memory, below, m - p, below, m - p, place,
                 [&](Index i, Index j, T value) { z[(p + i) + (p + j) * ld] = z[(p + j) + (p + i) * ld] = value; });
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
    if (thread == 0) {
      T sum = T(0);
      for (Index h = c + 1; h < m; ++h) sum += y[h] * z[h + c * ld];
      z[c + c * ld] = T(1) / pivot / pivot - sum;
    }
    __syncthreads();
  }
  for (Index k = thread; k < m * p; k += threads)
    if (const Index r = k % m, c = k / m; r >= c) memory.z[f.panel + layout.place(r, c)] = z[r + c * ld];
}

/// Place of tile (i, j), i >= j, of a lower triangle of `order` tile rows.
__device__ Offset tile_of_block(Index i, Index j, Index order) {
  return (Offset{j} * order - Offset{j} * (j - 1) / 2 + i - j) * kScratchTile;
}

/// Z22 of tiled fronts, a tile a block. `skip`: tiles of fronts before the run.
template <class T>
__global__ void __launch_bounds__(kGatherThreads) gather_tiles(PlanView plan, InverseMemory<T> memory, TileList list, Index skip) {
  __shared__ TileAt at;
  __shared__ Index place[kTile];
  if (threadIdx.x == 0) at = find_tile(plan, list, skip + static_cast<Index>(blockIdx.x));
  __syncthreads();
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const TilePair t = pair_of(at.tile, cells.row_tiles());
  const Index pivot_tiles = cells.pivot_tiles();
  if (t.j < pivot_tiles) return;
  T* to =
      memory.scratch + memory.place[f.tiled].block + tile_of_block(t.i - pivot_tiles, t.j - pivot_tiles, cells.row_tiles() - pivot_tiles);
  for (Index e = static_cast<Index>(threadIdx.x); e < kTileEntries; e += static_cast<Index>(blockDim.x)) to[e] = T(0);
  __syncthreads();
  const Index* row = plan.row + f.row;
  gather_entries(plan, memory, row + cells.first_row(t.i), cells.rows_of(t.i), row + cells.first_row(t.j), cells.rows_of(t.j), place,
                 [&](Index i, Index j, T value) {
                   to[slab_place(i, j)] = value;
                   if (t.i == t.j) to[slab_place(j, i)] = value;
                 });
}

/// Y(i)^T, Y(i) = L(i,k) L(k,k)^-1, of tiles i > k: a row a thread, by substitution from the last column to the first.
template <class T>
__global__ void __launch_bounds__(kTile) divide_tiles(PlanView plan, InverseMemory<T> memory, TileList list, Index skip, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr Index ld = kTile + 1;
  T* l = reinterpret_cast<T*>(shared);
  T* a = l + kTile * ld;
  __shared__ TileAt at;
  if (threadIdx.x == 0) at = find_tile(plan, list, skip + static_cast<Index>(blockIdx.x));
  __syncthreads();
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const Index i = k + 1 + at.tile, i0 = cells.first_row(i), rows = cells.rows_of(i), w = cells.rows_of(k), j0 = k * kTile;
  const auto r = static_cast<Index>(threadIdx.x);
  const T* panel = memory.l + f.panel;
  for (Index e = r; e < kTile * w; e += kTile) {
    const Index h = e % kTile, c = e / kTile;
    if (h >= c && h < w) l[h + c * ld] = panel[cells.place(j0 + h, j0 + c)];
    a[h + c * ld] = h < rows ? panel[cells.place(i0 + h, j0 + c)] : T(0);
  }
  __syncthreads();
  for (Index c = w; c-- > 0;) {
    T sum = a[r + c * ld];
    for (Index e = c + 1; e < w; ++e) sum -= a[r + e * ld] * l[e + c * ld];
    a[r + c * ld] = sum / l[c + c * ld];
  }
  __syncthreads();
  T* to = memory.scratch + memory.place[f.tiled].y + i * kScratchTile;
  for (Index e = r; e < kTileEntries; e += kTile)
    if (const Index h = e % kTile, c = e / kTile; c < w)
      to[slab_place(c, h)] = a[h + c * ld];
    else
      to[slab_place(c, h)] = T(0);
}

/// Cell (r, c) of tile (i, j) of a front's Z, whichever half that is in: where it lies, or its transpose; null where there is none.
template <class T>
struct CellOfInverse {
  const T* first;
  bool transposed;
};
template <class T>
__device__ CellOfInverse<T> cell_of(const InverseMemory<T>& memory, const Front& f, const FrontCells& cells, Index i, Index r, Index j,
                                    Index c) {
  const Index pivot_tiles = cells.pivot_tiles();
  if (i >= pivot_tiles && j >= pivot_tiles) {
    const bool flip = i < j;
    const T* tile = memory.scratch + memory.place[f.tiled].block +
                    tile_of_block((flip ? j : i) - pivot_tiles, (flip ? i : j) - pivot_tiles, cells.row_tiles() - pivot_tiles);
    return {tile + (flip ? slab_cell(c, r) : slab_cell(r, c)), flip};
  }
  if (r >= cells.cells_of(i) || c >= cells.cells_of(j)) return {nullptr, false};
  const Index row = cells.first_cell(i) + r, column = cells.first_cell(j) + c;
  const bool flip = row < column;
  return {memory.z + f.panel + cells.panel().cell(flip ? column : row, flip ? row : column), flip};
}

/// Tile (i, j) of Z to shared memory, a cell a warp.
template <class T>
__device__ void load_tile(const InverseMemory<T>& memory, const Front& f, const FrontCells& cells, Index i, Index j, T* to) {
  const Index warp = static_cast<Index>(threadIdx.x) / 32, lane = static_cast<Index>(threadIdx.x) % 32;
  const Index row = lane / 4, column = lane % 4 * 2;  // two entries of a cell
  for (Index k = warp; k < kTileCells * kTileCells; k += kProductThreads / 32) {
    const Index r = k % kTileCells, c = k / kTileCells;
    const CellOfInverse<T> from = cell_of(memory, f, cells, i, r, j, c);
    const T x = from.first != nullptr ? from.first[2 * lane] : T(0), y = from.first != nullptr ? from.first[2 * lane + 1] : T(0);
    T* cell = to + slab_cell(r, c);
    cell[from.transposed ? column * kCell + row : 2 * lane] = x;
    cell[from.transposed ? (column + 1) * kCell + row : 2 * lane + 1] = y;
  }
}

template <class T>
__device__ void copy_tile(const T* from, T* to) {
  for (Index e = static_cast<Index>(threadIdx.x); e < kTileEntries; e += kProductThreads) to[e] = from[e];
}

/// Products of whole tiles in shared memory by four warps: two have half of the rows each, for the first half of the columns multiplied,
/// two for the second.
template <class Loop>
struct Product {
  using T = typename Loop::T;
  typename Loop::Accumulators acc;

  __device__ static Index warp() { return static_cast<Index>(threadIdx.x) / 32; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ void clear() { kernels::portable::set_zero<Loop>(acc); }

  /// acc += X Y^T.
  __device__ void add(const T* x, const T* y) {
    constexpr Index half = symbolic::kTileSlabs / 2;
    for (Index s = warp() / 2 * half; s < (warp() / 2 + 1) * half; ++s)
      Loop::multiply(acc, x + s * kSlabEntries + warp() % 2 * (kTileCells / 2) * kPairEntries, y + s * kSlabEntries, 0, kTileCells, lane());
  }

  /// f(k, row, column, x) for the lane's entries, the k-th of its warp.
  template <class F>
  __device__ void each(const F& f) {
#pragma unroll
    for (int i = 0; i < Loop::kRows; ++i) {
#pragma unroll
      for (int n = 0; n < kTileCells; ++n) {
#pragma unroll
        for (int b = 0; b < Loop::kBeside; ++b)
          f((i * kTileCells + n) * Loop::kBeside + b, (warp() % 2 * (kTileCells / 2) + Loop::row_cell(i)) * kCell + Loop::row(i, lane()),
            n * kCell + Loop::column(lane()) + b, acc[i][n][b]);
      }
    }
  }

  /// The first two warps have the sums afterwards. exchange: a tile of shared memory that nobody reads.
  __device__ void join(T* exchange) {
    T* own = exchange + warp() % 2 * (kTileEntries / 2) + lane();
    if (warp() >= 2) each([&](Index k, Index, Index, const T& x) { own[k * 32] = x; });
    __syncthreads();
    if (warp() < 2) each([&](Index k, Index, Index, T& x) { x += own[k * 32]; });
    __syncthreads();
  }
};

/// A tile (i, k), i > k, that a block works on, and its shared memory.
template <class T>
struct TileAtWork {
  __device__ TileAtWork(const PlanView& plan, const InverseMemory<T>& memory, const TileList& list, Index block, Index k, TileAt& at)
      : k(k) {
    extern __shared__ __align__(16) unsigned char shared[];
    left = reinterpret_cast<T*>(shared);
    right = left + kTileEntries;
    if (threadIdx.x == 0) at = find_tile(plan, list, block);
    __syncthreads();
    f = plan.front[at.front];
    i = k + 1 + at.tile;
    y = memory.scratch + memory.place[f.tiled].y;
  }
  [[nodiscard]] __device__ FrontCells cells() const { return cells_of(f); }
  /// Its product, or part `part` of its sum.
  [[nodiscard]] __device__ T* product() const { return y + (cells().row_tiles() + i) * kScratchTile; }
  [[nodiscard]] __device__ T* part(Index part) const { return y + ((2 + part) * Offset{cells().row_tiles()} + i) * kScratchTile; }

  /// -sum to Z, and to where a product takes it from.
  __device__ void put(const InverseMemory<T>& memory, Index r, Index c, T sum) const {
    const FrontCells layout = cells();
    left[slab_place(c, r)] = -sum;
    if (r < layout.rows_of(i) && c < layout.rows_of(k)) memory.z[f.panel + layout.place(layout.first_row(i) + r, k * kTile + c)] = -sum;
  }

  Front f;
  Index i, k;
  T* left;
  T* right;
  T* y;
};

/// Y(i)^T Z(i,k), which is there transposed.
template <class Loop>
__device__ void multiply_by_own(Product<Loop>& product, const TileAtWork<typename Loop::T>& tile) {
  copy_tile(tile.y + tile.i * kScratchTile, tile.right);
  __syncthreads();
  product.clear();
  product.add(tile.right, tile.left);
  __syncthreads();
  product.join(tile.left);
  auto* to = tile.product();
  if (product.warp() < 2) product.each([&](Index, Index r, Index c, const auto& x) { to[r * kTile + c] = x; });
}

/// Tiles (i,k), i > k, of Z, and their part of Z(k,k): products Y(i)^T Z(i,k). Or, by several blocks, parts of their sums alone.
template <class Loop>
__global__ void __launch_bounds__(kProductThreads)
    invert_tiles(PlanView plan, InverseMemory<typename Loop::T> memory, TileList list, Index skip, Index k, Index parts) {
  using T = typename Loop::T;
  __shared__ TileAt at;
  const auto block = static_cast<Index>(blockIdx.x);
  const TileAtWork<T> tile(plan, memory, list, skip + block / parts, k, at);
  const FrontCells cells = tile.cells();
  const Index part = block % parts, terms = cells.row_tiles() - k - 1;
  Product<Loop> product;
  product.clear();
  for (Index j = k + 1 + terms * part / parts; j < k + 1 + terms * (part + 1) / parts; ++j) {
    load_tile(memory, tile.f, cells, tile.i, j, tile.left);
    copy_tile(tile.y + j * kScratchTile, tile.right);
    __syncthreads();
    product.add(tile.left, tile.right);
    __syncthreads();
  }
  product.join(tile.left);
  if (parts > 1) {
    T* to = tile.part(part);
    if (product.warp() < 2) product.each([&](Index, Index r, Index c, const T& x) { to[r * kTile + c] = x; });
    return;
  }
  if (product.warp() < 2) product.each([&](Index, Index r, Index c, const T& x) { tile.put(memory, r, c, x); });
  multiply_by_own(product, tile);
}

/// The same of sums whose parts are there.
template <class Loop>
__global__ void __launch_bounds__(kProductThreads)
    join_parts(PlanView plan, InverseMemory<typename Loop::T> memory, TileList list, Index skip, Index k, Index parts) {
  using T = typename Loop::T;
  __shared__ TileAt at;
  const TileAtWork<T> tile(plan, memory, list, skip + static_cast<Index>(blockIdx.x), k, at);
  for (Index e = static_cast<Index>(threadIdx.x); e < kTileEntries; e += kProductThreads) {
    T sum = T(0);
    for (Index part = 0; part < parts; ++part) sum += tile.part(part)[e];
    tile.put(memory, e / kTile, e % kTile, sum);
  }
  Product<Loop> product;
  multiply_by_own(product, tile);
}

/// Z(k,k) = V^T V less the products of the tiles below, V = L(k,k)^-1; cells on the diagonal with both halves. A column of cells a block.
template <class T>
__global__ void __launch_bounds__(kGatherThreads) finish_diagonals(PlanView plan, InverseMemory<T> memory, Index begin, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr Index ld = kTile + 1;
  T* v = reinterpret_cast<T*>(shared);
  const auto block = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
  const Front f = plan.front[plan.order[begin + block / kSlices]];
  const FrontCells cells = cells_of(f);
  const Index width = cells.rows_of(k), row_tiles = cells.row_tiles(), first = k * kTile, slice = block % kSlices;
  for (Index e = thread; e < kTileEntries; e += kGatherThreads)
    if (const Index r = e % kTile, c = e / kTile; r < width && c <= r)
      v[r + c * ld] = memory.l[f.inverses + FrontCells::inverse_place(first + r, first + c)];
  __syncthreads();
  const T* part = memory.scratch + memory.place[f.tiled].y + row_tiles * kScratchTile;
  for (Index e = thread; e < kTile * kCell; e += kGatherThreads) {
    const Index row = e / kCell, column = slice * kCell + e % kCell, r = max(row, column), c = min(row, column);
    if (row < slice * kCell || r >= width) continue;
    T sum = T(0), products = T(0);
    for (Index h = r; h < width; ++h) sum += v[h + r * ld] * v[h + c * ld];
    for (Index i = k + 1; i < row_tiles; ++i) products += part[i * kScratchTile + r * kTile + c];
    memory.z[f.panel + cells.panel().place(first + row, first + column)] = sum - products;
  }
}

template <class T>
__global__ void __launch_bounds__(kReadThreads) read_diagonal(PlanView plan, const T* entries, T* out) {
  const Front f = plan.front[blockIdx.x];
  for (Index c = static_cast<Index>(threadIdx.x); c < f.p; c += kReadThreads) out[f.first + c] = entries[factor_place(f, c, c)];
}

template <class T>
__global__ void __launch_bounds__(kReadThreads) read_entries(PlanView plan, const T* entries, T* out) {
  const Front f = plan.front[blockIdx.x];
  for (Index c = 0; c < f.p; ++c)
    for (Offset e = Offset{plan.entry_ptr[f.first + c]} + threadIdx.x; e < plan.entry_ptr[f.first + c + 1]; e += kReadThreads)
      out[plan.entry_source[e]] = entries[factor_place(f, plan.entry_row[e], c)];
}

/// In double by FP64 tensor cores, which are there from 8.0 on, fast or not.
template <class T>
using LoopOf = std::conditional_t<sizeof(T) == sizeof(double), TensorLoop, FmaLoop<float>>;

template <class T>
std::size_t square_of(Index order) {
  return sizeof(T) * static_cast<std::size_t>(order) * static_cast<std::size_t>(order | 1);
}
template <class T>
constexpr std::size_t kDivideBytes = 2 * sizeof(T) * kTile*(kTile + 1);
template <class T>
constexpr std::size_t kProductBytes = 2 * sizeof(T) * kTileEntries;

template <class T>
void load_inverses() {
  load(small_inverses<T>);
  load(gather_tiles<T>);
  load(finish_diagonals<T>);
  load(read_diagonal<T>);
  load(read_entries<T>);
  const auto let_have = [](auto kernel, std::size_t bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "shared memory of a kernel");
  };
  let_have(divide_tiles<T>, kDivideBytes<T>);
  let_have(invert_tiles<LoopOf<T>>, kProductBytes<T>);
  let_have(join_parts<LoopOf<T>>, kProductBytes<T>);
}

/// Those fronts of a list, and how many tiles come before theirs.
struct Part {
  TileList list;
  Index skip;
};
Part part_of(const TileList& list, const Level& level, const InverseRun& run, const Index* tile_ptr) {
  const Index begin = std::min(run.begin - level.first, list.count), end = std::min(run.end - level.first, list.count);
  const Index* ptr = tile_ptr + list.at;
  return {{list.first + begin, end - begin, ptr[end] - ptr[begin], list.at + begin}, ptr[begin]};
}

}  // namespace

void load_inverse_kernels() {
  load_inverses<float>();
  load_inverses<double>();
}

template <class T>
void enqueue_small_inverses(const PlanView& plan, const Level& level, const InverseMemory<T>& memory, cudaStream_t stream) {
  const auto some = [&](Index begin, Index end, Index order, unsigned threads) {
    if (begin < end)
      check(kernels::launch(small_inverses<T>, static_cast<unsigned>(end - begin), threads, square_of<T>(order), stream, plan, memory,
                            level.first + begin),
            "a launch of inverses of small fronts");
  };
  some(0, level.small16, 16, 32);
  some(level.small16, level.small32, 32, 32);
  some(level.small32, level.small, DeviceSchedule::kSmall, 64);
}

template <class T>
void enqueue_tiled_inverses(const PlanView& plan, const Level& level, const InverseRun& run, const Index* tile_ptr,
                            const InverseMemory<T>& memory, cudaStream_t stream) {
  const auto over = [&](auto kernel, const Part& part, Index blocks, unsigned threads, std::size_t bytes, auto... more) {
    if (part.list.tiles > 0)
      check(kernels::launch(kernel, static_cast<unsigned>(part.list.tiles) * static_cast<unsigned>(blocks), threads, bytes, stream, plan,
                            memory, part.list, part.skip, more...),
            "a launch of inverses");
  };
  over(gather_tiles<T>, part_of(level.tiles, level, run, tile_ptr), 1, kGatherThreads, 0);
  for (auto step = level.steps.rbegin(); step != level.steps.rend(); ++step) {
    const Part part = part_of(step->panel, level, run, tile_ptr);
    if (part.list.count == 0) continue;
    over(divide_tiles<T>, part, 1, kTile, kDivideBytes<T>, step->k);
    over(invert_tiles<LoopOf<T>>, part, run.parts, kProductThreads, kProductBytes<T>, step->k, run.parts);
    if (run.parts > 1) over(join_parts<LoopOf<T>>, part, 1, kProductThreads, kProductBytes<T>, step->k, run.parts);
    check(kernels::launch(finish_diagonals<T>, static_cast<unsigned>(part.list.count * kSlices), kGatherThreads, square_of<T>(kTile),
                          stream, plan, memory, part.list.first, step->k),
          "a launch of inverses");
  }
}

template <class T>
void enqueue_diagonal(const PlanView& plan, Index fronts, const T* entries, T* out, cudaStream_t stream) {
  if (fronts == 0) return;
  check(kernels::launch(read_diagonal<T>, static_cast<unsigned>(fronts), kReadThreads, 0, stream, plan, entries, out),
        "a launch that reads a diagonal");
}

template <class T>
void enqueue_entries(const PlanView& plan, Index fronts, const T* entries, T* out, cudaStream_t stream) {
  if (fronts == 0) return;
  check(kernels::launch(read_entries<T>, static_cast<unsigned>(fronts), kReadThreads, 0, stream, plan, entries, out),
        "a launch that reads entries");
}

#define KAURI_INVERSE_LAUNCHES(T)                                                                                               \
  template void enqueue_small_inverses(const PlanView&, const Level&, const InverseMemory<T>&, cudaStream_t);                   \
  template void enqueue_tiled_inverses(const PlanView&, const Level&, const InverseRun&, const Index*, const InverseMemory<T>&, \
                                       cudaStream_t);                                                                           \
  template void enqueue_diagonal(const PlanView&, Index, const T*, T*, cudaStream_t);                                           \
  template void enqueue_entries(const PlanView&, Index, const T*, T*, cudaStream_t);
KAURI_INVERSE_LAUNCHES(float)
KAURI_INVERSE_LAUNCHES(double)
#undef KAURI_INVERSE_LAUNCHES

}  // namespace kauri::numeric::cuda
