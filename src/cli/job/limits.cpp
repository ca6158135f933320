// Memory limits: the memory of this machine, and the refusal of work that does not fit, before it
// starts.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/job/limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "base/host/control_groups.hpp"
#include "base/threads/allowed_threads.hpp"
#include "kauri/core/error.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/terminal/text.hpp"

namespace kauri::cli {
namespace {

constexpr Offset kUnlimited = std::numeric_limits<Offset>::max();

/// Returns the bytes that a process can allocate out of `backed` bytes of memory. The rest is left
/// to its page tables (they take 1/512 of what they map; 1/256 is reserved), to the first pages of
/// its threads' stacks (64 KB each), and to pages of written files that are not on the disk yet
/// (1/32, 64 MB at most).
Offset usable(Offset backed) {
  if (backed == kUnlimited) return backed;
  const Offset files = std::min(backed / 32, Offset{64} << 20);
  return std::max<Offset>(0,
                          backed - backed / 256 - files - allowed_threads() * (Offset{64} << 10));
}

Offset room_under(int resource, std::string_view used_key) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 ||
      limit.rlim_cur >= static_cast<rlim_t>(kUnlimited))
    return kUnlimited;
  return std::max<Offset>(0, static_cast<Offset>(limit.rlim_cur) -
                                 number_after("/proc/self/status", used_key).value_or(0));
}

std::string with_bytes(Offset b) {
  return fmt::format("{} ({} bytes)", bytes(static_cast<double>(b)), b);
}

/// Returns why `needed` bytes are refused, or an empty text if they fit. what: subject of the
/// sentence. there: the part of `needed` that is allocated already.
std::string refuse_bytes(Offset needed, const LimitOptions& limits, std::string_view what,
                         Offset there = 0) {
  if (static_cast<double>(needed) > limits.max_gb * 1e9)
    return fmt::format("{} needs {}, more than --max-gb {} allows", what, with_bytes(needed),
                       limits.max_gb);
  if (const Offset room = available_bytes(); needed - there > room)
    return fmt::format("{} needs {}{}, but only {} are available", what, with_bytes(needed - there),
                       there > 0 ? " more" : "", with_bytes(room));
  return {};
}

/// Returns the bytes of the stacks of threads that are not started yet; `available`: the bytes that
/// are available now. RLIMIT_DATA counts these stacks in full, though few of their pages are used,
/// so a fence must leave room for them, and that room would let as many bytes of data pass. If they
/// exceed 1/64 of the available bytes, starts the threads now and returns 0. Throws Error(memory)
/// if the threads cannot be started.
Offset stacks_to_come(Offset available) {
  const auto stack = static_cast<Offset>(
      tbb::global_control::active_value(tbb::global_control::thread_stack_size));
  const int most = allowed_threads() - 1;
  const Offset stacks = std::max(0, most - host_threads::started()) * stack;
  if (stacks <= available / 64) return stacks;
  host_threads::start(most);
  return 0;
}

/// Returns the bytes of b, x, the residual and the x of the previous step, n x nrhs each. Reading
/// b, and writing x, in double each, need less.
Offset vector_bytes(Index n, Index nrhs, int scalar_bytes) {
  return Offset{4} * n * nrhs * scalar_bytes;
}

}  // namespace

Offset available_bytes() {
  const Offset backed =
      std::min(number_after("/proc/meminfo", "MemAvailable:").value_or(kUnlimited),
               memory_left_in_groups().value_or(kUnlimited));
  return std::min(
      {usable(backed), room_under(RLIMIT_AS, "VmSize:"), room_under(RLIMIT_DATA, "VmData:")});
}

Offset factor_in_file(const Plan& plan, const JobOptions& job) {
  if (plan.on_device() || job.solver.cpu.factor_file.empty()) return 0;
  return plan.peak_bytes(scalar_bytes(job)) - plan.counter_bytes();
}

Offset factor_in_memory(const Plan& plan, const JobOptions& job) {
  if (plan.on_device()) return plan.host_bytes(scalar_bytes(job));
  return plan.peak_bytes(scalar_bytes(job)) - factor_in_file(plan, job);
}

