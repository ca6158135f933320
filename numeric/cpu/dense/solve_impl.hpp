// Kernels of solves, per instruction set: triangular solves with the columns of a front, updates,
// and the rows that fronts pull and gather. See dense.hpp for the contracts. One right-hand side:
// vectors run along the columns of L (memory bound). Several: vectors run along the right-hand
// sides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/dense/simd.hpp"
#include "symbolic/common/assembly.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Columns of L that a kernel takes at once with one right-hand side.
inline constexpr int kColumnGroup = 8;

/// Computes y (m) -= A x with A m x NC.
template <class T, int NC>
void subtract_columns(Index m, const T* a, Offset lda, const T* x, T* y) {
  using V = Vec<T>;
  typename V::reg f[NC];
  for (int c = 0; c < NC; ++c) f[c] = V::broadcast(x[c]);
  Index i = 0;
  for (; i + V::width <= m; i += V::width) {
    typename V::reg s = V::zero();
    for (int c = 0; c < NC; ++c) s += V::load(a + i + c * lda) * f[c];
    V::store(y + i, V::load(y + i) - s);
  }
  if (i < m) {
    const int lanes = static_cast<int>(m - i);
    typename V::reg s = V::zero();
    for (int c = 0; c < NC; ++c) s += V::load(a + i + c * lda, lanes) * f[c];
    V::store(y + i, V::load(y + i, lanes) - s, lanes);
  }
}

template <class T>
KAURI_INLINE T lane_sum(typename Vec<T>::reg v) {
  T s[Vec<T>::width];
  Vec<T>::store(s, v);
  for (int step = Vec<T>::width / 2; step > 0; step /= 2)
    for (int l = 0; l < step; ++l) s[l] += s[l + step];
  return s[0];
}

/// Computes x (NC) -= A^T y with A m x NC.
template <class T, int NC>
void subtract_dots(Index m, const T* a, Offset lda, const T* y, T* x) {
  using V = Vec<T>;
  typename V::reg s[NC];
  for (int c = 0; c < NC; ++c) s[c] = V::zero();
  Index i = 0;
  for (; i + V::width <= m; i += V::width) {
    const typename V::reg f = V::load(y + i);
    for (int c = 0; c < NC; ++c) s[c] += V::load(a + i + c * lda) * f;
  }
  if (i < m) {
    const int lanes = static_cast<int>(m - i);
    const typename V::reg f = V::load(y + i, lanes);
    for (int c = 0; c < NC; ++c) s[c] += V::load(a + i + c * lda, lanes) * f;
  }
  for (int c = 0; c < NC; ++c) x[c] -= lane_sum<T>(s[c]);
}

template <class T, int NC = kColumnGroup>
KAURI_INLINE void subtract_columns_of(Index cols, Index m, const T* a, Offset lda, const T* x,
                                      T* y) {
  if constexpr (NC > 1) {
    if (cols < NC) return subtract_columns_of<T, NC - 1>(cols, m, a, lda, x, y);
  }
  subtract_columns<T, NC>(m, a, lda, x, y);
}

template <class T, int NC = kColumnGroup>
KAURI_INLINE void subtract_dots_of(Index cols, Index m, const T* a, Offset lda, const T* y, T* x) {
  if constexpr (NC > 1) {
    if (cols < NC) return subtract_dots_of<T, NC - 1>(cols, m, a, lda, y, x);
  }
  subtract_dots<T, NC>(m, a, lda, y, x);
}

/// Computes x (NC) = L^-1 x with L lower triangular NC x NC. The reciprocals of the diagonal come
/// first, since they do not depend on each other.
template <class T, int NC>
void forward_group(const T* l, Offset ldl, T* x) {
  T inverse[NC], v[NC];
  for (int c = 0; c < NC; ++c) inverse[c] = 1 / l[c + c * ldl];
  for (int c = 0; c < NC; ++c) v[c] = x[c];
#pragma GCC unroll 8
  for (int c = 0; c < NC; ++c) {
    v[c] *= inverse[c];
#pragma GCC unroll 8
    for (int i = c + 1; i < NC; ++i) v[i] -= l[i + c * ldl] * v[c];
  }
  for (int c = 0; c < NC; ++c) x[c] = v[c];
}

/// Computes x (NC) = L^-T x with L lower triangular NC x NC.
template <class T, int NC>
void backward_group(const T* l, Offset ldl, T* x) {
  T inverse[NC], v[NC];
  for (int c = 0; c < NC; ++c) inverse[c] = 1 / l[c + c * ldl];
  for (int c = 0; c < NC; ++c) v[c] = x[c];
#pragma GCC unroll 8
  for (int c = NC - 1; c >= 0; --c) {
    v[c] *= inverse[c];
#pragma GCC unroll 8
    for (int i = 0; i < c; ++i) v[i] -= l[c + i * ldl] * v[c];
  }
  for (int c = 0; c < NC; ++c) x[c] = v[c];
}

