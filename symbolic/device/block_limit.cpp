// The most entries of a contribution block for which a device has tasks. A separate source, so that
// a test can link a lower limit instead.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <limits>

#include "symbolic/device/schedule.hpp"

namespace kauri::symbolic {

Offset most_block_entries() { return std::numeric_limits<std::uint32_t>::max(); }

}  // namespace kauri::symbolic
