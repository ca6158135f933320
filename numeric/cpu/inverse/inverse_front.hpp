// One front of the selected inverse (Takahashi, Fagan & Chen 1973; by supernodes: Lin et al. 2011).
// With U = L11^-T and N = -U L21^T,
//
//     Z21 = Z22 N^T,   Z11 = U U^T + N Z21
//
// where Z22, the inverse in the rows and columns below the pivots, is read from the ancestors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/core/plan.hpp"
#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Sizes of the scratch of a front, by its order m and number of pivots p.
struct InverseScratch {
  /// Largest order of a front that one thread does in place, without packed tiles.
  static constexpr Index kInPlace = 400;
  /// Largest panel, in entries, of a front in tiles that one thread does while others do other
  /// fronts. Fronts with larger panels, and their ancestors, are done one after another by all
  /// threads.
  static constexpr Offset kAtATime = Offset{1} << 20;
  /// Returns the entries for each thread: U, N and Z22 of a front in place, or two packed tiles.
  static constexpr Offset numbers(Index m) {
    return m <= kInPlace ? Offset{m} * m : Offset{kInPlace} * kInPlace;
  }
  static_assert(2 * kFrontTile * kFrontTile <= kInPlace * kInPlace);
  /// Returns the number of row positions for each thread.
  static constexpr Index places(Index m) { return std::min(m, kInPlace); }
  /// Returns the entries that the threads in a front done in tiles share: U and N.
  static constexpr Offset shared(Index m, Index p) { return m <= kInPlace ? 0 : Offset{m} * p; }
};

/// The arrays of one computation of the inverse, borrowed.
template <class T>
struct InverseArrays {
  const Plan* plan;
  const DenseKernels<T>* kernels;
  Workers* workers;
  const T* l;     ///< panels of L, at PlanInternals::panel_ptr
  T* z;           ///< panels of the inverse, at the same places
  T* numbers;     ///< numbers_each for each thread, see InverseScratch
  Index* places;  ///< places_each for each thread
  Offset numbers_each;
  Index places_each;
};

/// Computes the panel of Z of front s; those of its ancestors must be complete. shared: scratch of
/// InverseScratch::shared() entries, of no other front meanwhile. Called inside Workers::execute().
/// Fronts of more than InverseScratch::kInPlace rows are cut into tiles that all threads may work
/// on; the bits do not depend on the number of threads.
template <class T>
void invert_front(const InverseArrays<T>& arrays, Index s, T* shared);

}  // namespace kauri::numeric::cpu
