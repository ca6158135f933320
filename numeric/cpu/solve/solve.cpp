// Forward and backward substitution over the assembly tree: L y = P b, L^T (P x) = y.
//
// In the forward sweep, front s pulls its children's update rows in their fixed order into its own
// pivot and update rows, solves with its pivot block and subtracts L21 y from its update rows. In
// the backward sweep it gathers x in its rows below the pivots, subtracts the products of L21^T
// with them from its pivot rows, and solves with its pivot block. No two fronts write the same
// place, so the bits do not depend on the threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/common/checked.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/cpu/solve/row_major.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Fronts whose panels have more than this number of entries are cut into blocks that all threads
/// may work on.
constexpr Offset kParallelEntries = Offset{1} << 16;
constexpr Index kSolveColumns = 240;    // pivots between two synchronisations of the threads
constexpr Index kForwardRows = 480;     // rows of L that a thread takes at a time, forward
constexpr Index kBackwardColumns = 24;  // columns of L that a thread takes at a time, backward

/// Both sweeps over r columns. x: n x r, row-major, in the plan's numbering, right-hand sides in
/// and solutions out; update: scratch for update rows.
template <class T>
class Sweep {
 public:
  Sweep(const Plan& plan, const DenseKernels<T>& kernels, Workers& workers,
        const PanelMemory<T>& panels, T* x, T* update, Index r)
      : plan_(plan),
        lists_(*plan.internals),
        kernels_(kernels),
        workers_(workers),
        panels_(panels),
        l_(panels.data()),
        x_(x),
        update_(update),
        r_(r) {}

  void forward_task(Index t) {
    const symbolic::Schedule::Task& task = lists_.schedule.task[t];
    const StopCheck check_stop;
    PanelsAhead<T> ahead = panels_of(task, true);
    for (Index s = task.first_front; s < task.last_front; ++s) {
      check_stop();
      ahead.at(lists_.panel_ptr[s], lists_.panel_ptr[s + 1]);
      forward_front(s);
    }
  }

  void backward_task(Index t) {
    const symbolic::Schedule::Task& task = lists_.schedule.task[t];
    const StopCheck check_stop;
    PanelsAhead<T> ahead = panels_of(task, false);
    for (Index s = task.last_front; s-- > task.first_front;) {
      check_stop();
      ahead.at(lists_.panel_ptr[s], lists_.panel_ptr[s + 1]);
      backward_front(s);
    }
  }

 private:
  [[nodiscard]] PanelsAhead<T> panels_of(const symbolic::Schedule::Task& task, bool upwards) const {
    return {panels_, lists_.panel_ptr[task.first_front], lists_.panel_ptr[task.last_front],
            upwards};
  }

  struct FrontOperands {
    Index p, q, m;
    const T* l;    // panel, m x p
    T* x;          // pivot rows, p x r
    T* u;          // update rows, q x r
    bool blocked;  // the panel has more than kParallelEntries entries
  };

  [[nodiscard]] FrontOperands shape(Index s) const {
    const Supernodes& sn = plan_.supernodes;
    const Index p = sn.pivots(s), m = sn.order(s);
    const Offset u = lists_.schedule.update[s];
    return {p,
            m - p,
            m,
            l_ + lists_.panel_ptr[s],
            x_ + Offset{sn.first[s]} * r_,
            u >= 0 ? update_ + u * r_ : nullptr,
            Offset{m} * p > kParallelEntries};
  }

