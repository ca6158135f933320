// Launches of sparse products on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/matrix/spmv/choice.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// A by full rows, on the device. col and value are aligned to 16 bytes, and zeros follow up to a multiple of four entries.
/// P: std::int32_t, where entries and a chunk behind them can be counted so, or Offset.
template <class T, class P>
struct CsrView {
  Index n;
  const P* ptr;      ///< n+1
  const Index* col;  ///< of the caller's numbering
  const T* value;
};

/// Y = alpha A X + beta Y: columns of n numbers. Where beta is 0, Y is not read.
template <class T>
struct SpmvColumns {
  StridedView<const T> x;
  StridedView<T> y;
  Index count;
  T alpha = 1, beta = 0;
};

/// What the merge path has beside A; see MergeTiles.
template <class T>
struct MergeView {
  Index tiles, runs;
  const Index* row;
  const MergeTiles::Run* run;
  const Index* ended;  ///< tiles: the run whose row ends there, or -1
  T* carry;            ///< tiles x kMergeColumns: the sum of what a tile has of the row that it ends in
  T* end;              ///< runs x kMergeColumns: the sum of what the last tile of a run's row has of it
};
/// Columns that have carries at once.
inline constexpr Index kMergeColumns = 32;

/// So that nothing is loaded when a product is first launched, which may be in a caller's capture. Throw Error(device).
template <class T>
void load_expand();
template <class T, class P>
void load_rows_product(const SpmvChoice& choice);
template <class T, class P>
void load_merge_product();

/// to[k] = lower[source[k]] for `count` entries.
template <class T>
void enqueue_expand(const T* lower, const std::uint32_t* source, Offset count, T* to, cudaStream_t stream);
/// By lanes or staged; one launch for up to eight columns, or, of a small system, more. Any steps from row to row, of X or Y, have the bits
/// of rows that lie side by side.
template <class T, class P>
void enqueue_rows_product(const CsrView<T, P>& a, const SpmvChoice& choice, const SpmvColumns<T>& columns, cudaStream_t stream);
/// Two launches for up to kMergeColumns columns, one where no row goes on in another tile.
template <class T, class P>
void enqueue_merge_product(const CsrView<T, P>& a, const MergeView<T>& merge, const SpmvColumns<T>& columns, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
