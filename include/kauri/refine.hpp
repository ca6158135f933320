// Residuals, backward errors and iterative refinement (Arioli, Demmel & Duff 1989; Skeel 1980).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stop_token>

#include "kauri/factor.hpp"
#include "kauri/refinement.hpp"

namespace kauri {

/// When refine() stops. Calls with a negative number in it, or NaN, throw Error(usage) that names it.
struct RefineOptions {
  int max_steps = 2;      ///< at most this many corrections, >= 0
  double target = 0;      ///< stop when the componentwise backward error is at most this, >= 0; 0: eps of T
  double stagnation = 2;  ///< stop when a step does not shrink it by this factor, >= 0; the better x is kept
  /// Asked to stop, by any thread, refine() throws Error(cancelled) within some 50 ms, with the best x so far in x; on a device between
  /// steps.
  std::stop_token stop{};
};

// For all calls below: A by its lower triangle, checked (Error(input) for a bad pattern, Error(usage) for another number of values, for
// shapes that do not fit, null, and matrices that overlap where they must not); each sets A up by full rows first, O(n + nnz). x, b and y
// have n rows and as many columns as each other.

/// y = A x with each row's sum accumulated in about twice the precision of T. y must not overlap x. Deterministic for any number of
/// threads. For one product with this A: of many of them a SparseProduct (kauri/sparse_product.hpp) sets it up once.
template <Scalar T>
void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y, Backend& backend);

/// y = b - A x, summed likewise. y must not overlap x, and not b, unless it is b itself. Deterministic for any number of threads.
template <Scalar T>
void residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, MatrixView<T> y, Backend& backend);

/// Of x as it is: b - A x summed as by residual().
template <Scalar T>
BackwardError backward_error(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b, Backend& backend);

/// Improves x, which came from factor.solve(b). b is not changed and must not overlap x. Throws Error(usage) if a's pattern is not the one
/// that the factor's plan was made for (entry by entry), and for options out of range.
template <Scalar T>
Refinement refine(const SymmetricView<T>& a, const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x, Workspace<T>& workspace,
                  const RefineOptions& options = {});

}  // namespace kauri
