// Dense kernels compiled for avx512.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA avx512
#include "numeric/cpu/dense/table.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

const DenseKernels<float>& float_kernels() {
  static constinit const DenseKernels<float> kernels = table<float>("cpu-avx512");
  return kernels;
}
const DenseKernels<double>& double_kernels() {
  static constinit const DenseKernels<double> kernels = table<double>("cpu-avx512");
  return kernels;
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
