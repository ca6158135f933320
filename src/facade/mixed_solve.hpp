// The way of a column through a mixed solve: refinement, conjugate gradients, a factor in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/mixed.hpp"
#include "numeric/mixed_store.hpp"
#include "numeric/refine_rule.hpp"

namespace kauri {

/// Where a column is.
struct MixedColumn {
  MixedPath path = MixedPath::refinement;
  int steps = 0, cg_steps = 0;
  double contraction = 0, cg_contraction = 0;
  BackwardError error, unrefined;    ///< of y, and of the first one
  bool stuck = false;                ///< its path ended above `accept`
  numeric::RefineProgress progress;  ///< by a factor in double
};

/// Of MixedSolveOptions, what decides.
struct MixedLimits {
  int max_steps, max_cg_steps;
  double target, accept;
};

/// Conjugate gradients end where so many steps have not halved the least error.
inline constexpr int kPatience = 16;

/// A block of columns on its way; made once.
struct MixedBlock {
  numeric::MixedImpl& store;
  MixedLimits limits;
  std::vector<MixedColumn> column;   ///< of the block
  std::vector<Index> active;         ///< those still refined
  std::vector<BackwardError> error;  ///< theirs
};

/// All columns, for which b was loaded, by the factor in float alone.
void solve_in_float(MixedBlock& block, const numeric::FactorImpl<float>& factor, numeric::WorkspaceImpl<float>& workspace);
/// Columns [first, first + count), whose y is 0 and r is c, by a factor in double.
void solve_in_double(MixedBlock& block, const numeric::FactorImpl<double>& factor, numeric::WorkspaceImpl<double>& workspace, Index first,
                     Index count);

}  // namespace kauri
