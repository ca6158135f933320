// The table of kernels of one instruction set.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/factor_impl.hpp"
#include "numeric/cpu/dense/rates_impl.hpp"
#include "numeric/cpu/dense/solve_impl.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Returns the table as a constant, so that the static variable that holds it is initialised at
/// compile time and needs no guard, which one thread might hold while another one forks.
template <class T>
constexpr DenseKernels<T> table(const char* target) {
  return {.target = target,
          .slab_rows = Tile<T>::rows,
          .col_tile = Tile<T>::cols,
          .potrf = &potrf<T>,
          .trsm = &trsm<T>,
          .update = &update<T>,
          .pack = &pack<T>,
          .update_packed = &update_packed<T>,
          .add_rows = &add_rows<T>,
          .forward = &forward<T>,
          .forward_update = &forward_update<T>,
          .backward = &backward<T>,
          .backward_update = &backward_update<T>,
          .pull_rows = &pull_rows<T>,
          .gather_rows = &gather_rows<T>,
          .multiply_adds = &multiply_adds<T>,
          .read_all = &read_all<T>};
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
