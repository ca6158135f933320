// Operations of a warp where a warp has a wavefront of its own.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_WARPS_WAIT
#include "tests/emulator/language/body.hpp"

namespace kauri::test {

TEST(Language, OfWarpsThatWait) { check_operations(); }

}  // namespace kauri::test
