// The CPU as an executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "numeric/backend.hpp"

namespace kauri::numeric::cpu {

/// threads >= 1; at most as many as oneTBB allows the process are used.
std::unique_ptr<Executor> make_executor(int threads);

}  // namespace kauri::numeric::cpu