Demand demand(const Plan& plan, const JobOptions& job, Index nrhs) {
  const int scalar = scalar_bytes(job);
  // Residuals need A by rows, both halves, with a column number and a position in the values for
  // each entry. For float the values are copied as well.
  const Offset rows_of_a = 2 * plan.nnz * Offset{sizeof(Index) + sizeof(Offset)} +
                           2 * (plan.n + Offset{1}) * Offset{sizeof(Offset)};
  const Offset copy_of_a = scalar == sizeof(float) ? plan.nnz * Offset{sizeof(float)} : 0;
  // A factor on a device takes the host's memory for panels that leave. If the device's memory is
  // too small, the creation of the factor fails, or `auto` has chosen the CPU.
  const Offset factor =
      factor_in_memory(plan, job) + (plan.on_device() ? 0 : plan.workspace_bytes(scalar, nrhs));
  Demand all{factor + vector_bytes(plan.n, nrhs, scalar) + rows_of_a + copy_of_a, plan.cost.flops};
  if (plan.on_device() || !is_mixed(job)) return all;
  // Mixed precision holds in double S A S with its pattern, b, x and four vectors for each column,
  // and five vectors for all. Four vectors of floats for each column have been counted.
  all.bytes += plan.nnz * Offset{sizeof(double) + sizeof(Index)} +
               (Offset{5} * nrhs + 5) * plan.n * Offset{sizeof(double)};
  return all;
}

std::string refusal(const Demand& demand, const LimitOptions& limits, std::string_view system) {
  const std::string what = fmt::format("the factorisation of {}", system);
  if (demand.flops > limits.max_flops)
    return fmt::format(
        "{} needs {:.4g} operations and {}, more operations than --max-flops {:g} allows", what,
        demand.flops, with_bytes(demand.bytes), limits.max_flops);
  return refuse_bytes(demand.bytes, limits, what);
}

void require(const Demand& demand, const LimitOptions& limits, std::string_view system) {
  if (const std::string why = refusal(demand, limits, system); !why.empty())
    throw Error(ErrorKind::memory, why);
}

void require_for_solve(const Plan& plan, const JobOptions& job, Index nrhs,
                       const LimitOptions& limits, std::string_view system) {
  const Offset there = factor_in_memory(plan, job);
  const std::string what = fmt::format("the solution of {} with the existing factor", system);
  if (const std::string why = refuse_bytes(demand(plan, job, nrhs).bytes, limits, what, there);
      !why.empty())
    throw Error(ErrorKind::memory, why);
}

void require_for_vectors(Index n, Index nrhs, int scalar_bytes, const LimitOptions& limits,
                         std::string_view system) {
  const std::string what =
      fmt::format("a solution of {} with {} right-hand side{}", system, nrhs, nrhs == 1 ? "" : "s");
  if (const std::string why = refuse_bytes(vector_bytes(n, nrhs, scalar_bytes), limits, what);
      !why.empty())
    throw Error(ErrorKind::memory, why);
}

void require_for_analysis(const Pattern& lower, const LimitOptions& limits,
                          std::string_view system) {
  // The least that every ordering needs: the graph with both directions of each edge, the position
  // and row of each value in the plan, and five arrays over the rows.
  const Offset needed = lower.nnz() * Offset{2 * sizeof(Index) + sizeof(Offset) + sizeof(Index)} +
                        lower.n * Offset{5 * sizeof(Offset)};
  if (const std::string why =
          refuse_bytes(needed, limits, fmt::format("the analysis of {}", system));
      !why.empty())
    throw Error(ErrorKind::memory, why);
}

MemoryFence::MemoryFence(const LimitOptions& limits) {
  const Offset stacks = stacks_to_come(available_bytes());
  bytes_ = available_bytes();
  Offset fenced = bytes_;
  if (limits.max_gb * 1e9 < static_cast<double>(bytes_)) {
    bytes_ = static_cast<Offset>(limits.max_gb * 1e9);
    // The user's bound, --max-gb, is for the system. The program's other memory, up to kProgram
    // bytes, may come on top of it, if available.
    constexpr Offset kProgram = Offset{64} << 20;
    fenced = std::min(fenced, bytes_ + kProgram);
  }
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  old_limit_ = limit.rlim_cur;
  // The shadow memory of sanitizers counts as data, so a sanitized build has no fence.
  if (!std::string_view(KAURI_SANITIZERS).empty() || bytes_ > kUnlimited / 2) return;
  const Offset now = number_after("/proc/self/status", "VmData:").value_or(0);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(now + fenced + stacks));
  setrlimit(RLIMIT_DATA, &limit);
}

MemoryFence::~MemoryFence() {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = old_limit_;
  setrlimit(RLIMIT_DATA, &limit);
}

std::string out_of_memory() {
  return fmt::format("out of memory: {} are available", with_bytes(available_bytes()));
}

void fail_at_fence(const std::string& what, const MemoryFence& fence) {
  throw Error(ErrorKind::memory,
              fmt::format("{} needs more memory than is available: {} could be allocated", what,
                          with_bytes(fence.bytes())));
}

}  // namespace kauri::cli
