// Symbolic: the options of a job, its backend, its analysis and the prepared plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "kauri/core/analysis.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/device/prepared_plan.hpp"
#include "kauri/solve/report.hpp"
#include "kauri/solve/solver.hpp"
#include "src/engine/backends.hpp"

namespace kauri {

/// Everything that precedes numeric work: options, backends, and the analysis of one pattern.
/// Engines share it, in float and in double. Only one thread at a time may set options, analyse or
/// adopt.
struct Symbolic {
  /// Makes the backends. Options that leave the numbers of workers and of ordering threads at 0 get
  /// those of the backend and of the option `threads`. scalar_bytes: bytes of a number of L, 4 or
  /// 8. Throws Error: usage, device.
  Symbolic(SolverOptions given, int scalar_size);

  /// Sets the analysis to run(options), `options` being `how` with what the choice of a backend
  /// needs, and makes current the backend that the analysis chose. The choice assumes one factor
  /// with a workspace for nrhs right-hand sides. If `run` throws, there is no plan.
  void analyze(const AnalyzeOptions& how, Index nrhs,
               const std::function<Analysis(const AnalyzeOptions&)>& run);
  /// Analyses the pattern with the options and this stop token, for one right-hand side. A given
  /// permutation replaces the ordering of the options.
  void analyze(const Pattern& a, const std::stop_token& stop,
               const std::optional<Permutation>& permutation = {});
  /// Takes a plan that was made elsewhere, or null, in place of an analysis.
  void adopt(std::shared_ptr<const Plan> plan);
  /// Prepares the plan on the current backend, for all factors that are made later. Later calls
  /// return the same object. Any thread may call it. Throws as PreparedPlan::create().
  const PreparedPlan& prepare();
  /// Returns the prepared plan, or null without a call of prepare().
  [[nodiscard]] const PreparedPlan* prepared();

  /// Returns the report with the figures of the analysis, for factors of this precision; with the
  /// option `roofline` also with the backend's roofline.
  [[nodiscard]] SolverReport report(Precision precision = Precision::full) const;

  /// Returns the pattern that was analysed.
  [[nodiscard]] Pattern pattern() const { return analysis.plan->pattern(); }
  [[nodiscard]] Backend& backend() { return backends.current(); }
  [[nodiscard]] const Backend& backend() const { return backends.current(); }
  /// Waits until the work that is on a stream of the backend's device now has ended.
  void wait_for(StreamHandle stream) const;

  SolverOptions options;
  const int scalar_bytes;
  Backends backends;
  Analysis analysis;

 private:
  std::mutex preparing_;
  std::optional<PreparedPlan> prepared_;
};

}  // namespace kauri
