// Launches of a refinement on a device, between its residuals and its solves; the host reads
// nothing before the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/runtime/owned.hpp"
#include "numeric/refine_rule.hpp"

namespace kauri::numeric::cuda {

/// Memory of a refinement on the device: its report, and its progress.
struct RefineMemory {
  DeviceRefinement report;
  RefineProgress progress;
};

static_assert(std::is_trivially_copyable_v<DeviceRefinement>);

/// Columns of x, on the device.
template <class T>
struct RefinedColumns {
  StridedView<T> entry;
  Index rows, cols;
};

/// Loads all kernels, so that none is loaded at its first launch. Throws Error(device).
template <class T>
void load_refine_kernels();

/// Enqueues the beginning of a refinement, before the first residual: sets the status of the report
/// to `none`, on the device and in `host` (page-locked memory), and all of x to NaN if the verdict
/// is not good.
template <class T>
void enqueue_refine_beginning(const RefinedColumns<T>& x, const DeviceVerdict* verdict,
                              RefineMemory* memory, const OwnedPlace<DeviceRefinement>& host,
                              cudaStream_t stream);
/// Enqueues the update of memory->progress by the norms of a residual of `columns` columns:
/// begin_refinement() if `first`; else take_step(), or nothing if refinement has stopped before.
void enqueue_refine_decision(const ResidualNorms* norms, Index columns, const RefineLimits& limits,
                             bool first, RefineMemory* memory, cudaStream_t stream);
/// Enqueues before = x and x += r, or nothing if memory->progress.going is 0 when the kernel runs.
/// r, before: x.cols columns of x.rows numbers, one after another; r holds the correction.
template <class T>
void enqueue_refine_step(const RefinedColumns<T>& x, const T* r, T* before,
                         const RefineMemory* memory, cudaStream_t stream);
/// Enqueues x = before, if the last correction did not help; and the report, on the device and in
/// `host` (page-locked memory).
template <class T>
void enqueue_refine_end(const RefinedColumns<T>& x, const T* before, const DeviceVerdict* verdict,
                        RefineMemory* memory, const OwnedPlace<DeviceRefinement>& host,
                        cudaStream_t stream);

}  // namespace kauri::numeric::cuda
