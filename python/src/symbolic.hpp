// An analysis as Python holds it: options, backends, the plan and the pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kauri/permutation.hpp"
#include "kauri/plan.hpp"
#include "kauri/prepared_plan.hpp"
#include "kauri/report.hpp"
#include "kauri/solver.hpp"
#include "src/facade/backends.hpp"

namespace kauri::python {

/// Names of options and the texts that they were set from.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// Shared by the factors made of it.
struct Symbolic {
  /// Nothing is analysed yet. Throws Error(usage) for options that there are not.
  Symbolic(OptionTexts texts, int scalar_size);

  /// Orders and analyses.
  void analyze(const Pattern& a, const std::optional<Permutation>& permutation, const std::stop_token& stop);
  /// From a saved plan or factor, whose plan is taken over.
  void adopt(std::shared_ptr<const Plan> plan);

  /// The pattern of the matrix that was analysed.
  [[nodiscard]] Pattern pattern() const { return analysis.plan->pattern.view(); }
  [[nodiscard]] Backend& backend() { return backends.current(); }
  /// The plan where factors compute, brought there once for all of them.
  const PreparedPlan& prepared();
  /// Of the analysis alone, for factors in a scalar of 4 or 8 bytes; with the option `roofline` what bounds their phases.
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
