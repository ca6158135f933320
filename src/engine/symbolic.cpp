// Symbolic: surveys the device, starts it when a job is given to it, analyses and prepares the
// plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/symbolic.hpp"

#include <utility>

#include "kauri/extras/card.hpp"
#include "numeric/cuda/executor.hpp"
#include "numeric/executor.hpp"
#include "src/checks/misuse.hpp"
#include "symbolic/choose/precision_choice.hpp"
#include "symbolic/common/device_units.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri {
namespace {

constexpr Offset kRounding = Offset{64} << 20;  // bytes left to the driver, which rounds sizes up

Backend asked_for(BackendChoice choice, int threads, const CpuOptions& cpu,
                  const CudaOptions& cuda) {
  switch (choice) {
    case BackendChoice::automatic:
    case BackendChoice::cpu:
      return cpu_backend(threads, cpu);
    case BackendChoice::cuda:
      return cuda_backend(cuda);
  }
  misuse("Solver: unknown BackendChoice " + std::to_string(static_cast<int>(choice)) +
         "; expected automatic, cpu or cuda (0 to 2)");
}

/// Returns the card of a file; nothing for an empty name.
std::optional<DeviceCard> card_of(const std::string& file) {
  if (file.empty()) return {};
  return read_card(file);
}

/// Returns why the seconds of a device cannot be predicted; empty if they can.
std::string why_unpredicted(const numeric::cuda::Survey& device) {
  if (symbolic::is_predicted(device.card)) return {};
  return "the seconds of the device (" + device.name +
         ") cannot be predicted: its driver reports no clock or no memory rate, or the rates of "
         "its units are not known; a file of kauri tune has them (option card)";
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
  if (std::string why = why_unpredicted(*device); !why.empty())
    return stays(std::move(options), why);
  options.device = {device->target, device->free_bytes, device->started,
                    nrhs,           scalar_bytes,       device->card};
  return {std::move(options), ""};
}

std::string why_no_device(int device) {
  std::string why_not;
  static_cast<void>(numeric::cuda::survey(device, &why_not));
  return why_not;
}

std::string slower_kernels(const Backend& backend) { return backend.executor().slower_kernels(); }

bool ends_long_kernels(int device) {
  const std::optional<numeric::cuda::Survey> seen = numeric::cuda::survey(device);
  return seen && seen->time_limit;
}

std::optional<double> float_over_double(int device) {
  const std::optional<numeric::cuda::Survey> seen = numeric::cuda::survey(device);
  if (!seen) return {};
  return symbolic::single_to_double(seen->card);
}

Backends::Backends(BackendChoice choice, int threads, const CudaOptions& cuda,
                   const std::string& card, const CpuOptions& cpu)
    : choice_(choice),
      cuda_(cuda),
      card_file_(card),
      card_(card_of(card)),
      backend_(std::make_shared<Backend>(asked_for(choice, threads, cpu, cuda))) {}

Backends::Backends(std::shared_ptr<Backend> given, const CudaOptions& cuda, const std::string& card)
    : choice_(given->kind() == BackendKind::cpu ? BackendChoice::cpu : BackendChoice::cuda),
      cuda_(cuda),
      card_file_(card),
      card_(card_of(card)),
      backend_(std::move(given)) {}

std::optional<numeric::cuda::Survey> Backends::survey(std::string* why_not) const {
  auto seen = numeric::cuda::survey(cuda_.device, why_not);
  if (!seen) return seen;
  if (card_) seen->card = measured_card(*seen);
  seen->card = symbolic::part_of(seen->card, cuda_.multiprocessors);
  return seen;
}

DeviceCard Backends::measured_card(const numeric::cuda::Survey& seen) const {
  const auto in_words = [](const DeviceCard& card) {
    return "compute capability " + std::to_string(card.major) + "." + std::to_string(card.minor) +
           " and " + std::to_string(card.processors) + " multiprocessors";
  };
  if (const std::string file = in_words(*card_), there = in_words(seen.card); file != there)
    misuse("card: " + card_file_ + " is of a device with " + file + ", the device (" + seen.name +
           ") has " + there + "; measure it, by kauri tune");
  return *card_;
}

std::pair<AnalyzeOptions, std::string> Backends::offered(AnalyzeOptions options, int scalar_bytes,
                                                         Index nrhs) const {
  const bool own_target = options.target.empty() || options.target == backend_->target();
  if (options.target.empty()) options.target = backend_->target();
  options.device = {};
  if (choice_ != BackendChoice::automatic) return stays(std::move(options), "as asked for");
  if (!own_target) return stays(std::move(options), "the target was asked for");
  std::string why_not;
  const auto device = survey(&why_not);
  if (!device) return stays(std::move(options), why_not);
  return with_device(std::move(options), device, scalar_bytes, nrhs);
}

std::string Backends::take(const Analysis& analysis, int scalar_bytes, Index nrhs) {
  const Plan& plan = *analysis.plan;
  Offset vectors = 0;  // in double, beside those of a factor in float
  const bool mixed = analysis.precisions && analysis.precisions->takes_mixed;
  const int residual_bytes = scalar_bytes;
  if (mixed) {
    scalar_bytes = sizeof(float);
    vectors = symbolic::mixed_vector_bytes(plan.n, nrhs);
  }
  on_device_ = !analysis.forecasts.empty() && plan.on_device();
  if (!on_device_) return "";
  on_device_ = false;
  if (std::string failure = make_device(); !failure.empty())
    return backend_->target() + ": the device cannot be started: " + failure;
  const Offset needed = plan.peak_bytes(scalar_bytes) +
                        plan.workspace_bytes(scalar_bytes, nrhs, cuda_.solves_together) +
                        symbolic::device_residual_bytes(plan.n, plan.nnz, residual_bytes) +
                        vectors + kRounding;
  std::string why_not;
  const std::optional<numeric::cuda::Survey> device = survey(&why_not);
  if (!device) return backend_->target() + ": " + why_not;
  on_device_ = needed <= device->free_bytes;
  if (on_device_) return "";
  return backend_->target() + ": the job needs " + std::to_string(needed) +
         " bytes of the memory of " + plan.target + ", " + std::to_string(device->free_bytes) +
         " are free";
}

void Backends::start_device() {
  if (choice_ != BackendChoice::automatic) return;
  if (const auto device = survey(); device && symbolic::is_predicted(device->card)) make_device();
}

std::optional<Analysis::Precisions> Backends::precisions(const Plan& plan,
                                                         const AnalyzeOptions& options, Index nrhs,
                                                         std::string& why_not) const {
  why_not = "the plan is for the CPU";
  if (!plan.on_device() || current().kind() == BackendKind::cpu) return {};
  const auto device = survey(&why_not);
  if (!device) return {};
  why_not = why_unpredicted(*device);
  if (!why_not.empty()) return {};
  const AnalyzeOptions::DeviceOffer offer =
      with_device(options, device, sizeof(double), nrhs).first.device;
  return symbolic::choose_precision(symbolic::device_job(plan), offer, options);
}

std::optional<Offset> Backends::free_bytes() const {
  if (current().kind() == BackendKind::cpu) return {};
  const auto device = survey();
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
      backends(options.backend, options.threads, options.cuda, options.card, options.cpu),
      given_scalar_bytes_(scalar_size),
      precision_(is_automatic() ? Precision::full : options.precision) {
  set_threads();
}

Symbolic::Symbolic(SolverOptions given, int scalar_size, std::shared_ptr<Backend> backend)
    : options(std::move(given)),
      scalar_bytes(scalar_size),
      backends(std::move(backend), options.cuda, options.card),
      given_scalar_bytes_(scalar_size),
      precision_(is_automatic() ? Precision::full : options.precision) {
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
  const bool mixed = is_automatic() && is_in_double();
  analysis = analyze_for(backends, how, scalar_bytes, nrhs, [&](const AnalyzeOptions& offered) {
    if (!mixed || offered.device.target.empty()) return run(offered);
    AnalyzeOptions both = offered;
    both.device.mixed = true;
    return run(both);
  });
  try {
    take_precision(nrhs);
  } catch (...) {  // a card of another device
    adopt(nullptr);
    throw;
  }
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
  take_precision(1);
}

bool Symbolic::is_automatic() const { return options.precision == Precision::automatic; }

/// Returns true if systems are in double. A job in mixed precision that was asked for has the
/// scalar of its factor.
bool Symbolic::is_in_double() const {
  return given_scalar_bytes_ == sizeof(double) || options.precision == Precision::mixed;
}

/// Sets analysis.precisions for a plan on a device, if the analysis has not, and with
/// Precision::automatic the precision and the scalar of L.
void Symbolic::take_precision(Index nrhs) {
  if (!analysis.plan || !is_in_double() || backend().kind() == BackendKind::cpu)
    analysis.precisions.reset();
  else if (!analysis.precisions)
    analysis.precisions = backends.precisions(*analysis.plan, options.analyze, nrhs, unpredicted_);
  if (!is_automatic()) return;
  const bool mixed = analysis.precisions && analysis.precisions->takes_mixed;
  precision_ = mixed ? Precision::mixed : Precision::full;
  scalar_bytes = mixed ? static_cast<int>(sizeof(float)) : given_scalar_bytes_;
}

std::string Symbolic::precision_reason(Precision precision) const {
  if (!is_in_double()) return "";
  const std::string name = precision == Precision::mixed ? "mixed" : "full";
  const auto& both = analysis.precisions;
  if (is_automatic() && precision == precision_) {
    if (both) return both->reason;
    return name + ": " + (backend().kind() == BackendKind::cpu ? "on the CPU" : unpredicted_);
  }
  const std::string why = name + ": as asked for";
  return both && both->takes_mixed ? why + "; automatic takes " + both->reason : why;
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
  made.precision_reason = precision_reason(precision);
  made.precisions = analysis.precisions;
  if (mixed) made.kernels = backend().mixed_kernels();
  if (options.roofline)
    made.roofline = mixed ? backend().mixed_roofline() : backend().roofline(scalar_bytes);
  return made;
}

}  // namespace kauri
