// Calls METIS: kauri's copy (own.cpp) or the system's library (system.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::ordering {

/// Result of METIS_NodeND.
enum class MetisEnd {
  done,         ///< order and new_of are written
  memory,       ///< METIS ran out of memory
  interrupted,  ///< a SIGTERM came while the system's library ran; it has been raised again
  failed,       ///< METIS does not tell the reason
};

/// Calls METIS_NodeND for a graph with n >= 1 vertices. ptr: length n + 1; adjacency: length
/// ptr[n]; weight: length n, or null. seed: -1 is METIS's default. order, new_of: length n, receive
/// the permutation as old_of and as new_of. METIS may change the input arrays, and undoes its
/// changes before the return. With the system's METIS, waits for other calls, and throws
/// Error(cancelled) if the stop token of the current call was asked to stop meanwhile.
MetisEnd call_metis(std::int32_t n, std::int32_t* ptr, std::int32_t* adjacency,
                    std::int32_t* weight, std::int32_t seed, std::int32_t* order,
                    std::int32_t* new_of);

}  // namespace kauri::ordering
