// How long a test waits for something: for what hangs, not for what is slow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::test {

inline constexpr unsigned kLimitSeconds = 1200;

}  // namespace kauri::test
