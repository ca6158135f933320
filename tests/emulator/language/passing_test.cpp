// Operations of a warp where two warps share a wavefront of 64 lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/language/body.hpp"

namespace kauri::test {

TEST(Language, OfWarpsThatPass) { check_operations(); }

}  // namespace kauri::test
