// Iterative refinement as a loop on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/matrix/dense_lines.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/matrix.hpp"
#include "numeric/backend.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/refine_rule.hpp"

namespace kauri::numeric {

/// Computes x += A^-1 (b - A x) while that reduces the error. r and better are scratch of x's
/// shape, column-major. solve() replaces r by A^-1 r; residual(y, values) writes b - A y to r and
/// returns the errors of y. Checks the call's stop token between columns; if it throws
/// Error(cancelled), x is the best one so far.
template <class T, class Solve, class Residual>
Refinement refine_on_host(MatrixView<T> x, MatrixView<T> r, MatrixView<T> better,
                          const RefineLimits& limits, const Solve& solve,
                          const Residual& residual) {
  const StridedView<T> entry = strided(x);
  RefineProgress progress = begin_refinement(residual(x, ValuesAre::fresh), limits);
  while (progress.going != 0) {
    solve();
    for (Index c = 0; c < x.cols; ++c) {
      stop_here();
      for (Index i = 0; i < x.rows; ++i)
        better.data[c * better.ld + i] = entry(i, c) + r.data[c * r.ld + i];
    }
    take_step(progress, residual(better, ValuesAre::unchanged), limits);
    if (progress.helped) copy_entries<T>(better, x);
  }
  return progress.done;
}

}  // namespace kauri::numeric
