// Who does the job: the CPU, a device, or whichever is predicted to be done first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kauri/backend.hpp"
#include "kauri/plan.hpp"
#include "kauri/solver.hpp"
#include "numeric/cuda/executor.hpp"

namespace kauri {

/// The backend asked for; for `automatic` the CPU's, and the device's once a job is given to it. Both stay until this is gone.
class Backends {
 public:
  /// threads: of the CPU, 0 is one per hardware thread; cuda: of the device. Throws Error(device) for a device that was asked for and is
  /// not there.
  Backends(BackendChoice choice, int threads, const CudaOptions& cuda = {});

  /// options with the target, and for `automatic` with the device that is there, if it may be chosen; why not, if it may not.
  /// options.workers is the caller's.
  std::pair<AnalyzeOptions, std::string> offered(AnalyzeOptions options, int scalar_bytes, Index nrhs) const;
  /// Makes the backend current that the analysis chose. Returns why the device cannot take the job in the end, or nothing.
  std::string take(const Analysis& analysis, int scalar_bytes, Index nrhs);
  /// For `automatic`: the device, if it is one that may be chosen and can be started, is ready from now on.
  void start_device();

  /// Of the last plan taken; before that the one asked for, the CPU's for `automatic`.
  [[nodiscard]] Backend& current() { return on_device_ ? *device_ : backend_; }
  [[nodiscard]] const Backend& current() const { return on_device_ ? *device_ : backend_; }

 private:
  /// Unless it is there. Returns why it failed, or nothing.
  std::string make_device();

  BackendChoice choice_;
  CudaOptions cuda_;
  Backend backend_;
  std::optional<Backend> device_;
  bool on_device_ = false;
};

/// options for a choice between their target, the CPU's, and the device that was found, for scalars of this size; or why there is no
/// choice.
std::pair<AnalyzeOptions, std::string> with_device(AnalyzeOptions options, const std::optional<numeric::cuda::Survey>& device,
                                                   int scalar_bytes, Index nrhs);

/// An analysis by `run(options)` for the backend that then is current, for one factor with a workspace for nrhs right-hand sides.
/// Chooser: Backends, or what stands in for them in tests.
template <class Chooser, class Run>
Analysis analyze_for(Chooser& backends, const AnalyzeOptions& options, int scalar_bytes, Index nrhs, Run&& run) {
  auto [offer, why_not] = backends.offered(options, scalar_bytes, nrhs);
  Analysis analysis = run(std::as_const(offer));
  if (analysis.target_reason.empty()) analysis.target_reason = std::move(why_not);
  std::string full = backends.take(analysis, scalar_bytes, nrhs);
  if (full.empty()) return analysis;
  // The ordering is known: no selection again.
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

}  // namespace kauri
