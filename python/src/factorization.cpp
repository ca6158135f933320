// Factors for Python: the calls of kauri::Factor, with a workspace for each.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kauri/save.hpp"
#include "kauri/selected_inverse.hpp"
#include "python/src/matrix.hpp"
#include "src/base/stopwatch.hpp"

namespace kauri::python {

/// A slot out of the pool, or a new one, for this many right-hand sides; goes back at the end.
template <Scalar T>
class Factorization<T>::Lease {
 public:
  Lease(Factorization& owner, Index cols) : owner_(owner) {
    const Index wanted = std::clamp(cols, Index{1}, kSolveBlock);
    {
      const std::lock_guard lock(owner.idle_mutex_);
      const auto fits = [&](const std::unique_ptr<Slot>& slot) { return slot->workspace.nrhs() >= wanted; };
      const auto found = std::find_if(owner.idle_.rbegin(), owner.idle_.rend(), fits);
      if (found != owner.idle_.rend()) {
        slot_ = std::move(*found);
        owner.idle_.erase(std::next(found).base());
        return;
      }
      if (!owner.idle_.empty()) owner.idle_.pop_back();  // too small: its place is taken by what is made now
    }
    slot_.reset(new Slot{Workspace<T>::create(owner.factor_, wanted), std::nullopt});
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    const std::lock_guard lock(owner_.idle_mutex_);
    try {
      owner_.idle_.push_back(std::move(slot_));
    } catch (const std::bad_alloc&) {  // then it is made anew
    }
  }
  Slot& operator*() { return *slot_; }
  Slot* operator->() { return slot_.get(); }

 private:
  Factorization& owner_;
  std::unique_ptr<Slot> slot_;
};

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic)
    : symbolic_(std::move(symbolic)), factor_(Factor<T>::create(symbolic_->analysis.plan, symbolic_->backend())) {
  report_ = report_of(symbolic_->analysis, symbolic_->backend(), sizeof(T));
}

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic, std::span<const std::byte> saved)
    : symbolic_(std::move(symbolic)), factor_(load_factor<T>(saved, symbolic_->backend())) {
  symbolic_->adopt(factor_.shared_plan());
  report_ = report_of(symbolic_->analysis, symbolic_->backend(), sizeof(T));
}

template <Scalar T>
Factorization<T>::Factorization(std::shared_ptr<Symbolic> symbolic, const std::string& path)
    : symbolic_(std::move(symbolic)), factor_(load_factor<T>(path, symbolic_->backend())) {
  symbolic_->adopt(factor_.shared_plan());
  report_ = report_of(symbolic_->analysis, symbolic_->backend(), sizeof(T));
}

