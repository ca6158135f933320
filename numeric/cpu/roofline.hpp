// How fast the threads of a CPU backend multiply and read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/roofline.hpp"
#include "numeric/cpu/workers.hpp"

namespace kauri::numeric::cpu {

/// Measured, by all threads at once: some tenths of a second, and 256 MB meanwhile. Throws Error(memory).
template <class T>
Roofline measure_roofline(Workers& workers);

}  // namespace kauri::numeric::cpu
