// A by full rows in a device's memory, for residuals and products on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"

namespace kauri::numeric::cuda {

/// A by full rows and the tasks of thread blocks, in host memory, from where DeviceRows uploads
/// them. O(n + nnz).
struct HostRows {
  explicit HostRows(const Pattern& lower)
      : rows(full_rows(lower)), tasks(residual_tasks(rows)), nnz(lower.nnz()) {}
  FullRows rows;
  std::vector<ResidualTask> tasks;
  Offset nnz;  ///< entries of the lower triangle
};

/// A by full rows on a device. Non-owning: the arrays lie in the caller's DeviceBlock. Values are
/// uninitialised until enqueue_values().
template <class T>
class DeviceRows {
 public:
  /// Returns the bytes of device memory that all arrays take.
  static Offset bytes(const HostRows& host);
  /// Takes the next arrays of the block and uploads the rows. Waits until all have arrived.
  DeviceRows(const HostRows& host, Staging& staging, DeviceBlock& block, const Stream& stream);

  /// Enqueues a copy of the values of A to the rows. lower: nnz values on the device, in the order
  /// of the pattern; read when the stream reaches the copy.
  void enqueue_values(const T* lower, cudaStream_t stream) const;
  [[nodiscard]] RowsView<T> view() const;
  /// Returns, for each entry of the rows, the index of its value among those of the lower triangle.
  [[nodiscard]] std::span<const std::uint32_t> source() const {
    return {source_.data(), static_cast<std::size_t>(source_.size())};
  }
  /// Returns the values by rows, for callers that write them instead of enqueue_values(): those of
  /// the entries, in the order of source(), then padding.
  [[nodiscard]] T* values() const { return value_.data(); }
  /// Loads all kernels, so that none is loaded at its first launch, which may be in a caller's
  /// capture. Throws Error(device).
  static void load_kernels();

 private:
  Index n_;
  DeviceArray<Offset> ptr_;
  DeviceArray<Index> col_;
  DeviceArray<std::uint32_t> source_;
  DeviceArray<T> value_;
  DeviceArray<ResidualTask> task_;
};

}  // namespace kauri::numeric::cuda
