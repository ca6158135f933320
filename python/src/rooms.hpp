// Memory for solutions that arrays of other libraries own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kauri/backend.hpp"
#include "numeric/backend.hpp"

namespace kauri::python {

/// Memory where a backend computes, lent to arrays by DLPack. What they give back serves the next ones: a loop of solves allocates nothing.
/// Lives as long as any of it is lent.
class Rooms : public std::enable_shared_from_this<Rooms> {
 public:
  /// A capsule with an array of floating-point numbers of 4 or 8 bytes, rows one after the other; what they are is not said. device: the
  /// number of the backend's. Throws Error(memory).
  nanobind::object lend(Backend& backend, int device, std::vector<std::int64_t> shape, int bytes);

 private:
  using Room = std::pair<std::size_t, std::unique_ptr<numeric::DeviceBytes>>;
  struct Lent;

  /// One that is idle and not far too large, or a new one.
  Room take(Backend& backend, std::size_t size);
  void give_back(Room room) noexcept;

  std::mutex mutex_;
  std::vector<Room> idle_;
};

}  // namespace kauri::python
