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

/// The least of many numbers, whatever their order.
class Least {
 public:
  void note(double value) {
    double least = value_.load(std::memory_order_relaxed);
    while (value < least && !value_.compare_exchange_weak(least, value, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] double value() const { return value_.load(); }

 private:
  std::atomic<double> value_{std::numeric_limits<double>::infinity()};
};

/// The least L(j,j)^2 of a panel with p pivots and leading dimension m.
template <class T>
double least_pivot(const T* panel, Index m, Index p) {
  double least = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < p; ++j) {
    const auto root = static_cast<double>(panel[j + Offset{j} * m]);
    least = std::min(least, root * root);
  }
  return least;
}

void require_no_stream(StreamHandle stream) {
  if (stream != nullptr) throw Error(ErrorKind::usage, "a factor on the CPU has no streams: pass null");
}

}  // namespace

template <class T>
CpuFactor<T>::CpuFactor(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger)
    : plan_(std::move(plan)),
      kernels_(dense_kernels<T>(plan_->target)),
      workers_(workers),
      l_(plan_->panel_ptr.back() + plan_->schedule.stack_entries, ledger),
      counters_(static_cast<Index>(plan_->schedule.task.size()), ledger) {}

template <class T>
const DeviceVerdict& CpuFactor<T>::fetch_verdict(StreamHandle stream) {
  require_no_stream(stream);
  return verdict_;
}

template <class T>
void CpuFactor<T>::enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) {
  require_no_stream(stream);
  refactorize(value, shift, ValuesAre::fresh);
}

template <class T>
const DeviceVerdict& CpuFactor<T>::refactorize(std::span<const T> value, T shift, ValuesAre) {
  verdict_ = {};
  const Plan& plan = *plan_;
  const FactorArrays<T> arrays{&plan, &kernels_, value.data(), shift, l_.data()};
  FirstFailure failure;
  Least pivot;
  const auto run_task = [&](Index t) {
    const Schedule::Task& task = plan.schedule.task[t];
    T* scratch = plan.schedule.scratch[t] >= 0 ? l_.data() + plan.schedule.scratch[t] : nullptr;
    const bool parallel = workers_.threads() > 1;
    const StopCheck check_stop;
    for (Index s = task.first_front; s < task.last_front; ++s) {
      const Index first = plan.supernodes.first[s];
      if (failure.precedes(first)) return;
      check_stop();
      const FrontFailure<T> f = factor_front(arrays, s, kernels_, workers_, parallel, scratch);
      if (f.column != kNone) return failure.note(first + f.column, static_cast<double>(f.pivot));
      pivot.note(least_pivot(l_.data() + plan.panel_ptr[s], plan.supernodes.order(s), plan.supernodes.pivots(s)));
    }
  };
  workers_.execute([&] { TaskRun(workers_, counters_).upwards(plan.schedule.factor_edges, std::ref(run_task)); });
  verdict_ = failure.any()
                 ? DeviceVerdict{VerdictStatus::not_positive_definite, plan.perm.old_of(failure.column()), failure.pivot(), failure.pivot()}
                 : DeviceVerdict{VerdictStatus::positive_definite, kNone, 0, pivot.value()};
  return verdict_;
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

template <class T>
void CpuFactor<T>::copy_panel(Index s, std::span<T> to) const {
  std::copy_n(l_.data() + plan_->panel_ptr[s], to.size(), to.begin());
}

template class CpuFactor<float>;
template class CpuFactor<double>;

}  // namespace kauri::numeric::cpu
