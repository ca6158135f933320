// Calls kauri's copy of METIS, whose state is thread-local: see own_metis/host.h.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/metis/call.hpp"
#include "ordering/metis/metis.hpp"

extern "C" int kauri_metis_order(std::int32_t n, std::int32_t* ptr, std::int32_t* adjacency,
                                 std::int32_t* weight, std::int32_t seed, std::int32_t* order,
                                 std::int32_t* new_of);

namespace kauri::ordering {

bool metis_is_own() { return true; }

MetisEnd call_metis(std::int32_t n, std::int32_t* ptr, std::int32_t* adjacency,
                    std::int32_t* weight, std::int32_t seed, std::int32_t* order,
                    std::int32_t* new_of) {
  switch (kauri_metis_order(n, ptr, adjacency, weight, seed, order, new_of)) {
    case 0:
      return MetisEnd::done;
    case 1:
      return MetisEnd::memory;
    default:
      return MetisEnd::failed;
  }
}

}  // namespace kauri::ordering
