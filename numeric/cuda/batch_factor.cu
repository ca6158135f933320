// The factorisation of a batch: a block of threads an item, its fronts level by level; multifrontal (Duff & Reid 1983), children pulled in
// their fixed order, no atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/batch_front.cuh"
#include "numeric/cuda/kernels.hpp"

namespace kauri::numeric::cuda {
namespace {

/// An item that is done.
template <class T>
struct BatchItem {
  const BatchPlan& plan;  ///< the kernel's parameter
  T* entries;
  const T* value;
  T shift;
};

/// Row and column of entry e of a packed triangle of order q.
struct PackedPlace {
  Index row, column;
};
__device__ PackedPlace place_in_packed(Index e, Index q) {
  const float b = static_cast<float>(2 * q + 1);
  Index c = static_cast<Index>(0.5f * (b - sqrtf(fmaxf(b * b - 8.0f * static_cast<float>(e), 0.0f))));
  c = min(max(c, Index{0}), q - 1);
  while (c > 0 && packed_column(c, q) + c > e) --c;
  while (c + 1 < q && packed_column(c + 1, q) + c + 1 <= e) ++c;
  return {e - packed_column(c, q), c};
}

/// Zeros, A's entries, the shift, and the children's blocks, one after another. The team meets at the end.
template <class Team, class T>
__device__ __noinline__ void gather_front(const BatchItem<T>& item, const Front& f, const BatchTriangle<T>& a) {
  const Index own = packed_entries(f.m) - packed_entries(f.m - f.p), rest = packed_entries(f.m - f.p);
  for (Index e = Team::rank(); e < own; e += Team::kThreads) a.panel[e] = T(0);
  for (Index e = Team::rank(); e < rest; e += Team::kThreads) a.block[e] = T(0);
  const std::uint32_t* ptr = item.plan.plan.entry_ptr + f.first;
  const std::uint32_t begin = ptr[0], end = ptr[f.p];
  Team::meet();
  for (std::uint32_t e = begin + static_cast<std::uint32_t>(Team::rank()); e < end; e += static_cast<std::uint32_t>(Team::kThreads))
    a.panel[item.plan.entry_place[e]] = item.value[item.plan.plan.entry_source[e]];
  Team::meet();
  for (Index c = Team::rank(); c < f.p; c += Team::kThreads) a.column(c)[c] += item.shift;
  Team::meet();
  for (Index k = f.child_begin; k < f.child_end; ++k) {
    const Front& child = item.plan.plan.front[item.plan.plan.child[k]];
    const Index q = child.m - child.p;
    const Index* relative = item.plan.plan.relative + child.relative;
    const T* block = item.entries + child.block;
    for (Index e = Team::rank(); e < packed_entries(q); e += Team::kThreads) {
      const PackedPlace at = place_in_packed(e, q);
      a.column(relative[at.column])[relative[at.row]] += block[e];
    }
    Team::meet();
  }
}

/// Front s, in `shared` memory if its triangle fits there: then L and the contribution block are copied to their places.
template <class Team, class T>
__device__ void factor_front(const BatchItem<T>& item, Index s, T* shared, Index shared_rows, const BatchPivots<T>& pivots) {
  const Front f = item.plan.plan.front[s];
  T* panel = item.entries + f.panel;
  T* block = item.entries + f.block;
  const Index own = packed_entries(f.m) - packed_entries(f.m - f.p), rest = packed_entries(f.m - f.p);
  const bool on_chip = f.m <= shared_rows;
  const BatchTriangle<T> a = on_chip ? BatchTriangle<T>{shared, shared + own, f.m, f.p} : BatchTriangle<T>{panel, block, f.m, f.p};
  gather_front<Team>(item, f, a);
  if (!eliminate<Team>(a, f.first, on_chip ? nullptr : shared, pivots) || !on_chip) return;
  for (Index e = Team::rank(); e < own; e += Team::kThreads) panel[e] = a.panel[e];
  for (Index e = Team::rank(); e < rest; e += Team::kThreads) block[e] = a.block[e];
  Team::meet();
}

/// The failing pivot of the first column, as far as the block has come; the same for all threads that have met.
__device__ BatchPivot first_failure(const BatchPivot* failed) {
  BatchPivot first = failed[0];
  for (int w = 1; w < kBatchWarps; ++w)
    if (failed[w].column < first.column) first = failed[w];
  return first;
}

/// All fronts of an item. What lies beyond a failing column can no longer change which is the first: the fronts above it are among these.
template <class T>
__device__ void factor_item(const BatchItem<T>& item, T* shared, BatchPivot* failed, BatchPivot* least) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  constexpr Index kNarrow = DeviceSchedule::kNarrow;
  T* work = shared + kBatchWarps * kBatchScratch;
  const Index* order = item.plan.plan.order;
  const BatchPivots<T> of_warp{shared + warp * kBatchScratch, failed + warp, least + warp * kBatchStrip};
  const BatchPivots<T> of_block{shared, failed, least};
  Index bound = kNoPivot;
  for (Index l = 0; l < item.plan.levels; ++l) {
    const BatchLevel level = item.plan.level[l];
    for (Index k = warp; k < level.narrow; k += kBatchWarps) {
      const Index s = order[level.first + k];
      if (item.plan.plan.front[s].first > bound) continue;
      factor_front<WarpTeam>(item, s, work + warp * packed_entries(kNarrow), kNarrow, of_warp);
    }
    __syncthreads();
    for (Index k = level.narrow; k < level.count; ++k) {
      const Index s = order[level.first + k];
      const bool beyond = item.plan.plan.front[s].first > first_failure(failed).column;
      __syncthreads();
      if (beyond) continue;
      factor_front<BlockTeam>(item, s, work, kBatchSharedRows, of_block);
    }
    bound = first_failure(failed).column;
    __syncthreads();
  }
}

/// The least of all; by the first warp, in its first lane.
__device__ BatchPivot least_of(const BatchPivot* least) {
  BatchPivot mine = least[threadIdx.x % 32];
  mine.take(least[32 + threadIdx.x % 32].value, least[32 + threadIdx.x % 32].column);
  for (int half = 16; half > 0; half /= 2) {
    const double value = __shfl_down_sync(kAllLanes, mine.value, half);
    mine.take(value, __shfl_down_sync(kAllLanes, mine.column, half));
  }
  return mine;
}
static_assert(kBatchWarps * kBatchStrip == 64);

__device__ DeviceVerdict verdict_of(const BatchPivot& failed, const BatchPivot& least, const Index* old_of) {
  if (failed.column != kNoPivot) {
    const Index column = old_of[failed.column];
    return {VerdictStatus::not_positive_definite, column, failed.value, failed.value, column};
  }
  return {VerdictStatus::positive_definite, kNone, 0, least.value, least.column == kNoPivot ? kNone : old_of[least.column]};
}

template <class T>
__global__ void __launch_bounds__(kBatchThreads, kBatchResident) factor_batch(BatchPlan plan, BatchValues<T> value, BatchMemory<T> memory) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ BatchPivot failed[kBatchWarps];
  __shared__ BatchPivot least[kBatchWarps * kBatchStrip];
  for (Index k = static_cast<Index>(blockIdx.x); k < memory.items; k += static_cast<Index>(gridDim.x)) {
    if (threadIdx.x < kBatchWarps) failed[threadIdx.x] = {0, kNoPivot};
    if (threadIdx.x < kBatchWarps * kBatchStrip) least[threadIdx.x] = {std::numeric_limits<double>::infinity(), kNoPivot};
    __syncthreads();
    const BatchItem<T> item{plan, memory.entries + k * memory.stride, value.data + k * value.stride, value.shift};
    factor_item(item, reinterpret_cast<T*>(shared), failed, least);
    __syncthreads();
    if (threadIdx.x < 32) {
      const BatchPivot smallest = least_of(least);
      if (threadIdx.x == 0) memory.host[k] = memory.verdict[k] = verdict_of(first_failure(failed), smallest, plan.plan.old_of);
    }
    __syncthreads();
  }
}

