// Ranges on the time line of a profiler (NVIDIA's NVTX), named after the phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/message.hpp"

namespace kauri {

/// From its construction to its end: a range of the calling thread in the domain "kauri". Ranges nest: within a phase are the phases that
/// it calls. Of what is enqueued for a device, the enqueueing alone. Where no tool is attached, and where kauri was built without NVTX
/// (which is part of CUDA's toolkit), nothing happens.
class PhaseRange {
 public:
  explicit PhaseRange(Phase phase);
  /// Of what is no phase. name: a literal.
  explicit PhaseRange(const char* name);
  // NOLINTNEXTLINE(performance-trivially-destructible): ends the range, where there is NVTX
  ~PhaseRange();
  PhaseRange(const PhaseRange&) = delete;
  PhaseRange& operator=(const PhaseRange&) = delete;
};

}  // namespace kauri
