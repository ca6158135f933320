// The oracle and the fallback of factorisations: multifrontal Cholesky level by level (Duff & Reid
// 1983). Tests compare all faster kernels with these kernels, which also do the fronts that no
// faster kernel does on a device. One block of threads factorises a front of up to 64 rows. Larger
// fronts are done in tiles of 64, right-looking: one launch assembles all tiled fronts of a level,
// then each tile column takes up to three launches for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/fallback/kernels.hpp"

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/runtime/kernel/tight.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace fallback {
namespace {

/// Records the failure of front s at `column`, counted from its first pivot, with the value
/// `pivot`, and marks its parent, which a later launch factorises, below_failed. Called by one
/// thread.
template <class T>
__device__ void fail(const PlanView& plan, const FactorMemory<T>& memory, Index s, Index column,
                     T pivot) {
  memory.state[s] = FrontState::failed;
  memory.failed_column[s] = plan.front[s].first + column;
  memory.failed_pivot[s] = static_cast<double>(pivot);
  if (const Index parent = plan.front[s].parent; parent != kNone)
    memory.state[parent] = FrontState::below_failed;
}

/// Returns true if front s or a descendant has failed, and then marks the parent of s
/// below_failed too. Called by one thread.
template <class T>
__device__ bool has_failed(const PlanView& plan, const FactorMemory<T>& memory, Index s) {
  if (memory.state[s] == FrontState::done) return false;
  if (const Index parent = plan.front[s].parent; parent != kNone)
    memory.state[parent] = FrontState::below_failed;
  return true;
}

/// Adds A's entries of front columns [j0, j0 + columns), which must be pivots, and rows [i0, i0 +
/// rows), and the shift on the diagonal, to a tile: entry (i,j) to tile[(i - i0) + (j - j0) * ld].
/// Called by all threads of the block, which it does not synchronise.
template <class T>
__device__ void add_entries(const PlanView& plan, const FactorMemory<T>& memory, const Front& f,
                            Index i0, Index rows, Index j0, Index columns, T* tile, Index ld) {
  for (Index j = static_cast<Index>(threadIdx.x); j < columns;
       j += static_cast<Index>(blockDim.x)) {
    T* column = tile + j * ld;
    for (Offset e = plan.entry_ptr[f.first + j0 + j]; e < plan.entry_ptr[f.first + j0 + j + 1];
         ++e) {
      const Index i = plan.entry_row[e] - i0;
      if (i >= 0 && i < rows) column[i] += memory.value[plan.entry_source[e]];
    }
    if (const Index i = j0 + j - i0; i >= 0 && i < rows) column[i] += *memory.shift;
  }
}

/// Adds the children's entries in front rows [i0, i0 + rows), columns [j0, j0 + columns) to a tile,
/// child after child: entry (i,j) to tile[(i - i0) + (j - j0) * ld]. Called by all threads of the
/// block; ends with a barrier if there are children.
template <class T>
__device__ void add_children(const PlanView& plan, const FactorMemory<T>& memory, const Front& f,
                             Index i0, Index rows, Index j0, Index columns, T* tile, Index ld) {
  __shared__ Index range[4];
  for (Index c = f.child_begin; c < f.child_end; ++c) {
    const Front& child = plan.front[plan.child[c]];
    const Index q = child.m - child.p;
    const Index* relative = plan.relative + child.relative;
    if (threadIdx.x < 4) {
      const Index bound = threadIdx.x == 0   ? i0
                          : threadIdx.x == 1 ? i0 + rows
                          : threadIdx.x == 2 ? j0
                                             : j0 + columns;
      range[threadIdx.x] = lower_bound(relative, q, bound);
    }
    __syncthreads();
    const Index r0 = range[0], s0 = range[2], height = range[1] - r0, width = range[3] - s0;
    for (Index k = static_cast<Index>(threadIdx.x); k < height * width;
         k += static_cast<Index>(blockDim.x)) {
      const Index r = r0 + k % height, s = s0 + k / height;
      if (r < s) continue;
      tile[relative[r] - i0 + (relative[s] - j0) * ld] += memory.entries[block_place(child, r, s)];
    }
    __syncthreads();
  }
}

/// Factorises the first p columns of a lower triangle of order m in shared memory, ld entries from
/// a column to the next, and subtracts their products from the columns right of them. Returns the
/// column of the first pivot that is not positive and finite, which is left in place, or kNone.
/// Called by all threads of the block, with `a` complete.
template <class T>
__device__ Index partial_cholesky(T* a, Index ld, Index m, Index p) {
  const auto t = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(blockDim.x);
  for (Index j = 0; j < p; ++j) {
    const T pivot = a[j + j * ld];
    if (!(pivot > T(0)) || isinf(pivot)) return j;
    const T root = sqrt(pivot);
    __syncthreads();
    for (Index i = j + t; i < m; i += threads) a[i + j * ld] = i == j ? root : a[i + j * ld] / root;
    __syncthreads();
    const Index below = m - j - 1;
    for (Index k = t; k < below * below; k += threads) {
      const Index i = j + 1 + k % below, c = j + 1 + k / below;
      if (i >= c) a[i + c * ld] -= a[i + j * ld] * a[c + j * ld];
    }
    __syncthreads();
  }
  return kNone;
}

/// Stores the lower triangle `a` of a factorised front, in shared memory with ld entries from a
/// column to the next: the columns of pivots to `panel`, the others to `block`. Called by all
/// threads of the block.
template <class T>
__device__ void store(const T* a, Index ld, const SmallLayout& layout, T* panel, T* block) {
  for (Index k = static_cast<Index>(threadIdx.x); k < layout.m * layout.m;
       k += static_cast<Index>(blockDim.x))
    if (const Index r = k % layout.m, c = k / layout.m; r >= c)
      (c < layout.p ? panel : block)[layout.place(r, c)] = a[r + c * ld];
}

template <class T>
__global__ void small_fronts(PlanView plan, FactorMemory<T> memory, Index begin) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* a = reinterpret_cast<T*>(shared);
  __shared__ bool failed;
  const Index s = plan.order[begin + static_cast<Index>(blockIdx.x)];
  if (threadIdx.x == 0) failed = has_failed(plan, memory, s);
  __syncthreads();
  if (failed) return;
  const Front f = plan.front[s];
  const Index ld = f.m | 1;
  for (Index k = static_cast<Index>(threadIdx.x); k < ld * f.m; k += static_cast<Index>(blockDim.x))
    a[k] = T(0);
  __syncthreads();
  add_entries(plan, memory, f, 0, f.m, 0, f.p, a, ld);
  __syncthreads();
  add_children(plan, memory, f, 0, f.m, 0, f.m, a, ld);
  if (const Index column = partial_cholesky(a, ld, f.m, f.p); column != kNone) {
    if (threadIdx.x == 0) fail(plan, memory, s, column, a[column + column * ld]);
    return;
  }
  store(a, ld, small_of(f), memory.entries + f.panel, memory.entries + f.block);
}

/// Returns the address of entry (r, c), r >= c, of a tiled front: in L or in its contribution
/// block.
template <class T>
__device__ T* entry_of(const FactorMemory<T>& memory, const Front& f, Index r, Index c) {
  return memory.entries + (c < f.p ? f.panel : f.block) + cells_of(f).place(r, c);
}

/// Calls f(r, c, entry) for entries (i0 + r, j0 + c) of a tiled front, r < rows and c < columns,
/// but not for those above its diagonal; `entry` is the entry's address. The threads of the block
/// share out the entries.
template <class T, class F>
__device__ void over_tile(const FactorMemory<T>& memory, const Front& front, Index i0, Index rows,
                          Index j0, Index columns, const F& f) {
  for (Index e = static_cast<Index>(threadIdx.x); e < rows * columns;
       e += static_cast<Index>(blockDim.x)) {
    const Index r = e % rows, c = e / rows;
    if (i0 + r >= j0 + c) f(r, c, entry_of(memory, front, i0 + r, j0 + c));
  }
}

/// Sets `shared` to the tile of `list` that this block of threads works on. Returns false if the
/// tile's front or a descendant has failed. Called by all threads of the block.
template <class T>
__device__ bool take_tile(const PlanView& plan, const FactorMemory<T>& memory, const TileList& list,
                          TileAt& shared) {
  if (threadIdx.x == 0) shared = find_tile(plan, list, static_cast<Index>(blockIdx.x));
  __syncthreads();
  return memory.state[shared.front] == FrontState::done;
}

template <class T>
__global__ void assemble_tiles(PlanView plan, FactorMemory<T> memory, TileList list) {
  __shared__ T tile[kTile * kTile];
  __shared__ TileAt at;
  if (!take_tile(plan, memory, list, at)) return;
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const TilePair t = pair_of(at.tile, cells.row_tiles());
  const Index i0 = cells.first_row(t.i), j0 = cells.first_row(t.j), rows = cells.rows_of(t.i),
              columns = cells.rows_of(t.j);
  for (Index k = static_cast<Index>(threadIdx.x); k < kTile * kTile;
       k += static_cast<Index>(blockDim.x))
    tile[k] = T(0);
  __syncthreads();
  if (t.j < cells.pivot_tiles()) add_entries(plan, memory, f, i0, rows, j0, columns, tile, kTile);
  __syncthreads();
  add_children(plan, memory, f, i0, rows, j0, columns, tile, kTile);
  over_tile(memory, f, i0, rows, j0, columns,
            [&](Index r, Index c, T* entry) { *entry = tile[r + c * kTile]; });
}

/// Stores the inverses of the 16 x 16 diagonal blocks of a pivot tile l, in shared memory with ld
/// entries from a column to the next, of w pivots from pivot `first` of the front on: whole blocks,
/// with zeros above the diagonal and an identity behind the last pivot. The fallback of solves
/// reads these inverses, and invert_tiles() makes those of whole tiles from them.
template <class T>
__device__ void store_inverses(const T* l, Index ld, Index w, const FactorMemory<T>& memory,
                               const Front& f, Index first) {
  constexpr Index block = symbolic::kInverseOrder;
  for (Index c = static_cast<Index>(threadIdx.x); c < (w + block - 1) / block * block;
       c += static_cast<Index>(blockDim.x)) {
    const Index begin = c / block * block;
    T x[block];
    for (Index i = begin; i < begin + block; ++i) {
      T value = i == c ? T(1) : T(0);
      if (i >= c && i < w) {
        for (Index k = c; k < i; ++k) value -= l[i + k * ld] * x[k - begin];
        value /= l[i + i * ld];
      }
      x[i - begin] = value;
      memory.entries[diagonal_place(f, first + i, first + c)] = value;
    }
  }
}

/// Factorises pivot tile k of each front from plan.order[begin] on, one block of threads for each
/// front, and stores the inverses of its 16 x 16 diagonal blocks. Skips fronts that
/// has_failed() names; records failures.
template <class T>
__global__ void factor_tiles(PlanView plan, FactorMemory<T> memory, Index begin, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* a = reinterpret_cast<T*>(shared);
  constexpr Index ld = kTile + 1;
  __shared__ bool failed;
  const Index s = plan.order[begin + static_cast<Index>(blockIdx.x)];
  if (threadIdx.x == 0) failed = has_failed(plan, memory, s);
  __syncthreads();
  if (failed) return;
  const Front f = plan.front[s];
  const FrontCells cells = cells_of(f);
  const Index w = cells.rows_of(k), at = k * kTile;
  over_tile(memory, f, at, w, at, w, [&](Index r, Index c, T* entry) { a[r + c * ld] = *entry; });
  __syncthreads();
  if (const Index column = partial_cholesky(a, ld, w, w); column != kNone) {
    if (threadIdx.x == 0) fail(plan, memory, s, k * kTile + column, a[column + column * ld]);
    return;
  }
  over_tile(memory, f, at, w, at, w, [&](Index r, Index c, T* entry) { *entry = a[r + c * ld]; });
  store_inverses(a, ld, w, memory, f, at);
}

/// Entries of the diagonal tile of solve_tiles(): of its lower triangle alone, if kTight.
constexpr Index kDiagonal = kTight ? kTile * (kTile + 1) / 2 : kTile * (kTile + 1);
/// Returns the place of entry (r, c), r >= c, in that tile.
__device__ constexpr Index diagonal_place(Index r, Index c) {
  return kTight ? r * (r + 1) / 2 + c : r + c * (kTile + 1);
}
/// Columns of the two tiles that update_tiles() has in shared memory at a time.
constexpr Index kUpdateColumns = kTight ? kTile / 2 : kTile;

/// Solves X L(k,k)^T = A(i,k) for tiles (i,k), i > k, by substitution, one row per thread; X
/// replaces A(i,k).
template <class T>
__global__ void solve_tiles(PlanView plan, FactorMemory<T> memory, TileList list, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* l = reinterpret_cast<T*>(shared);
  T* a = l + kDiagonal;
  constexpr Index ld = kTile + 1;
  __shared__ TileAt at;
  if (!take_tile(plan, memory, list, at)) return;
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const Index i0 = cells.first_row(k + 1 + at.tile), rows = cells.rows_of(k + 1 + at.tile),
              w = cells.rows_of(k), j0 = k * kTile;
  over_tile(memory, f, j0, w, j0, w,
            [&](Index r, Index c, T* entry) { l[diagonal_place(r, c)] = *entry; });
  over_tile(memory, f, i0, rows, j0, w,
            [&](Index r, Index c, T* entry) { a[r + c * ld] = *entry; });
  __syncthreads();
  if (const auto r = static_cast<Index>(threadIdx.x); r < rows)
    for (Index c = 0; c < w; ++c) {
      T sum = a[r + c * ld];
      for (Index e = 0; e < c; ++e) sum -= a[r + e * ld] * l[diagonal_place(c, e)];
      a[r + c * ld] = sum / l[diagonal_place(c, c)];
    }
  __syncthreads();
  over_tile(memory, f, i0, rows, j0, w,
            [&](Index r, Index c, T* entry) { *entry = a[r + c * ld]; });
}

/// Subtracts L(i,k) L(j,k)^T from tiles (i,j), i >= j > k; 256 threads with 4 x 4 entries each.
template <class T>
__global__ void __launch_bounds__(256)
    update_tiles(PlanView plan, FactorMemory<T> memory, TileList list, Index k) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* left = reinterpret_cast<T*>(shared);
  T* right = left + kTile * kUpdateColumns;
  __shared__ TileAt at;
  if (!take_tile(plan, memory, list, at)) return;
  const Front f = plan.front[at.front];
  const FrontCells cells = cells_of(f);
  const TilePair t = pair_of(at.tile, cells.row_tiles() - k - 1);
  const Index i0 = cells.first_row(k + 1 + t.i), j0 = cells.first_row(k + 1 + t.j),
              rows = cells.rows_of(k + 1 + t.i), columns = cells.rows_of(k + 1 + t.j),
              w = cells.rows_of(k), k0 = k * kTile;
  const auto load_columns = [&](Index first, Index width) {
    for (Index e = static_cast<Index>(threadIdx.x); e < kTile * width; e += 256) {
      const Index r = e % kTile, c = first + e / kTile;
      left[e] = r < rows ? *entry_of(memory, f, i0 + r, k0 + c) : T(0);
      right[e] = r < columns ? *entry_of(memory, f, j0 + r, k0 + c) : T(0);
    }
    __syncthreads();
  };
  const Index width = kUpdateColumns < kTile ? min(w, kUpdateColumns) : w;
  load_columns(0, width);
  const Index r0 = static_cast<Index>(threadIdx.x) % 16, c0 = static_cast<Index>(threadIdx.x) / 16;
  T sum[4][4] = {};
  const auto add_products = [&](Index count) {
    for (Index e = 0; e < count; ++e) {
      T x[4], y[4];
      for (int u = 0; u < 4; ++u)
        x[u] = left[r0 + 16 * u + e * kTile], y[u] = right[c0 + 16 * u + e * kTile];
      for (int u = 0; u < 4; ++u)
        for (int v = 0; v < 4; ++v) sum[u][v] += x[u] * y[v];
    }
  };
  add_products(width);
  if constexpr (kUpdateColumns < kTile) {
    __syncthreads();
    load_columns(kUpdateColumns, w - width);
    add_products(w - width);
  }
  for (int v = 0; v < 4; ++v)
    for (int u = 0; u < 4; ++u)
      if (const Index r = r0 + 16 * u, c = c0 + 16 * v; r < rows && c < columns && i0 + r >= j0 + c)
        *entry_of(memory, f, i0 + r, j0 + c) -= sum[u][v];
}

