// Launches of a refinement on a device, between its residuals and its solves: the host looks at nothing before the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/runtime/owned.hpp"
#include "numeric/refine_rule.hpp"

namespace kauri::numeric::cuda {

/// On the device: what is told, and where a refinement under way is.
struct RefineMemory {
  DeviceRefinement report;
  RefineProgress progress;
};

static_assert(std::is_trivially_copyable_v<DeviceRefinement>);

/// x, on the device.
template <class T>
struct RefinedColumns {
  StridedView<T> entry;
  Index rows, cols;
};

/// So that nothing is loaded at a first launch. Throws Error(device).
template <class T>
void load_refine_kernels();

/// What comes before the first residual: no report, neither on the device nor in page-locked memory of the host, and all of x NaN where the
/// verdict is not good.
template <class T>
void enqueue_refine_beginning(const RefinedColumns<T>& x, const DeviceVerdict* verdict, RefineMemory* memory,
                              const OwnedPlace<DeviceRefinement>& host, cudaStream_t stream);
/// What follows from the norms of a residual, of x as it came (`first`) or with one more correction.
void enqueue_refine_decision(const ResidualNorms* norms, Index columns, const RefineLimits& limits, bool first, RefineMemory* memory,
                             cudaStream_t stream);
/// before = x, x += r, where a correction is to be tried. r, before: columns of n numbers, one behind the other.
template <class T>
void enqueue_refine_step(const RefinedColumns<T>& x, const T* r, T* before, const RefineMemory* memory, cudaStream_t stream);
/// x = before where the last correction did not help; then the report, on the device and in the host's memory.
template <class T>
void enqueue_refine_end(const RefinedColumns<T>& x, const T* before, const DeviceVerdict* verdict, RefineMemory* memory,
                        const OwnedPlace<DeviceRefinement>& host, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
