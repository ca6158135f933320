// Assembly of a front: entries of A, then the children's contribution blocks in their fixed order
// (extend-add, Duff & Reid 1983).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/progress/meter.hpp"
#include "kauri/core/plan.hpp"
#include "numeric/cpu/dense/dense.hpp"

namespace kauri::numeric::cpu {

/// Columns [begin, end) of a front (0 = first pivot): columns below p, the number of pivots, belong
/// to the panel, the others to the contribution block.
struct ColumnRange {
  Index begin;
  Index end;
};

/// The arrays of one factorisation.
template <class T>
struct FactorArrays {
  const Plan* plan;
  const DenseKernels<T>* kernels;
  const T* value;  ///< values of A, in the caller's order
  T shift;         ///< added to the diagonal
  T* l;  ///< panels at PlanInternals::panel_ptr, contribution blocks and scratch at the places of
         ///< PlanInternals::schedule
  Meter* meter;  ///< counts operations, or null
};

/// Assembles pivot columns [range) of front s, range.end <= p: zeroes them, then adds entries of A
/// (plus the shift), then the entries of the children's contribution blocks that belong there.
template <class T>
void assemble_panel(const FactorArrays<T>& arrays, Index s, ColumnRange range);

/// Adds the entries of the children's contribution blocks that belong to columns [range) of front
/// s, range.begin >= p, to its own contribution block.
template <class T>
void assemble_contribution(const FactorArrays<T>& arrays, Index s, ColumnRange range);

}  // namespace kauri::numeric::cpu
