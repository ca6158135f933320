// Launches of the level-by-level factorisation and solve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/verdict.hpp"
#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/runtime/owned.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// What became of a front.
enum class FrontState : int { done = 0, dead = 1, failed = 2 };  // dead: a descendant failed

/// The verdict, with what the blocks of threads that look for it have found so far. Minima: their order does not matter.
struct VerdictMemory {
  static constexpr unsigned kMostBlocks = 1024;
  struct Pivot {
    double value;
    Index column;
  };
  DeviceVerdict verdict;
  Index front;               ///< the first that failed
  unsigned blocks;           ///< that are done
  Pivot least[kMostBlocks];  ///< of each block
};

static_assert(sizeof(VerdictMemory) == symbolic::kDeviceVerdictBytes);
static_assert(sizeof(FrontState) == symbolic::kDeviceStateBytes);
static_assert(sizeof(Index) == symbolic::kDeviceColumnBytes && sizeof(double) == symbolic::kDevicePivotBytes);

/// Device memory of a factor. All arrays are borrowed.
template <class T>
struct FactorMemory {
  T* entries;          ///< DeviceSchedule::entries
  const T* value;      ///< of A, in the order of the pattern analysed
  const T* shift;      ///< one number
  FrontState* state;   ///< one per front; all done before the first level
  Index* fail_column;  ///< one per front: valid where it failed
  double* fail_pivot;
};

/// Device memory of a solve: right-hand sides row-major in the plan's numbering.
template <class T>
struct SolveMemory {
  const T* l;
  T* x;       ///< n x nrhs
  T* y;       ///< n x nrhs: solution of the forward sweep
  T* update;  ///< update_rows x nrhs
  Index nrhs;
  const std::int32_t* run_flag = nullptr;  ///< null, or on the device: where that is 0, no kernel of the solve does anything
};

/// Once per process and device: opt-in shared memory, and all kernels of factorisations and solves loaded. Throws Error(device).
void prepare_kernels();
void load_verdict_kernels();      // its part in verdict_kernels.cu
void load_tile_inverses();        // in tile_inverses.cu
void load_solve_kernels();        // in solve_kernels.cu
void load_view_kernels();         // in factor/front_views.cu
void load_inverse_kernels();      // in inverse/kernels.cu
void load_product_kernels();      // in product_kernels.cu
void load_determinant_kernels();  // in determinant_kernels.cu
void load_schur_kernels();        // in schur_kernels.cu
void load_estimator_kernels();    // in numeric/cuda/extract/norm_estimator_kernels.cu
void load_batch_kernels();        // and in batch/factor.cu and batch/solve.cu

/// Otherwise a kernel is loaded at its first launch, which may be inside a caller's capture, or while a first verdict is waited for. Throws
/// Error(device).
template <class Kernel>
void load(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "a kernel");
}

/// One level of a factorisation, all work on the stream. Multifrontal: children are pulled in their fixed order; no atomics.
template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory, cudaStream_t stream);
/// The states of `count` tiled fronts from `first` in plan.order, of which the tasks tell.
template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count, const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream);
/// The inverses of the diagonal tiles of L, once a factorisation is done but for them, which of them are not accurate enough alone, and,
/// where they are asked for, the products of sweeps (FrontCells::inverse_place, kInverseFlag, forward_product). `tiles`:
/// DeviceSchedule::pivot_tiles.
template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles, const FactorMemory<T>& memory, bool products, cudaStream_t stream);
/// What comes before all fronts: the shift, the values (unless `from` is null: they are there) and the verdict's beginning.
template <class T>
void enqueue_beginning(const T* from, Offset count, T* value, T shift, T* shift_memory, VerdictMemory* verdict,
                       const OwnedPlace<DeviceVerdict>& host, cudaStream_t stream);
/// The verdict over `fronts` fronts, on the device and once more in page-locked memory of the host.
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory, VerdictMemory* verdict,
                     const OwnedPlace<DeviceVerdict>& host, cudaStream_t stream);

/// Sweeps of a solve, one level.
template <class T>
void enqueue_forward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);
template <class T>
void enqueue_backward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);
/// x(k,:) = b(old_of(k),:), and b(old_of(k),:) = x(k,:) if the verdict is good, else NaN; b is n x nrhs, on the device, as the verdict is.
/// Without plan.old_of rows keep their places. Numbers of a solve may be in double where b is in float.
template <class T, class V>
void enqueue_gather(const PlanView& plan, Index n, const StridedView<const T>& b, const SolveMemory<V>& memory, cudaStream_t stream);
template <class T, class V>
void enqueue_scatter(const PlanView& plan, Index n, const StridedView<T>& b, const SolveMemory<V>& memory, const DeviceVerdict* verdict,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
