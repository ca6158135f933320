// The right-hand sides and solutions of one call from C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/solve/factor.hpp"
#include "src/c/values.hpp"

namespace kauri::c {

/// Views of b and x, both on the host or both on a device. If given_b is null, b is x, which then
/// holds the right-hand sides. Throws Error(usage) if given_x is null, a struct is malformed, or
/// one matrix is on the host and the other on a device.
template <Scalar T>
struct DensePair {
  DensePair(const kauri_dense* given_b, const kauri_dense* given_x)
      : x(view_of<T>(sized(given_x, "x"), "x")), b(x), on_device(given_x->memory == KAURI_DEVICE) {
    if (given_b == nullptr) return;
    b = view_of<const T>(sized(given_b, "b"), "b");
    if (given_b->memory != given_x->memory)
      misuse("b and x are not in the same memory, expected both on the host or both on a device");
  }

  MatrixView<T> x;
  MatrixView<const T> b;
  bool on_device;
};

/// Returns the System that a kauri_system names. Throws Error(usage) for any other number.
System system_of(std::int32_t system);

}  // namespace kauri::c
