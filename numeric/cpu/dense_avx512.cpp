// Dense kernels compiled for avx512.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA avx512
#include "numeric/cpu/dense_table.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

const DenseKernels<float>& float_kernels() { return table<float>("cpu-avx512"); }
const DenseKernels<double>& double_kernels() { return table<double>("cpu-avx512"); }

}  // namespace kauri::numeric::cpu::KAURI_ISA
