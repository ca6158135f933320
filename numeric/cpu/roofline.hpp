// How fast the threads of a CPU backend multiply and read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/roofline.hpp"
#include "numeric/cpu/runtime/workers.hpp"

namespace kauri::numeric::cpu {

/// Measured, by all threads at once: some tenths of a second, and 256 MB meanwhile, or what there is of them. Throws Error(memory) where
/// there are not even 16. Once in a process for a number of threads: machines do not change meanwhile, and what else runs does not count.
template <class T>
Roofline measured_roofline(Workers& workers);

}  // namespace kauri::numeric::cpu
