// The factorisation of a batch: a block of threads does an item, its fronts level by level.
// Multifrontal (Duff & Reid 1983): a front pulls its children's contribution blocks in a fixed
// order, without atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/batch/front.cuh"
#include "numeric/cuda/runtime/kernel/tight.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Most rows of a front, whose strips fit into the shared memory of all devices.
constexpr Index kMostRows = kTight ? 480 : 720;

/// An item that is being factorised.
template <class T>
struct BatchItem {
  const BatchPlan& plan;  ///< the kernel's parameter
  T* entries;             ///< panels and contribution blocks of the item (BatchMemory)
  const T* value;         ///< values of A of the item
  T shift;                ///< added to the diagonal of A
};

/// Row and column of an entry of a packed triangle. place_in_packed() returns those of entry e of a
/// triangle of order q <= kMostRows: it guesses the column by a square root in float, in which
/// all other numbers are exact, and corrects it by one.
struct PackedPlace {
  Index row, column;
};
__device__ PackedPlace place_in_packed(Index e, Index q) {
  const float b = static_cast<float>(2 * q + 1);
  Index c = static_cast<Index>(0.5f * (b - sqrtf(b * b - 8.0f * static_cast<float>(e))));
  if (packed_column(c, q) + c > e) --c;
  if (packed_column(c + 1, q) + c + 1 <= e) ++c;
  return {e - packed_column(c, q), c};
}
static_assert((2 * kMostRows + 1) * (2 * kMostRows + 1) < 1 << 24);

/// Adds the contribution block of a child, a packed triangle of order q, to its parent's triangle
/// `a`, by a team. relative[i]: row of the parent's front that row i of the block goes to. The
/// loads of a thread do not wait for one another. The team must meet before and after.
template <class Team, class T, bool kOnChip>
__device__ void add_child(const T* block, const Index* relative, Index q,
                          const BatchTriangle<T, kOnChip>& a) {
  constexpr Index kAtOnce = 4;
  const Index count = packed_entries(q);
  for (Index e0 = Team::rank(); e0 < count; e0 += kAtOnce * Team::kThreads) {
    T entry[kAtOnce], old[kAtOnce];
    T* to[kAtOnce];
#pragma unroll
    for (Index u = 0; u < kAtOnce; ++u)
      entry[u] = e0 + u * Team::kThreads < count ? block[e0 + u * Team::kThreads] : T(0);
#pragma unroll
    for (Index u = 0; u < kAtOnce; ++u) {
      to[u] = a.panel;
      if (e0 - Team::rank() + u * Team::kThreads >= count)
        continue;  // no thread of the team has an entry here: most blocks of narrow fronts are
                   // small
      const PackedPlace at = place_in_packed(min(e0 + u * Team::kThreads, count - 1), q);
      to[u] = a.column(relative[at.column]) + relative[at.row];
    }
#pragma unroll
    for (Index u = 0; u < kAtOnce; ++u) old[u] = e0 + u * Team::kThreads < count ? *to[u] : T(0);
#pragma unroll
    for (Index u = 0; u < kAtOnce; ++u)
      if (e0 + u * Team::kThreads < count) *to[u] = old[u] + entry[u];
  }
}

/// Assembles a front in its triangle `a`, by a team: zeros, A's entries, the shift, and the
/// children's blocks, one after another. The team meets at the end.
template <class Team, class T, bool kOnChip>
__device__ void gather_front(const BatchItem<T>& item, const Front& f,
                             const BatchTriangle<T, kOnChip>& a) {
  const Index own = packed_entries(f.m) - packed_entries(f.m - f.p),
              rest = packed_entries(f.m - f.p);
  const std::uint32_t* ptr = item.plan.plan.entry_ptr + f.first;
  const std::uint32_t end = ptr[f.p];
  std::uint32_t e = ptr[0] + static_cast<std::uint32_t>(Team::rank());
  std::uint32_t place = 0;
  T value = T(0);
  if (e < end)
    place = item.plan.entry_place[e],
    value = item.value[item.plan.plan.entry_source[e]];  // under way while zeros are written
  for (Index k = Team::rank(); k < own; k += Team::kThreads) a.panel[k] = T(0);
  for (Index k = Team::rank(); k < rest; k += Team::kThreads) a.block[k] = T(0);
  Team::meet();
  if (e < end) a.panel[place] = value;
  for (e += static_cast<std::uint32_t>(Team::kThreads); e < end;
       e += static_cast<std::uint32_t>(Team::kThreads))
    a.panel[item.plan.entry_place[e]] = item.value[item.plan.plan.entry_source[e]];
  Team::meet();
  if (item.shift != T(0)) {
    for (Index c = Team::rank(); c < f.p; c += Team::kThreads)
      a.panel[packed_column(c, f.m) + c] += item.shift;
    Team::meet();
  }
  for (Index k = f.child_begin; k < f.child_end; ++k) {
    const Front& child = item.plan.plan.front[item.plan.plan.child[k]];
    add_child<Team>(item.entries + child.block, item.plan.plan.relative + child.relative,
                    child.m - child.p, a);
    Team::meet();
  }
}

