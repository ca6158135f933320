// Symbolic: the options of a job, its backend, its analysis and the prepared plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/symbolic.hpp"

#include <utility>

#include "numeric/executor.hpp"

namespace kauri {

Symbolic::Symbolic(SolverOptions given, int scalar_size)
    : options(std::move(given)),
      scalar_bytes(scalar_size),
      backends(options.backend, options.threads, options.cuda) {
  if (options.analyze.workers == 0) options.analyze.workers = backend().threads();
  if (options.analyze.ordering.threads == 0) options.analyze.ordering.threads = options.threads;
}

void Symbolic::analyze(const AnalyzeOptions& how, Index nrhs,
                       const std::function<Analysis(const AnalyzeOptions&)>& run) {
  adopt(nullptr);
  analysis = analyze_for(backends, how, scalar_bytes, nrhs, run);
}

void Symbolic::analyze(const Pattern& a, const std::stop_token& stop,
                       const std::optional<Permutation>& permutation) {
  AnalyzeOptions how = options.analyze;
  how.ordering.stop = stop;
  if (permutation) how.permutation = permutation;
  analyze(how, 1, [&](const AnalyzeOptions& offered) { return analyze_with_report(a, offered); });
}

void Symbolic::adopt(std::shared_ptr<const Plan> plan) {
  prepared_.reset();
  analysis = {};
  analysis.plan = std::move(plan);
}

const PreparedPlan& Symbolic::prepare() {
  const std::lock_guard lock(preparing_);
  if (!prepared_) prepared_ = PreparedPlan::create(analysis.plan, backend());
  return *prepared_;
}

const PreparedPlan* Symbolic::prepared() {
  const std::lock_guard lock(preparing_);
  return prepared_ ? &*prepared_ : nullptr;
}

void Symbolic::wait_for(StreamHandle stream) const { backend().executor().wait(stream); }

SolverReport Symbolic::report(Precision precision) const {
  const bool mixed = precision == Precision::mixed;
  SolverReport made = report_of(analysis, backend(), scalar_bytes);
  made.precision = precision;
  if (mixed) made.kernels = backend().mixed_kernels();
  if (options.roofline)
    made.roofline = mixed ? backend().mixed_roofline() : backend().roofline(scalar_bytes);
  return made;
}

}  // namespace kauri
