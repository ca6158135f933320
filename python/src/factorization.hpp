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

/// An engine, and the analysis of its plan with the texts of the options.
template <Scalar T>
struct Factorization {
  explicit Factorization(std::shared_ptr<Symbolic> shared, Precision precision = Precision::full)
      : symbolic(std::move(shared)), engine(symbolic, precision) {}

  /// Factorises A + shift I. All entries of A other than 0 must lie in the pattern that was
  /// analysed; else throws Error(usage), which names the first other entry.
  Result<void, Breakdown> refactorize(const SymmetricMatrix<T>& a, T shift,
                                      const std::stop_token& stop) {
    const Pattern analysed = symbolic->pattern();
    if (same_pattern(analysed, a.pattern())) return engine.factorize(a.value(), shift, stop);
    return engine.factorize(values_on<T>(analysed, a), shift, stop);
  }

  const std::shared_ptr<Symbolic> symbolic;
  Engine<T> engine;
};

/// Returns Weight::heavy for long work on the CPU. Calls on a device cannot be interrupted.
inline Weight weight_of(const Symbolic& symbolic, double flops) {
  return flops > kHeavyFlops && symbolic.backend().kind() == BackendKind::cpu ? Weight::heavy
                                                                              : Weight::light;
}

inline Weight factor_weight(const Symbolic& symbolic) {
  return weight_of(symbolic, symbolic.analysis.plan->cost.flops);
}

}  // namespace kauri::python
