// Refinement with a factor in float, flexible conjugate gradients preconditioned by that factor
// (Golub & Ye, SIAM J. Sci. Comput. 21, 1999; Notay, SIAM J. Sci. Comput. 22, 2000), refinement
// with a factor in double. Each step computes the residual anew, in about twice the precision of
// double, so errors are measured, not predicted.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/facade/mixed_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/threads/stopping.hpp"

namespace kauri {
namespace {

using numeric::Dots;
using numeric::MixedImpl;

/// Refinement of a column continues while each step reduces the componentwise error to less than
/// this fraction of the error before the step.
constexpr double kContracts = 0.5;
/// The fraction required instead, from the second correction on, while the error is above `accept`
/// and conjugate gradients are allowed. A slower contraction would take some ten more steps; it
/// mostly comes from a few small eigenvalues that the float factor misses, for which conjugate
/// gradients take three.
constexpr double kContractsWell = 0.125;

BackwardError column_error(MixedImpl& store, Index column) {
  BackwardError error;
  store.residuals({&column, 1}, {&error, 1});
  return error;
}

bool is_accepted(const MixedColumn& column, const MixedLimits& limits) {
  return column.error.componentwise <= limits.accept;
}

/// Accepts or takes back the last correction of y, `error` being the error with it. Returns false
/// if refinement of this column ends.
bool take_mixed_step(MixedImpl& store, Index c, MixedColumn& column, const BackwardError& error,
                     const MixedLimits& limits) {
  const double ratio = error.componentwise / column.error.componentwise;
  if (column.steps == 0) column.unrefined = error;
  const bool helped = ratio < 1;  // false for NaN
  if (column.steps > 0 && column.error.componentwise > limits.accept)
    column.contraction = std::max(
        column.contraction, std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
  if (helped) {
    column.error = error;
    ++column.steps;
  } else {
    store.take_back(c);
  }
  const bool may_turn =
      limits.max_cg_steps > 0 && column.steps > 1 && error.componentwise > limits.accept;
  const bool contracts = ratio < (may_turn ? kContractsWell : kContracts);
  return contracts && error.componentwise > limits.target && column.steps < limits.max_steps;
}

void measure_active(MixedBlock& block) {
  block.error.resize(block.active.size());
  block.store.residuals(block.active, block.error);
}

/// Makes block.active the list of those columns in [first, first + count) whose y = 0 can be
/// improved: not columns with b = 0, which y = 0 solves, nor columns with a b that is not finite.
void begin_at_zero(MixedBlock& block, Index first, Index count) {
  block.active.resize(static_cast<std::size_t>(count));
  std::iota(block.active.begin(), block.active.end(), first);
  std::erase_if(block.active, [&](Index c) { return !(block.column[c].error.componentwise > 0); });
}

/// Refines all columns of the block side by side. A column stays active until take_mixed_step()
/// ends it.
void refine_in_float(MixedBlock& block, const numeric::FactorImpl<float>& factor,
                     numeric::WorkspaceImpl<float>& workspace) {
  begin_at_zero(block, 0, static_cast<Index>(block.column.size()));
  while (!block.active.empty()) {
    stop_here();
    block.store.precondition(factor, workspace, block.active);
    block.store.correct(block.active);
    measure_active(block);
    std::size_t left = 0;
    for (std::size_t k = 0; k < block.active.size(); ++k) {
      const Index c = block.active[k];
      if (take_mixed_step(block.store, c, block.column[c], block.error[k], block.limits))
        block.active[left++] = c;
    }
    block.active.resize(left);
  }
}

/// Search by conjugate gradients for the solution of H y = c, with the factor M in float as
/// preconditioner; H = S A S is the scaled matrix.
struct CgState {
  MixedImpl& store;
  const numeric::FactorImpl<float>& factor;
  numeric::WorkspaceImpl<float>& workspace;
  Index column;
  double slope = 0;  ///< z.r, where z = M^-1 r

  void precondition() { store.precondition(factor, workspace, {&column, 1}); }
  /// Sets the first direction, M^-1 r. Returns false if z.r is not positive and finite.
  bool begin() {
    precondition();
    slope = store.begin_search(column);
    return slope > 0 && std::isfinite(slope);
  }
  /// Moves y along the direction to the minimum of y.H y / 2 - c.y. Returns false, and leaves y, if
  /// the curvature is not positive or the step is not finite. The curvature is not positive only if
  /// H, as rounded to double, is not positive definite.
  bool advance() {
    const Dots along = store.curvature(column);
    const double step = along.second / along.first;
    if (!(along.first > 0) || !std::isfinite(step)) return false;
    store.advance(column, step);
    return true;
  }
  /// Sets the next direction, z + beta p, with the flexible beta: (r - previous r).z in place of
  /// r.z, over the previous z.r. This keeps the direction conjugate to the last one although
  /// rounding makes M another operator at each step. Returns false if z.r is not positive or beta
  /// is not finite.
  bool turn() {
    precondition();
    const Dots now = store.project(column);
    const double beta = (now.first - now.second) / slope;
    slope = now.first;
    if (!(slope > 0) || !std::isfinite(beta)) return false;
    store.turn(beta);
    return true;
  }
};

/// Improves column c by conjugate gradients, beginning with the y that refinement left. Ends with
/// the y of the least error met.
void conjugate_gradients(MixedImpl& store, const numeric::FactorImpl<float>& factor,
                         numeric::WorkspaceImpl<float>& workspace, const MixedLimits& limits,
                         Index c, MixedColumn& column) {
  column.path = MixedPath::conjugate_gradients;
  const double start = column.error.componentwise;
  double halved = start;  // the least error when it was last halved
  int step = 0, since = 0, best = 0;
  column_error(store,
               c);  // sets r to the residual of y, since a correction may have been taken back
  store.keep(c);
  CgState search{store, factor, workspace, c};
  for (bool going = search.begin(); going; going = going && search.turn()) {
    stop_here();
    if (!search.advance()) break;
    const BackwardError error = column_error(store, c);
    ++step, ++since;
    if (error.componentwise < column.error.componentwise) {
      column.error = error, best = step;
      store.keep(c);
    }
    if (column.error.componentwise <= kContracts * halved)
      halved = column.error.componentwise, since = 0;
    const bool enough = column.error.componentwise <= limits.accept && since > 1;
    going = column.error.componentwise > limits.target && !enough && since < kPatience &&
            step < limits.max_cg_steps && std::isfinite(error.componentwise);
  }
  store.take_back(c);
  column.cg_steps = step;
  column.cg_contraction = best > 0 ? std::pow(column.error.componentwise / start, 1.0 / best) : 1;
}

}  // namespace

void solve_in_float(MixedBlock& block, const numeric::FactorImpl<float>& factor,
                    numeric::WorkspaceImpl<float>& workspace) {
  refine_in_float(block, factor, workspace);
  for (std::size_t c = 0; c < block.column.size(); ++c) {
    MixedColumn& column = block.column[c];
    if (is_accepted(column, block.limits) || std::isnan(column.error.componentwise)) continue;
    if (block.limits.max_cg_steps > 0)
      conjugate_gradients(block.store, factor, workspace, block.limits, static_cast<Index>(c),
                          column);
    column.stuck = !is_accepted(column, block.limits);
  }
}

void solve_in_double(MixedBlock& block, const numeric::FactorImpl<double>& factor,
                     numeric::WorkspaceImpl<double>& workspace, Index first, Index count) {
  const numeric::RefineLimits limits{block.limits.max_steps, block.limits.target, 1 / kContracts};
  begin_at_zero(block, first, count);
  for (const Index c : block.active) block.column[c].progress = {};
  for (bool fresh = true; !block.active.empty(); fresh = false) {
    stop_here();
    block.store.correct(factor, workspace, first,
                        count);  // corrects columns that are done, too; these are taken back below
    std::size_t left = 0;
    for (Index c = first; c < first + count; ++c)
      if (left < block.active.size() && block.active[left] == c)
        ++left;
      else
        block.store.take_back(c);
    measure_active(block);
    left = 0;
    for (std::size_t k = 0; k < block.active.size(); ++k) {
      const Index c = block.active[k];
      numeric::RefineProgress& progress = block.column[c].progress;
      if (fresh)
        progress = numeric::begin_refinement(block.error[k], limits), progress.helped = true;
      else
        numeric::take_step(progress, block.error[k], limits);
      if (!progress.helped) block.store.take_back(c);
      if (progress.going != 0) block.active[left++] = c;
    }
    block.active.resize(left);
  }
  for (Index c = first; c < first + count; ++c) {
    MixedColumn& column = block.column[c];
    column.path = MixedPath::factor_in_double;
    if (!(column.error.componentwise > 0)) continue;
    column.error = column.progress.done.final_error;
    if (column.steps == 0) column.unrefined = column.progress.done.unrefined;
    column.steps = column.progress.done.steps + 1;
    column.stuck = !is_accepted(column, block.limits);
  }
}

}  // namespace kauri
