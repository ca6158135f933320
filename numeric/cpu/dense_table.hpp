// The table of kernels of one instruction set.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense_factor_impl.hpp"
#include "numeric/cpu/dense_solve_impl.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

template <class T>
const DenseKernels<T>& table(const char* target) {
  static const DenseKernels<T> kernels{target,      Tile<T>::rows,     Tile<T>::cols, &potrf<T>,         &trsm<T>,     &update<T>,
                                       &pack<T>,    &update_packed<T>, &forward<T>,   &forward_update<T>, &backward<T>, &backward_update<T>};
  return kernels;
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
