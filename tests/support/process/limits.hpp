// Time limits of waits in tests: they catch hangs, not slowness.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::test {

inline constexpr unsigned kLimitSeconds = 1200;

}  // namespace kauri::test
