// The right-hand sides and solutions of one call from C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/factor.hpp"
#include "src/c/values.hpp"

namespace kauri::c {

/// b and x, in one memory; b null: x, which then holds b.
template <Scalar T>
struct DensePair {
  DensePair(const kauri_dense* given_b, const kauri_dense* given_x)
      : x(view_of<T>(sized(given_x, "x"), "x")), b(x), on_device(given_x->memory == KAURI_DEVICE) {
    if (given_b == nullptr) return;
    b = view_of<const T>(sized(given_b, "b"), "b");
    if (given_b->memory != given_x->memory) misuse("b and x are not in the same memory");
  }

  MatrixView<T> x;
  MatrixView<const T> b;
  bool on_device;
};

/// Error(usage) for a number that names no kauri_system.
System system_of(std::int32_t system);

}  // namespace kauri::c
