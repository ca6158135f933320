// Residuals, backward errors and iterative refinement (Arioli, Demmel & Duff 1989; Skeel 1980).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stop_token>

#include "kauri/solve/factor.hpp"
#include "kauri/solve/refinement.hpp"

namespace kauri {

/// When refine() stops. A member that is negative or NaN makes the call throw Error(usage), which
/// names it.
struct RefineOptions {
  int max_steps = 2;      ///< at most this many corrections, >= 0
  double target = 0;      ///< stop once the componentwise backward error is at most this, >= 0; 0
                          ///< stands for eps of T
  double stagnation = 2;  ///< stop after a correction that does not shrink the componentwise error
                          ///< by this factor, >= 0; the better of the two x is kept
  /// Cancels refine(): once any thread requests a stop, it throws Error(cancelled) within some 50
  /// ms, on a device between steps, and leaves the best x so far in x.
  std::stop_token stop{};
};

// All calls below take the lower triangle of A and first make its full rows, O(n + nnz); a device
// holds these rows in its memory during the call. x, b and y are matrices in the host's memory, of
// n rows and one common number of columns, each of either layout.
//
// They throw Error: input (a bad pattern), usage (a wrong number of values, shapes that do not fit,
// null data, a forbidden overlap), memory, device.

/// Computes y = A x. Each row's sum is accumulated in about twice the precision of T. y must not
/// overlap x. The bits are the same for any number of threads. Every call makes the rows of A
/// again: for many products with one A use a SparseProduct (kauri/device/sparse_product.hpp), which
/// makes them once.
template <Scalar T>
void multiply(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<T> y, Backend& backend);

/// Computes y = b - A x, with sums accumulated in about twice the precision of T. y must not
/// overlap x; it is b itself (data, ld and layout) or does not overlap b. The bits are the same for
/// any number of threads.
template <Scalar T>
void residual(const SymmetricView<T>& a, MatrixView<const T> x, MatrixView<const T> b,
              MatrixView<T> y, Backend& backend);

/// Returns the backward errors of x as a solution of A x = b, the worst over the columns. b - A x
/// is summed as by residual(). Allocates an n x columns array on the host.
template <Scalar T>
BackwardError backward_error(const SymmetricView<T>& a, MatrixView<const T> x,
                             MatrixView<const T> b, Backend& backend);

/// Improves x, the solution by factor.solve() for b, by corrections x += M^-1 (b - A x), with M the
/// factorised matrix, while they shrink the componentwise backward error and options allow another.
/// b is not changed and must not overlap x. a: the matrix A of the system; M has the same pattern
/// and may be A, A + shift I or a nearby matrix. Allocates two n x columns arrays on the host.
///
/// Throws, besides the errors above, Error(usage) if a's pattern differs from that of the factor's
/// plan (compared entry by entry), if the factor is not valid and a correction is to be made, if
/// the workspace belongs to another plan, and for options out of range, and Error(cancelled).
template <Scalar T>
Refinement refine(const SymmetricView<T>& a, const Factor<T>& factor, MatrixView<const T> b,
                  MatrixView<T> x, Workspace<T>& workspace, const RefineOptions& options = {});

}  // namespace kauri
