// Copies right-hand sides and solutions between the caller's layout and the row-major blocks that
// sweeps work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"
#include "numeric/cpu/runtime/workers.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cpu {

inline constexpr Index kCopyRows = 4096;  ///< rows that a thread copies at a time

/// Computes x(k,:) = sign * b(old_of(k), :) for all k, or sign * b(k, :) if perm is null; b has
/// either layout, x is row-major without gaps. One thread calls it, inside Workers::execute(), and
/// it divides the rows among all threads of `workers`.
template <class T>
void gather(const Permutation* perm, MatrixView<const T> b, T* x, Workers& workers, T sign = 1) {
  const Index n = b.rows, r = b.cols;
  const StridedView<const T> from = strided(b);
  workers.parallel((n + kCopyRows - 1) / kCopyRows, [&](Index c) {
    for (Index k = c * kCopyRows; k < std::min(n, (c + 1) * kCopyRows); ++k) {
      const T* row = &from(perm != nullptr ? perm->old_of(k) : k, 0);
      for (Index j = 0; j < r; ++j) x[Offset{k} * r + j] = sign * row[j * from.column];
    }
  });
}

/// Computes b(i,:) = x(new_of(i), :) for all i, or x(i, :) if perm is null; layouts as for
/// gather(), and called as gather().
template <class T>
void scatter(const Permutation* perm, const T* x, MatrixView<T> b, Workers& workers) {
  const Index n = b.rows, r = b.cols;
  const StridedView<T> to = strided(b);
  workers.parallel((n + kCopyRows - 1) / kCopyRows, [&](Index c) {
    for (Index i = c * kCopyRows; i < std::min(n, (c + 1) * kCopyRows); ++i) {
      const T* row = x + Offset{perm != nullptr ? perm->new_of(i) : i} * r;
      T* out = &to(i, 0);
      for (Index j = 0; j < r; ++j) out[j * to.column] = row[j];
    }
  });
}

}  // namespace kauri::numeric::cpu
