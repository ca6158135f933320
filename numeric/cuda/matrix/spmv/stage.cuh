// Loads of entries of A into registers and shared memory, all loads of a chunk at once; the end of
// a row's sum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/matrix/spmv/kernels.hpp"
#include "numeric/cuda/runtime/kernel/streaming_loads.cuh"
#include "numeric/cuda/runtime/kernel/unfused.cuh"

namespace kauri::numeric::cuda {

/// Returns `count` columns from column `first` on.
template <class T>
SpmvColumns<T> some_of(const SpmvColumns<T>& columns, Index first, Index count) {
  SpmvColumns<T> some = columns;
  some.x.data = &columns.x(0, first);
  some.y.data = &columns.y(0, first);
  some.count = count;
  return some;
}

/// Returns true if the step between rows of X or of Y is not 1.
template <class T>
bool are_apart(const SpmvColumns<T>& columns) {
  return columns.x.row != 1 || columns.y.row != 1;
}

/// Returns the offset of row i in a column: i * step if kApart, else i, for a step of 1. The case
/// of step 1, the usual one, saves the product, whose registers would cost a resident block.
template <bool kApart>
__device__ Offset row_place(Offset i, Offset step) {
  if constexpr (kApart)
    return i * step;
  else
    return i;
}

/// Stores y = alpha sum + beta y for a row's sum; does not read y if beta is 0.
template <class T>
__device__ void put_sum(const SpmvColumns<T>& columns, T sum, T& y) {
  const T product = mul_rn(columns.alpha, sum);
  y = columns.beta == 0 ? product : product + mul_rn(columns.beta, y);
}

/// Returns the index in shared memory of number k of a chunk. Each 128 bytes are followed by a gap
/// of one number, so that threads whose rows begin a power of two apart access different banks.
template <class T>
__device__ constexpr int skewed(int k) {
  return k + k / static_cast<int>(128 / sizeof(T));
}
/// Length of a chunk in shared memory, in numbers of type T, its gaps included.
template <class T>
constexpr int kSkewedChunk = kSpmvChunk + kSpmvChunk / static_cast<int>(128 / sizeof(T));

/// Returns room for a chunk in a block's shared memory, one array for each type. All kernels use
/// the same array: on the emulated device (tests/emulator) each thread of the host has the shared
/// memory of all kernels, and one array a kernel would be too much.
template <class Item>
__device__ __forceinline__ Item* shared_chunk() {
  __shared__ Item chunk[kSkewedChunk<Item>];
  return chunk;
}

/// A thread's part of a chunk of entries of A, in registers: eight entries, in two groups of four
/// neighbours.
template <class T>
struct ChunkPart {
  static constexpr int kGroups = kSpmvChunk / (4 * kSpmvThreads);
  Index col[kGroups][4];
  T value[kGroups][4];

  /// Returns the place of the group's first entry, counted from the beginning of the chunk.
  __device__ static int place(int group) {
    return 4 * (static_cast<int>(threadIdx.x) + group * kSpmvThreads);
  }

  /// Loads the thread's entries of [base, end), end - base <= kSpmvChunk, and up to three after
  /// `end`, which are entries of A too or the padding. base: a multiple of four.
  template <class P>
  __device__ void load(const Index* col_of_entry, const T* value_of_entry, P base, P end) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
      if (base + place(g) < end) load_streaming(col[g], col_of_entry + base + place(g));
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
      if (base + place(g) < end) load_streaming(value[g], value_of_entry + base + place(g));
  }
  /// Calls f(place, group, k) for each entry col[group][k] that load() has loaded; place counts
  /// from `base`.
  template <class P, class F>
  __device__ static void each(P base, P end, const F& f) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
      if (base + place(g) < end) {
#pragma unroll
        for (int k = 0; k < 4; ++k) f(place(g) + k, g, k);
      }
  }
  /// Writes the products of the loaded entries with x to `product` in shared memory, at skewed()
  /// indices. Row i of x is x[i * step] if kApart, else x[i].
  template <bool kApart, class P>
  __device__ void multiply(const T* x, Offset step, P base, P end, T* product) const {
    T factor[kGroups][4] = {};
    each(base, end,
         [&](int, int g, int k) { factor[g][k] = __ldg(x + row_place<kApart>(col[g][k], step)); });
    each(base, end,
         [&](int at, int g, int k) { product[skewed<T>(at)] = mul_rn(value[g][k], factor[g][k]); });
  }
};

}  // namespace kauri::numeric::cuda
