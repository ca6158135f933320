// Values for matrices that a file gives as a pattern only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/matrix.hpp"

namespace kauri::io {

/// Sets -1 off the diagonal and 1 + (off-diagonal entries of the row) on it: the graph's Laplacian
/// plus the identity, which is positive definite.
inline void set_pattern_values(SymmetricMatrix<double>& a) {
  const Pattern p = a.pattern();
  const auto value = a.value();
  for (Index j = 0; j < p.n; ++j) value[p.col_ptr[j]] = 1;
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j] + 1; k < p.col_ptr[j + 1]; ++k) {
      value[k] = -1;
      value[p.col_ptr[j]] += 1;
      value[p.col_ptr[p.row[k]]] += 1;
    }
}

}  // namespace kauri::io
