// Lowers the limit of a contribution block for which a device has tasks: the program that links
// this source meets a block beyond the limit in a small system.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/schedule.hpp"

namespace kauri::symbolic {

Offset most_block_entries() { return 10000; }

}  // namespace kauri::symbolic
