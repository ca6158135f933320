// Symbolic: the options of a job, the choice of its backend, its analysis and the prepared plan.
// The backend is the CPU's, a device's, or the one of the two that is predicted to finish first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/device/prepared_plan.hpp"
#include "kauri/solve/report.hpp"
#include "kauri/solve/solver.hpp"
#include "numeric/cuda/executor.hpp"

namespace kauri {

/// The backends of a solver: the one asked for, or for `automatic` the CPU's and, once a job is
/// given to it, the device's. Both live as long as this object.
class Backends {
 public:
  /// threads: threads of the CPU's backend, 0 means one per hardware thread; cuda: options of the
  /// device's backend. Throws Error(device) if a device was asked for and is not available.
  Backends(BackendChoice choice, int threads, const CudaOptions& cuda = {});

  /// Returns the options with their target set and, for `automatic`, with the device if it may be
  /// chosen; else the second string is the reason why it may not. options.workers is the caller's
  /// and stays.
  std::pair<AnalyzeOptions, std::string> offered(AnalyzeOptions options, int scalar_bytes,
                                                 Index nrhs) const;
  /// Makes the backend current that the analysis chose. Returns the reason if the device cannot
  /// take the job after all, else an empty string.
  std::string take(const Analysis& analysis, int scalar_bytes, Index nrhs);
  /// Starts the device for `automatic`, if it is one that may be chosen; a device that fails to
  /// start is ignored.
  void start_device();
  /// Returns the free bytes of the current backend's device, from its driver; nothing on the CPU.
  [[nodiscard]] std::optional<Offset> free_bytes() const;

  /// Returns the backend of the last plan taken; before that the one asked for, the CPU's for
  /// `automatic`.
  [[nodiscard]] Backend& current() { return on_device_ ? *device_ : backend_; }
  [[nodiscard]] const Backend& current() const { return on_device_ ? *device_ : backend_; }

 private:
  /// Makes the device's backend unless it exists. Returns the error's text if that fails, else an
  /// empty string.
  std::string make_device();

  BackendChoice choice_;
  CudaOptions cuda_;
  Backend backend_;
  std::optional<Backend> device_;
  bool on_device_ = false;
};

/// Returns the options for a choice between their target, which is the CPU's, and the device found,
/// for scalars of this size; or the options unchanged and the reason why there is no choice.
std::pair<AnalyzeOptions, std::string> with_device(
    AnalyzeOptions options, const std::optional<numeric::cuda::Survey>& device, int scalar_bytes,
    Index nrhs);

/// Returns the analysis by `run(options)` for the backend that is current afterwards, for one
/// factor with a workspace for nrhs right-hand sides. Runs a second analysis if the device cannot
/// take the job that was planned for it. Chooser: Backends, or a substitute in tests.
template <class Chooser, class Run>
Analysis analyze_for(Chooser& backends, const AnalyzeOptions& options, int scalar_bytes, Index nrhs,
                     Run&& run) {
  auto [offer, why_not] = backends.offered(options, scalar_bytes, nrhs);
  Analysis analysis = run(std::as_const(offer));
  if (analysis.target_reason.empty()) analysis.target_reason = std::move(why_not);
  std::string full = backends.take(analysis, scalar_bytes, nrhs);
  if (full.empty()) return analysis;
  // The ordering has been selected: keep its method and run no second selection.
  offer.device = {};
  if (!analysis.plan->given) offer.ordering.method = analysis.plan->ordering;
  Analysis again = run(std::as_const(offer));
  again.order_s += analysis.order_s;
  again.symbolic_s += analysis.symbolic_s;
  again.reason = std::move(analysis.reason);
  again.forecasts = std::move(analysis.forecasts);
  again.target_reason = std::move(full);
  return again;
}

/// What precedes the numbers: options, backends, and the analysis of one pattern. Engines share it,
/// in float and in double. One thread at a time sets options, analyses or adopts.
struct Symbolic {
  /// Makes the backends. Sets the numbers of workers and of ordering threads that the options leave
  /// at 0. scalar_bytes: bytes of a number of L, 4 or 8. Throws Error: usage, device.
  Symbolic(SolverOptions given, int scalar_size);

  /// Analyses by run(options), which gets the options `how` completed for the choice of a backend,
  /// and makes the backend current that the analysis chose. The choice assumes one factor with a
  /// workspace for nrhs right-hand sides. Throws what `run` throws; there is then no plan.
  void analyze(const AnalyzeOptions& how, Index nrhs,
               const std::function<Analysis(const AnalyzeOptions&)>& run);
  /// Takes a plan that was made elsewhere, or null, in place of an analysis.
  void adopt(std::shared_ptr<const Plan> plan);
  /// Prepares the plan on the backend, for all factors made after this call; the first call does
  /// the work. Any thread may call it. Throws as PreparedPlan::create().
  const PreparedPlan& prepare();
  /// Returns the prepared plan, or null without a call of prepare().
  [[nodiscard]] const PreparedPlan* prepared();

  /// Returns the report of the analysis alone, for factors of this precision; with the option
  /// `roofline` also the bounds of their phases.
  [[nodiscard]] SolverReport report(Precision precision = Precision::full) const;

  /// Returns the pattern that was analysed.
  [[nodiscard]] Pattern pattern() const { return analysis.plan->pattern(); }
  [[nodiscard]] Backend& backend() { return backends.current(); }
  [[nodiscard]] const Backend& backend() const { return backends.current(); }

  SolverOptions options;
  const int scalar_bytes;
  Backends backends;
  Analysis analysis;

 private:
  std::mutex preparing_;
  std::optional<PreparedPlan> prepared_;
};

}  // namespace kauri
