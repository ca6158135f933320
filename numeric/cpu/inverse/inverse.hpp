// The selected inverse on the CPU: from the root down, tasks over subtrees, tiles inside large
// fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cpu/inverse/inverse_front.hpp"

namespace kauri::numeric::cpu {

/// Sizes of the scratch memory, in entries, that a plan's inverse needs beside Z; they follow from
/// the plan and the number of threads.
struct InverseNeeds {
  InverseNeeds(const Plan& plan, int workers);
  std::vector<Index> top;    ///< fronts done one after another, before all tasks: those with panels
                             ///< above InverseScratch::kAtATime, and their ancestors; descending
  int threads;               ///< number of threads that work at the same time
  Offset numbers_each = 0;   ///< largest InverseScratch::numbers() of all fronts
  Index places_each = 0;     ///< largest InverseScratch::places() of all fronts
  Offset shared_each = 0;    ///< largest InverseScratch::shared() of fronts that are not in `top`
  Offset shared_at_top = 0;  ///< largest InverseScratch::shared() of fronts in `top`
  [[nodiscard]] Offset numbers() const { return threads * numbers_each; }
  [[nodiscard]] Offset places() const { return Offset{threads} * places_each; }
  /// Returns the entries of U and N (InverseScratch::shared): all threads work on one front of
  /// `top`, or each on another front below it.
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
  /// Returns the bytes that the constructor allocates.
  static Offset bytes(const Plan& plan, const Workers& workers);

 private:
  std::shared_ptr<const Plan> plan_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  InverseNeeds needs_;
  Buffer<T> z_;           // panels at PlanInternals::panel_ptr
  Buffer<T> numbers_;     // scratch: InverseNeeds::numbers_each for each thread
  Buffer<T> shared_;      // scratch: U and N of fronts in tiles, see InverseNeeds::shared()
  Buffer<Index> places_;  // scratch: InverseNeeds::places_each for each thread
  RunCounters counters_;
};

}  // namespace kauri::numeric::cpu
