// Refinement with a residual operator made before, for loops that reuse it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/refine.hpp"
#include "numeric/backend.hpp"

namespace kauri {

/// As refine(), without its checks; value: length nnz, in the order of the pattern `residual` was made from.
template <Scalar T>
Refinement refine_with(const numeric::ResidualStore<T>& residual, std::span<const T> value, const Factor<T>& factor, MatrixView<const T> b,
                       MatrixView<T> x, Workspace<T>& workspace, const RefineOptions& options);

}  // namespace kauri
