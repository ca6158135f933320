// The factor on the CPU: refactorisation by the tasks of a plan, the verdict, access to entries of
// L (multifrontal Cholesky: Duff & Reid 1983; Liu 1992).
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/factor/factor.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <mutex>

#include "numeric/cpu/factor/front.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Entries of finished panels, at least, that are handed to the disk together, but for the last
/// ones of a task.
constexpr Offset kDoneTogether = Offset{1} << 20;

/// Keeps the failing column of least index in the plan's numbering, and its pivot, whatever the
/// order in which failures are found. Thread-safe; pivot() only after the run.
class FirstFailure {
 public:
  void note(Index column, double pivot) {
    const std::scoped_lock lock(mutex_);
    if (column >= column_.load(std::memory_order_relaxed)) return;
    column_.store(column, std::memory_order_relaxed);
    pivot_ = pivot;
  }
  /// Returns true if a failure at or before `column` is known. Fronts from `column` on then cannot
  /// change which failure is the first; the ancestors of a failed front are among these fronts.
  [[nodiscard]] bool precedes(Index column) const {
    return column_.load(std::memory_order_relaxed) <= column;
  }
  [[nodiscard]] bool any() const { return column_.load() != std::numeric_limits<Index>::max(); }
  [[nodiscard]] Index column() const { return column_.load(); }
  [[nodiscard]] double pivot() const { return pivot_; }

 private:
  std::mutex mutex_;
  std::atomic<Index> column_{std::numeric_limits<Index>::max()};
  double pivot_ = 0;
};

/// A pivot, before its square root, and its column in the plan's numbering. Equal pivots are
/// ordered by column.
struct Pivot {
  double value = std::numeric_limits<double>::infinity();
  Index column = std::numeric_limits<Index>::max();
  friend bool operator<(const Pivot& a, const Pivot& b) {
    return a.value < b.value || (a.value == b.value && a.column < b.column);
  }
};

/// Keeps the least of many pivots, whatever their order. Thread-safe; value() only after the run.
class Least {
 public:
  void note(const Pivot& pivot) {
    if (pivot.value > bound_.load(std::memory_order_relaxed)) return;
    const std::scoped_lock lock(mutex_);
    if (pivot < least_) least_ = pivot;
    bound_.store(least_.value, std::memory_order_relaxed);
  }
  [[nodiscard]] const Pivot& value() const { return least_; }

 private:
  std::mutex mutex_;
  Pivot least_;
  std::atomic<double> bound_{std::numeric_limits<double>::infinity()};
};

/// Returns the least L(j,j)^2 of a panel, with its column. The panel has p pivots, its first column
/// is column `first` of L, and its leading dimension is m.
template <class T>
Pivot least_pivot(const T* panel, Index first, Index m, Index p) {
  Pivot least;
  for (Index j = 0; j < p; ++j) {
    const auto root = static_cast<double>(panel[j + Offset{j} * m]);
    least = std::min(least, Pivot{root * root, first + j});
  }
  return least;
}

/// Returns the good verdict with this least pivot, whose column it converts to the caller's
/// numbering.
DeviceVerdict positive_definite(const Plan& plan, const Pivot& least) {
  return {VerdictStatus::positive_definite, kNone, 0, least.value,
          plan.n > 0 ? plan.perm.old_of(least.column) : kNone};
}

}  // namespace

template <class T>
CpuFactor<T>::CpuFactor(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger,
                        const std::string& folder)
    : plan_(std::move(plan)),
      kernels_(dense_kernels<T>(plan_->target)),
      workers_(workers),
      ledger_(ledger),
      l_(plan_->internals->panel_ptr.back() + plan_->internals->schedule.stack_entries, ledger,
         folder),
      counters_(static_cast<Index>(plan_->internals->schedule.task.size()), ledger) {}

template <class T>
const DeviceVerdict& CpuFactor<T>::fetch_verdict(StreamHandle stream) {
  require_no_stream(stream);
  return verdict_;
}

template <class T>
void CpuFactor<T>::begin_after(StreamHandle stream) {
  require_no_stream(stream);
}

template <class T>
void CpuFactor<T>::enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) {
  require_no_stream(stream);
  refactorize(value, shift, ValuesAre::fresh);
}