/// Copies L and the contribution block of a front that is whole in shared memory to their places in
/// item.entries, by a team, which meets at the end.
template <class Team, class T>
__device__ void store_front(const BatchItem<T>& item, const Front& f, const T* shared) {
  const Index own = packed_entries(f.m) - packed_entries(f.m - f.p),
              rest = packed_entries(f.m - f.p);
  for (Index e = Team::rank(); e < own; e += Team::kThreads) item.entries[f.panel + e] = shared[e];
  for (Index e = Team::rank(); e < rest; e += Team::kThreads)
    item.entries[f.block + e] = shared[own + e];
  Team::meet();
}

/// Returns a front's triangle in shared memory, at `shared`.
template <class T>
__device__ BatchTriangle<T, true> on_chip(const Front& f, T* shared) {
  return {shared, shared + (packed_entries(f.m) - packed_entries(f.m - f.p)), f.m, f.p};
}

/// Factorises a front of at most DeviceSchedule::kNarrow rows by a warp, in the warp's `shared`
/// memory. If a pivot fails, the front's L and block are not written.
template <class T>
__device__ void factor_narrow(const BatchItem<T>& item, const Front& f, T* shared,
                              const BatchPivots<T>& pivots) {
  gather_front<WarpTeam>(item, f, on_chip(f, shared));
  if (eliminate_narrow(shared, f.m, f.p, f.first, pivots)) store_front<WarpTeam>(item, f, shared);
}

/// Factorises a front by a thread block: in `shared` memory if it has at most Shape::kRows rows,
/// else in place in global memory, with its strips in `shared`.
template <class Shape, class T>
__device__ void factor_front(const BatchItem<T>& item, const Front& f, T* shared,
                             const BatchPivots<T>& pivots) {
  if (Shape::kAllOnChip || f.m <= Shape::kRows) {
    const BatchTriangle<T, true> a = on_chip(f, shared);
    gather_front<BlockTeam>(item, f, a);
    if (eliminate<Shape>(a, f.first, static_cast<T*>(nullptr), pivots))
      store_front<BlockTeam>(item, f, shared);
  } else if constexpr (!Shape::kAllOnChip) {
    const BatchTriangle<T, false> a{item.entries + f.panel, item.entries + f.block, f.m, f.p};
    gather_front<BlockTeam>(item, f, a);
    eliminate<Shape>(a, f.first, shared, pivots);
  }
}

/// Returns the failed pivot with the lowest column among those in `failed`, which the block has
/// recorded so far, one for each warp; its column is kNoPivot if there is none. All threads get the
/// same result if barriers separate the calls from the block's records.
__device__ BatchPivot first_failed(const BatchPivot* failed) {
  BatchPivot first = failed[0];
  for (int w = 1; w < kBatchWarps; ++w)
    if (failed[w].column < first.column) first = failed[w];
  return first;
}

/// Factorises all fronts of an item, by a thread block. Fronts whose columns come after a failed
/// column are skipped, since they cannot change which failed column is the first. All ancestors of
/// the front that failed are among them. failed: kBatchWarps pivots, least: kBatchThreads pivots,
/// both in shared memory and initialised.
template <class Shape, class T>
__device__ void factor_item(const BatchItem<T>& item, T* shared, BatchPivot* failed,
                            BatchPivot* least) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  constexpr Index kNarrow = symbolic::DeviceSchedule::kNarrow;
  T* work = shared + kBatchScratch;
  const Index* order = item.plan.plan.order;
  const BatchPivots<T> of_warp{nullptr, failed + warp, least + warp * 32};
  const BatchPivots<T> of_block{shared, failed, least};
  Index bound = kNoPivot;
  for (Index l = 0; l < item.plan.levels; ++l) {
    const BatchLevel level = item.plan.level[l];
    for (Index k = warp; k < level.narrow; k += kBatchWarps) {
      const Front f = item.plan.plan.front[order[level.first + k]];
      if (f.first > bound) continue;
      factor_narrow(item, f, work + warp * packed_entries(kNarrow), of_warp);
    }
    __syncthreads();
    for (Index k = level.narrow; k < level.count; ++k) {
      const Front f = item.plan.plan.front[order[level.first + k]];
      const bool beyond = f.first > first_failed(failed).column;
      __syncthreads();
      if (beyond) continue;
      factor_front<Shape>(item, f, work, of_block);
    }
    bound = first_failed(failed).column;
    __syncthreads();
  }
}

