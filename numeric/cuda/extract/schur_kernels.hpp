// Launches of a Schur complement: products with L22, the block of L on its last rows and columns,
// which is read in place from the factor; copies of last rows of vectors and of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// The last rows of B = P A P^T, and the fronts that have columns among them.
struct LastRows {
  Index begin, count;   ///< rows [begin, begin + count)
  Index front, fronts;  ///< fronts [front, fronts), in the order of their columns; the first may
                        ///< have columns before `begin`
};

/// L22 of a factor, on the device. If *verdict is not good when the kernels run,
/// enqueue_last_product(), enqueue_last_transposed() and enqueue_last_square() write NaN;
/// enqueue_rows_of_l() does not read the verdict.
template <class T>
struct LastBlock {
  PlanView plan;
  LastRows rows;
  const T* l;  ///< FactorMemory::entries
  const DeviceVerdict* verdict;
};

/// Loads the kernels. Throws Error(device).
void load_schur_kernels();

/// Enqueues g = L22 y2 in one launch, as do all functions below. g and y2 have block.rows.count
/// rows and `cols` columns, and must not overlap.
template <class T>
void enqueue_last_product(const LastBlock<T>& block, Index cols, const StridedView<const T>& y2,
                          const StridedView<T>& g, cudaStream_t stream);
/// Enqueues y2 = L22^T x2. y2 and x2 have block.rows.count rows and `cols` columns, and must not
/// overlap.
template <class T>
void enqueue_last_transposed(const LastBlock<T>& block, Index cols, const StridedView<const T>& x2,
                             const StridedView<T>& y2, cudaStream_t stream);
/// Enqueues the lower triangle of s = L22 L22^T, of order block.rows.count; entries of s above the
/// diagonal keep their values.
template <class T>
void enqueue_last_square(const LastBlock<T>& block, const StridedView<T>& s, cudaStream_t stream);
/// Enqueues y = [0; g]: zeros in rows [0, begin), then the `count` rows of g; `cols` columns. g
/// must not overlap y.
template <class T>
void enqueue_below_zeros(Index begin, Index count, Index cols, const StridedView<const T>& g,
                         const StridedView<T>& y, cudaStream_t stream);
/// Enqueues y(j, r) = L(rows.begin + r, j), r < rows.count, for all columns j < rows.begin of L,
/// and zeros for columns j >= rows.begin; `rows` is block.rows. The last rows.count rows of L must
/// be rows of all fronts.
template <class T>
void enqueue_rows_of_l(const LastBlock<T>& block, const StridedView<T>& y, cudaStream_t stream);
/// Enqueues to = from, which have the same shape.
template <class T>
void enqueue_copy(Index rows, Index cols, const StridedView<const T>& from,
                  const StridedView<T>& to, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
