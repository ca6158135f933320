// The first and the last kernels of a factorisation: begin_factorization() takes over the values
// and the shift, read_states() reads the states of tiled fronts, and find_verdict() finds the
// verdict.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/verdict_kernels.hpp"

#include <algorithm>
#include <limits>

#include "numeric/cuda/plan/pivots.cuh"
#include "numeric/cuda/runtime/kernel/shared_objects.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 256;
constexpr unsigned kStateThreads = 128;

constexpr Index kNoFront = std::numeric_limits<Index>::max();
constexpr Index kNoColumn = std::numeric_limits<Index>::max();

/// Stores the shift, resets the verdict on the device and in `host`, and copies `count` values from
/// `from` to `value`; a null `from` leaves `value` unchanged.
template <class T>
__global__ void __launch_bounds__(kThreads)
    begin_factorization(const T* __restrict__ from, Offset count, T* __restrict__ value, T shift,
                        T* shift_memory, VerdictMemory* verdict, OwnedPlace<DeviceVerdict> host) {
  const Offset thread = Offset{blockIdx.x} * kThreads + threadIdx.x,
               stride = Offset{gridDim.x} * kThreads;
  if (thread == 0) {
    *shift_memory = shift;
    verdict->verdict.status = VerdictStatus::none;
    host.there->value.status = VerdictStatus::none;
    host.there->owner = host.owner;
    verdict->front = kNoFront;
    verdict->blocks = 0;
  }
  if (from == nullptr) return;
#pragma unroll 4
  for (Offset k = thread; k < count; k += stride) value[k] = from[k];
}

/// Copies the failures of tiled fronts, which their tasks record in the counters of `fronts`, to
/// memory.state and memory.failed_column, from which find_verdict() reads them. One thread for each
/// front.
template <class T>
__global__ void read_states(PlanView plan, Index first, Index count,
                            const kernels::FrontViewOf<T>* fronts, FactorMemory<T> memory) {
  const auto t = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= count) return;
  const int failed = fronts[t].counters[kernels::kFailed];
  if (failed == 0) return;
  const Index s = plan.order[first + t];
  memory.state[s] = FrontState::failed;
  memory.failed_column[s] = plan.front[s].first + failed - 1;
}

/// Size of a pivot, from its root in L: its square; in float the root itself, whose square in
/// double is exact and so ordered alike, without an operation of FP64 for each pivot. pivot_of()
/// returns the pivot.
__device__ inline double size_of_pivot(double root) { return root * root; }
__device__ inline float size_of_pivot(float root) { return root; }
__device__ inline double pivot_of(double size) { return size; }
__device__ inline double pivot_of(float size) {
  return static_cast<double>(size) * static_cast<double>(size);
}

/// Findings of a thread: the least pivot (the first column if several are equal), and the first
/// front that failed.
template <class T>
struct Found {
  T smallest = std::numeric_limits<T>::infinity();  // size_of_pivot()
  Index column = kNoColumn, front = kNoFront;

  __device__ void take(T size, Index of) {
    if (size < smallest || (size == smallest && of < column)) smallest = size, column = of;
  }
};

/// Adds to `found` the findings of fronts first to first + 31, as far as they are below `fronts`,
/// one front for each lane. Called by all lanes of a warp.
template <class T>
__device__ void look_through(const PlanView& plan, const FactorMemory<T>& memory, Index first,
                             Index fronts, Index lane, Found<T>& found) {
  const Index s = first + lane;
  Diagonal mine;  // without pivots: those of a front that is not `done` are not examined
  if (s < fronts) {
    const FrontState state = memory.state[s];
    if (state == FrontState::failed) found.front = min(found.front, s);
    if (state == FrontState::done) mine = Diagonal(plan.front[s]);
  }
  for_pivots(mine, lane, [&](const Diagonal& front, Index c) {
    const T root = static_cast<T>(front.root(memory.entries, c));
    found.take(size_of_pivot(root), front.first + c);
  });
}

/// Returns, in thread 0, the minima over all threads of the block; unspecified in the others. All
/// threads call it.
template <class T>
__device__ Found<T> least_of_block(Found<T> found) {
  __shared__ SharedObjects<Found<T>, kThreads / 32> warps;
  const auto lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const auto reduce = [&](int width) {
    for (int half = width / 2; half > 0; half /= 2) {
      const T smallest = __shfl_down_sync(kAll, found.smallest, half);
      found.take(smallest, __shfl_down_sync(kAll, found.column, half));
      found.front = min(found.front, __shfl_down_sync(kAll, found.front, half));
    }
  };
  reduce(32);
  if (lane == 0) warps.of[warp] = found;
  __syncthreads();
  if (warp == 0) {
    found = warps.of[lane % (kThreads / 32)];
    reduce(kThreads / 32);
  }
  return found;
}

