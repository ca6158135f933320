// Operations of a phase and the least bytes it moves, from counts alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/solve/report.hpp"

namespace kauri {

/// Sets the phase's flops and moved bytes for one factorisation, which reads A and writes L.
inline void count_factor(SolverReport::PhaseReport& phase, const Plan& plan, int scalar_bytes) {
  phase.flops = plan.cost.flops;
  phase.moved = (plan.nnz + plan.cost.nnz_l) * scalar_bytes;
}

/// Sets flops and moved bytes for `times` solves of `cols` columns. Each reads L twice, each time
/// for all columns; both sweeps read and write the columns.
inline void count_solves(SolverReport::PhaseReport& phase, const Plan& plan, int scalar_bytes,
                         Index cols, int times = 1) {
  phase.flops = 4.0 * static_cast<double>(plan.cost.nnz_l) * cols * times;
  phase.moved =
      cols == 0 ? 0 : times * (2 * plan.cost.nnz_l + 4 * Offset{plan.n} * cols) * scalar_bytes;
}

/// Adds flops and moved bytes of `times` residuals b - A x: the lower triangle of A, indices of 4
/// bytes and values, is read once for all columns; x and b are read, and the residual is written.
inline void add_residuals(SolverReport::PhaseReport& phase, const Plan& plan, int scalar_bytes,
                          Index cols, int times) {
  phase.flops += 2.0 * (2.0 * static_cast<double>(plan.nnz) - plan.n) * cols * times;
  if (cols > 0)
    phase.moved += times * (plan.nnz * (scalar_bytes + Offset{sizeof(Index)}) +
                            3 * Offset{plan.n} * cols * scalar_bytes);
}

/// Sets the work of a refinement: a solve and a residual for each correction tried, and the first
/// residual.
inline void count_refinement(SolverReport::PhaseReport& phase, const Plan& plan, int scalar_bytes,
                             Index cols, int tried) {
  count_solves(phase, plan, scalar_bytes, cols, tried);
  add_residuals(phase, plan, scalar_bytes, cols, tried + 1);
}

/// Sets the work of a mixed solve: `steps` solves with a factor in float, each with a residual in
/// double, and the first residual.
inline void count_mixed_solve(SolverReport::PhaseReport& phase, const Plan& plan, Index cols,
                              int steps) {
  count_solves(phase, plan, sizeof(float), cols, steps);
  add_residuals(phase, plan, sizeof(double), cols, steps + 1);
}

}  // namespace kauri
