// Description of a packed front, and of where its failure goes, for the kernels of packed fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/front.hpp"

namespace kauri::numeric::cuda::kernels {

/// The part of an Assembly (front_kernels.cuh) of packed fronts that does not load them.
template <class T>
struct PackedSource {
  using FrontRecord = PackedSmallFrontOf<T>;
  static constexpr bool kExact = false;
  int* failed_column;

  __device__ int draw(int otherwise, int) const { return otherwise; }
  template <class S>
  __device__ void record(const FrontRecord&, int f, const S*, int column) const {
    failed_column[f] = column;
  }
  __device__ void stored(const FrontRecord&) const {}
};

}  // namespace kauri::numeric::cuda::kernels
