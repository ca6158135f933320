// Extend-add by runs, and gathers, per instruction set. Most runs of solves are shorter than a
// register: one masked vector, no loop. Columns of contribution blocks are longer, and there a
// masked store costs more than the loop it saves (measured on Zen 5).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cpu/dense/dense.hpp"
#include "numeric/cpu/dense/simd.hpp"
#include "symbolic/common/assembly.hpp"

namespace kauri::numeric::cpu::KAURI_ISA {

/// Computes to[i] += from[i] for 0 <= i < count, with count > 0.
template <class T>
KAURI_INLINE void add_span(Offset count, const T* from, T* to) {
  using V = Vec<T>;
  for (; count >= V::width; count -= V::width, from += V::width, to += V::width)
    V::store(to, V::load(to) + V::load(from));
  const int lanes = static_cast<int>(count);
  if (lanes > 0) V::store(to, V::load(to, lanes) + V::load(from, lanes), lanes);
}

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
