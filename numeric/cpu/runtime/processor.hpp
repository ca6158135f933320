// The name of the processor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kauri::numeric::cpu {

/// Returns the processor's name as the system reports it, else the target.
std::string processor_name();

}  // namespace kauri::numeric::cpu
