// Symbolic: surveys the device, starts it when a job is given to it, analyses and prepares the
// plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/symbolic.hpp"

#include <utility>

#include "numeric/cuda/executor.hpp"
#include "numeric/executor.hpp"
#include "src/checks/misuse.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri {
namespace {

constexpr Offset kRounding = Offset{64} << 20;  // bytes left to the driver, which rounds sizes up

Backend asked_for(BackendChoice choice, int threads, const CudaOptions& cuda) {
  switch (choice) {
    case BackendChoice::automatic:
    case BackendChoice::cpu:
      return cpu_backend(threads);
    case BackendChoice::cuda:
      return cuda_backend(cuda);
  }
  misuse("Solver: unknown BackendChoice " + std::to_string(static_cast<int>(choice)) +
         "; expected automatic, cpu or cuda (0 to 2)");
}

/// Returns the options unchanged, and "TARGET: why", the reason why no other target is considered.
std::pair<AnalyzeOptions, std::string> stays(AnalyzeOptions options, const std::string& why) {
  std::string reason = options.target + ": " + why;
  return {std::move(options), std::move(reason)};
}

}  // namespace

std::pair<AnalyzeOptions, std::string> with_device(
    AnalyzeOptions options, const std::optional<numeric::cuda::Survey>& device, int scalar_bytes,
    Index nrhs) {
  if (!device) return stays(std::move(options), "there is no CUDA device");
  if (!symbolic::is_predicted(device->card))
    return stays(std::move(options),
                 "the seconds of the device (" + device->name +
                     ") cannot be predicted: its driver reports no clock or no memory rate, or the "
                     "rates of its units are not known");
  options.device = {device->target, device->free_bytes, device->started,
                    nrhs,           scalar_bytes,       device->card};
  return {std::move(options), ""};
}

bool ends_long_kernels(int device) {
  const std::optional<numeric::cuda::Survey> seen = numeric::cuda::survey(device);
  return seen && seen->time_limit;
}

Backends::Backends(BackendChoice choice, int threads, const CudaOptions& cuda)
    : choice_(choice),
      cuda_(cuda),
      backend_(std::make_shared<Backend>(asked_for(choice, threads, cuda))) {}

std::pair<AnalyzeOptions, std::string> Backends::offered(AnalyzeOptions options, int scalar_bytes,
                                                         Index nrhs) const {
  const bool own_target = options.target.empty() || options.target == backend_->target();
  if (options.target.empty()) options.target = backend_->target();
  options.device = {};
  if (choice_ != BackendChoice::automatic) return stays(std::move(options), "as asked for");
  if (!own_target) return stays(std::move(options), "the target was asked for");
  std::string why_not;
  const auto device = numeric::cuda::survey(cuda_.device, &why_not);
  if (!device) return stays(std::move(options), why_not);
  return with_device(std::move(options), device, scalar_bytes, nrhs);
}

std::string Backends::take(const Analysis& analysis, int scalar_bytes, Index nrhs) {
  const Plan& plan = *analysis.plan;
  on_device_ = !analysis.forecasts.empty() && plan.on_device();
  if (!on_device_) return "";
  on_device_ = false;
  if (std::string failure = make_device(); !failure.empty())
    return backend_->target() + ": the device cannot be started: " + failure;
  const Offset needed = plan.peak_bytes(scalar_bytes) +
                        plan.workspace_bytes(scalar_bytes, nrhs, cuda_.solves_together) +
                        symbolic::device_residual_bytes(plan.n, plan.nnz, scalar_bytes) + kRounding;
  const std::optional<numeric::cuda::Survey> device = numeric::cuda::survey(cuda_.device);
  on_device_ = device && needed <= device->free_bytes;
  if (on_device_) return "";
  return backend_->target() + ": the job needs " + std::to_string(needed) +
         " bytes of the memory of " + plan.target + ", " +
         std::to_string(device ? device->free_bytes : 0) + " are free";
}

void Backends::start_device() {
  if (choice_ != BackendChoice::automatic) return;
  if (const auto device = numeric::cuda::survey(cuda_.device);
      device && symbolic::is_predicted(device->card))
    make_device();
}

std::optional<Offset> Backends::free_bytes() const {
  if (current().kind() == BackendKind::cpu) return {};
  const auto device = numeric::cuda::survey(cuda_.device);
  if (!device || !device->started) return {};
  return device->free_bytes;
}

std::string Backends::make_device() {
  try {
    if (!device_) device_ = cuda_backend(cuda_);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Symbolic::Symbolic(SolverOptions given, int scalar_size)
    : options(std::move(given)),
      scalar_bytes(scalar_size),
      backends(options.backend, options.threads, options.cuda) {
  set_threads();
}

Symbolic::Symbolic(SolverOptions given, int scalar_size, std::shared_ptr<Backend> backend)
    : options(std::move(given)), scalar_bytes(scalar_size), backends(std::move(backend)) {
  if (options.threads == 0) options.threads = this->backend().threads();
  set_threads();
}

/// Sets options.analyze.workers and ordering threads that are 0: to the backend's threads, and to
/// options.threads.
void Symbolic::set_threads() {
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
