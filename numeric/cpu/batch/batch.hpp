// Batches on the CPU: items side by side, a thread each, or one after another by all threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Makes a batch of `items` factors. alone: a Workers of one thread, for items done side by side.
/// workers, alone and ledger must outlive the batch. Throws Error: memory, overflow.
template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::shared_ptr<const Plan> plan, Index items,
                                         BatchWay way, Workers& workers, Workers& alone,
                                         MemoryLedger& ledger);
/// Returns the bytes of the factors of a batch. Throws Error(overflow).
Offset batch_bytes(const Plan& plan, Index items, int scalar_bytes);

}  // namespace kauri::numeric::cpu