template <class T>
std::size_t square_bytes(Index order) {
  return sizeof(T) * static_cast<std::size_t>(order) * static_cast<std::size_t>(order | 1);
}
template <class T>
constexpr std::size_t kPairBytes = sizeof(T) * (kDiagonal + kTile * (kTile + 1));
static_assert(kPairBytes<double> + sizeof(TileAt) <= kernels::ptx::kBlockKilobytes * 1024);

template <class T>
void prepare() {
  load(small_fronts<T>);
  load(assemble_tiles<T>);
  load(factor_tiles<T>);
  const auto bytes = static_cast<int>(kPairBytes<T>);
  check(cudaFuncSetAttribute(solve_tiles<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory of a kernel");
  check(cudaFuncSetAttribute(update_tiles<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory of a kernel");
}

template <class T>
void enqueue_small(const PlanView& plan, const FactorMemory<T>& memory, Index begin, Index count,
                   Index order, unsigned threads, cudaStream_t stream) {
  if (count == 0) return;
  check(kernels::launch(small_fronts<T>, static_cast<unsigned>(count), threads,
                        square_bytes<T>(order), stream, plan, memory, begin),
        "a launch of small fronts");
}

}  // namespace
}  // namespace fallback

void load_level_kernels() {
  fallback::prepare<float>();
  fallback::prepare<double>();
}

template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory,
                   cudaStream_t stream) {
  const Index at = level.first;
  fallback::enqueue_small(plan, memory, at, level.small16, 16, 32, stream);
  fallback::enqueue_small(plan, memory, at + level.small16, level.small32 - level.small16, 32, 64,
                          stream);
  fallback::enqueue_small(plan, memory, at + level.small32, level.small - level.small32,
                          symbolic::DeviceSchedule::kSmall, 256, stream);
  if (level.tiles.tiles == 0) return;
  check(kernels::launch(fallback::assemble_tiles<T>, static_cast<unsigned>(level.tiles.tiles), 256,
                        0, stream, plan, memory, level.tiles),
        "a launch of assembly");
  for (const Step& step : level.steps) {
    check(kernels::launch(fallback::factor_tiles<T>, static_cast<unsigned>(step.panel.count), 256,
                          fallback::square_bytes<T>(kTile), stream, plan, memory, step.panel.first,
                          step.k),
          "a launch of a step");
    if (step.panel.tiles > 0)
      check(kernels::launch(fallback::solve_tiles<T>, static_cast<unsigned>(step.panel.tiles), 64,
                            fallback::kPairBytes<T>, stream, plan, memory, step.panel, step.k),
            "a launch of a step");
    if (step.update.tiles > 0)
      check(
          kernels::launch(fallback::update_tiles<T>, static_cast<unsigned>(step.update.tiles), 256,
                          fallback::kPairBytes<T>, stream, plan, memory, step.update, step.k),
          "a launch of a step");
  }
}

template void enqueue_level(const PlanView&, const Level&, const FactorMemory<float>&,
                            cudaStream_t);
template void enqueue_level(const PlanView&, const Level&, const FactorMemory<double>&,
                            cudaStream_t);

}  // namespace kauri::numeric::cuda