template <class T>
const DeviceVerdict& CpuFactor<T>::refactorize(std::span<const T> value, T shift, ValuesAre) {
  verdict_ = {};
  l_.replace();
  const Plan& plan = *plan_;
  const symbolic::PlanInternals& lists = *plan.internals;
  const FactorArrays<T> arrays{&plan, &kernels_, value.data(), shift, l_.data(), metering::current};
  if (arrays.meter != nullptr) arrays.meter->begin(plan.cost.executed_flops);
  FirstFailure failure;
  Least least;
  const auto run_task = [&](Index t) {
    const symbolic::Schedule::Task& task = lists.schedule.task[t];
    T* scratch = lists.schedule.scratch[t] >= 0 ? l_.data() + lists.schedule.scratch[t] : nullptr;
    const bool parallel = workers_.threads() > 1;
    const StopCheck check_stop;
    MeterParts parts(arrays.meter);
    Offset from = lists.panel_ptr[task.first_front];  // of panels that are done since the last hint
    for (Index s = task.first_front; s < task.last_front; ++s) {
      const Index first = plan.supernodes.first[s];
      if (failure.precedes(first)) return;
      check_stop();
      const FrontFailure<T> f = factor_front(arrays, s, kernels_, workers_, parallel, scratch);
      if (f.column != kNone) return failure.note(first + f.column, static_cast<double>(f.pivot));
      const Index m = plan.supernodes.order(s), p = plan.supernodes.pivots(s);
      least.note(least_pivot(l_.data() + lists.panel_ptr[s], first, m, p));
      if (!symbolic::FrontScratch::packed(m, p)) parts.add(symbolic::front_flops(m, p));
      const Offset to = lists.panel_ptr[s + 1];
      if (to - from < kDoneTogether && s + 1 < task.last_front) continue;
      l_.done(from, to);
      from = to;
    }
    parts.flush();
  };
  workers_.execute([&] {
    TaskRun(workers_, counters_).upwards(lists.schedule.factor_edges, std::ref(run_task));
  });
  l_.require_written();
  if (failure.any()) {
    const Index column = plan.perm.old_of(failure.column());
    verdict_ = {VerdictStatus::not_positive_definite, column, failure.pivot(), failure.pivot(),
                column};
  } else {
    verdict_ = positive_definite(plan, least.value());
  }
  return verdict_;
}

template <class T>
T CpuFactor<T>::entry(Index row, Index col) const {
  if (row < col) return T(0);
  const Supernodes& sn = plan_->supernodes;
  const auto s = static_cast<Index>(std::upper_bound(sn.first.begin(), sn.first.end(), col) -
                                    sn.first.begin() - 1);
  const auto rows = sn.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at == rows.end() || *at != row) return T(0);
  return values()[plan_->internals->panel_ptr[s] + (at - rows.begin()) +
                  Offset{col - sn.first[s]} * sn.order(s)];
}

template <class T>
void CpuFactor<T>::copy_panel(Index s, std::span<T> to) const {
  std::copy_n(values() + plan_->internals->panel_ptr[s], to.size(), to.begin());
}

template <class T>
void CpuFactor<T>::copy_diagonal(std::span<T> to) const {
  const Supernodes& sn = plan_->supernodes;
  const std::vector<Offset>& panel_ptr = plan_->internals->panel_ptr;
  const T* const l = values();
  for (Index s = 0; s < sn.count(); ++s)
    for (Index c = 0; c < sn.pivots(s); ++c)
      to[sn.first[s] + c] = l[panel_ptr[s] + c + Offset{c} * sn.order(s)];
}

template <class T>
const DeviceVerdict& CpuFactor<T>::restore(SavedPanels<T>& from) {
  verdict_ = {};
  l_.replace();
  const Supernodes& nodes = plan_->supernodes;
  const std::vector<Offset>& panel_ptr = plan_->internals->panel_ptr;
  Pivot least;
  for (Index s = 0; s < nodes.count(); ++s) {
    const std::span<T> panel(l_.data() + panel_ptr[s],
                             static_cast<std::size_t>(panel_ptr[s + 1] - panel_ptr[s]));
    std::fill(panel.begin(), panel.end(), T(0));
    from.read(s, panel);
    l_.done(panel_ptr[s], panel_ptr[s + 1]);
    least =
        std::min(least, least_pivot(panel.data(), nodes.first[s], nodes.order(s), nodes.pivots(s)));
  }
  l_.require_written();
  return verdict_ = positive_definite(*plan_, least);
}

template class CpuFactor<float>;
template class CpuFactor<double>;

}  // namespace kauri::numeric::cpu
