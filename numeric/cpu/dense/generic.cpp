// Dense kernels compiled for generic.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ISA generic
#include "numeric/cpu/dense/table.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

const DenseKernels<float>& float_kernels() {
  static constinit const DenseKernels<float> kernels = table<float>("cpu-generic");
  return kernels;
}
const DenseKernels<double>& double_kernels() {
  static constinit const DenseKernels<double> kernels = table<double>("cpu-generic");
  return kernels;
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
