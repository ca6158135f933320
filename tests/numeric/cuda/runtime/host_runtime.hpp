// A CUDA runtime on the host, of what uploads need: "device" memory is the host's, and copies are
// done as late as the order of their stream allows, so that what is overwritten too early is seen.
// A test that has these functions takes none from the real runtime.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace kauri::test {

/// What fresh memory holds.
inline constexpr std::byte kFresh{0x5a};

/// Calls since the last reset. Read while no thread is at work.
struct RuntimeCalls {
  int allocations = 0, pinned = 0, streams = 0, copies = 0;
};
RuntimeCalls& runtime_calls();

}  // namespace kauri::test