/// Seconds of a call that fills the factor, which may throw.
template <Scalar T>
template <class Fill>
double Factorization<T>::filled(Fill&& fill) {
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
Result<void, Breakdown> Factorization<T>::refactorize(std::span<const T> value, T shift, const std::stop_token& stop) {
  const std::unique_lock lock(filling_);
  Result<void, Breakdown> result;
  const double seconds = filled([&] {
    if (symbolic_->has_pattern())  // which names row and column of what is not finite
      result = kauri::refactorize<T>(factor_, SymmetricView<T>{symbolic_->pattern(), value}, shift, stop);
    else
      result = kauri::refactorize<T>(factor_, value, shift, stop);
  });
  value_.assign(value.begin(), value.end());
  after_fill(seconds, shift);
  return result;
}

template <Scalar T>
Result<void, Breakdown> Factorization<T>::refactorize(const SymmetricMatrix<T>& a, T shift, const std::stop_token& stop) {
  if (symbolic_->has_pattern()) return refactorize(values_on<T>(symbolic_->pattern(), a), shift, stop);
  const std::unique_lock lock(filling_);
  Result<void, Breakdown> result;
  const double seconds = filled([&] { result = kauri::refactorize<T>(factor_, a.view(), shift, stop); });
  symbolic_->adopt(a.pattern());
  value_.assign(a.value().begin(), a.value().end());
  after_fill(seconds, shift);
  return result;
}

template <Scalar T>
void Factorization<T>::after_fill(double seconds, T shift) {
  ++version_;
  if (shift != T(0))
    for (Index j = 0; j < factor_.plan().n; ++j) value_[static_cast<std::size_t>(symbolic_->col_ptr[static_cast<std::size_t>(j)])] += shift;
  const std::lock_guard lock(report_mutex_);
  report_.factor.seconds = seconds;
  report_.factor.flops = factor_.plan().cost.flops;
  report_.smallest_pivot = factor_.verdict().smallest_pivot;
  report_.smallest_column = factor_.verdict().smallest_column;
  report_.nearly_singular.reset();
  if (!factor_.valid() || !symbolic_->has_pattern()) return;
  const PivotLoss loss = worst_pivot<T>({symbolic_->pattern(), value_}, factor_);
  if (loss.nearly_singular()) report_.nearly_singular = loss;
}

template <Scalar T>
void Factorization<T>::require_values(const char* what) const {
  if (value_.empty() && factor_.plan().n > 0)
    throw Error(ErrorKind::usage, std::string(what) + ": a factor loaded from a file has no values of A: refactorize it first");
}

template <Scalar T>
void Factorization<T>::solve(System system, MatrixView<const T> b, MatrixView<T> x, int refine_steps, const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  const int steps = refine_steps < 0 ? symbolic_->options.refine.max_steps : refine_steps;
  const bool refined = system == System::A && steps > 0;
  if (refined) require_values("refinement");
  Lease slot(*this, x.cols);
  const double seconds = seconds_of([&] {
    if (system == System::A)
      factor_.solve(b, x, slot->workspace, stop);
    else
      factor_.solve(system, b, x, slot->workspace, stop);
  });
  Refinement refinement;
  double refine_s = 0;
  if (refined) refine_s = seconds_of([&] { refinement = refine(*slot, b, x, steps, stop); });
  const std::lock_guard report_lock(report_mutex_);
  report_.solve.seconds = seconds;
  report_.solve.flops = 4 * static_cast<double>(factor_.plan().cost.nnz_l) * x.cols;
  report_.solve.bytes = factor_.plan().workspace_bytes(sizeof(T), slot->workspace.nrhs(), symbolic_->options.cuda.solves_together);
  report_.right_hand_sides = x.cols;
  report_.refine.seconds = refine_s;
  report_.refinement = refinement;
}

template <Scalar T>
Refinement Factorization<T>::refine(Slot& slot, MatrixView<const T> b, MatrixView<T> x, int steps, const std::stop_token& stop) {
  RefineOptions options = symbolic_->options.refine;
  options.max_steps = steps;
  options.stop = stop;
  const SymmetricView<T> a{symbolic_->pattern(), value_};
  if (symbolic_->backend().kind() != BackendKind::cpu || x.cols == 0) return kauri::refine<T>(a, factor_, b, x, slot.workspace, options);
  if (!slot.refiner || slot.refiner->nrhs() < x.cols) {
    slot.refiner = Refiner<T>::create(a.pattern, factor_, x.cols);
    slot.version = 0;
  }
  if (slot.version != version_) slot.refiner->set_values(DeviceValues<T>::borrow(a.value));
  slot.version = version_;
  return slot.refiner->refine(factor_, DeviceMatrixView<const T>(b), DeviceMatrixView<T>(x), slot.workspace, options);
}

template <Scalar T>
void Factorization<T>::solve_there(System system, MatrixView<T> x) {
  const std::shared_lock lock(filling_);
  Lease slot(*this, x.cols);
  const DeviceMatrixView<T> there(x);
  if (system == System::A)
    factor_.solve(there, slot->workspace);
  else
    factor_.solve(system, there, there, slot->workspace);
}

template <Scalar T>
void Factorization<T>::multiply(System system, MatrixView<const T> b, MatrixView<T> x, const std::stop_token& stop) {
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
  if (!symbolic_->has_pattern())
    throw Error(ErrorKind::usage, "inverse: a factor loaded from a file has no pattern of A: refactorize it first");
  SelectedInverse<T> inverse = SelectedInverse<T>::create(factor_);
  inverse.compute(factor_, stop);
  return inverse.on_pattern_of(symbolic_->pattern());
}

template <Scalar T>
ConditionEstimate Factorization<T>::condition(const std::stop_token& stop) {
  const std::shared_lock lock(filling_);
  require_values("condition");
  Lease slot(*this, 1);
  return estimate_condition<T>({symbolic_->pattern(), value_}, factor_, slot->workspace, stop);
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
  return value_;
}

template <Scalar T>
void Factorization<T>::set_values(std::span<const T> value) {
  const std::unique_lock lock(filling_);
  value_.assign(value.begin(), value.end());
  ++version_;
}

template class Factorization<float>;
template class Factorization<double>;

}  // namespace kauri::python
