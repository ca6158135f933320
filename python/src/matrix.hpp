// Conversion of SciPy's arrays to symmetric matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri::python {

/// Half of a matrix that is taken.
enum class Triangle {
  automatic,  ///< the half that is stored; if both are stored, they must agree
  lower,      ///< the lower half; entries above the diagonal are ignored
  upper,      ///< the upper half; entries below the diagonal are ignored
  both,       ///< both halves, which must agree
};

/// Returns the values of `a` on a pattern that contains all entries of `a` other than 0, with zeros
/// at its other places. Throws Error(usage) if the pattern has another number of rows, or lacks an
/// entry, which the text names.
template <Scalar T>
std::vector<T> values_on(const Pattern& pattern, const SymmetricMatrix<T>& a);

}  // namespace kauri::python
