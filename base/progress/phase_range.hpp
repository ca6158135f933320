// Ranges on the timeline of a profiler (NVIDIA's NVTX), named after the phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/message.hpp"

namespace kauri {

/// A range of the calling thread on a profiler's timeline, in the NVTX domain "kauri", for its
/// lifetime. Ranges nest: a phase contains the phases that it calls. For enqueued work the range
/// covers the enqueueing only. Does nothing if no profiler is attached, or if kauri was built
/// without NVTX (part of the CUDA toolkit).
class PhaseRange {
 public:
  explicit PhaseRange(Phase phase);
  /// Opens a range that is not a phase. name: a string literal.
  explicit PhaseRange(const char* name);
  // NOLINTNEXTLINE(performance-trivially-destructible): ends the range if built with NVTX
  ~PhaseRange();
  PhaseRange(const PhaseRange&) = delete;
  PhaseRange& operator=(const PhaseRange&) = delete;
};

}  // namespace kauri
