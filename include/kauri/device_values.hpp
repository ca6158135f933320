// Values of A where a backend computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "kauri/backend.hpp"
#include "kauri/types.hpp"

namespace kauri {

namespace numeric {
class DeviceBytes;  // numeric/backend.hpp
}

/// Values of A in the memory of a backend's device, in the order of the pattern analysed: refactorize() takes them without a copy from the
/// host. What writes them has ended before refactorize(), which works on a stream of its own, or is on the stream that refactorize() or
/// enqueue_refactorize() is told.
/// On the CPU that is ordinary memory. Counted in no backend's bytes: they are the caller's, as A is. Move-only; one moved from may be
/// assigned to and destroyed, nothing else.
template <Scalar T>
class DeviceValues {
 public:
  /// Throws Error(memory).
  static DeviceValues copy_of(std::span<const T> host, Backend& backend);
  /// Somebody else's memory on the device, which lives as long as this is used.
  static DeviceValues borrow(std::span<const T> device);
  DeviceValues(DeviceValues&&) noexcept;
  DeviceValues& operator=(DeviceValues&&) noexcept;
  ~DeviceValues();

  /// New numbers, as many as there are. Not for what is borrowed: Error(usage).
  void assign(std::span<const T> host);
  /// On the device: not to be read elsewhere.
  [[nodiscard]] std::span<const T> span() const { return span_; }

 private:
  DeviceValues(std::unique_ptr<numeric::DeviceBytes> bytes, std::span<const T> span);
  std::unique_ptr<numeric::DeviceBytes> bytes_;
  std::span<const T> span_;
};

}  // namespace kauri
