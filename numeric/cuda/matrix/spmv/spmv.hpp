// Y = alpha A X + beta Y on a device for a symmetric A, expanded to full rows; sums are in T,
// without compensation of rounding errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "numeric/cuda/matrix/spmv/kernels.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"

namespace kauri::numeric::cuda {

/// A by full rows on the device. An entry (both halves counted) takes 4 bytes for its column, 4 for
/// the place of its value and sizeof(T) for the value; a row takes 4 or 8; and the merge path takes
/// kMergeColumns sizeof(T) for each tile, and for each row that several tiles share. The same
/// pattern, values and X give the same bits each time, on each device, for any number of columns
/// and in either layout.
template <class T>
class Spmv {
 public:
  /// Uploads the rows for the kernel that choose_spmv() chooses, or for `choice` if given. The
  /// device must be current, as for all calls; the heap must outlive this. Returns when the device
  /// has the rows. Throws Error(memory), Error(overflow), and Error(usage) for a choice that
  /// is_spmv() refuses.
  Spmv(const FullRows& rows, Staging& staging, const DeviceHeap& heap, const Stream& stream,
       std::optional<SpmvChoice> choice = {});

  /// Enqueues a copy of new values of A. lower: nnz values on the device, in the order of the
  /// pattern that the rows were made of; read when the stream reaches the copy. Until the first
  /// call all values are zero.
  void enqueue_values(const T* lower, cudaStream_t stream);
  /// Enqueues Y = alpha A X + beta Y. x and y are on the device, have n rows and equally many
  /// columns, and do not overlap. Each row's sum is rounded; then it is multiplied by alpha,
  /// rounded, and, unless beta is 0, beta y is added, rounded. If beta is 0, y is not read. One
  /// launch does up to eight columns, or more of a small system; along the merge path two launches
  /// do up to kMergeColumns. The carries of the merge path are in this object, so its products must
  /// not run side by side. Can be captured.
  void enqueue(const MatrixView<const T>& x, const MatrixView<T>& y, cudaStream_t stream,
               T alpha = 1, T beta = 0) const;

  [[nodiscard]] Index n() const { return n_; }
  /// Returns the bytes of this object's memory on the device.
  [[nodiscard]] Offset bytes() const { return bytes_; }
  [[nodiscard]] const SpmvChoice& choice() const { return choice_; }
  [[nodiscard]] Offset entries() const { return entries_; }

 private:
  struct Sizes;
  Spmv(const FullRows& rows, const Sizes& sizes, Staging& staging, const DeviceHeap& heap,
       const Stream& stream);

  Index n_;
  Offset entries_;
  SpmvChoice choice_;
  Offset bytes_;
  DeviceBlock block_;
  DeviceArray<std::int32_t> ptr_;  // row pointers, n + 1; empty if they need 64 bits
  DeviceArray<Offset> long_ptr_;   // row pointers, n + 1, if they need 64 bits, else empty
  DeviceArray<Index> col_;
  DeviceArray<std::uint32_t> source_;
  DeviceArray<T> value_, carry_, end_;
  DeviceArray<Index> tile_row_, ended_;
  DeviceArray<MergeTiles::Run> run_;
};

}  // namespace kauri::numeric::cuda
