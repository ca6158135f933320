// Launches of residuals and products on a device, each row summed in about twice the precision of
// T, in the order of residual_worst.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "numeric/cuda/matrix/spmv/full_rows.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cuda {

/// Rows that one block of threads sums, from row `first` on: up to kSpmvThreads rows of up to
/// kResidualSegment entries each, all entries together within one chunk (kSpmvChunk); or one longer
/// row.
struct ResidualTask {
  Index first;
  Index rows;  ///< number of rows; 0: row `first` alone, of more than kResidualSegment entries
};
/// Returns the tasks of all rows, in order. O(n). Defined in device_rows.cpp.
std::vector<ResidualTask> residual_tasks(const FullRows& rows);

/// A by full rows, on the device: entries [ptr[i], ptr[i + 1]) are those of row i, columns
/// ascending. col and value are aligned to 16 bytes, and padded with zeros to a multiple of four
/// entries.
template <class T>
struct RowsView {
  Index n, tasks;
  const Offset* ptr;
  const Index* col;
  const T* value;
  const ResidualTask* task;
};

/// `count` columns of x, b and y, n numbers each, on the device.
template <class T>
struct ResidualColumns {
  StridedView<const T> x;
  StridedView<const T> b;  ///< y = b - A x; y = A x if the data of b is null
  StridedView<T> y;
  Index count;
  const std::int32_t* run_flag =
      nullptr;  ///< address on the device, or null; if the number there is 0, kernels do nothing
};

/// Norms of one column of a residual, which give the backward errors of its x.
struct ResidualNorms {
  ResidualWorst worst;
  double x, b;  ///< infinity norms of the column of x and of b
};

/// Loads all kernels, so that none is loaded at its first launch. Throws Error(device).
template <class T>
void load_residual_kernels();
/// Enqueues Y = A X, in one launch. The data of columns.b must be null.
template <class T>
void enqueue_product(const RowsView<T>& a, const ResidualColumns<T>& columns, cudaStream_t stream);
/// Enqueues Y = B - A X and its norms, in two launches. norms: output, one for each column, on the
/// device.
template <class T>
void enqueue_residual(const RowsView<T>& a, const ResidualColumns<T>& columns, ResidualNorms* norms,
                      cudaStream_t stream);
/// Enqueues Y = B - A X and its norms, in one launch. Earlier work of the stream must have left the
/// norm of x in each ResidualNorms::x, and zeros in all other members.
template <class T>
void enqueue_residual_sums(const RowsView<T>& a, const ResidualColumns<T>& columns,
                           ResidualNorms* norms, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
