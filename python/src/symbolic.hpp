// Symbolic: an analysis for Python, with its options, backends, plan and pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/permutation.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/device/prepared_plan.hpp"
#include "kauri/solve/report.hpp"
#include "kauri/solve/solver.hpp"
#include "src/engine/backends.hpp"

namespace kauri::python {

/// Names of options, each with the text of its value.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// An analysis, which its factors share.
struct Symbolic {
  /// Sets the options and makes the backends, without an analysis. Throws Error(usage) for unknown
  /// options and values.
  Symbolic(OptionTexts texts, int scalar_size);

  /// Orders and analyses. permutation: replaces the ordering.
  void analyze(const Pattern& a, const std::optional<Permutation>& permutation,
               const std::stop_token& stop);
  /// Takes over the plan of a saved plan or factor.
  void adopt(std::shared_ptr<const Plan> plan);

  /// Returns the pattern of the matrix that was analysed.
  [[nodiscard]] Pattern pattern() const { return analysis.plan->pattern.view(); }
  [[nodiscard]] Backend& backend() { return backends.current(); }
  /// Returns the plan prepared on the backend, which the first call makes and all factors share.
  const PreparedPlan& prepared();
  /// Returns the report of the analysis alone, for factors in a scalar of 4 or 8 bytes; with the
  /// option `roofline` also the bounds of their phases.
  SolverReport report(int bytes);

  OptionTexts given;
  SolverOptions options;
  int scalar_bytes;
  Backends backends;
  Analysis analysis;

 private:
  std::mutex preparing_;
  std::optional<PreparedPlan> prepared_;
};

}  // namespace kauri::python