/// Finds the verdict over all fronts. The last block to finish writes it, to verdict->verdict on
/// the device and to `host` in page-locked memory.
template <class T>
__global__ void __launch_bounds__(kThreads)
    find_verdict(PlanView plan, FactorMemory<T> memory, Index fronts, VerdictMemory* verdict,
                 OwnedPlace<DeviceVerdict> host) {
  __shared__ bool last;
  Found<T> seen;
  const Index lane = static_cast<Index>(threadIdx.x) % 32,
              stride = static_cast<Index>(gridDim.x) * kThreads;
  for (Index first = static_cast<Index>(blockIdx.x * kThreads + threadIdx.x) - lane; first < fronts;
       first += stride)
    look_through(plan, memory, first, fronts, lane, seen);
  seen = least_of_block(seen);
  if (threadIdx.x == 0) {
    verdict->least[blockIdx.x] = {pivot_of(seen.smallest), seen.column};
    if (seen.front < fronts) atomicMin(&verdict->front, seen.front);
    __threadfence();
    last = atomicAdd(&verdict->blocks, 1u) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  Found<double> found;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += kThreads) {
    const volatile VerdictMemory::Pivot& pivot = verdict->least[k];
    found.take(pivot.value, pivot.column);
  }
  found = least_of_block(found);
  if (threadIdx.x != 0) return;
  const Index s = *const_cast<volatile Index*>(&verdict->front);
  DeviceVerdict out{VerdictStatus::positive_definite, kNone, 0, found.smallest,
                    found.column == kNoColumn ? kNone : plan.old_of[found.column]};
  if (s < fronts) {
    const Index column = plan.old_of[memory.failed_column[s]];
    out = {VerdictStatus::not_positive_definite, column, memory.failed_pivot[s],
           memory.failed_pivot[s], column};
  }
  verdict->verdict = out;
  *host.there = {out, host.owner};
}

unsigned blocks_for(Offset items) {
  return static_cast<unsigned>(std::clamp(items / kThreads + (items % kThreads != 0), Offset{1},
                                          Offset{VerdictMemory::kMostBlocks}));
}

}  // namespace

void load_verdict_kernels() {
  load(begin_factorization<float>);
  load(begin_factorization<double>);
  load(read_states<float>);
  load(read_states<double>);
  load(find_verdict<float>);
  load(find_verdict<double>);
}

template <class T>
void enqueue_beginning(ValueSource<T> source, Offset count, T* value, T shift, T* shift_memory,
                       VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                       cudaStream_t stream) {
  const T* from = source.array();
  check(kernels::launch(begin_factorization<T>, blocks_for(from ? count / 4 : 1), kThreads, 0,
                        stream, from, count, value, shift, shift_memory, verdict, host),
        "a launch of the beginning");
}

template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count,
                    const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream) {
  check(kernels::launch(read_states<T>,
                        (static_cast<unsigned>(count) + kStateThreads - 1) / kStateThreads,
                        kStateThreads, 0, stream, plan, first, count, fronts, memory),
        "a launch of the states");
}

template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory,
                     VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                     cudaStream_t stream) {
  check(kernels::launch(find_verdict<T>, blocks_for(fronts), kThreads, 0, stream, plan, memory,
                        fronts, verdict, host),
        "a launch of the verdict");
}

template void enqueue_beginning(ValueSource<float>, Offset, float*, float, float*, VerdictMemory*,
                                const OwnedPlace<DeviceVerdict>&, cudaStream_t);
template void enqueue_beginning(ValueSource<double>, Offset, double*, double, double*,
                                VerdictMemory*, const OwnedPlace<DeviceVerdict>&, cudaStream_t);
template void enqueue_states(const PlanView&, Index, Index, const kernels::FrontViewOf<float>*,
                             const FactorMemory<float>&, cudaStream_t);
template void enqueue_states(const PlanView&, Index, Index, const kernels::FrontViewOf<double>*,
                             const FactorMemory<double>&, cudaStream_t);
template void enqueue_verdict(const PlanView&, Index, const FactorMemory<float>&, VerdictMemory*,
                              const OwnedPlace<DeviceVerdict>&, cudaStream_t);
template void enqueue_verdict(const PlanView&, Index, const FactorMemory<double>&, VerdictMemory*,
                              const OwnedPlace<DeviceVerdict>&, cudaStream_t);

}  // namespace kauri::numeric::cuda
