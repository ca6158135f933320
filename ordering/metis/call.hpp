// METIS itself: kauri's own copy of it (own.cpp) or the system's library (system.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::ordering {

/// How METIS_NodeND ended.
enum class MetisEnd {
  done,         ///< order is there
  memory,       ///< it ran out of memory
  interrupted,  ///< a SIGTERM came while it ran, which is delivered again by now: of the system's library alone
  failed,       ///< for a reason that it does not tell
};

/// METIS_NodeND of a graph with n >= 1 vertices: ptr has n + 1 numbers, adjacency ptr[n], weight n or is null. seed: -1 is METIS's default.
/// order: old_of, length n; new_of: length n. What it changes of the arrays it puts back.
MetisEnd call_metis(std::int32_t n, std::int32_t* ptr, std::int32_t* adjacency, std::int32_t* weight, std::int32_t seed,
                    std::int32_t* order, std::int32_t* new_of);

}  // namespace kauri::ordering