template <class T>
void load_factor() {
  check(cudaFuncSetAttribute(factor_batch<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBatchMostShared), "shared memory of a batch");
  load(factor_batch<T>);
}

}  // namespace

void load_batch_solves();  // in batch_solve.cu

void load_batch_kernels() {
  load_factor<float>();
  load_factor<double>();
  load_batch_solves();
}

template <class T>
int batch_factor_blocks(Index most_rows) {
  return resident_blocks(factor_batch<T>, batch_factor_bytes<T>(most_rows));
}

template <class T>
void enqueue_batch_factor(const BatchPlan& plan, const BatchValues<T>& value, const BatchMemory<T>& memory, int blocks,
                          cudaStream_t stream) {
  if (memory.items == 0) return;
  check(kernels::launch(factor_batch<T>, static_cast<unsigned>(std::min(blocks, static_cast<int>(memory.items))), kBatchThreads,
                        static_cast<std::size_t>(batch_factor_bytes<T>(plan.most_rows)), stream, plan, value, memory),
        "a launch of a batch's factorisation");
}

template int batch_factor_blocks<float>(Index);
template int batch_factor_blocks<double>(Index);
template void enqueue_batch_factor(const BatchPlan&, const BatchValues<float>&, const BatchMemory<float>&, int, cudaStream_t);
template void enqueue_batch_factor(const BatchPlan&, const BatchValues<double>&, const BatchMemory<double>&, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