  void pull_children(Index s, const FrontOperands& f) {
    const symbolic::Assembly& assembly = lists_.assembly;
    for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k) {
      const Index c = assembly.child[k];
      const symbolic::RowRun* run = assembly.run.data();
      kernels_.pull_rows(run + assembly.run_ptr[c], run + assembly.run_ptr[c + 1], f.p, r_,
                         update_ + lists_.schedule.update[c] * r_, f.x, f.u);
    }
  }

  void forward_front(Index s) {
    const FrontOperands f = shape(s);
    std::fill(f.u, f.u + Offset{f.q} * r_, T(0));
    pull_children(s, f);
    if (!f.blocked) {
      kernels_.forward(f.p, r_, f.l, f.m, f.x);
      kernels_.forward_update(f.q, f.p, r_, f.l + f.p, f.m, f.x, f.u);
      return;
    }
    for (Index k = 0; k < f.p; k += kSolveColumns) {
      const Index width = std::min(kSolveColumns, f.p - k), below = f.m - k - width;
      T* x = f.x + Offset{k} * r_;
      kernels_.forward(width, r_, f.l + k + Offset{k} * f.m, f.m, x);
      workers_.parallel((below + kForwardRows - 1) / kForwardRows, [&](Index b) {
        // Rows [i0, i1) of the front: rows [i0, cut) are pivots, in x; the rest are in u.
        const Index i0 = k + width + b * kForwardRows, i1 = std::min(f.m, i0 + kForwardRows),
                    cut = std::clamp(f.p, i0, i1);
        const T* a = f.l + Offset{k} * f.m;
        if (i0 < cut)
          kernels_.forward_update(cut - i0, width, r_, a + i0, f.m, x, f.x + Offset{i0} * r_);
        if (cut < i1)
          kernels_.forward_update(i1 - cut, width, r_, a + cut, f.m, x,
                                  f.u + Offset{cut - f.p} * r_);
      });
    }
  }

  void backward_front(Index s) {
    const FrontOperands f = shape(s);
    kernels_.gather_rows(f.q, plan_.supernodes.row.data() + plan_.supernodes.row_ptr[s] + f.p, r_,
                         x_, f.u);
    if (!f.blocked) {
      kernels_.backward_update(f.q, f.p, r_, f.l + f.p, f.m, f.u, f.x);
      kernels_.backward(f.p, r_, f.l, f.m, f.x);
      return;
    }
    for (Index end = f.p; end > 0;) {
      const Index width = (end - 1) % kSolveColumns + 1, k = end - width;
      workers_.parallel((width + kBackwardColumns - 1) / kBackwardColumns, [&](Index b) {
        const Index j = k + b * kBackwardColumns, cols = std::min(kBackwardColumns, end - j);
        const T* a = f.l + Offset{j} * f.m;
        T* x = f.x + Offset{j} * r_;
        kernels_.backward_update(f.q, cols, r_, a + f.p, f.m, f.u, x);
        if (end < f.p)
          kernels_.backward_update(f.p - end, cols, r_, a + end, f.m, f.x + Offset{end} * r_, x);
      });
      kernels_.backward(width, r_, f.l + k + Offset{k} * f.m, f.m, f.x + Offset{k} * r_);
      end = k;
    }
  }

  const Plan& plan_;
  const symbolic::PlanInternals& lists_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  const PanelMemory<T>& panels_;
  const T* l_;
  T* x_;
  T* update_;
  Index r_;
};

}  // namespace

template <class T>
CpuWorkspace<T>::CpuWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, MemoryLedger& ledger)
    : plan_(std::move(plan)),
      nrhs_(std::min(nrhs, kSolveBlock)),
      x_(Offset{plan_->n} * nrhs_, ledger),
      update_(checked_mul(plan_->internals->schedule.update_rows, nrhs_, "scalars of workspace"),
              ledger),
      counters_(static_cast<Index>(plan_->internals->schedule.task.size()), ledger) {}

template <class T>
void CpuFactor<T>::solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                         const SolveSteps& steps) const {
  auto& w = static_cast<CpuWorkspace<T>&>(workspace);
  l_.require_written();
  workers_.execute([&] {
    for (Index c = 0; c < x.cols; c += w.nrhs()) {
      const Index nrhs = std::min(w.nrhs(), x.cols - c);
      Sweep<T> sweep(*plan_, kernels_, workers_, l_, w.x(), w.update(), nrhs);
      gather<T>(steps.permute ? &plan_->perm : nullptr, columns(b, c, nrhs), w.x(), workers_);
      if (steps.forward)
        TaskRun(workers_, w.counters())
            .upwards(plan_->internals->schedule.forward_edges,
                     [&](Index t) { sweep.forward_task(t); });
      if (steps.backward)
        TaskRun(workers_, w.counters())
            .downwards(plan_->internals->schedule.backward_edges,
                       [&](Index t) { sweep.backward_task(t); });
      scatter(steps.back ? &plan_->perm : nullptr, w.x(), columns(x, c, nrhs), workers_);
    }
  });
}

template class CpuWorkspace<float>;
template class CpuWorkspace<double>;
template void CpuFactor<float>::solve(MatrixView<const float>, MatrixView<float>,
                                      WorkspaceImpl<float>&, const SolveSteps&) const;
template void CpuFactor<double>::solve(MatrixView<const double>, MatrixView<double>,
                                       WorkspaceImpl<double>&, const SolveSteps&) const;

}  // namespace kauri::numeric::cpu
