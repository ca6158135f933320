// Multifrontal Cholesky on the CPU (Duff & Reid 1983; Liu 1992): tasks over subtrees, tiles inside large fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/factor.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <mutex>

#include "numeric/cpu/front.hpp"

namespace kauri::numeric::cpu {
namespace {

/// The failing column of least permuted index, whatever the order in which failures are found.
class FirstFailure {
 public:
  void note(Index column, double pivot) {
    const std::scoped_lock lock(mutex_);
    if (column >= column_.load(std::memory_order_relaxed)) return;
    column_.store(column, std::memory_order_relaxed);
    pivot_ = pivot;
  }
  /// A task all of whose columns lie beyond the failure can no longer change it; the ancestors of a failed front are among these.
  [[nodiscard]] bool precedes(Index column) const { return column_.load(std::memory_order_relaxed) <= column; }
  [[nodiscard]] bool any() const { return column_.load() != std::numeric_limits<Index>::max(); }
  [[nodiscard]] Index column() const { return column_.load(); }
  [[nodiscard]] double pivot() const { return pivot_; }

 private:
  std::mutex mutex_;
  std::atomic<Index> column_{std::numeric_limits<Index>::max()};
  double pivot_ = 0;
};

}  // namespace

template <class T>
CpuFactor<T>::CpuFactor(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger)
    : plan_(std::move(plan)),
      kernels_(dense_kernels<T>(plan_->target)),
      workers_(workers),
      l_(plan_->panel_ptr.back() + plan_->schedule.stack_entries, ledger),
      counters_(static_cast<Index>(plan_->schedule.task.size()), ledger) {}

template <class T>
Result<void, Breakdown> CpuFactor<T>::refactorize(std::span<const T> value, T shift) {
  valid_ = false;
  const Plan& plan = *plan_;
  const FactorArrays<T> arrays{&plan, &kernels_, value.data(), shift, l_.data()};
  FirstFailure failure;
  const auto run_task = [&](Index t) {
    const Schedule::Task& task = plan.schedule.task[t];
    T* scratch = plan.schedule.scratch[t] >= 0 ? l_.data() + plan.schedule.scratch[t] : nullptr;
    const bool parallel = workers_.threads() > 1;
    for (Index s = task.first_front; s < task.last_front; ++s) {
      const Index first = plan.supernodes.first[s];
      if (failure.precedes(first)) return;
      const FrontFailure<T> f = factor_front(arrays, s, kernels_, workers_, parallel, scratch);
      if (f.column != kNone) return failure.note(first + f.column, static_cast<double>(f.pivot));
    }
  };
  workers_.execute([&] { TaskRun(workers_, counters_).upwards(plan.schedule.factor_edges, std::ref(run_task)); });
  if (failure.any()) return Breakdown{plan.perm.old_of(failure.column()), failure.pivot()};
  valid_ = true;
  return {};
}

template <class T>
T CpuFactor<T>::entry(Index row, Index col) const {
  if (row < col) return T(0);
  const Supernodes& sn = plan_->supernodes;
  const auto s = static_cast<Index>(std::upper_bound(sn.first.begin(), sn.first.end(), col) - sn.first.begin() - 1);
  const auto rows = sn.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at == rows.end() || *at != row) return T(0);
  return l_.data()[plan_->panel_ptr[s] + (at - rows.begin()) + Offset{col - sn.first[s]} * sn.order(s)];
}

template class CpuFactor<float>;
template class CpuFactor<double>;

}  // namespace kauri::numeric::cpu
