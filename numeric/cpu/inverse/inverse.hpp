// The selected inverse on the CPU: from the root down, tasks over subtrees, tiles inside large fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cpu/inverse/inverse_front.hpp"

namespace kauri::numeric::cpu {

/// What a plan's inverse needs beside Z, by its pattern alone.
struct InverseNeeds {
  InverseNeeds(const Plan& plan, int workers);
  std::vector<Index> top;    ///< descending: fronts done one after another, before all tasks: the largest and all their ancestors
  int threads;               ///< that may be at work
  Offset numbers_each = 0;   ///< InverseScratch::numbers, the greatest
  Index places_each = 0;     ///< InverseScratch::places, the greatest
  Offset shared_each = 0;    ///< InverseScratch::shared of fronts below `top`, the greatest
  Offset shared_at_top = 0;  ///< of those of `top`
  [[nodiscard]] Offset numbers() const { return threads * numbers_each; }
  [[nodiscard]] Offset places() const { return Offset{threads} * places_each; }
  /// All threads are in one front of `top`, or each has one of the others.
  [[nodiscard]] Offset shared() const { return std::max(shared_at_top, threads * shared_each); }
};

template <class T>
class CpuInverse final : public InverseImpl<T> {
 public:
  CpuInverse(std::shared_ptr<const Plan> plan, Workers& workers, MemoryLedger& ledger);
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_; }
  void compute(const FactorImpl<T>& factor) override;
  [[nodiscard]] T entry(Index s, Index r, Index c) const override;
  void copy_diagonal(std::span<T> to) const override;
  void copy_entries(std::span<T> to) const override;
  /// What the constructor takes.
  static Offset bytes(const Plan& plan, const Workers& workers);

 private:
  std::shared_ptr<const Plan> plan_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  InverseNeeds needs_;
  Buffer<T> z_;        // panels at plan->panel_ptr
  Buffer<T> numbers_;  // scratch
  Buffer<T> shared_;
  Buffer<Index> places_;
  RunCounters counters_;
};

}  // namespace kauri::numeric::cpu
