// The selected inverse on the CPU, from the root down: the largest fronts and their ancestors one
// after another by all threads, then the other fronts as tasks of subtrees, side by side.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/inverse/inverse.hpp"

#include "base/common/checked.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {

InverseNeeds::InverseNeeds(const Plan& plan, int workers) : threads(workers) {
  const Supernodes& sn = plan.supernodes;
  std::vector<char> at_top(static_cast<std::size_t>(sn.count()), 0);
  for (Index s = 0; s < sn.count(); ++s) {  // children come before parents
    if (InverseScratch::shared(sn.order(s), sn.pivots(s)) > InverseScratch::kAtATime) at_top[s] = 1;
    if (at_top[s] != 0 && sn.parent[s] != kNone) at_top[sn.parent[s]] = 1;
  }
  for (Index s = sn.count(); s-- > 0;) {
    const Index m = sn.order(s);
    numbers_each = std::max(numbers_each, InverseScratch::numbers(m));
    places_each = std::max(places_each, InverseScratch::places(m));
    Offset& shared = at_top[s] != 0 ? shared_at_top : shared_each;
    shared = std::max(shared, InverseScratch::shared(m, sn.pivots(s)));
    if (at_top[s] != 0) top.push_back(s);
  }
}

template <class T>
CpuInverse<T>::CpuInverse(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger)
    : plan_(std::move(plan)),
      kernels_(dense_kernels<T>(plan_->target)),
      workers_(workers),
      needs_(*plan_, workers.threads()),
      z_(plan_->internals->panel_ptr.back(), ledger),
      numbers_(needs_.numbers(), ledger),
      shared_(needs_.shared(), ledger),
      places_(needs_.places(), ledger),
      counters_(static_cast<Index>(plan_->internals->schedule.task.size()), ledger) {}

template <class T>
Offset CpuInverse<T>::bytes(const Plan& plan, const Workers& workers) {
  const InverseNeeds needs(plan, workers.threads());
  const Offset numbers = checked_add(plan.internals->panel_ptr.back(),
                                     needs.numbers() + needs.shared(), "entries of an inverse");
  return checked_add(checked_mul(numbers, Offset{sizeof(T)}, "bytes of an inverse"),
                     needs.places() * Offset{sizeof(Index)} + plan.counter_bytes(),
                     "bytes of an inverse");
}

template <class T>
void CpuInverse<T>::compute(const FactorImpl<T>& factor) {
  const Plan& plan = *plan_;
  const InverseArrays<T> arrays{.plan = &plan,
                                .kernels = &kernels_,
                                .workers = &workers_,
                                .l = static_cast<const CpuFactor<T>&>(factor).values(),
                                .z = z_.data(),
                                .numbers = numbers_.data(),
                                .places = places_.data(),
                                .numbers_each = needs_.numbers_each,
                                .places_each = needs_.places_each};
  const auto run_task = [&](Index t) {
    const symbolic::Schedule::Task& task = plan.internals->schedule.task[t];
    T* shared = shared_.data() + workers_.place() * needs_.shared_each;
    const StopCheck check_stop;
    for (Index s = task.last_front; s-- > task.first_front;) {
      check_stop();
      if (!std::binary_search(needs_.top.begin(), needs_.top.end(), s, std::greater<>()))
        invert_front(arrays, s, shared);
    }
  };
  workers_.execute([&] {
    const StopCheck check_stop;
    for (const Index s : needs_.top) check_stop(), invert_front(arrays, s, shared_.data());
    TaskRun(workers_, counters_)
        .downwards(plan.internals->schedule.backward_edges, std::cref(run_task));
  });
}

template <class T>
T CpuInverse<T>::entry(Index s, Index r, Index c) const {
  return z_.data()[plan_->internals->panel_ptr[s] + r + Offset{c} * plan_->supernodes.order(s)];
}

template <class T>
void CpuInverse<T>::copy_diagonal(std::span<T> to) const {
  const Supernodes& sn = plan_->supernodes;
  for (Index s = 0; s < sn.count(); ++s)
    for (Index c = 0; c < sn.pivots(s); ++c) to[sn.first[s] + c] = entry(s, c, c);
}

template <class T>
void CpuInverse<T>::copy_entries(std::span<T> to) const {
  const Supernodes& sn = plan_->supernodes;
  const symbolic::Assembly& assembly = plan_->internals->assembly;
  for (Index s = 0; s < sn.count(); ++s)
    for (Index j = sn.first[s]; j < sn.first[s + 1]; ++j)
      for (Offset k = assembly.entry_ptr[j]; k < assembly.entry_ptr[j + 1]; ++k)
        to[assembly.entry_source[k]] = entry(s, assembly.entry_row[k], j - sn.first[s]);
}

template <class T>
std::unique_ptr<InverseImpl<T>> CpuFactor<T>::make_inverse() const {
  return std::make_unique<CpuInverse<T>>(plan_, workers_, ledger_);
}

template <class T>
Offset CpuFactor<T>::inverse_bytes() const {
  return CpuInverse<T>::bytes(*plan_, workers_);
}

template class CpuInverse<float>;
template class CpuInverse<double>;
template std::unique_ptr<InverseImpl<float>> CpuFactor<float>::make_inverse() const;
template std::unique_ptr<InverseImpl<double>> CpuFactor<double>::make_inverse() const;
template Offset CpuFactor<float>::inverse_bytes() const;
template Offset CpuFactor<double>::inverse_bytes() const;

}  // namespace kauri::numeric::cpu
