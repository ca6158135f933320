// Launches of residuals and products on a device, each row summed in about twice the precision, in the order of residual_worst.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "numeric/cuda/matrix/full_rows.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cuda {

/// The rows of a block of threads: up to kSpmvThreads of up to kResidualSegment entries each, a chunk together; or a longer one.
struct ResidualTask {
  Index first;
  Index rows;  ///< 0: one long row
};
/// All rows, in order. O(n). In device_rows.cpp.
std::vector<ResidualTask> residual_tasks(const FullRows& rows);

/// A by full rows, on the device. col and value are aligned to 16 bytes, and zeros follow up to a multiple of four entries.
template <class T>
struct RowsView {
  Index n, tasks;
  const Offset* ptr;
  const Index* col;
  const T* value;
  const ResidualTask* task;
};

/// Columns of n numbers.
template <class T>
struct ResidualColumns {
  StridedView<const T> x;
  StridedView<const T> b;  ///< without data y = A x, else y = b - A x
  StridedView<T> y;
  Index count;
  const std::int32_t* run_flag = nullptr;  ///< null, or on the device: where that is 0, nothing is done
};

/// What one column of a residual says about its x.
struct ResidualNorms {
  ResidualWorst worst;
  double x, b;  ///< infinity norms
};

/// So that nothing is loaded at a first launch. Throws Error(device).
template <class T>
void load_residual_kernels();
/// Y = A X; one launch.
template <class T>
void enqueue_product(const RowsView<T>& a, const ResidualColumns<T>& columns, cudaStream_t stream);
/// Y = B - A X, and norms, on the device, one per column: two launches.
template <class T>
void enqueue_residual(const RowsView<T>& a, const ResidualColumns<T>& columns, ResidualNorms* norms, cudaStream_t stream);
/// The same where somebody has left the norms of x there, and else zeros: one launch.
template <class T>
void enqueue_residual_sums(const RowsView<T>& a, const ResidualColumns<T>& columns, ResidualNorms* norms, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
