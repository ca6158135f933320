// Symmetric matrices from SciPy's arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/matrix.hpp"

namespace kauri::python {

/// Which half of a matrix is taken.
enum class Triangle {
  automatic,  ///< the one that is there; where both are, they must agree
  lower,      ///< the lower one: what is above the diagonal is not looked at
  upper,      ///< the upper one, likewise
  both,       ///< both are there, and agree
};

/// The values of `a` on a pattern that has all of its entries but those of 0, zeros elsewhere. Throws Error(usage) naming the first entry
/// that is not there.
template <Scalar T>
std::vector<T> values_on(const Pattern& pattern, const SymmetricMatrix<T>& a);

}  // namespace kauri::python
