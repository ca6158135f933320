// Symbolic: the options of a job, the choice of its backend, its analysis and the prepared plan.
// The backend is the CPU's, a device's, or the one of the two that is predicted to finish first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/device/prepared_plan.hpp"
#include "kauri/solve/report.hpp"
#include "kauri/solve/solver.hpp"
#include "numeric/cuda/executor.hpp"

namespace kauri {

/// The backends of a solver: the caller's, the one asked for or, for `automatic`, the CPU's and,
/// once a call has started it, the device's. All of them live as long as this object.
class Backends {
 public:
  /// threads: threads of the CPU's backend, 0 means one per hardware thread; cuda: options of the
  /// device's backend; card: file of its measured rates (SolverOptions::card), or empty; cpu:
  /// options of the CPU's backend. Throws Error: device (a device was asked for and is not
  /// available), usage (an unknown choice, threads < 0, half an allocator), input (the file is no
  /// card, cpu as cpu_backend() refuses it).
  Backends(BackendChoice choice, int threads, const CudaOptions& cuda = {},
           const std::string& card = {}, const CpuOptions& cpu = {});
  /// Takes the caller's backend, not null, and considers no other. cuda: its options, if it is that
  /// of a device; card: as above.
  explicit Backends(std::shared_ptr<Backend> given, const CudaOptions& cuda = {},
                    const std::string& card = {});

  /// Returns the options for an analysis, with their target set and, for `automatic`, with the
  /// device to compare with the CPU. The text is empty if the device is offered, else the reason
  /// why not. Leaves options.workers unchanged.
  std::pair<AnalyzeOptions, std::string> offered(AnalyzeOptions options, int scalar_bytes,
                                                 Index nrhs) const;
  /// Makes current the backend that the analysis chose, starting the device if necessary. If the
  /// device cannot be started or lacks memory for one factor and a workspace for nrhs right-hand
  /// sides, the CPU's stays current; returns the reason, else an empty string.
  std::string take(const Analysis& analysis, int scalar_bytes, Index nrhs);
  /// Starts the device, if the choice is `automatic` and the device is one whose times can be
  /// predicted. Ignores a failure.
  void start_device();
  /// Returns choose_precision() for a plan on the current backend's device and a workspace for nrhs
  /// right-hand sides; nothing, with the reason in why_not, if the plan is not for a device, on the
  /// CPU, or if the device's seconds cannot be predicted.
  [[nodiscard]] std::optional<Analysis::Precisions> precisions(const Plan& plan,
                                                               const AnalyzeOptions& options,
                                                               Index nrhs,
                                                               std::string& why_not) const;
  /// Returns the free bytes of the current backend's device, from its driver; nothing on the CPU or
  /// if the driver gives no answer.
  [[nodiscard]] std::optional<Offset> free_bytes() const;

  /// Returns the backend of the last plan taken; before that the one asked for, the CPU's for
  /// `automatic`.
  [[nodiscard]] Backend& current() { return on_device_ ? *device_ : *backend_; }
  [[nodiscard]] const Backend& current() const { return on_device_ ? *device_ : *backend_; }

 private:
  /// Returns the survey of the device, with its measured rates if there is a file of them, and with
  /// the figures of the part that CudaOptions::multiprocessors leaves to kauri; nothing without a
  /// device, with the reason in why_not. Throws as measured_card().
  std::optional<numeric::cuda::Survey> survey(std::string* why_not = nullptr) const;
  /// Returns the card of the file, which must exist. Throws Error(usage) if it is of another device
  /// than `seen`.
  [[nodiscard]] DeviceCard measured_card(const numeric::cuda::Survey& seen) const;
  /// Makes the device's backend unless it exists. Returns the error's text if that fails, else an
  /// empty string.
  std::string make_device();

