// Dense kernels compiled for avx2.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA avx2
#include "numeric/cpu/dense_table.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

const DenseKernels<float>& float_kernels() { return table<float>("cpu-avx2"); }
const DenseKernels<double>& double_kernels() { return table<double>("cpu-avx2"); }

}  // namespace kauri::numeric::cpu::KAURI_ISA
