// Dense kernels, written once over Vec<T> and compiled per instruction set. See dense.hpp for the
// contracts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/dense/simd.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Register tile: row_vectors vectors of rows by cols columns of C.
template <class T>
struct Tile {
  static constexpr int row_vectors = kVectorBytes == 16 ? 2 : 3;
  static constexpr int rows = row_vectors * Vec<T>::width;
  static constexpr int cols = kVectorBytes == 64 ? 8 : 4;
};

/// Computes acc(i,j) = sum over k of a(i,k) b(j,k): RV vectors of rows (the last with `lanes` lanes
/// if Partial), NC columns.
template <class T, int RV, int NC, bool Partial>
KAURI_INLINE void multiply(typename Vec<T>::reg (&acc)[RV][NC], Index k, const T* a, Offset lda,
                           const T* b, Offset ldb, int lanes) {
  using V = Vec<T>;
  for (int i = 0; i < RV; ++i)
    for (int j = 0; j < NC; ++j) acc[i][j] = V::zero();
#pragma GCC unroll 4
  for (Index l = 0; l < k; ++l, a += lda, b += ldb) {
    typename V::reg x[RV];
#pragma GCC unroll 8
    for (int i = 0; i < RV; ++i)
      x[i] = Partial && i == RV - 1 ? V::load(a + i * V::width, lanes) : V::load(a + i * V::width);
#pragma GCC unroll 8
    for (int j = 0; j < NC; ++j) {
      const typename V::reg y = V::broadcast(b[j]);
#pragma GCC unroll 8
      for (int i = 0; i < RV; ++i) acc[i][j] += x[i] * y;
    }
  }
}

/// Computes C = C - acc if `keep`, else C = -acc.
template <class T, int RV, int NC, bool Partial>
KAURI_INLINE void subtract(typename Vec<T>::reg (&acc)[RV][NC], T* c, Offset ldc, int lanes,
                           bool keep) {
  using V = Vec<T>;
  for (int j = 0; j < NC; ++j, c += ldc)
    for (int i = 0; i < RV; ++i) {
      T* p = c + i * V::width;
      if (Partial && i == RV - 1)
        V::store(p, keep ? V::load(p, lanes) - acc[i][j] : -acc[i][j], lanes);
      else
        V::store(p, keep ? V::load(p) - acc[i][j] : -acc[i][j]);
    }
}

template <class T, int RV, int NC, bool Partial>
void micro_update(Index k, const T* a, Offset lda, const T* b, Offset ldb, T* c, Offset ldc,
                  int lanes, bool keep) {
  typename Vec<T>::reg acc[RV][NC];
  multiply<T, RV, NC, Partial>(acc, k, a, lda, b, ldb, lanes);
  subtract<T, RV, NC, Partial>(acc, c, ldc, lanes, keep);
}

/// A family of kernels for pick(): their type, Function, and an instance per shape of register
/// tile.
template <class T>
struct MicroUpdate {
  using Function = void (*)(Index, const T*, Offset, const T*, Offset, T*, Offset, int, bool);
  template <int RV, int NC, bool Partial>
  static constexpr Function instance = &micro_update<T, RV, NC, Partial>;
};

template <class T, template <class> class Kernel, int RV, bool Partial, int NC = Tile<T>::cols>
KAURI_INLINE typename Kernel<T>::Function pick_cols(int cols) {
  if constexpr (NC > 1) {
    if (cols < NC) return pick_cols<T, Kernel, RV, Partial, NC - 1>(cols);
  }
  return Kernel<T>::template instance<RV, NC, Partial>;
}

