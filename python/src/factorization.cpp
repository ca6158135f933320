// Implements Factorization: calls of kauri::Factor under locks, each with a pooled workspace.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/progress/stopwatch.hpp"
#include "kauri/device/device_values.hpp"
#include "kauri/extras/save.hpp"
#include "kauri/extras/selected_inverse.hpp"
#include "numeric/backend.hpp"
#include "python/src/matrix.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/pivot_loss.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/checks/solve_status.hpp"
#include "src/report/phase_work.hpp"

namespace kauri::python {
namespace {

/// Returns a view with the same shape and null data, for a matrix that is not on the host.
template <Scalar T>
MatrixView<const T> elsewhere(MatrixView<const T> a) {
  a.data = nullptr;
  return a;
}

}  // namespace

/// Leases a slot of the pool, or makes one, for this many right-hand sides; the destructor returns
/// it.
template <Scalar T>
class Factorization<T>::Lease {
 public:
  Lease(Factorization& owner, Index cols) : owner_(owner) {
    const Index wanted = std::clamp(cols, Index{1}, kSolveBlock);
    {
      const std::lock_guard lock(owner.idle_mutex_);
      const auto fits = [&](const std::unique_ptr<SolveSlot>& slot) {
        return slot->workspace.nrhs() >= wanted;
      };
      const auto found = std::find_if(owner.idle_.rbegin(), owner.idle_.rend(), fits);
      if (found != owner.idle_.rend()) {
        slot_ = std::move(*found);
        owner.idle_.erase(std::next(found).base());
        return;
      }
      if (!owner.idle_.empty())
        owner.idle_.pop_back();  // all idle slots are too small: the new slot replaces one
    }
    slot_.reset(new SolveSlot{Workspace<T>::create(owner.factor_, wanted), std::nullopt});
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    const std::lock_guard lock(owner_.idle_mutex_);
    try {
      owner_.idle_.push_back(std::move(slot_));
    } catch (const std::bad_alloc&) {  // the slot is dropped; a later lease makes another
    }
  }
  SolveSlot& operator*() { return *slot_; }
  SolveSlot* operator->() { return slot_.get(); }

 private:
  Factorization& owner_;
  std::unique_ptr<SolveSlot> slot_;
};

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic)
    : symbolic_(std::move(symbolic)), factor_(Factor<T>::create(symbolic_->prepared())) {
  report_ = symbolic_->report(sizeof(T));
}

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic,
                                std::span<const std::byte> saved)
    : symbolic_(std::move(symbolic)), factor_(load_factor<T>(saved, symbolic_->backend())) {
  symbolic_->adopt(factor_.shared_plan());
  report_ = symbolic_->report(sizeof(T));
}

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic, const std::string& path,
                                std::size_t max_bytes)
    : symbolic_(std::move(symbolic)),
      factor_(load_factor<T>(path, symbolic_->backend(), {.max_bytes = max_bytes})) {
  symbolic_->adopt(factor_.shared_plan());
  report_ = symbolic_->report(sizeof(T));
}

/// Returns the seconds of a call that fills the factor. Updates fillings_ and valid_, also if the
/// call throws.
template <Scalar T>
template <class Fill>
double Factorization<T>::filled(Fill&& fill) {
  ++fillings_;
  try {
    const double seconds = seconds_of(fill);
    valid_ = factor_.valid();
    return seconds;
  } catch (...) {
    valid_ = factor_.valid();
    throw;
  }
}

template <Scalar T>
Result<void, Breakdown> Factorization<T>::refactorize(std::span<const T> value, T shift,
                                                      const std::stop_token& stop) {
  Lent before;  // let go of last
  const std::unique_lock lock(filling_);
  Result<void, Breakdown> result;
  const double seconds =
      filled([&] { result = kauri::refactorize<T>(factor_, value, shift, stop); });
  std::swap(lent_, before);
  value_.assign(value.begin(), value.end());
  shift_diagonal(shift);
  after_fill(seconds);
  look_for_loss();
  return result;
}

