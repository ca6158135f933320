// The CPU as an executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "numeric/backend.hpp"

namespace kauri::numeric::cpu {

/// threads >= 1.
std::unique_ptr<Executor> make_executor(int threads);

}  // namespace kauri::numeric::cpu
