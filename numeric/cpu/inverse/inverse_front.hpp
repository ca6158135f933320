// One front of the selected inverse (Takahashi, Fagan & Chen 1973; by supernodes: Lin et al. 2011). With U = L11^-T and N = -U L21^T,
//
//     Z21 = Z22 N^T,   Z11 = U U^T + N Z21
//
// where Z22, the inverse in the rows below the pivots, is that of the ancestors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Scratch of fronts, by their order m and pivots p.
struct InverseScratch {
  /// Rows of a front at most that is done by one thread on operands in place.
  static constexpr Index kInPlace = 400;
  /// Rows of a front at most that all threads may have at a time, in panel entries; larger ones are done one after another.
  static constexpr Offset kAtATime = Offset{1} << 20;
  /// Entries that each thread needs: U, N and Z22 of a front in place, or two packed tiles.
  static constexpr Offset numbers(Index m) { return m <= kInPlace ? Offset{m} * m : Offset{kInPlace} * kInPlace; }
  static_assert(2 * kFrontTile * kFrontTile <= kInPlace * kInPlace);
  /// Places of rows that each thread needs.
  static constexpr Index places(Index m) { return std::min(m, kInPlace); }
  /// Entries that a front in tiles needs: U and N.
  static constexpr Offset shared(Index m, Index p) { return m <= kInPlace ? 0 : Offset{m} * p; }
};

/// Where the numbers of one run are.
template <class T>
struct InverseArrays {
  const Plan* plan;
  const DenseKernels<T>* kernels;
  Workers* workers;
  const T* l;     ///< panels at plan->panel_ptr
  T* z;           ///< the same of the inverse
  T* numbers;     ///< for each thread numbers_each, see InverseScratch
  Index* places;  ///< for each thread places_each
  Offset numbers_each;
  Index places_each;
};

/// The panel of Z of front s, whose ancestors are done. shared: InverseScratch::shared() of the front. Large fronts are cut into tiles
/// that all threads may work on; the bits do not depend on that.
template <class T>
void invert_front(const InverseArrays<T>& arrays, Index s, T* shared);

}  // namespace kauri::numeric::cpu
