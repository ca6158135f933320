// The CPU backend's executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "numeric/backend.hpp"

namespace kauri::numeric::cpu {

/// Returns an executor with `threads` threads (>= 1), or as many as oneTBB allows the process if
/// these are fewer. factor_file: see CpuOptions, whose errors it throws.
std::unique_ptr<Executor> make_executor(int threads, const std::string& factor_file);

}  // namespace kauri::numeric::cpu