  BackendChoice choice_;
  CudaOptions cuda_;
  std::string card_file_;
  std::optional<DeviceCard> card_;    // of card_file_
  std::shared_ptr<Backend> backend_;  // not null
  std::optional<Backend> device_;
  bool on_device_ = false;
};

/// Returns why kauri cannot use this CUDA device; empty if it can, as far as that is known without
/// a context on it.
std::string why_no_device(int device);

/// Returns why a backend runs slower kernels than others of its kind, with other bits: its device
/// has too few multiprocessors. Empty if it does not.
std::string slower_kernels(const Backend& backend);

/// Returns true if there is this CUDA device and it ends kernels that run for some seconds, as one
/// with a display does.
bool ends_long_kernels(int device);

/// Returns how many operations in float this CUDA device does in the time of one in double, from
/// what its driver reports; nothing without a device.
std::optional<double> float_over_double(int device);

/// Returns the options with the device added, so that an analysis compares it with the CPU, which
/// is options.target, for scalars of this size; or the options unchanged and the reason why there
/// is no choice.
std::pair<AnalyzeOptions, std::string> with_device(
    AnalyzeOptions options, const std::optional<numeric::cuda::Survey>& device, int scalar_bytes,
    Index nrhs);

/// Returns the result of run(options), an analysis for one factor with a workspace for nrhs
/// right-hand sides, and makes the backend current that it chose. If that is the device and the
/// device cannot take the job, runs a second analysis for the CPU. Chooser: Backends, or a
/// substitute in tests.
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

/// Everything that precedes numeric work: options, backends, and the analysis of one pattern.
/// Engines share it, in float and in double. Only one thread at a time may set options, analyse or
/// adopt.
struct Symbolic {
  /// Makes the backends. Options that leave workers or ordering threads open get those of the
  /// backend and of the option `threads`. scalar_size: bytes of a number of L, 4 or 8. Throws
  /// Error: usage (an unknown BackendChoice, threads < 0, half an allocator), device (a device was
  /// asked for and is not available).
  Symbolic(SolverOptions given, int scalar_size);
  /// Takes the caller's backend, not null, in place of the backends that the options ask for. The
  /// option `threads`, if it is 0, becomes the number of threads of this backend.
  Symbolic(SolverOptions given, int scalar_size, std::shared_ptr<Backend> backend);

  /// Sets the analysis to run(options), `options` being `how` with what the choice of a backend
  /// needs, and makes current the backend that the analysis chose, and with Precision::automatic
  /// the precision. The choice assumes one factor with a workspace for nrhs right-hand sides. If
  /// `run` throws, there is no plan.
  void analyze(const AnalyzeOptions& how, Index nrhs,
               const std::function<Analysis(const AnalyzeOptions&)>& run);
  /// Analyses the pattern with the options and this stop token, for one right-hand side. A given
  /// permutation replaces the ordering of the options.
  void analyze(const Pattern& a, const std::stop_token& stop,
               const std::optional<Permutation>& permutation = {});
  /// Takes a plan that was made elsewhere, or null for none, in place of an analysis, and drops the
  /// prepared plan. With Precision::automatic chooses the precision.
  void adopt(std::shared_ptr<const Plan> plan);
  /// Prepares the plan, which must exist, on the current backend, for all factors that are made
  /// later. Later calls return the same object until the next analyze() or adopt(). Any thread may
  /// call it. Throws as PreparedPlan::create().
  const PreparedPlan& prepare();
  /// Returns the prepared plan, or null without a call of prepare().
  [[nodiscard]] const PreparedPlan* prepared();

  /// Returns the precision of the option; in place of `automatic` the one that was chosen for the
  /// plan, `full` without a plan.
  [[nodiscard]] Precision precision() const { return precision_; }
  /// Returns why factors of the plan have this precision, with the figures of both if a device
  /// computes; empty for systems in float.
  [[nodiscard]] std::string precision_reason(Precision precision) const;
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
  int scalar_bytes;  ///< of a number of L, as given; of float if `automatic` chose mixed precision
  Backends backends;
  Analysis analysis;

 private:
  void set_threads();
  [[nodiscard]] bool is_automatic() const;
  [[nodiscard]] bool is_in_double() const;
  void take_precision(Index nrhs);

  const int given_scalar_bytes_;
  Precision precision_;
  std::string unpredicted_;  // why the plan on the device has no analysis.precisions
  std::mutex preparing_;
  std::optional<PreparedPlan> prepared_;
};

}  // namespace kauri
