// The CPU backend's executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "numeric/backend.hpp"

namespace kauri::numeric::cpu {

/// Returns an executor with `threads` threads (>= 1), or as many as oneTBB allows the process if
/// these are fewer.
std::unique_ptr<Executor> make_executor(int threads);

}  // namespace kauri::numeric::cpu
