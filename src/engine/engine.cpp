// Engine: analysis, memory, factorisations and figures. Solves are in engine_solve.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/common/in_digits.hpp"
#include "base/progress/meter.hpp"
#include "base/progress/stopwatch.hpp"
#include "numeric/backend.hpp"
#include "src/engine/messages.hpp"
#include "src/engine/pivot_loss.hpp"
#include "src/report/phase_work.hpp"

namespace kauri {
namespace {

/// Factorisations with fewer operations than this, which take up to some 50 ms, report no progress
/// between their first and last message.
constexpr double kWatchedFlops = 1e9;

}  // namespace

template <Scalar T>
Engine<T>::Engine(std::shared_ptr<Symbolic> symbolic, Precision precision)
    : symbolic_(std::move(symbolic)), asked_(precision), precision_(symbolic_->precision()) {
  take_precision();
  if (symbolic_->analysis.plan) begin_report();
}

/// Sets precision_ to what was asked for, or what the analysis chose.
template <Scalar T>
void Engine<T>::take_precision() {
  precision_ = asked_ == Precision::automatic ? symbolic_->precision() : asked_;
}

template <Scalar T>
void Engine<T>::begin_report() {
  SolverReport made = symbolic_->report(precision_);
  const std::lock_guard lock(report_mutex_);
  report_ = std::move(made);
}

template <Scalar T>
void Engine<T>::require_prepared() const {
  if (!is_prepared())
    throw Error(ErrorKind::usage, "Engine: there is no factor: call prepare() or adopt() first");
}

/// Throws Error(usage) unless there is a factor in full precision.
template <Scalar T>
void Engine<T>::require_full() const {
  require_prepared();
  if (is_mixed())
    throw Error(ErrorKind::usage,
                "Engine: this call needs a factor in full precision, and the precision is mixed; "
                "set the precision to full");
}

template <Scalar T>
void Engine<T>::analyze(const Pattern& a, const std::stop_token& stop) {
  pool_.clear();
  factor_.reset();
  mixed_.reset();
  values_.borrow({}, T(0));
  can_shift_ = false;
  valid_ = false;
  symbolic_->adopt(nullptr);
  report_ = {};
  tell(handler(), Phase::ordering, 0,
       [&] { return "rows: " + std::to_string(a.n) + ", entries: " + std::to_string(a.nnz()); });
  symbolic_->analyze(a, stop);
  take_precision();
  begin_report();
  tell(handler(), Phase::symbolic, 1,
       [&] { return "entries of L: " + std::to_string(report_.nnz_l); });
}

template <Scalar T>
void Engine<T>::prepare(Index nrhs, bool refines) {
  if (!symbolic_->analysis.plan)
    throw Error(ErrorKind::usage, "Engine: there is no plan: call analyze() first");
  Backend& backend = symbolic_->backend();
  tell(handler(), Phase::prepare, 0,
       [&] { return "memory for the factor on " + backend.device(); });
  const double seconds = seconds_of([&] {
    const std::shared_ptr<const Plan>& plan = symbolic_->analysis.plan;
    if (is_mixed()) {
      mixed_.emplace(
          MixedFactor::create(pattern(), symbolic_->prepare(), nrhs, symbolic_->options.mixed));
      return;
    }
    if (refines) {
      auto memory = std::make_unique<SolveMemory<T>>();
      memory->residual = backend.executor().template of<T>().make_residual(pattern());
      pool_.add(std::move(memory));
    }
    const PreparedPlan* prepared = symbolic_->prepared();
    factor_ = prepared ? Factor<T>::create(*prepared) : Factor<T>::create(plan, backend);
  });
  {
    const std::lock_guard lock(report_mutex_);
    report_.prepare.seconds = seconds;
  }
  tell(handler(), Phase::prepare, 1, [&] {
    return "memory for the factor: " + std::to_string(report_.prepare.bytes) + " bytes";
  });
}

template <Scalar T>
void Engine<T>::adopt(Factor<T> factor) {
  symbolic_->adopt(factor.shared_plan());
  precision_ = Precision::full;
  factor_ = std::move(factor);
  valid_ = factor_->valid();
  begin_report();
}

template <Scalar T>
Result<void, Breakdown> Engine<T>::factorize(std::span<const T> value, T shift,
                                             const std::stop_token& stop) {
  require_prepared();
  BorrowedValues<T> before;  // destroyed after `lock`: its owner is released with no lock held
  const std::unique_lock lock(filling_);
  const Result<void, Breakdown> result = filled([&] {
    return is_mixed() ? fill_mixed(value, shift, stop)
                      : kauri::refactorize<T>(*factor_, value, shift, stop);
  });
  before = values_.give_back();
  values_.copy(pattern(), value, shift);
  can_shift_ = true;
  after_filling(result);
  return result;
}

template <Scalar T>
Result<void, Breakdown> Engine<T>::factorize(BorrowedValues<T> value, T shift,
                                             std::optional<StreamHandle> stream,
                                             const std::stop_token& stop) {
  require_prepared();
  BorrowedValues<T> before;  // destroyed after `lock`: its owner is released with no lock held
  const std::unique_lock lock(filling_);
  const Result<void, Breakdown> result =
      filled([&] { return fill_borrowed(value, shift, stream, stop); });
  before = values_.give_back();
  // A mixed factor holds a copy of values that are on the device, so the engine keeps no reference
  // to the caller's.
  values_.borrow(is_mixed() && value.on_device ? BorrowedValues<T>{} : value, shift);
  after_filling(result);
  return result;
}

template <Scalar T>
Result<void, Breakdown> Engine<T>::factorize_shifted(T shift, const std::stop_token& stop) {
  const std::unique_lock lock(filling_);
  if (!can_shift_)
    throw Error(ErrorKind::usage,
                "Engine: there are no copied values for another shift; call "
                "factorize() with values first");
  const T before = values_.shift();
  values_.set_shift(pattern(), T(0));
  Result<void, Breakdown> result;
  try {
    const std::span<const T> value = values_.if_on_host();
    result = filled([&] {
      return is_mixed() ? fill_mixed(value, shift, stop)
                        : kauri::refactorize_shifted<T>(*factor_, value, shift, stop);
    });
  } catch (...) {  // values_ have the previous shift again
    values_.set_shift(pattern(), before);
    can_shift_ = true;
    throw;
  }
  values_.set_shift(pattern(), shift);
  can_shift_ = true;
  after_filling(result);
  return result;
}

/// Factorises A + shift I in the mixed factor. value: the values of A, in host memory. Throws
/// Error(usage) for a shift that is not finite. Does nothing for T other than double.
template <Scalar T>
Result<void, Breakdown> Engine<T>::fill_mixed(std::span<const T> value, T shift,
                                              const std::stop_token& stop) {
  if constexpr (std::is_same_v<T, double>) {
    if (!std::isfinite(shift))
      throw Error(ErrorKind::usage, "refactorize: the shift is " + std::to_string(shift) +
                                        ", expected a finite number");
    if (shift == 0 || static_cast<Offset>(value.size()) != plan().nnz)
      return mixed_->refactorize(value, stop);
    std::vector<double> shifted(value.begin(), value.end());
    const std::span<const Offset> col_ptr = pattern().col_ptr;
    for (Index j = 0; j < plan().n; ++j) shifted[static_cast<std::size_t>(col_ptr[j])] += shift;
    return mixed_->refactorize(shifted, stop);
  }
  return {};
}

template <Scalar T>
Result<void, Breakdown> Engine<T>::fill_borrowed(const BorrowedValues<T>& value, T shift,
                                                 std::optional<StreamHandle> stream,
                                                 const std::stop_token& stop) {
  if (!value.on_device)
    return is_mixed() ? fill_mixed(value.value, shift, stop)
                      : kauri::refactorize<T>(*factor_, value.value, shift, stop);
  if (is_mixed() && shift != T(0))
    throw Error(ErrorKind::usage,
                "refactorize: the shift is " + std::to_string(shift) +
                    ", expected 0 for values on a device with mixed precision: add it to the "
                    "values of the diagonal");
  const auto there = DeviceValues<T>::borrow(value.value);
  if constexpr (std::is_same_v<T, double>)
    if (is_mixed())
      return stream ? mixed_->refactorize(there, *stream, stop) : mixed_->refactorize(there, stop);
  return stream ? kauri::refactorize<T>(*factor_, there, shift, *stream, stop)
                : kauri::refactorize<T>(*factor_, there, shift, stop);
}

/// Calls fill(), which factorises, and sends its progress to the handler. The caller holds filling_
/// exclusively. Also if fill() throws, counts the call in fillings_, sets can_shift_ to false and
/// valid_ to the factor's state. If fill() returns, sets its seconds and the smallest pivot in the
/// report.
template <Scalar T>
template <class Fill>
Result<void, Breakdown> Engine<T>::filled(const Fill& fill) {
  ++fillings_;
  const bool could_shift = std::exchange(can_shift_, false);
  const double flops = plan().cost.flops;
  tell(handler(), Phase::factor, 0,
       [&] { return "factorisation of " + in_digits(flops) + " operations"; });
  Meter meter([&](double fraction) {
    tell(handler(), Phase::factor, fraction,
         [&] { return "factorising, operations done: " + in_digits(fraction * flops); });
  });
  Result<void, Breakdown> result;
  double seconds = 0;
  try {
    seconds = seconds_of([&] {
      const MeterScope scope(handler() && flops >= kWatchedFlops ? &meter : metering::current);
      result = fill();
    });
  } catch (...) {
    valid_ = is_mixed() ? mixed_->valid() : factor_->valid();
    can_shift_ = could_shift && valid_;  // a refused call changes nothing
    throw;
  }
  valid_ = is_mixed() ? mixed_->valid() : factor_->valid();
  const std::lock_guard lock(report_mutex_);
  report_.factor.seconds = seconds;
  count_factor(report_.factor, plan(), symbolic_->scalar_bytes);
  take_verdict();
  return result;
}

/// Copies the smallest pivot and its column from the factor's verdict to the report. The caller
/// holds report_mutex_.
template <Scalar T>
void Engine<T>::take_verdict() {
  const DeviceVerdict verdict = is_mixed() ? mixed_->verdict() : factor_->verdict();
  report_.smallest_pivot = verdict.smallest_pivot;
  report_.smallest_column = verdict.smallest_column;
}

/// Ends a filling, which is a factorisation with new values or another shift, once values_ holds
/// its values: counts these as a new version, calls look_for_loss(), and sends the handler messages
/// about `result` and about a loss that was found. The handler may throw.
template <Scalar T>
void Engine<T>::after_filling(const Result<void, Breakdown>& result) {
  ++version_;
  look_for_loss();
  tell_outcome(handler(), result, report_);
}

/// Sets report_.nearly_singular to the worst pivot if that makes A nearly singular, else to none.
/// Sets none also if A's values are not on the host, the factor is not valid, or a mixed factor
/// holds L in float.
template <Scalar T>
void Engine<T>::look_for_loss() {
  std::optional<PivotLoss> loss;
  const SymmetricView<T> a{pattern(), values_.if_on_host()};
  if (is_mixed()) {
    loss = mixed_loss();
    if (loss && !loss->nearly_singular()) loss.reset();
  } else if (factor_->valid() && !a.value.empty()) {
    double largest = 0;
    for (Index j = 0; j < a.pattern.n; ++j) largest = std::max(largest, diagonal_of(a, j));
    loss = find_nearly_singular<T>(a, largest, *factor_);
  }
  const std::lock_guard lock(report_mutex_);
  report_.nearly_singular = loss;
}

/// Returns the loss at the smallest pivot of a mixed factor that holds L in double; nothing if the
/// factor is not valid, L is in float, or A's values are not on the host.
template <Scalar T>
std::optional<PivotLoss> Engine<T>::mixed_loss() const {
  const SymmetricView<T> a{pattern(), values_.if_on_host()};
  if (!mixed_->valid() || !mixed_->in_double() || a.value.empty()) return {};
  const DeviceVerdict verdict = mixed_->verdict();
  if (verdict.smallest_column == kNone) return {};
  return loss_at<T>(a, verdict.smallest_column, verdict.smallest_pivot);
}

template <Scalar T>
std::optional<PivotLoss> Engine<T>::worst_pivot() const {
  require_prepared();
  const std::shared_lock lock(filling_);
  if (is_mixed()) return mixed_loss();
  const SymmetricView<T> a{pattern(), values_.if_on_host()};
  if (!factor_->valid() || static_cast<Offset>(a.value.size()) != plan().nnz) return {};
  return find_worst_pivot<T>(a, *factor_);
}

template <Scalar T>
void Engine<T>::require_length(std::span<const T> value) const {
  require_prepared();
  if (!value.empty() && static_cast<Offset>(value.size()) != plan().nnz)
    throw Error(ErrorKind::usage, "Engine: " + std::to_string(value.size()) +
                                      " values, the pattern has " + std::to_string(plan().nnz) +
                                      " entries");
}

template <Scalar T>
void Engine<T>::set_values(std::span<const T> value) {
  require_length(value);
  BorrowedValues<T> before;  // destroyed after `lock`: its owner is released with no lock held
  const std::unique_lock lock(filling_);
  ++fillings_;
  before = values_.give_back();
  values_.copy(pattern(), value, T(0));
  can_shift_ = false;  // the backend lacks these values
  ++version_;
}

template <Scalar T>
void Engine<T>::set_values(BorrowedValues<T> value) {
  require_length(value.value);
  BorrowedValues<T> before;  // destroyed after `lock`: its owner is released with no lock held
  const std::unique_lock lock(filling_);
  ++fillings_;
  before = values_.give_back();
  values_.borrow(std::move(value), T(0));
  can_shift_ = false;
  ++version_;
}

template <Scalar T>
std::vector<T> Engine<T>::values() const {
  const std::shared_lock lock(filling_);
  const std::span<const T> value = values_.on_host(pattern(), factor_ ? &*factor_ : nullptr);
  return {value.begin(), value.end()};
}

template <Scalar T>
DeviceVerdict Engine<T>::verdict() const {
  require_prepared();
  const std::shared_lock lock(filling_);
  return is_mixed() ? mixed_->verdict() : factor_->verdict();
}

template <Scalar T>
bool Engine<T>::in_double() const {
  const std::shared_lock lock(filling_);
  return mixed_ && mixed_->in_double();
}

template <Scalar T>
SolverReport Engine<T>::report() const {
  const std::lock_guard lock(report_mutex_);
  return report_;
}

template class Engine<float>;
template class Engine<double>;

}  // namespace kauri
