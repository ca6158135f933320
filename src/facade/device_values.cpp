// Values of A on a backend's device.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/device/device_values.hpp"

#include <string>
#include <utility>

#include "kauri/core/error.hpp"
#include "numeric/backend.hpp"

namespace kauri {

template <Scalar T>
DeviceValues<T>::DeviceValues(std::unique_ptr<numeric::DeviceBytes> bytes, std::span<const T> span)
    : bytes_(std::move(bytes)), span_(span) {}
template <Scalar T>
DeviceValues<T>::DeviceValues(DeviceValues&&) noexcept = default;
template <Scalar T>
DeviceValues<T>& DeviceValues<T>::operator=(DeviceValues&&) noexcept = default;
template <Scalar T>
DeviceValues<T>::~DeviceValues() = default;

template <Scalar T>
DeviceValues<T> DeviceValues<T>::copy_of(std::span<const T> host, Backend& backend) {
  auto bytes = backend.executor().make_bytes(std::as_bytes(host));
  const std::span<const T> span(static_cast<const T*>(bytes->data()), host.size());
  return DeviceValues(std::move(bytes), span);
}

template <Scalar T>
DeviceValues<T> DeviceValues<T>::borrow(std::span<const T> device) {
  return DeviceValues(nullptr, device);
}

template <Scalar T>
void DeviceValues<T>::assign(std::span<const T> host) {
  if (!bytes_)
    throw Error(ErrorKind::usage,
                "DeviceValues::assign: these values are borrowed; write to their memory instead");
  if (host.size() != span_.size())
    throw Error(ErrorKind::usage, "DeviceValues::assign: " + std::to_string(host.size()) +
                                      " values for " + std::to_string(span_.size()) +
                                      ", expected as many");
  bytes_->assign(std::as_bytes(host));
}

template class DeviceValues<float>;
template class DeviceValues<double>;

}  // namespace kauri
