// The right-hand sides and solutions of one call from C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/solve/factor.hpp"
#include "src/c/values.hpp"

namespace kauri::c {

/// Views of b and x, in the same memory. With given_b null, b is x, which then holds the right-hand
/// sides. Throws Error(usage) if a struct is null or malformed, or the memories differ.
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

/// Returns the System of a kauri_system. Throws Error(usage) for a number that is none.
System system_of(std::int32_t system);

}  // namespace kauri::c
