// Y = A X for a symmetric A on a device, X and Y there: A expanded to full rows, each sum as plain arithmetic rounds it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "numeric/cuda/spmv_kernels.hpp"
#include "numeric/cuda/staging.hpp"

namespace kauri::numeric::cuda {

/// A by full rows on the device: 4 bytes of column, 4 of the place of its value and sizeof(T) of value an entry (both halves counted), 4 or
/// 8 a row, and for the merge path sizeof(T) a column and tile. The same pattern, values and X give the same bits each time, on each device
/// and for any number of columns.
template <class T>
class Spmv {
 public:
  /// The kernel is choose_spmv()'s unless one is named. The device is current, as for all calls; the heap outlives this. Returns when the
  /// device has the rows. Throws Error(memory), Error(overflow), and Error(usage) for a choice that is_spmv() refuses.
  Spmv(const FullRows& rows, Staging& staging, const DeviceHeap& heap, const Stream& stream, std::optional<SpmvChoice> choice = {});

  /// New values. lower: on the device, in the order of the pattern that the rows were made of; read when the stream comes to it.
  void enqueue_values(const T* lower, cudaStream_t stream);
  /// Y = A X, x and y on the device, of n rows and as many columns as each other, not overlapping. One launch for up to eight columns, of
  /// the merge path two for up to kMergeColumns, which has its carries here: one product at a time. Can be captured.
  void enqueue(const MatrixView<const T>& x, const MatrixView<T>& y, cudaStream_t stream) const;

  [[nodiscard]] const SpmvChoice& choice() const { return choice_; }
  [[nodiscard]] Offset entries() const { return entries_; }

 private:
  struct Shape;
  Spmv(const FullRows& rows, const Shape& shape, Staging& staging, const DeviceHeap& heap, const Stream& stream);

  Index n_;
  Offset entries_;
  SpmvChoice choice_;
  DeviceBlock block_;
  DeviceArray<std::int32_t> ptr_;  // one of the two
  DeviceArray<Offset> long_ptr_;
  DeviceArray<Index> col_;
  DeviceArray<std::uint32_t> source_;
  DeviceArray<T> value_, carry_;
  DeviceArray<Index> tile_row_;
  DeviceArray<MergeTiles::Run> run_;
};

}  // namespace kauri::numeric::cuda