template <Scalar T>
Result<void, Breakdown> Factorization<T>::refactorize(const SymmetricMatrix<T>& a, T shift,
                                                      const std::stop_token& stop) {
  const Pattern analysed = symbolic_->pattern();
  if (same_pattern(analysed, a.pattern())) return refactorize(a.value(), shift, stop);
  return refactorize(values_on<T>(analysed, a), shift, stop);
}

template <Scalar T>
Result<void, Breakdown> Factorization<T>::refactorize_there(std::shared_ptr<const void> owner,
                                                            std::span<const T> value, T shift,
                                                            std::optional<StreamHandle> stream,
                                                            const std::stop_token& stop) {
  Lent other{std::move(owner), value, shift};  // let go of last
  const std::unique_lock lock(filling_);
  Result<void, Breakdown> result;
  const auto there = DeviceValues<T>::borrow(value);
  const double seconds = filled([&] {
    result = stream ? kauri::refactorize<T>(factor_, there, shift, *stream, stop)
                    : kauri::refactorize<T>(factor_, there, shift, stop);
  });
  std::swap(lent_, other);
  value_.clear();
  after_fill(seconds);
  return result;
}

template <Scalar T>
void Factorization<T>::shift_diagonal(T shift) const {
  if (shift == T(0)) return;
  for (Index j = 0; j < factor_.plan().n; ++j)
    value_[static_cast<std::size_t>(symbolic_->pattern().col_ptr[static_cast<std::size_t>(j)])] +=
        shift;
}

template <Scalar T>
void Factorization<T>::after_fill(double seconds) {
  ++version_;
  const std::lock_guard lock(report_mutex_);
  report_.factor.seconds = seconds;
  count_factor(report_.factor, factor_.plan(), sizeof(T));
  report_.smallest_pivot = factor_.verdict().smallest_pivot;
  report_.smallest_column = factor_.verdict().smallest_column;
  report_.nearly_singular.reset();
}

/// Reports the worst pivot relative to A's diagonal if it makes A nearly singular. The values must
/// be on the host.
template <Scalar T>
void Factorization<T>::look_for_loss() {
  if (!factor_.valid()) return;
  const SymmetricView<T> a{symbolic_->pattern(), value_};
  double largest = 0;
  for (Index j = 0; j < a.pattern.n; ++j)
    largest = std::max(
        largest,
        static_cast<double>(
            value_[static_cast<std::size_t>(a.pattern.col_ptr[static_cast<std::size_t>(j)])]));
  std::optional<PivotLoss> loss = find_nearly_singular(a, largest, factor_);
  const std::lock_guard lock(report_mutex_);
  report_.nearly_singular = loss;
}

template <Scalar T>
std::span<const T> Factorization<T>::host_values() const {
  const std::lock_guard lock(bringing_);
  if (value_.empty() && !lent_.value.empty()) {
    std::vector<T> room;
    const std::span<const T> host = factor_.store().on_host(lent_.value, room);
    value_.assign(host.begin(), host.end());
    shift_diagonal(lent_.shift);
  }
  return value_;
}

template <Scalar T>
std::span<const T> Factorization<T>::require_values(const char* what) const {
  const std::span<const T> value = host_values();
  if (value.empty() && factor_.plan().n > 0)
    throw Error(ErrorKind::usage,
                std::string(what) +
                    ": a factor loaded from a file has no values of A: refactorize it first");
  return value;
}

template <Scalar T>
int Factorization<T>::corrections(System system, int refine_steps) const {
  if (system != System::A) return 0;
  return refine_steps < 0 ? symbolic_->options.refine.max_steps : refine_steps;
}

