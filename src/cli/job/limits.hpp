// What this machine has, and the refusal of work that does not fit: before it starts, with the bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "kauri/error.hpp"
#include "kauri/plan.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// Bytes that this process can still take: the least of MemAvailable and what its control groups (v1 and v2, with all their parents) leave,
/// less what page tables and stacks of threads take of it, and of what its own limits on address space and data leave. The largest Offset
/// where nothing can be read.
Offset available_bytes();

/// What a factorisation with `nrhs` right-hand sides, their solution and its refinement will allocate in the host's memory beyond A and the
/// plan.
struct Demand {
  Offset bytes = 0;
  double flops = 0;
};
Demand demand(const Plan& plan, int scalar_bytes, Index nrhs);
/// The same with mixed precision, without a factor in double.
Demand mixed_demand(const Plan& plan, Index nrhs);

/// Why this demand is refused ("the factorisation of vem2 needs 1.2 GB (1200000000 bytes), but ..."), or empty if it fits.
std::string refusal(const Demand& demand, const LimitOptions& limits, std::string_view system);
/// Throws Error(memory) with the refusal.
void require(const Demand& demand, const LimitOptions& limits, std::string_view system);
/// The same where the factor is there already.
void require_for_solve(const Plan& plan, int scalar_bytes, Index nrhs, const LimitOptions& limits, std::string_view system);
/// The same for the vectors alone, which are known before any ordering is: 4 of n for each right-hand side.
void require_for_vectors(Index n, Index nrhs, int scalar_bytes, const LimitOptions& limits, std::string_view system);
/// The same for ordering and analysis, whose least need follows from rows and entries alone.
void require_for_analysis(const Pattern& lower, const LimitOptions& limits, std::string_view system);

/// While it lives, allocations beyond what the machine has fail at once (std::bad_alloc), so that reading or making a system that is too
/// large ends with a message and not with the kernel killing processes.
class MemoryFence {
 public:
  explicit MemoryFence(const LimitOptions& limits);
  ~MemoryFence();
  MemoryFence(const MemoryFence&) = delete;
  MemoryFence& operator=(const MemoryFence&) = delete;
  /// Bytes that could be taken when the fence went up.
  [[nodiscard]] Offset bytes() const { return bytes_; }

 private:
  Offset bytes_ = 0;
  unsigned long long old_limit_ = 0;
};

/// What is said of an allocation that failed without a word: "out of memory: 12.3 MB (12345678 bytes) are available".
std::string out_of_memory();

/// What an Error says when `what` ("the analysis of vem2") ran into the fence.
[[noreturn]] void fail_at_fence(const std::string& what, const MemoryFence& fence);

/// f() behind a fence; memory that runs out is told as Error(memory) with the bytes that could be taken.
template <class F>
auto fenced(const std::string& what, const LimitOptions& limits, F&& f) {
  const MemoryFence fence(limits);
  try {
    return f();
  } catch (const std::bad_alloc&) {
    fail_at_fence(what, fence);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
    fail_at_fence(what, fence);
  }
}

}  // namespace kauri::cli
