// Partial Cholesky of one front: panel and contribution block.
//
//     F = [ F11 F21^T ]   L11 L11^T = F11,   L21 = F21 L11^-T,   contribution = F22 - L21 L21^T
//         [ F21 F22   ]
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/progress/meter.hpp"
#include "kauri/core/plan.hpp"
#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// The arrays of one factorisation, borrowed.
template <class T>
struct FactorArrays {
  const Plan* plan;
  const DenseKernels<T>* kernels;
  const T* value;  ///< values of A, in the caller's order
  T shift;         ///< added to the diagonal of A
  T* l;  ///< panels at PlanInternals::panel_ptr, contribution blocks and scratch at the places of
         ///< PlanInternals::schedule
  Meter* meter;  ///< counts operations, or null
};

/// The first pivot of a front that is not positive and finite, with its column within the front;
/// column is kNone if there is none.
template <class T>
struct FrontFailure {
  Index column = kNone;
  T pivot = 0;
};

/// Assembles and factorises front s, whose children must be complete, inside Workers::execute():
/// writes its panel and its contribution block in arrays.l. Large fronts (FrontScratch::packed) are
/// cut into tiles, fixed by their shape, that all threads may work on if `parallel` is set;
/// `scratch`, FrontScratch::entries() entries, is used by large fronts alone. The bits do not
/// depend on `parallel`. Large fronts add their operations to arrays.meter; for others the caller
/// does. If a pivot fails, the contribution block is not computed.
template <class T>
FrontFailure<T> factor_front(const FactorArrays<T>& arrays, Index s, const DenseKernels<T>& kernels,
                             Workers& workers, bool parallel, T* scratch);

}  // namespace kauri::numeric::cpu
