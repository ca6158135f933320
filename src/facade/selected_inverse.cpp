// SelectedInverse: checks the public calls, and translates from the caller's numbering.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/selected_inverse.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/progress/phase_range.hpp"
#include "base/threads/one_call.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "src/checks/same_pattern.hpp"

namespace kauri {
namespace {

[[noreturn]] void misuse_of_inverse(const std::string& what) {
  throw Error(ErrorKind::usage, "selected inverse: " + what);
}

}  // namespace

template <Scalar T>
SelectedInverse<T>::SelectedInverse(std::unique_ptr<numeric::InverseImpl<T>> store,
                                    const numeric::Executor& executor)
    : store_(std::move(store)), executor_(&executor) {}
template <Scalar T>
SelectedInverse<T>::SelectedInverse(SelectedInverse&&) noexcept = default;
template <Scalar T>
SelectedInverse<T>& SelectedInverse<T>::operator=(SelectedInverse&&) noexcept = default;
template <Scalar T>
SelectedInverse<T>::~SelectedInverse() = default;

template <Scalar T>
SelectedInverse<T> SelectedInverse<T>::create(const Factor<T>& factor) {
  const PhaseRange range(Phase::prepare);
  return {factor.store().make_inverse(), factor.executor()};
}

template <Scalar T>
Offset SelectedInverse<T>::bytes(const Factor<T>& factor) {
  return factor.store().inverse_bytes();
}

template <Scalar T>
const Plan& SelectedInverse<T>::plan() const {
  return *store_->plan();
}

template <Scalar T>
void SelectedInverse<T>::require_fit(const Factor<T>& factor) const {
  if (&factor.plan() != &plan())
    misuse_of_inverse("the factor has another plan, expected the plan this was made for");
  if (&factor.executor() != executor_)
    misuse_of_inverse(
        "the factor belongs to another backend, expected the backend this was made for");
}

template <Scalar T>
numeric::DeviceInverse<T>& SelectedInverse<T>::device() const {
  numeric::DeviceInverse<T>* device = store_->on_device();
  if (!device)
    misuse_of_inverse(
        "enqueued calls need a device, but this inverse is on the CPU; use calls that do not "
        "enqueue");
  return *device;
}

template <Scalar T>
void SelectedInverse<T>::compute(const Factor<T>& factor, const std::stop_token& stop) {
  if (!factor.valid())
    misuse_of_inverse(
        "the factor is not valid (no successful factorisation yet, or the last one broke down): "
        "call refactorize() first");
  require_fit(factor);
  const StopScope scope(stop);
  stop_here();
  const OneCall call(store_->fillings, "SelectedInverse::compute", "selected inverse");
  valid_ = awaits_verdict_ = false;
  const PhaseRange range("selected inverse");
  store_->compute(factor.store());
  valid_ = true;
}

template <Scalar T>
void SelectedInverse<T>::enqueue_compute(const Factor<T>& factor, StreamHandle stream) {
  numeric::DeviceInverse<T>& there = device();
  require_fit(factor);
  if (!factor.valid() && !factor.store().device_solves()->awaits_verdict())
    misuse_of_inverse(
        "the factor is not valid (no successful factorisation yet, or the last one broke down): "
        "call refactorize() first");
  const OneCall call(store_->fillings, "SelectedInverse::enqueue_compute", "selected inverse");
  valid_ = awaits_verdict_ = false;
  const PhaseRange range("selected inverse");
  there.enqueue_compute(factor.store(), stream);
  awaits_verdict_ = true;
}

template <Scalar T>
const DeviceVerdict& SelectedInverse<T>::fetch_verdict(StreamHandle stream) {
  const DeviceVerdict& verdict = device().fetch_verdict(stream);
  valid_ = verdict.status == VerdictStatus::positive_definite;
  if (verdict.status != VerdictStatus::none) awaits_verdict_ = false;
  return verdict;
}

template <Scalar T>
void SelectedInverse<T>::require_valid() const {
  if (!valid_)
    misuse_of_inverse("it is not computed yet, or the last time failed: call compute() first");
}

template <Scalar T>
void SelectedInverse<T>::require_readable(const char* name, std::size_t length,
                                          Offset expected) const {
  if (!awaits_verdict_) require_valid();
  if (static_cast<Offset>(length) != expected)
    misuse_of_inverse(std::string(name) + " has " + std::to_string(expected) +
                      " numbers, there is room for " + std::to_string(length));
}

template <Scalar T>
void SelectedInverse<T>::enqueue_diagonal(std::span<T> there, StreamHandle stream) const {
  const numeric::DeviceInverse<T>& from = device();
  require_readable("the diagonal", there.size(), plan().n);
  from.enqueue_diagonal(there, stream);
}

template <Scalar T>
void SelectedInverse<T>::enqueue_on_pattern(std::span<T> there, StreamHandle stream) const {
  const numeric::DeviceInverse<T>& from = device();
  require_readable("the pattern", there.size(), plan().nnz);
  from.enqueue_entries(there, stream);
}

template <Scalar T>
std::optional<T> SelectedInverse<T>::entry(Index row, Index col) const {
  require_valid();
  const Index n = plan().n;
  if (row < 0 || row >= n || col < 0 || col >= n)
    misuse_of_inverse("entry (" + std::to_string(row) + ", " + std::to_string(col) +
                      ") where n is " + std::to_string(n) + ", expected 0 to " +
                      std::to_string(n - 1));
  const Supernodes& nodes = plan().supernodes;
  const auto [j, i] = std::minmax({plan().perm.new_of(row), plan().perm.new_of(col)});
  const auto s = static_cast<Index>(std::upper_bound(nodes.first.begin(), nodes.first.end(), j) -
                                    nodes.first.begin() - 1);
  const auto rows = nodes.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), i);
  if (at == rows.end() || *at != i) return std::nullopt;
  return store_->entry(s, static_cast<Index>(at - rows.begin()), j - nodes.first[s]);
}

template <Scalar T>
std::vector<T> SelectedInverse<T>::diagonal() const {
  require_valid();
  const auto n = static_cast<std::size_t>(plan().n);
  std::vector<T> in_order(n), out(n);
  store_->copy_diagonal(in_order);
  for (Index i = 0; i < plan().n; ++i) out[i] = in_order[plan().perm.new_of(i)];
  return out;
}

template <Scalar T>
std::vector<T> SelectedInverse<T>::on_pattern_of(const Pattern& a) const {
  require_valid();
  require_pattern(a, plan(),
                  "selected inverse: the matrix has another pattern than the one analysed");
  std::vector<T> out(static_cast<std::size_t>(plan().nnz));
  store_->copy_entries(out);
  return out;
}

template class SelectedInverse<float>;
template class SelectedInverse<double>;

}  // namespace kauri
