// A CUDA runtime on the host with the functions that uploads need: "device" memory is host memory,
// and copies are done as late as the order of their stream allows, so that premature overwriting
// shows. A test that links these functions takes none from the real runtime.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace kauri::test {

/// The byte that fills fresh memory.
inline constexpr std::byte kFresh{0x5a};

/// Counts calls since the last reset. Read it only while no thread works.
struct RuntimeCalls {
  int allocations = 0, pinned = 0, streams = 0, copies = 0;
};
RuntimeCalls& runtime_calls();

}  // namespace kauri::test
