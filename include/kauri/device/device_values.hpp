// DeviceValues: values of A in a backend's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "kauri/core/backend.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

namespace numeric {
class DeviceBytes;  // numeric/backend.hpp
}

/// Values of A in the memory of a backend's device, in the order of the pattern analysed;
/// refactorize() takes them without a copy from the host. The work that writes them must have ended
/// before refactorize(), which works on its own stream, or be enqueued on the stream that
/// refactorize() or enqueue_refactorize() takes. On the CPU they are in ordinary memory.
/// Backend::bytes_in_use() does not include them. Move-only; one that was moved from may only be
/// assigned to or destroyed.
template <Scalar T>
class DeviceValues {
 public:
  /// Copies `host`, an array in host memory, to the backend's device. Throws Error(memory).
  static DeviceValues copy_of(std::span<const T> host, Backend& backend);
  /// Refers to the caller's values in device memory (on the CPU in ordinary memory), which must
  /// outlive every use of the result.
  static DeviceValues borrow(std::span<const T> device);
  DeviceValues(DeviceValues&&) noexcept;
  DeviceValues& operator=(DeviceValues&&) noexcept;
  ~DeviceValues();

  /// Overwrites all values by `host`, of the same length, in host memory. Throws Error(usage) for
  /// another length and for borrowed values.
  void assign(std::span<const T> host);
  /// Returns the values, in device memory: the host must not read them if the backend is a device.
  [[nodiscard]] std::span<const T> span() const { return span_; }

 private:
  DeviceValues(std::unique_ptr<numeric::DeviceBytes> bytes, std::span<const T> span);
  std::unique_ptr<numeric::DeviceBytes> bytes_;
  std::span<const T> span_;
};

}  // namespace kauri
