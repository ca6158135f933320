// The name of the processor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kauri::numeric::cpu {

/// Returns the processor's name as /proc/cpuinfo reports it, or host_target() if it reports none.
std::string processor_name();

}  // namespace kauri::numeric::cpu
