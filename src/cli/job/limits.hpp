// Memory limits: the memory of this machine, and the refusal of work that does not fit, before it
// starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "src/cli/options/options.hpp"

namespace kauri::cli {

/// Returns the bytes that this process can still allocate: the least of (a) MemAvailable and the
/// memory left in its control groups (v1 and v2, with all their parents), reduced by page tables,
/// thread stacks and pages of written files, and (b) the memory left under its own limits on
/// address space and data. Returns the largest Offset if nothing can be read.
Offset available_bytes();

/// Bytes of host memory, besides A and the plan, that a factorisation, a solve with `nrhs`
/// right-hand sides and its refinement need, and operations of the factorisation alone. A factor on
/// a device takes none of these bytes, one in a file only those of its counters.
struct Demand {
  Offset bytes = 0;
  double flops = 0;
};
/// Returns the demand of the job. In mixed precision L in float suffices; A and vectors are in
/// double.
Demand demand(const Plan& plan, const JobOptions& job, Index nrhs);
/// Returns the bytes of the job's factor that are in host memory: neither on a device nor in a file
/// (--factor-file).
Offset factor_in_memory(const Plan& plan, const JobOptions& job);
/// Returns the bytes of the job's factor that are in a file; 0 without --factor-file.
Offset factor_in_file(const Plan& plan, const JobOptions& job);

/// Returns the reason why this demand is refused, as "the factorisation of vem2 needs 1.2 GB
/// (1200000000 bytes), but only ... are available", or an empty text if it fits.
std::string refusal(const Demand& demand, const LimitOptions& limits, std::string_view system);
/// Throws Error(memory) with the text of refusal() unless that is empty.
void require(const Demand& demand, const LimitOptions& limits, std::string_view system);
/// Throws Error(memory) if a solve of nrhs right-hand sides and its refinement do not fit beside
/// the factor, which is allocated already.
void require_for_solve(const Plan& plan, const JobOptions& job, Index nrhs,
                       const LimitOptions& limits, std::string_view system);
/// Throws Error(memory) if the vectors alone do not fit: four of length n for each right-hand side.
/// Their size is known before the ordering.
void require_for_vectors(Index n, Index nrhs, int scalar_bytes, const LimitOptions& limits,
                         std::string_view system);
/// Throws Error(memory) if ordering and analysis do not fit, by their least need, which follows
/// from rows and entries alone.
void require_for_analysis(const Pattern& lower, const LimitOptions& limits,
                          std::string_view system);

/// Memory fence: while it lives, allocations beyond the machine's memory or --max-gb fail at once
/// with std::bad_alloc. A system that is too large then ends with a message, before the kernel
/// kills processes. A build with sanitizers has no fence.
class MemoryFence {
 public:
  explicit MemoryFence(const LimitOptions& limits);
  ~MemoryFence();
  MemoryFence(const MemoryFence&) = delete;
  MemoryFence& operator=(const MemoryFence&) = delete;
  /// Bytes that could be allocated when the fence was set up, at most --max-gb.
  [[nodiscard]] Offset bytes() const { return bytes_; }

 private:
  Offset bytes_ = 0;
  unsigned long long old_limit_ = 0;
};

/// Returns the message for a std::bad_alloc: "out of memory: 12.3 MB (12345678 bytes) are
/// available".
std::string out_of_memory();

/// Throws Error(memory) that says that `what`, as "the analysis of vem2", needs more than the fence
/// allows.
[[noreturn]] void fail_at_fence(const std::string& what, const MemoryFence& fence);

/// Returns f(), called with a MemoryFence. If memory runs out, throws Error(memory) that names
/// `what` and the bytes that could be allocated.
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
