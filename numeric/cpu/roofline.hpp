// Rates at which the threads of a CPU backend multiply and read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/roofline.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Returns the rates of all threads together, for operations in T and bytes read from memory.
/// Measures them once per process, T and number of threads, since the machine does not change and
/// other load is not meant to count; that takes some tenths of a second and 256 MB, or the most
/// that can be allocated. Throws Error(memory) if that is less than 16 MB.
template <class T>
Roofline measured_roofline(Workers& workers);

}  // namespace kauri::numeric::cpu
