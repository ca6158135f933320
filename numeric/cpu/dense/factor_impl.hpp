// Cholesky of small blocks and triangular solves with them, per instruction set. See dense.hpp for
// the contracts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/impl.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

template <class T>
KAURI_INLINE T square_root(T x) {
  if constexpr (sizeof(T) == 8)
    return __builtin_sqrt(x);
  else
    return __builtin_sqrtf(x);
}

/// Factorises an n x n block, n <= NC, by columns (Cholesky). Returns n, or the first failing
/// column with its pivot in *pivot.
template <class T, int NC>
KAURI_INLINE Index small_potrf(Index n, T* a, Offset lda, T* pivot) {
  T d[NC][NC];  // d[j][i] = L(i,j); zero above the diagonal
  for (int j = 0; j < NC; ++j)
    for (int i = 0; i < NC; ++i) d[j][i] = i >= j && i < n && j < n ? a[i + j * lda] : T(0);
  for (int j = 0; j < n; ++j) {
    const T x = d[j][j];
    if (!(x > T(0)) || x > (sizeof(T) == 8 ? T(__DBL_MAX__) : T(__FLT_MAX__))) {
      *pivot = x;
      return j;
    }
    const T root = square_root(x), inverse = T(1) / root;
    for (int i = 0; i < NC; ++i) d[j][i] *= inverse;
    d[j][j] = root;
    for (int k = j + 1; k < n; ++k) {
      const T f = d[j][k];
      for (int i = 0; i < NC; ++i) d[k][i] -= d[j][i] * f;
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) a[i + j * lda] = d[j][i];
  return n;
}

/// Solves the rows of one register tile: X(:, NC columns) <- (X - Y B^T) L^-T. Y holds the k
/// columns of X to the left, B the rows of L of these columns, and L (NC x NC) lies to the right of
/// B. inverse: reciprocals of the diagonal of L.
template <class T, int RV, int NC, bool Partial>
void solve_tile(Index k, const T* y, T* x, Offset ldx, const T* b, const T* l, Offset ldl,
                const T* inverse, int lanes) {
  using V = Vec<T>;
  typename V::reg acc[RV][NC];
  multiply<T, RV, NC, Partial>(acc, k, y, ldx, b, ldl, lanes);
#pragma GCC unroll 8
  for (int j = 0; j < NC; ++j)
#pragma GCC unroll 8
    for (int i = 0; i < RV; ++i) {
      const T* p = x + i * V::width + j * ldx;
      acc[i][j] = (Partial && i == RV - 1 ? V::load(p, lanes) : V::load(p)) - acc[i][j];
    }
#pragma GCC unroll 8
  for (int j = 0; j < NC; ++j) {
    const typename V::reg r = V::broadcast(inverse[j]);
#pragma GCC unroll 8
    for (int i = 0; i < RV; ++i) {
      acc[i][j] *= r;
      T* p = x + i * V::width + j * ldx;
      if (Partial && i == RV - 1)
        V::store(p, acc[i][j], lanes);
      else
        V::store(p, acc[i][j]);
    }
#pragma GCC unroll 8
    for (int h = j + 1; h < NC; ++h) {
      const typename V::reg f = V::broadcast(l[h + j * ldl]);
#pragma GCC unroll 8
      for (int i = 0; i < RV; ++i) acc[i][h] -= acc[i][j] * f;
    }
  }
}

template <class T>
struct SolveTile {
  using Function = void (*)(Index, const T*, T*, Offset, const T*, const T*, Offset, const T*, int);
  template <int RV, int NC, bool Partial>
  static constexpr Function instance = &solve_tile<T, RV, NC, Partial>;
};

/// Solves one register tile of rows against the n columns of L, left to right; the tile of X stays
/// in the L1 cache.
template <class T>
void trsm_rows(Index rows, Index n, const T* l, Offset ldl, T* x, Offset ldx, const T* inverse) {
  constexpr int nr = Tile<T>::cols;
  for (Index j = 0; j < n; j += nr) {
    int lanes;
    const auto solve = pick<T, SolveTile>(static_cast<int>(rows),
                                          static_cast<int>(n - j < nr ? n - j : nr), lanes);
    solve(j, x, x + j * ldx, ldx, l + j, l + j + j * ldl, ldl, inverse + j, lanes);
  }
}

template <class T>
void trsm(Index m, Index n, const T* l, Offset ldl, T* x, Offset ldx) {
  constexpr int mr = Tile<T>::rows;
  T inverse[kBasePanel];
  for (Index j = 0; j < n; ++j) inverse[j] = T(1) / l[j + j * ldl];
  for (Index i = 0; i < m; i += mr)
    trsm_rows<T>(m - i < mr ? m - i : mr, n, l, ldl, x + i, ldx, inverse);
}

template <class T>
Index potrf(Index n, T* a, Offset lda, T* pivot) {
  constexpr int nr = Tile<T>::cols, mr = Tile<T>::rows;
  T inverse[nr];
  for (Index j = 0; j < n; j += nr) {
    const Index cols = n - j < nr ? n - j : nr;
    T* diagonal = a + j + j * lda;
    if (j > 0) update_columns<T>(cols, cols, 0, j, a + j, lda, a + j, lda, diagonal, lda, true);
    const Index done = small_potrf<T, nr>(cols, diagonal, lda, pivot);
    if (done < cols) return j + done;
    for (Index c = 0; c < cols; ++c) inverse[c] = T(1) / diagonal[c + c * lda];
    for (Index i = j + cols; i < n; i += mr) {
      int lanes;
      const auto solve = pick<T, SolveTile>(static_cast<int>(n - i < mr ? n - i : mr),
                                            static_cast<int>(cols), lanes);
      solve(j, a + i, a + i + j * lda, lda, a + j, diagonal, lda, inverse, lanes);
    }
  }
  return n;
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
