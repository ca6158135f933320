// Batches on the CPU: items side by side, a thread each, or one after another by all threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/batch/batch.hpp"

#include <utility>

#include "base/common/checked.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/loop_batch.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Predicted seconds of one thread on an item from which on all threads share an item, one item
/// after another: the gain then outweighs their synchronisation.
constexpr double kLongItem = 0.01;

/// Returns `way`, or if that is `automatic` `together` or `one_by_one`, as the plan alone decides.
BatchWay way_of(const Plan& plan, BatchWay way) {
  if (way != BatchWay::automatic) return way;
  const bool together = plan.internals->schedule.task.size() < 2 ||
                        plan.cost.predicted_factor_s * plan.internals->schedule.workers < kLongItem;
  return together ? BatchWay::together : BatchWay::one_by_one;
}

ItemLoop one_after_another() {
  return {1, [](Index items, const std::function<void(Index, int)>& f) {
            const StopCheck check_stop;
            for (Index k = 0; k < items; ++k) check_stop(), f(k, 0);
          }};
}

ItemLoop items_side_by_side(Workers& workers) {
  return {
      workers.threads(), [&workers](Index items, const std::function<void(Index, int)>& f) {
        workers.execute([&] { workers.parallel(items, [&](Index k) { f(k, workers.place()); }); });
      }};
}

}  // namespace

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::shared_ptr<const Plan> plan, Index items,
                                         BatchWay way, Workers& workers, Workers& alone,
                                         MemoryLedger& ledger) {
  way = way_of(*plan, way);
  const bool together = way == BatchWay::together;
  return std::make_unique<LoopBatch<T>>(
      plan, items, way, together ? items_side_by_side(workers) : one_after_another(),
      [&] { return std::make_unique<CpuFactor<T>>(plan, together ? alone : workers, ledger); },
      [plan, &ledger](Index nrhs) { return std::make_unique<CpuWorkspace<T>>(plan, nrhs, ledger); },
      [plan](Index nrhs) { return plan->workspace_bytes(sizeof(T), nrhs); });
}

Offset batch_bytes(const Plan& plan, Index items, int scalar_bytes) {
  return checked_mul(items, plan.peak_bytes(scalar_bytes), "bytes of a batch");
}

template std::unique_ptr<BatchImpl<float>> make_batch(std::shared_ptr<const Plan>, Index, BatchWay,
                                                      Workers&, Workers&, MemoryLedger&);
template std::unique_ptr<BatchImpl<double>> make_batch(std::shared_ptr<const Plan>, Index, BatchWay,
                                                       Workers&, Workers&, MemoryLedger&);

}  // namespace kauri::numeric::cpu
