// The three stages of a mixed solve of a column: refinement, conjugate gradients, a factor in
// double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/solve/mixed.hpp"
#include "numeric/mixed_impl.hpp"
#include "numeric/refine_rule.hpp"

namespace kauri {

/// Progress and result of one column.
struct MixedColumn {
  MixedPath path = MixedPath::refinement;
  int steps = 0, cg_steps = 0;
  double contraction = 0, cg_contraction = 0;
  BackwardError error, unrefined;    ///< errors of the current y, and of the first one computed
  bool stuck = false;                ///< the last stage tried ended with an error above `accept`
  numeric::RefineProgress progress;  ///< progress of refinement with a factor in double
};

/// The limits of MixedSolveOptions, with defaults resolved.
struct MixedLimits {
  int max_steps, max_cg_steps;
  double target, accept;
};

/// Conjugate gradients end after this many steps in a row that did not halve the least error.
inline constexpr int kPatience = 16;

/// Columns that are solved side by side. `store` holds their vectors, which are allocated once:
/// right-hand side c and solution y of the scaled system, residual r = c - H y (see MixedImpl).
struct MixedBlock {
  numeric::MixedImpl& store;
  MixedLimits limits;
  std::vector<MixedColumn> column;   ///< one for each column of the block
  std::vector<Index> active;         ///< numbers of the columns still being refined
  std::vector<BackwardError> error;  ///< errors of the active columns, in their order
};

/// Solves all columns with the factor in float: by refinement and, for columns with an error above
/// limits.accept, by conjugate gradients. store.load() has set c, y = 0 and r = c, and block.column
/// holds the errors of y = 0. Marks columns whose error stays above limits.accept as stuck.
void solve_in_float(MixedBlock& block, const numeric::FactorImpl<float>& factor,
                    numeric::WorkspaceImpl<float>& workspace);
/// Solves columns [first, first + count) by refinement with a factor in double. On entry y = 0 and
/// r = c in `store`, and block.column holds the errors of y = 0. Marks columns as solve_in_float()
/// does.
void solve_in_double(MixedBlock& block, const numeric::FactorImpl<double>& factor,
                     numeric::WorkspaceImpl<double>& workspace, Index first, Index count);

}  // namespace kauri