template <class T, int NC = kColumnGroup>
KAURI_INLINE void forward_group_of(Index cols, const T* l, Offset ldl, T* x) {
  if constexpr (NC > 1) {
    if (cols < NC) return forward_group_of<T, NC - 1>(cols, l, ldl, x);
  }
  forward_group<T, NC>(l, ldl, x);
}

template <class T, int NC = kColumnGroup>
KAURI_INLINE void backward_group_of(Index cols, const T* l, Offset ldl, T* x) {
  if constexpr (NC > 1) {
    if (cols < NC) return backward_group_of<T, NC - 1>(cols, l, ldl, x);
  }
  backward_group<T, NC>(l, ldl, x);
}

template <class T>
void forward_one(Index p, const T* l, Offset ldl, T* x) {
  for (Index k = 0; k < p; k += kColumnGroup) {
    const Index cols = p - k < kColumnGroup ? p - k : kColumnGroup;
    const T* d = l + k + k * ldl;
    forward_group_of<T>(cols, d, ldl, x + k);
    if (k + cols < p)
      subtract_columns_of<T>(cols, p - k - cols, d + cols, ldl, x + k, x + k + cols);
  }
}

template <class T>
void backward_one(Index p, const T* l, Offset ldl, T* x) {
  for (Index k = p; k > 0;) {
    const Index cols = (k - 1) % kColumnGroup + 1;
    k -= cols;
    const T* d = l + k + k * ldl;
    if (k + cols < p) subtract_dots_of<T>(cols, p - k - cols, d + cols, ldl, x + k + cols, x + k);
    backward_group_of<T>(cols, d, ldl, x + k);
  }
}

/// Rows, and vectors of right-hand sides, of one register tile of solves.
inline constexpr int kSolveRows = 6;
inline constexpr int kSolveVectors = kVectorBytes == 64 ? 4 : 2;
/// Most rows of X of an update, kept in the L1 cache while the update passes over all rows of Y.
inline constexpr Index kSolveDepth = 128;

/// Computes y(i,:) -= sum over h < k of l[i*si + h*sk] x(h,:): R rows, NV vectors (the last with
/// `lanes` lanes if Partial). ld: distance of rows of x, and of y.
template <class T, int R, int NV, bool Partial>
void multi_tile(Index k, const T* l, Offset si, Offset sk, const T* x, T* y, Offset ld, int lanes) {
  using V = Vec<T>;
  typename V::reg acc[R][NV];
  for (int i = 0; i < R; ++i)
    for (int v = 0; v < NV; ++v) acc[i][v] = V::zero();
  for (Index h = 0; h < k; ++h, l += sk, x += ld) {
    typename V::reg f[NV];
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v)
      f[v] = Partial && v == NV - 1 ? V::load(x + v * V::width, lanes) : V::load(x + v * V::width);
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const typename V::reg c = V::broadcast(l[i * si]);
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) acc[i][v] += c * f[v];
    }
  }
  for (int i = 0; i < R; ++i)
    for (int v = 0; v < NV; ++v) {
      T* p = y + i * ld + v * V::width;
      if (Partial && v == NV - 1)
        V::store(p, V::load(p, lanes) - acc[i][v], lanes);
      else
        V::store(p, V::load(p) - acc[i][v]);
    }
}

template <class T>
using MultiTile = void (*)(Index, const T*, Offset, Offset, const T*, T*, Offset, int);

template <class T, int NV, bool Partial, int R = kSolveRows>
KAURI_INLINE MultiTile<T> pick_rows(int rows) {
  if constexpr (R > 1) {
    if (rows < R) return pick_rows<T, NV, Partial, R - 1>(rows);
  }
  return &multi_tile<T, R, NV, Partial>;
}

template <class T, int NV = kSolveVectors>
KAURI_INLINE MultiTile<T> pick_multi(int rows, int vectors, bool partial) {
  if constexpr (NV > 1) {
    if (vectors < NV) return pick_multi<T, NV - 1>(rows, vectors, partial);
  }
  return partial ? pick_rows<T, NV, true>(rows) : pick_rows<T, NV, false>(rows);
}

/// Computes Y (m x cols) -= A X with A(i,h) = l[i*si + h*sk], m x k, and X k x cols; cols is at
/// most the width of a register tile. ld: distance of rows of X, and of Y.
template <class T>
void multi_update(Index m, Index k, Index cols, const T* l, Offset si, Offset sk, const T* x, T* y,
                  Offset ld) {
  constexpr int w = Vec<T>::width;
  const int vectors = static_cast<int>((cols + w - 1) / w),
            lanes = static_cast<int>(cols) - (vectors - 1) * w;
  const MultiTile<T> full = pick_multi<T>(kSolveRows, vectors, lanes != w);
  for (Index h = 0; h < k; h += kSolveDepth) {
    const Index depth = k - h < kSolveDepth ? k - h : kSolveDepth;
    Index i = 0;
    for (; i + kSolveRows <= m; i += kSolveRows)
      full(depth, l + i * si + h * sk, si, sk, x + h * ld, y + i * ld, ld, lanes);
    if (i < m)
      pick_multi<T>(static_cast<int>(m - i), vectors, lanes != w)(
          depth, l + i * si + h * sk, si, sk, x + h * ld, y + i * ld, ld, lanes);
  }
}

