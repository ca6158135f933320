// Dense kernels compiled for generic.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA generic
#include "numeric/cpu/dense_table.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

const DenseKernels<float>& float_kernels() { return table<float>("cpu-generic"); }
const DenseKernels<double>& double_kernels() { return table<double>("cpu-generic"); }

}  // namespace kauri::numeric::cpu::KAURI_ISA
