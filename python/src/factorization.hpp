// Factorization: an engine for Python, with the analysis that it shares with others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "python/src/matrix.hpp"
#include "python/src/support.hpp"
#include "python/src/symbolic.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/engine/engine.hpp"

namespace kauri::python {

/// An engine, and the symbolic analysis of its plan with the option texts that it was made from.
template <Scalar T>
struct Factorization {
  explicit Factorization(std::shared_ptr<Symbolic> shared, Precision precision = Precision::full)
      : symbolic(std::move(shared)), engine(symbolic, precision) {}

  /// Factorises A + shift I. All nonzero entries of A must lie in the pattern that was analysed;
  /// throws Error(usage), which names the first entry outside, if one does not.
  Result<void, Breakdown> refactorize(const SymmetricMatrix<T>& a, T shift,
                                      const std::stop_token& stop) {
    const Pattern analysed = symbolic->pattern();
    if (same_pattern(analysed, a.pattern())) return engine.factorize(a.value(), shift, stop);
    return engine.factorize(values_on<T>(analysed, a), shift, stop);
  }

  const std::shared_ptr<Symbolic> symbolic;
  Engine<T> engine;
};

/// Returns Weight::heavy, with which Ctrl-C can interrupt a call, if the work is on the CPU and
/// exceeds kHeavyFlops operations. Calls on a device cannot be interrupted.
inline Weight weight_of(const Symbolic& symbolic, double flops) {
  return flops > kHeavyFlops && symbolic.backend().kind() == BackendKind::cpu ? Weight::heavy
                                                                              : Weight::light;
}

inline Weight factor_weight(const Symbolic& symbolic) {
  return weight_of(symbolic, symbolic.analysis.plan->cost.flops);
}

}  // namespace kauri::python
