// Kernels of factorisations, per instruction set: extend-add, updates by products, Cholesky of
// small blocks and triangular solves with them. Written once over Vec<T>. See dense.hpp for the
// contracts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/dense/simd.hpp"
#include "symbolic/common/assembly.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Adds a column of a contribution block to one of the parent, run by run, in plain loops: runs are
/// longer than those of solves (add_span()), and a masked store costs more than the loop that it
/// saves (measured on Zen 5).
template <class T>
void add_rows(const symbolic::RowRun* run, const symbolic::RowRun* end, Index from_row,
              const T* from, T* to) {
  for (Index skip = from_row - run->child; run != end; ++run, skip = 0) {
    const T* in = from + run->child + skip;
    T* out = to + run->parent + skip;
    const Index count = run->length - skip;
    for (Index i = 0; i < count; ++i) out[i] += in[i];
  }
}

/// Register tile of C: row_vectors vectors of rows by cols columns.
template <class T>
struct Tile {
  static constexpr int row_vectors = kVectorBytes == 16 ? 2 : 3;
  static constexpr int rows = row_vectors * Vec<T>::width;
  static constexpr int cols = kVectorBytes == 64 ? 8 : 4;
};

/// Computes acc(i,j) = sum over l < k of a(i,l) b(j,l): RV vectors of rows (the last with `lanes`
/// lanes if Partial), NC columns.
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

/// Computes C = C - acc if `keep`, else C = -acc, for the register tile of multiply().
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

/// The kernels micro_update() as a family for pick(): their type, Function, and an instance per
/// shape of register tile.
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

/// Returns the kernel of a family for a register tile of rows x cols, and in `lanes` the lanes of
/// its last vector.
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

/// Computes update() for `cols` columns of C, 1 to Tile<T>::cols, and rows i0 to m - 1.
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

template <class T>
KAURI_INLINE T square_root(T x) {
  if constexpr (sizeof(T) == 8)
    return __builtin_sqrt(x);
  else
    return __builtin_sqrtf(x);
}

/// Factorises an n x n block, n <= NC, by columns (Cholesky). Returns n, or the first column whose
/// pivot is not positive and finite, with that pivot in *pivot; `a` is then unchanged.
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

/// Solves the rows of one register tile, NC columns: X <- (X - Y B^T) L^-T. Y is the k solved
/// columns left of X, with its leading dimension; L (NC x NC) is the diagonal block of the columns
/// of X, and B (NC x k) lies left of L, with its leading dimension. inverse: reciprocals of the
/// diagonal of L.
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

/// Solves the rows of one register tile for the n columns of L, left to right; these rows of X stay
/// in the L1 cache. inverse: reciprocals of the diagonal of L.
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
