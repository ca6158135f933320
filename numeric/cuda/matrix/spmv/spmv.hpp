// Y = alpha A X + beta Y for a symmetric A on a device, X and Y there: A expanded to full rows, each sum as plain arithmetic rounds it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "numeric/cuda/matrix/spmv/kernels.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"

namespace kauri::numeric::cuda {

/// A by full rows on the device: 4 bytes of column, 4 of the place of its value and sizeof(T) of value an entry (both halves counted), 4 or
/// 8 a row, and for the merge path sizeof(T) a column and tile, and a column and row that several tiles share. The same pattern, values and
/// X give the same bits each time, on each device, for any number of columns and by either layout.
template <class T>
class Spmv {
 public:
  /// The kernel is choose_spmv()'s unless one is named. The device is current, as for all calls; the heap outlives this. Returns when the
  /// device has the rows. Throws Error(memory), Error(overflow), and Error(usage) for a choice that is_spmv() refuses.
  Spmv(const FullRows& rows, Staging& staging, const DeviceHeap& heap, const Stream& stream, std::optional<SpmvChoice> choice = {});

  /// New values. lower: on the device, in the order of the pattern that the rows were made of; read when the stream comes to it.
  void enqueue_values(const T* lower, cudaStream_t stream);
  /// Y = alpha A X + beta Y, x and y on the device, of n rows and as many columns as each other, not overlapping: each row's sum, rounded,
  /// times alpha, rounded, and, but where beta is 0, then y is not read, plus beta y, rounded. One launch for up to eight columns, or more
  /// of a small system, of the merge path two for up to kMergeColumns, which has its carries here: one product at a time. Can be captured.
  void enqueue(const MatrixView<const T>& x, const MatrixView<T>& y, cudaStream_t stream, T alpha = 1, T beta = 0) const;

  [[nodiscard]] Index n() const { return n_; }
  /// Of its memory on the device.
  [[nodiscard]] Offset bytes() const { return bytes_; }
  [[nodiscard]] const SpmvChoice& choice() const { return choice_; }
  [[nodiscard]] Offset entries() const { return entries_; }

 private:
  struct Shape;
  Spmv(const FullRows& rows, const Shape& shape, Staging& staging, const DeviceHeap& heap, const Stream& stream);

  Index n_;
  Offset entries_;
  SpmvChoice choice_;
  Offset bytes_;
  DeviceBlock block_;
  DeviceArray<std::int32_t> ptr_;  // one of the two
  DeviceArray<Offset> long_ptr_;
  DeviceArray<Index> col_;
  DeviceArray<std::uint32_t> source_;
  DeviceArray<T> value_, carry_, end_;
  DeviceArray<Index> tile_row_, ended_;
  DeviceArray<MergeTiles::Run> run_;
};

}  // namespace kauri::numeric::cuda
