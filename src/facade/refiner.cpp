// Refiner: checks its calls before a backend does the work.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/refiner.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/refine_options.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/engine/host_refiner.hpp"

namespace kauri {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::usage, "Refiner: " + what);
}

}  // namespace

template <Scalar T>
Refiner<T>::Refiner(std::unique_ptr<numeric::RefinerImpl<T>> store, const Factor<T>& factor)
    : store_(std::move(store)), executor_(&factor.executor()), plan_(factor.shared_plan()) {}
template <Scalar T>
Refiner<T>::Refiner(Refiner&&) noexcept = default;
template <Scalar T>
Refiner<T>& Refiner<T>::operator=(Refiner&&) noexcept = default;
template <Scalar T>
Refiner<T>::~Refiner() = default;

template <Scalar T>
Refiner<T> Refiner<T>::create(const Pattern& a, const Factor<T>& factor, Index nrhs) {
  if (nrhs < 1) refuse("nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
  require_pattern(a, factor.plan(), "Refiner: the factor belongs to a matrix of another pattern");
  std::unique_ptr<numeric::RefinerImpl<T>> store =
      factor.executor().template of<T>().make_refiner(a, nrhs);
  if (!store) store = std::make_unique<HostRefiner<T>>(a, nrhs, factor.executor());
  return Refiner(std::move(store), factor);
}

template <Scalar T>
Index Refiner<T>::nrhs() const {
  return store_->nrhs();
}
template <Scalar T>
Offset Refiner<T>::bytes() const {
  return store_->bytes();
}
template <Scalar T>
const DeviceRefinement* Refiner<T>::report_address() const {
  return store_->report_address();
}
template <Scalar T>
DeviceRefinement Refiner<T>::fetch_report(StreamHandle stream) const {
  return store_->fetch_report(stream);
}

template <Scalar T>
void Refiner<T>::require_values(const DeviceValues<T>& value) const {
  const auto count = static_cast<Offset>(value.span().size());
  if (count != plan_->nnz)
    refuse(std::to_string(count) + " values, the pattern has " + std::to_string(plan_->nnz) +
           " entries");
}

template <Scalar T>
void Refiner<T>::set_values(const DeviceValues<T>& value) {
  require_values(value);
  const OneCall call(store_->calls, "Refiner::set_values", "refiner");
  store_->set_values(value.span());
  has_values_ = true;
}

template <Scalar T>
void Refiner<T>::enqueue_values(const DeviceValues<T>& value, StreamHandle stream) {
  require_values(value);
  const OneCall call(store_->calls, "Refiner::enqueue_values", "refiner");
  store_->enqueue_values(value.span(), stream);
  has_values_ = true;
}

template <Scalar T>
void Refiner<T>::require_fit(const Factor<T>& factor, const MatrixView<const T>& b,
                             const MatrixView<T>& x, const Workspace<T>& workspace) const {
  if (!has_values_) refuse("no values were set: call set_values() first");
  if (&factor.executor() != executor_)
    refuse("the factor belongs to another backend, expected the backend this was made for");
  if (&factor.plan() != plan_.get())
    require_pattern(factor.plan().pattern(), *plan_,
                    "Refiner: the factor belongs to a matrix of another pattern");
  factor.require_fit(b, x, workspace);
  if (x.cols > nrhs())
    refuse("x has " + std::to_string(x.cols) + " columns, there is room for " +
           std::to_string(nrhs()));
  if (overlap(b, x)) refuse("x overlaps b; give it memory of its own");
}

template <Scalar T>
Refinement Refiner<T>::refine(const Factor<T>& factor, DeviceMatrixView<const T> b,
                              DeviceMatrixView<T> x, Workspace<T>& workspace,
                              const RefineOptions& options) {
  const OneCall call(store_->calls, "Refiner::refine", "refiner");
  if (!factor.valid())
    refuse(
        "the factor is not valid (no successful factorisation yet, or the last one broke down): "
        "call refactorize() first");
  require_fit(factor, b.view(), x.view(), workspace);
  require_refine_options(options, "Refiner");
  const StopScope scope(options.stop);
  stop_here();
  const PhaseRange range(Phase::refine);
  const OneCall in_workspace(workspace.store_->calls, "Refiner::refine", "workspace");
  return store_->refine(factor.store(), b.view(), x.view(), *workspace.store_, options).refinement;
}

template <Scalar T>
void Refiner<T>::enqueue_refine(const Factor<T>& factor, DeviceMatrixView<const T> b,
                                DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream,
                                const RefineOptions& options) {
  const OneCall call(store_->calls, "Refiner::enqueue_refine", "refiner");
  const numeric::DeviceSolves<T>* solves = factor.store().device_solves();
  if (factor.verdict().status == VerdictStatus::none && !(solves && solves->awaits_verdict()))
    refuse("the factor was never filled: call refactorize() or enqueue_refactorize() first");
  require_fit(factor, b.view(), x.view(), workspace);
  require_refine_options(options, "Refiner");
  const StopScope scope(options.stop);
  stop_here();
  const PhaseRange range(Phase::refine);
  const OneCall in_workspace(workspace.store_->calls, "Refiner::enqueue_refine", "workspace");
  store_->enqueue_refine(factor.store(), b.view(), x.view(), *workspace.store_, options, stream);
}

template class Refiner<float>;
template class Refiner<double>;

}  // namespace kauri