/// b, x: views of host memory, or with null data.
template <Scalar T>
template <class Solve, class Refine>
void Factorization<T>::measured(const MatrixView<const T>& b, const MatrixView<const T>& x,
                                int steps, Index before, Solve&& solve, Refine&& refine) {
  const Index cols = x.cols;
  Lease slot(*this, cols);
  const double seconds = seconds_of([&] { solve(*slot); });
  Refinement refinement;
  double refine_s = 0;
  if (steps > 0) refine_s = seconds_of([&] { refinement = refine(*slot); });
  const bool overflows = steps == 0 && x.data != nullptr &&
                         !all_finite(x);  // x on a device is not copied for this test
  const std::lock_guard report_lock(report_mutex_);
  report_.solve.seconds = seconds;
  count_solves(report_.solve, factor_.plan(), sizeof(T), cols);
  report_.solve.bytes = factor_.plan().workspace_bytes(sizeof(T), slot->workspace.nrhs(),
                                                       symbolic_->options.cuda.solves_together);
  report_.right_hand_sides = cols;
  report_.refine = {refine_s};
  if (steps > 0)
    count_refinement(report_.refine, factor_.plan(), sizeof(T), cols, refinement.tried);
  report_.refinement = refinement;
  const SolveStatus status = steps > 0   ? status_of<T>(refinement.final_error)
                             : overflows ? SolveStatus::not_finite
                                         : SolveStatus::none;
  if (before > 0 && report_.status >= status) return;  // statuses ascend from good to bad
  report_.status = status;
  report_.status_reason = why_not<T>(status, refinement.final_error, b, before);
}

template <Scalar T>
void Factorization<T>::solve(System system, MatrixView<const T> b, MatrixView<T> x,
                             int refine_steps, Index before, const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  const int steps = corrections(system, refine_steps);
  if (steps > 0) require_values("refinement");
  measured(
      b, x, steps, before,
      [&](SolveSlot& slot) {
        if (system == System::A)
          factor_.solve(b, x, slot.workspace, stop);
        else
          factor_.solve(system, b, x, slot.workspace, stop);
      },
      [&](SolveSlot& slot) { return refine(slot, b, x, steps, stop); });
}

template <Scalar T>
void Factorization<T>::solve_there(System system, MatrixView<const T> b, MatrixView<T> x,
                                   int refine_steps, const std::function<void()>& meanwhile,
                                   const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  const int steps = corrections(system, refine_steps);
  if (steps > 0 && lent_.value.empty()) require_values("refinement");
  const DeviceMatrixView<const T> from(b);
  const DeviceMatrixView<T> to(x);
  if (!factor_.store().device_solves())
    throw Error(ErrorKind::usage, "a solve on a device: the factor is on the CPU");
  measured(
      elsewhere(b), elsewhere(MatrixView<const T>(x)), steps, 0,
      [&](SolveSlot& slot) {
        factor_.store().device_solves()->run_now([&](StreamHandle stream) {
          factor_.enqueue_solve(system, from, to, slot.workspace, stream);
          if (meanwhile) meanwhile();
        });
      },
      [&](SolveSlot& slot) { return refine_there(slot, b, x, steps, stop); });
}

template <Scalar T>
RefineOptions Factorization<T>::refine_options(int steps, const std::stop_token& stop) const {
  RefineOptions options = symbolic_->options.refine;
  options.max_steps = steps;
  options.stop = stop;
  return options;
}

template <Scalar T>
Refiner<T>& Factorization<T>::refiner_for(SolveSlot& slot, Index cols) {
  if (!slot.refiner || slot.refiner->nrhs() < cols) {
    slot.refiner = Refiner<T>::create(symbolic_->pattern(), factor_, cols);
    slot.version = 0;
  }
  return *slot.refiner;
}

template <Scalar T>
Refinement Factorization<T>::refine(SolveSlot& slot, MatrixView<const T> b, MatrixView<T> x,
                                    int steps, const std::stop_token& stop) {
  const RefineOptions options = refine_options(steps, stop);
  const SymmetricView<T> a{symbolic_->pattern(), host_values()};
  if (symbolic_->backend().kind() != BackendKind::cpu || x.cols == 0)
    return kauri::refine<T>(a, factor_, b, x, slot.workspace, options);
  Refiner<T>& refiner = refiner_for(slot, x.cols);
  if (slot.version != version_) refiner.set_values(DeviceValues<T>::borrow(a.value));
  slot.version = version_;
  return refiner.refine(factor_, DeviceMatrixView<const T>(b), DeviceMatrixView<T>(x),
                        slot.workspace, options);
}

