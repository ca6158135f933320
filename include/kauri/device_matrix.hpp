// Dense matrices where a CUDA device computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>

#include "kauri/matrix.hpp"

namespace kauri {

/// A dense matrix in the memory of a CUDA device, of either layout, borrowed: of cudaMalloc and its kin, or managed. A type of its own, so
/// that a call for the host's memory is not taken for one for the device's.
///
///     factor.solve(kauri::DeviceMatrixView<double>({data, n, columns, ld}), workspace);
template <class T>
class DeviceMatrixView {
 public:
  /// Of a view whose data are on the device.
  explicit DeviceMatrixView(MatrixView<T> there) : view_(there) {}
  /// On the device: not to be read elsewhere.
  [[nodiscard]] const MatrixView<T>& view() const { return view_; }

  /// The same, to be read only.
  template <std::same_as<const T> U>
  operator DeviceMatrixView<U>() const {
    return DeviceMatrixView<U>(view_);
  }

 private:
  MatrixView<T> view_;
};

}  // namespace kauri