/// Returns the least pivot of the kBatchThreads in `least`. All lanes of the first warp call it;
/// the result is in its first lane.
__device__ BatchPivot least_of(const BatchPivot* least) {
  BatchPivot mine = least[threadIdx.x % 32];
  for (int w = 1; w < kBatchWarps; ++w)
    mine.take(least[32 * w + threadIdx.x % 32].value, least[32 * w + threadIdx.x % 32].column);
  for (int half = 16; half > 0; half /= 2) {
    const double value = __shfl_down_sync(kAllLanes, mine.value, half);
    mine.take(value, __shfl_down_sync(kAllLanes, mine.column, half));
  }
  return mine;
}

/// Returns the verdict of an item, given its first failed pivot and its least one, with columns in
/// the caller's numbering.
__device__ DeviceVerdict verdict_of(const BatchPivot& failed, const BatchPivot& least,
                                    const Index* old_of) {
  if (failed.column != kNoPivot) {
    const Index column = old_of[failed.column];
    return {VerdictStatus::not_positive_definite, column, failed.value, failed.value, column};
  }
  return {VerdictStatus::positive_definite, kNone, 0, least.value,
          least.column == kNoPivot ? kNone : old_of[least.column]};
}

template <class Shape, class T>
__global__ void __launch_bounds__(kBatchThreads, Shape::kResident)
    factor_batch(BatchPlan plan, BatchValues<T> value, BatchMemory<T> memory) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ BatchPivot failed[kBatchWarps];
  __shared__ BatchPivot least[kBatchThreads];
  for (Index k = static_cast<Index>(blockIdx.x); k < memory.items;
       k += static_cast<Index>(gridDim.x)) {
    if (threadIdx.x < kBatchWarps) failed[threadIdx.x] = {0, kNoPivot};
    least[threadIdx.x] = {std::numeric_limits<double>::infinity(), kNoPivot};
    __syncthreads();
    const BatchItem<T> item{plan, memory.entries + k * memory.stride, value.data + k * value.stride,
                            value.shift};
    factor_item<Shape>(item, reinterpret_cast<T*>(shared), failed, least);
    __syncthreads();
    if (threadIdx.x < 32) {
      const BatchPivot smallest = least_of(least);
      if (threadIdx.x == 0) {
        memory.verdict[k] = verdict_of(first_failed(failed), smallest, plan.plan.old_of);
        memory.host.there[k] = {memory.verdict[k], memory.host.owner};
      }
    }
    __syncthreads();
  }
}

/// Most bytes of dynamic shared memory that a block of a factorisation is let have: any device from
/// sm_80 on can, or any of AMD's, where a block has 64 KB with the arrays that kernels declare.
constexpr int kBatchMostShared = (kTight ? 61 : 96) * 1024;
static_assert(kBatchMostShared + sizeof(BatchPivot) * (kBatchWarps + kBatchThreads) <=
              kernels::ptx::kBlockKilobytes * 1024);
static_assert(sizeof(double) * (kMostRows * kBatchStrip + kBatchScratch) <= kBatchMostShared);

template <class Shape, class T>
void load_factor() {
  check(cudaFuncSetAttribute(factor_batch<Shape, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kBatchMostShared),
        "shared memory of a batch");
  load(factor_batch<Shape, T>);
}

/// Returns the kernel of plans whose largest front has `most_rows` rows.
template <class T>
auto factor_kernel(Index most_rows) {
  return is_small_batch(most_rows) ? factor_batch<SmallBatchShape, T>
                                   : factor_batch<LargeBatchShape, T>;
}

}  // namespace

Index batch_most_rows() { return kMostRows; }

void load_batch_solves();  // in batch/solve.cu

void load_batch_kernels() {
  load_factor<SmallBatchShape, float>();
  load_factor<SmallBatchShape, double>();
  load_factor<LargeBatchShape, float>();
  load_factor<LargeBatchShape, double>();
  load_batch_solves();
}

template <class T>
int batch_factor_blocks(Index most_rows) {
  return resident_blocks(factor_kernel<T>(most_rows), batch_factor_bytes<T>(most_rows));
}

template <class T>
void enqueue_batch_factor(const BatchPlan& plan, const BatchValues<T>& value,
                          const BatchMemory<T>& memory, int blocks, cudaStream_t stream) {
  if (memory.items == 0) return;
  check(kernels::launch(factor_kernel<T>(plan.most_rows),
                        static_cast<unsigned>(std::min(blocks, static_cast<int>(memory.items))),
                        kBatchThreads,
                        static_cast<std::size_t>(batch_factor_bytes<T>(plan.most_rows)), stream,
                        plan, value, memory),
        "a launch of a batch's factorisation");
}

template int batch_factor_blocks<float>(Index);
template int batch_factor_blocks<double>(Index);
template void enqueue_batch_factor(const BatchPlan&, const BatchValues<float>&,
                                   const BatchMemory<float>&, int, cudaStream_t);
template void enqueue_batch_factor(const BatchPlan&, const BatchValues<double>&,
                                   const BatchMemory<double>&, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