/// Returns the kernel for a tile of rows x cols, and in `lanes` the lanes of its last vector.
template <class T, template <class> class Kernel>
KAURI_INLINE typename Kernel<T>::Function pick(int rows, int cols, int& lanes) {
  constexpr int w = Vec<T>::width, most = Tile<T>::row_vectors;
  const int vectors = (rows + w - 1) / w;
  lanes = rows - (vectors - 1) * w;
  const bool partial = lanes != w;
  if (vectors == 1)
    return partial ? pick_cols<T, Kernel, 1, true>(cols) : pick_cols<T, Kernel, 1, false>(cols);
  if constexpr (most == 3) {
    if (vectors == 2)
      return partial ? pick_cols<T, Kernel, 2, true>(cols) : pick_cols<T, Kernel, 2, false>(cols);
  }
  return partial ? pick_cols<T, Kernel, most, true>(cols) : pick_cols<T, Kernel, most, false>(cols);
}

/// Computes update() for `cols` columns of C, at most Tile<T>::cols, and rows i0 to m - 1.
template <class T>
void update_columns(Index m, Index cols, Index i0, Index k, const T* a, Offset lda, const T* b,
                    Offset ldb, T* c, Offset ldc, bool keep) {
  constexpr int mr = Tile<T>::rows;
  int lanes;
  const auto full = pick<T, MicroUpdate>(mr, static_cast<int>(cols), lanes);
  for (; i0 + mr <= m; i0 += mr) full(k, a + i0, lda, b, ldb, c + i0, ldc, Vec<T>::width, keep);
  if (i0 < m) {
    const auto rest = pick<T, MicroUpdate>(static_cast<int>(m - i0), static_cast<int>(cols), lanes);
    rest(k, a + i0, lda, b, ldb, c + i0, ldc, lanes, keep);
  }
}

template <class T>
void update(Index m, Index n, Index k, const T* a, Offset lda, const T* b, Offset ldb, T* c,
            Offset ldc, bool lower, bool keep) {
  constexpr int nr = Tile<T>::cols;
  for (Index j = 0; j < n; j += nr) {
    const Index cols = n - j < nr ? n - j : nr;
    update_columns<T>(m, cols, lower ? j : 0, k, a, lda, b + j, ldb, c + j * ldc, ldc, keep);
  }
}

template <class T>
void pack(Index m, Index k, const T* a, Offset lda, T* packed) {
  using V = Vec<T>;
  constexpr int mr = Tile<T>::rows;
  for (Index i = 0; i < m; i += mr, packed += Offset{mr} * k) {
    T* out = packed;
    const T* in = a + i;
    if (i + mr <= m) {
      for (Index l = 0; l < k; ++l, in += lda, out += mr)
        for (int v = 0; v < Tile<T>::row_vectors; ++v)
          V::store(out + v * V::width, V::load(in + v * V::width));
    } else {
      for (Index l = 0; l < k; ++l, in += lda, out += mr)
        for (int r = 0; r < mr; ++r) out[r] = i + r < m ? in[r] : T(0);
    }
  }
}

template <class T>
void update_packed(Index m, Index n, Index k, const T* a, const T* b, T* c, Offset ldc,
                   Index diagonal, bool keep) {
  constexpr int mr = Tile<T>::rows, nr = Tile<T>::cols;
  for (Index j = 0; j < n; j += nr) {
    const Index cols = n - j < nr ? n - j : nr;
    const T* bj = b + (j / mr) * (Offset{mr} * k) + j % mr;
    int lanes;
    const auto full = pick<T, MicroUpdate>(mr, static_cast<int>(cols), lanes);
    // Skip the slabs whose last row lies above the diagonal of column j.
    const Index first = j + diagonal;
    for (Index i = first > 0 ? first / mr * mr : 0; i < m; i += mr) {
      const T* ai = a + (i / mr) * (Offset{mr} * k);
      if (i + mr <= m) {
        full(k, ai, mr, bj, mr, c + i + j * ldc, ldc, Vec<T>::width, keep);
      } else {
        const auto rest =
            pick<T, MicroUpdate>(static_cast<int>(m - i), static_cast<int>(cols), lanes);
        rest(k, ai, mr, bj, mr, c + i + j * ldc, ldc, lanes, keep);
      }
    }
  }
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
