// Launches of sparse products on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/matrix/spmv/choice.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// A by full rows, on the device. col and value are aligned to 16 bytes, and padded with zeros to a
/// multiple of four entries. P, the type of row pointers: std::int32_t if it can count the entries
/// and two chunks (kSpmvChunk) after them, else Offset.
template <class T, class P>
struct CsrView {
  Index n;
  const P* ptr;      ///< length n + 1
  const Index* col;  ///< columns, in the caller's numbering
  const T* value;
};

/// `count` columns of a product Y = alpha A X + beta Y, of n numbers each, on the device. If beta
/// is 0, Y is not read.
template <class T>
struct SpmvColumns {
  StridedView<const T> x;
  StridedView<T> y;
  Index count;
  T alpha = 1, beta = 0;
};

/// Arrays of the merge path beside A; see MergeTiles.
template <class T>
struct MergeView {
  Index tiles, runs;
  const Index* row;
  const MergeTiles::Run* run;
  const Index* ended;  ///< per tile: the run whose row ends there, or -1
  T* carry;            ///< tiles x kMergeColumns: the tile's part of the row that the tile ends in;
                       ///< scratch of a product, written and then read
  T* end;  ///< runs x kMergeColumns, scratch likewise: the part of a run's row in the tile in which
           ///< the row ends
};
/// Most columns of a launch along the merge path: the number of columns that have carries.
inline constexpr Index kMergeColumns = 32;

/// Load the kernels, so that none is loaded when a product is first launched, which may be in a
/// caller's capture. Throw Error(device).
template <class T>
void load_expand();
template <class T, class P>
void load_rows_product(const SpmvChoice& choice);
template <class T, class P>
void load_merge_product();

/// Enqueues to[k] = lower[source[k]] for `count` entries.
template <class T>
void enqueue_expand(const T* lower, const std::uint32_t* source, Offset count, T* to,
                    cudaStream_t stream);
/// Enqueues a product by SpmvWay::lanes or SpmvWay::staged: one launch for up to eight columns, or
/// for more if the system is small. Any step between rows of X or of Y gives the same bits.
template <class T, class P>
void enqueue_rows_product(const CsrView<T, P>& a, const SpmvChoice& choice,
                          const SpmvColumns<T>& columns, cudaStream_t stream);
/// Enqueues a product along the merge path: two launches for each kMergeColumns columns, or one if
/// no tile ends inside a row (merge.runs is 0).
template <class T, class P>
void enqueue_merge_product(const CsrView<T, P>& a, const MergeView<T>& merge,
                           const SpmvColumns<T>& columns, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
