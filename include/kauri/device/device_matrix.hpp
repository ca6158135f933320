// DeviceMatrixView: a dense matrix in the memory of a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Non-owning view of a dense matrix, of either layout, in device memory from cudaMalloc or a
/// similar function, or in managed memory. A distinct type, so that calls for host memory and for
/// device memory cannot be confused.
///
///     factor.solve(kauri::DeviceMatrixView<double>({data, n, columns, ld}), workspace);
template <class T>
class DeviceMatrixView {
 public:
  /// Wraps a view whose data are in device memory.
  explicit DeviceMatrixView(MatrixView<T> there) : view_(there) {}
  /// Returns the wrapped view; the host must not read its data.
  [[nodiscard]] const MatrixView<T>& view() const { return view_; }

  /// Converts to a read-only view.
  template <std::same_as<const T> U>
  operator DeviceMatrixView<U>() const {
    return DeviceMatrixView<U>(view_);
  }

 private:
  MatrixView<T> view_;
};

}  // namespace kauri
