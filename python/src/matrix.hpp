// Conversion of SciPy's arrays to symmetric matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri::python {

/// The half of a SciPy matrix from which the symmetric matrix is made.
enum class Triangle {
  automatic,  ///< the half with nonzero entries; if both have some, they must agree
  lower,      ///< the lower half; entries above the diagonal are ignored
  upper,      ///< the upper half; entries below the diagonal are ignored
  both,       ///< both halves, which must agree
};

/// Returns one value for each entry of `pattern`, in its order: that of `a`, or 0 if `a` has no
/// such entry. Throws Error(usage) if the pattern has another number of rows than `a`, or lacks a
/// nonzero entry of `a`, which the text names.
template <Scalar T>
std::vector<T> values_on(const Pattern& pattern, const SymmetricMatrix<T>& a);

}  // namespace kauri::python
