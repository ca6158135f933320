// A by full rows in a device's memory, for residuals and products there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"

namespace kauri::numeric::cuda {

/// On the host: what goes to the device. O(n + nnz).
struct HostRows {
  explicit HostRows(const Pattern& lower) : rows(full_rows(lower)), tasks(residual_tasks(rows)), nnz(lower.nnz()) {}
  FullRows rows;
  std::vector<ResidualTask> tasks;
  Offset nnz;  ///< entries of the lower triangle
};

/// Arrays of a block of somebody else's. Nobody has set the values at first.
template <class T>
class DeviceRows {
 public:
  /// Of all arrays.
  static Offset bytes(const HostRows& host);
  /// The next arrays of the block. Waits until all have arrived.
  DeviceRows(const HostRows& host, Staging& staging, DeviceBlock& block, const Stream& stream);

  /// lower: on the device, in the order of the pattern; read when the stream comes to it.
  void enqueue_values(const T* lower, cudaStream_t stream) const;
  [[nodiscard]] RowsView<T> view() const;
  /// For each entry of the rows its place in the order of the pattern.
  [[nodiscard]] std::span<const std::uint32_t> source() const { return {source_.data(), static_cast<std::size_t>(source_.size())}; }
  /// For who sets the values by itself.
  [[nodiscard]] T* values() const { return value_.data(); }
  /// So that nothing is loaded when kernels are first launched, which may be in a caller's capture. Throws Error(device).
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