template <Scalar T>
Refinement Factorization<T>::refine_there(SolveSlot& slot, MatrixView<const T> b, MatrixView<T> x,
                                          int steps, const std::stop_token& stop) {
  if (x.cols == 0 || x.rows == 0) return {};
  Refiner<T>& refiner = refiner_for(slot, x.cols);
  if (slot.version != version_) {
    const bool as_lent = !lent_.value.empty() && lent_.shift == T(0);
    refiner.set_values(as_lent ? DeviceValues<T>::borrow(lent_.value)
                               : DeviceValues<T>::copy_of(host_values(), symbolic_->backend()));
  }
  slot.version = version_;
  return refiner.refine(factor_, DeviceMatrixView<const T>(b), DeviceMatrixView<T>(x),
                        slot.workspace, refine_options(steps, stop));
}

template <Scalar T>
void Factorization<T>::multiply(System system, MatrixView<const T> b, MatrixView<T> x,
                                const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  Lease slot(*this, x.cols);
  factor_.multiply(system, b, x, slot->workspace, stop);
}

template <Scalar T>
LowerFactor<T> Factorization<T>::lower() const {
  const std::shared_lock lock(filling_);
  return lower_factor(factor_);
}

template <Scalar T>
std::vector<T> Factorization<T>::diagonal() const {
  const std::shared_lock lock(filling_);
  return lower_diagonal(factor_);
}

template <Scalar T>
double Factorization<T>::determinant() const {
  const std::shared_lock lock(filling_);
  return kauri::determinant(factor_);
}

template <Scalar T>
double Factorization<T>::log_determinant() const {
  const std::shared_lock lock(filling_);
  return kauri::log_determinant(factor_);
}

template <Scalar T>
std::vector<T> Factorization<T>::inverse_diagonal(const std::stop_token& stop) const {
  const std::shared_lock lock(filling_);
  SelectedInverse<T> inverse = SelectedInverse<T>::create(factor_);
  inverse.compute(factor_, stop);
  return inverse.diagonal();
}

template <Scalar T>
std::vector<T> Factorization<T>::inverse_entries(const std::stop_token& stop) const {
  const std::shared_lock lock(filling_);
  SelectedInverse<T> inverse = SelectedInverse<T>::create(factor_);
  inverse.compute(factor_, stop);
  return inverse.on_pattern_of(symbolic_->pattern());
}

template <Scalar T>
void Factorization<T>::inverse_there(bool diagonal, std::span<T> there,
                                     const std::stop_token& stop) const {
  const std::shared_lock lock(filling_);
  SelectedInverse<T> inverse = SelectedInverse<T>::create(factor_);
  inverse.compute(factor_, stop);
  const StreamHandle stream{};
  if (diagonal)
    inverse.enqueue_diagonal(there, stream);
  else
    inverse.enqueue_on_pattern(there, stream);
  inverse.fetch_verdict(stream);  // waits for the stream
}

template <Scalar T>
ConditionEstimate Factorization<T>::condition(const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  const std::span<const T> value = require_values("condition");
  Lease slot(*this, 1);
  return estimate_condition<T>({symbolic_->pattern(), value}, factor_, slot->workspace, stop);
}

template <Scalar T>
std::vector<std::byte> Factorization<T>::saved() const {
  const std::shared_lock lock(filling_);
  return save_factor(factor_);
}

template <Scalar T>
void Factorization<T>::save(const std::string& path) const {
  const std::shared_lock lock(filling_);
  save_factor(path, factor_);
}

template <Scalar T>
SolverReport Factorization<T>::report() const {
  const std::lock_guard lock(report_mutex_);
  return report_;
}

template <Scalar T>
std::vector<T> Factorization<T>::values() const {
  const std::shared_lock lock(filling_);
  const std::span<const T> value = host_values();
  return {value.begin(), value.end()};
}

template <Scalar T>
void Factorization<T>::set_values(std::span<const T> value) {
  Lent before;  // let go of last
  const std::unique_lock lock(filling_);
  ++fillings_;
  std::swap(lent_, before);
  value_.assign(value.begin(), value.end());
  ++version_;
}

template class Factorization<float>;
template class Factorization<double>;

}  // namespace kauri::python
