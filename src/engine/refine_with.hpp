// Refinement with an existing residual operator, for loops that reuse it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/solve/refine.hpp"
#include "numeric/backend.hpp"

namespace kauri {

/// Refines x as refine() does, with a residual that was made from the pattern of `a` by the
/// factor's backend. Does not check shapes and options.
template <Scalar T>
Refinement refine_with(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                       const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                       Workspace<T>& workspace, const RefineOptions& options);

}  // namespace kauri
