// Launches of the fallback of factorisations and solves (factor/fallback, solve/fallback), and the
// loading of kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/runtime/owned.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// State of a front in a factorisation.
enum class FrontState : int { done = 0, dead = 1, failed = 2 };  // dead: a descendant failed

/// The verdict, and what the blocks of threads that search for it have found so far. All of it are
/// minima, so the order of blocks does not matter.
struct VerdictMemory {
  static constexpr unsigned kMostBlocks = 1024;
  struct Pivot {
    double value;
    Index column;
  };
  DeviceVerdict verdict;
  Index front;               ///< the first front that failed
  unsigned blocks;           ///< number of blocks that are done
  Pivot least[kMostBlocks];  ///< the least pivot that each block found
};

static_assert(sizeof(VerdictMemory) == symbolic::kDeviceVerdictBytes);
static_assert(sizeof(FrontState) == symbolic::kDeviceStateBytes);
static_assert(sizeof(Index) == symbolic::kDeviceColumnBytes &&
              sizeof(double) == symbolic::kDevicePivotBytes);

/// Device memory of a factor. All arrays are borrowed.
template <class T>
struct FactorMemory {
  T* entries;          ///< DeviceSchedule::entries
  const T* value;      ///< values of A, in the order of the pattern analysed
  const T* shift;      ///< one number, added to the diagonal
  FrontState* state;   ///< one per front; all `done` before the first level
  Index* fail_column;  ///< one per front; valid if the front failed
  double* fail_pivot;
};

/// Device memory of a solve. Right-hand sides are row-major in the plan's numbering.
template <class T>
struct SolveMemory {
  const T* l;
  T* x;       ///< n x nrhs
  T* y;       ///< n x nrhs: solution of the forward sweep
  T* update;  ///< update_rows x nrhs
  Index nrhs;
  const std::int32_t* run_flag =
      nullptr;  ///< on the device, or null; if it is 0, no kernel of the solve does anything
};

/// Allows kernels the shared memory that they need, and loads all kernels of factorisations and
/// solves. Call it once per process and device. Throws Error(device).
void prepare_kernels();
void load_verdict_kernels();      // its part in factor/verdict_kernels.cu
void load_tile_inverses();        // in factor/tile_inverses.cu
void load_solve_kernels();        // in solve/fallback/kernels.cu
void load_view_kernels();         // in factor/front_views.cu
void load_inverse_kernels();      // in inverse/kernels.cu
void load_product_kernels();      // in solve/product_kernels.cu
void load_determinant_kernels();  // in extract/determinant_kernels.cu
void load_schur_kernels();        // in extract/schur_kernels.cu
void load_estimator_kernels();    // in extract/norm_estimator_kernels.cu
void load_batch_kernels();        // in batch/factor.cu and batch/solve.cu

/// Loads a kernel now. Otherwise it is loaded at its first launch, which may be inside a caller's
/// capture, or while a first verdict is waited for. Throws Error(device).
template <class Kernel>
void load(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "a kernel");
}

/// Enqueues one level of a factorisation by the fallback. Multifrontal: children are pulled in
/// their fixed order, without atomics.
template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory,
                   cudaStream_t stream);
/// Enqueues the states of `count` tiled fronts from `first` on in plan.order, which the tasks have
/// left in `fronts`.
template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count,
                    const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream);
/// Enqueues the inverses of the diagonal tiles of L, as the last step of a factorisation; marks
/// those that are not accurate enough alone; and, if `products` is set, makes the products of
/// sweeps (FrontCells::inverse_place, kInverseFlag, forward_product). `tiles`:
/// DeviceSchedule::pivot_tiles.
template <class T>
void enqueue_tile_inverses(const PlanView& plan, const TileList& tiles,
                           const FactorMemory<T>& memory, bool products, cudaStream_t stream);
/// Enqueues the beginning of a factorisation: the shift, the values (unless `from` is null: then
/// `value` holds them already) and the verdict's initial state.
template <class T>
void enqueue_beginning(const T* from, Offset count, T* value, T shift, T* shift_memory,
                       VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                       cudaStream_t stream);
/// Enqueues the verdict over `fronts` fronts, on the device and once more in page-locked memory of
/// the host.
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory,
                     VerdictMemory* verdict, const OwnedPlace<DeviceVerdict>& host,
                     cudaStream_t stream);

/// Enqueue one level of the forward and of the backward sweep of a solve by the fallback.
template <class T>
void enqueue_forward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream);
template <class T>
void enqueue_backward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                      cudaStream_t stream);
/// enqueue_gather() sets x(k,:) = b(old_of(k),:). enqueue_scatter() sets b(old_of(k),:) = x(k,:) if
/// the verdict is good, else NaN. b is n x nrhs, on the device, as is the verdict. Without
/// plan.old_of rows keep their places. Numbers of a solve may be in double even if b is in float.
template <class T, class V>
void enqueue_gather(const PlanView& plan, Index n, const StridedView<const T>& b,
                    const SolveMemory<V>& memory, cudaStream_t stream);
template <class T, class V>
void enqueue_scatter(const PlanView& plan, Index n, const StridedView<T>& b,
                     const SolveMemory<V>& memory, const DeviceVerdict* verdict,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
