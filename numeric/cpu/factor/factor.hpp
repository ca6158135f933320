// A factor on the CPU, by multifrontal Cholesky (Duff & Reid 1983; Liu 1992) with tasks over
// subtrees and tiles inside large fronts; the workspace of its solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "numeric/backend.hpp"
#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/factor/front.hpp"
#include "numeric/cpu/factor/panel_memory.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// The values of L in panels, and the memory of a factorisation: contribution blocks and scratch
/// lie in panels of fronts that have not begun yet, and behind all panels.
template <class T>
class CpuFactor final : public FactorImpl<T>, public HostAccess<T>, public StreamCalls<T> {
 public:
  /// folder: where the panels and the memory of the factorisation lie in a file
  /// (CpuOptions::factor_file); empty: they lie in memory.
  CpuFactor(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger,
            const std::string& folder = {});
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_; }
  [[nodiscard]] const DeviceVerdict& verdict() const override { return verdict_; }
  [[nodiscard]] const DeviceVerdict* verdict_address() const override { return &verdict_; }
  const DeviceVerdict& fetch_verdict(StreamHandle stream) override;
  void begin_after(StreamHandle stream) override;
  const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) override;
  void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) override;
  [[nodiscard]] std::span<const T> on_host(std::span<const T> value,
                                           std::vector<T>&) const override {
    return value;
  }
  void solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
             const SolveSteps& steps) const override;
  void multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                bool transposed) const override;
  [[nodiscard]] HostAccess<T>& host_access() override { return *this; }
  [[nodiscard]] StreamCalls<T>& stream_calls() override { return *this; }
  [[nodiscard]] T entry(Index row, Index col) const override;
  void copy_panel(Index s, std::span<T> to) const override;
  void copy_diagonal(std::span<T> to) const override;
  const DeviceVerdict& restore(SavedPanels<T>& from) override;
  [[nodiscard]] std::unique_ptr<InverseImpl<T>> make_inverse() const override;
  [[nodiscard]] Offset inverse_bytes() const override;
  /// Returns the panels of L: that of front s, m x p with leading dimension m, begins at
  /// PlanInternals::panel_ptr[s]. Throws Error(input) if panels in a file were lost.
  [[nodiscard]] T* values() const {
    l_.require_written();
    return l_.data();
  }

 private:
  std::shared_ptr<const Plan> plan_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  MemoryLedger& ledger_;
  PanelMemory<T> l_;  // panel_ptr.back() entries of panels, then schedule.stack_entries more
  RunCounters counters_;
  DeviceVerdict verdict_;
};

/// Workspace of solves and of products with L, for up to min(nrhs, kSolveBlock) columns at a time:
/// permuted right-hand sides and update rows.
template <class T>
class CpuWorkspace final : public WorkspaceImpl<T> {
 public:
  CpuWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, MemoryLedger& ledger);
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  [[nodiscard]] const Plan& plan() const override { return *plan_; }
  [[nodiscard]] T* x() const { return x_.data(); }
  [[nodiscard]] T* update() const { return update_.data(); }
  [[nodiscard]] const RunCounters& counters() const { return counters_; }

 private:
  std::shared_ptr<const Plan> plan_;
  Index nrhs_;        // number of columns solved at once
  Buffer<T> x_;       // n x nrhs, row-major, in the plan's numbering
  Buffer<T> update_;  // schedule.update_rows x nrhs, row-major
  RunCounters counters_;
};

}  // namespace kauri::numeric::cpu
