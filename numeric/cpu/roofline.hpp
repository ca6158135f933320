// Rates at which the threads of a CPU backend multiply and read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/roofline.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Returns the rates of all threads together. Measures them once per process and number of threads,
/// since the machine does not change and other load is not meant to count; that takes some tenths
/// of a second and 256 MB, or less memory if there is less. Throws Error(memory) if there are not
/// even 16 MB.
template <class T>
Roofline measured_roofline(Workers& workers);

}  // namespace kauri::numeric::cpu