/// Computes Y (m x r) -= A X for all r right-hand sides, with A as in multi_update().
template <class T>
void multi_update_all(Index m, Index k, Index r, const T* l, Offset si, Offset sk, const T* x,
                      T* y) {
  constexpr Index block = kSolveVectors * Vec<T>::width;
  for (Index c = 0; c < r; c += block)
    multi_update<T>(m, k, r - c < block ? r - c : block, l, si, sk, x + c, y + c, r);
}

template <class T>
void forward(Index p, Index r, const T* l, Offset ldl, T* x) {
  if (r == 1) return forward_one(p, l, ldl, x);
  for (Index k = 0; k < p; k += kSolveRows) {
    const Index rows = p - k < kSolveRows ? p - k : kSolveRows;
    if (k > 0) multi_update_all<T>(rows, k, r, l + k, 1, ldl, x, x + k * r);
    for (Index i = k; i < k + rows; ++i) {
      for (Index h = k; h < i; ++h)
        for (Index c = 0; c < r; ++c) x[i * r + c] -= l[i + h * ldl] * x[h * r + c];
      for (Index c = 0; c < r; ++c) x[i * r + c] /= l[i + i * ldl];
    }
  }
}

template <class T>
void backward(Index p, Index r, const T* l, Offset ldl, T* x) {
  if (r == 1) return backward_one(p, l, ldl, x);
  for (Index k = p; k > 0;) {
    const Index rows = (k - 1) % kSolveRows + 1, end = k;
    k -= rows;
    if (end < p)
      multi_update_all<T>(rows, p - end, r, l + end + k * ldl, ldl, 1, x + end * r, x + k * r);
    for (Index i = end; i-- > k;) {
      for (Index h = i + 1; h < end; ++h)
        for (Index c = 0; c < r; ++c) x[i * r + c] -= l[h + i * ldl] * x[h * r + c];
      for (Index c = 0; c < r; ++c) x[i * r + c] /= l[i + i * ldl];
    }
  }
}

template <class T>
void forward_update(Index q, Index p, Index r, const T* l21, Offset ldl, const T* x, T* u) {
  if (r > 1) return multi_update_all<T>(q, p, r, l21, 1, ldl, x, u);
  for (Index k = 0; k < p; k += kColumnGroup)
    subtract_columns_of<T>(p - k < kColumnGroup ? p - k : kColumnGroup, q, l21 + k * ldl, ldl,
                           x + k, u);
}

template <class T>
void backward_update(Index q, Index p, Index r, const T* l21, Offset ldl, const T* u, T* x) {
  if (r > 1) return multi_update_all<T>(p, q, r, l21, ldl, 1, u, x);
  for (Index k = 0; k < p; k += kColumnGroup)
    subtract_dots_of<T>(p - k < kColumnGroup ? p - k : kColumnGroup, q, l21 + k * ldl, ldl, u,
                        x + k);
}

/// Computes to[i] += from[i] for 0 <= i < count, with count > 0. Most runs of solves are shorter
/// than a register and take one masked vector, without a loop.
template <class T>
KAURI_INLINE void add_span(Offset count, const T* from, T* to) {
  using V = Vec<T>;
  for (; count >= V::width; count -= V::width, from += V::width, to += V::width)
    V::store(to, V::load(to) + V::load(from));
  const int lanes = static_cast<int>(count);
  if (lanes > 0) V::store(to, V::load(to, lanes) + V::load(from, lanes), lanes);
}

template <class T>
void pull_rows(const symbolic::RowRun* run, const symbolic::RowRun* end, Index p, Index r,
               const T* from, T* x, T* u) {
  for (; run != end; ++run) {
    const Index above = p - run->parent, pivots = above < 0             ? 0
                                                  : above < run->length ? above
                                                                        : run->length;
    if (pivots > 0)
      add_span<T>(Offset{pivots} * r, from + Offset{run->child} * r, x + Offset{run->parent} * r);
    if (pivots < run->length)
      add_span<T>(Offset{run->length - pivots} * r, from + Offset{run->child + pivots} * r,
                  u + Offset{run->parent + pivots - p} * r);
  }
}

template <class T>
void gather_rows(Index q, const Index* row, Index r, const T* x, T* u) {
  if (r == 1) {
    for (Index i = 0; i < q; ++i) u[i] = x[row[i]];
    return;
  }
  using V = Vec<T>;
  for (Index i = 0; i < q; ++i, u += r) {
    const T* from = x + Offset{row[i]} * r;
    Index c = 0;
    for (; c + V::width <= r; c += V::width) V::store(u + c, V::load(from + c));
    if (c < r) V::store(u + c, V::load(from + c, static_cast<int>(r - c)), static_cast<int>(r - c));
  }
}

}  // namespace kauri::numeric::cpu::KAURI_ISA
