// Both halves of a symmetric pattern by rows, with the index of each entry's value in the lower
// triangle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri::numeric::cuda {

/// Compressed rows. Row i has the entries [ptr[i], ptr[i+1]). The value of entry k is value
/// source[k] of the lower triangle that the rows were made of.
struct FullRows {
  std::vector<Offset> ptr;  ///< length n+1
  std::vector<Index> col;   ///< ascending in each row
  std::vector<std::uint32_t> source;

  [[nodiscard]] Index n() const { return static_cast<Index>(ptr.size()) - 1; }
  [[nodiscard]] Offset entries() const { return ptr.back(); }
  [[nodiscard]] Offset length(Index i) const {
    return ptr[static_cast<std::size_t>(i) + 1] - ptr[static_cast<std::size_t>(i)];
  }
};

/// Returns `entries` rounded up to a multiple of four: the length of arrays from which kernels load
/// four entries at once, beginning at multiples of four.
inline Offset padded(Offset entries) { return (entries + 3) / 4 * 4; }

/// Returns the rows of the symmetric matrix with this lower triangle, whose columns begin with the
/// diagonal entry. The result does not depend on the number of threads. Throws Error(overflow) for
/// more than 2^32 - 1 stored entries. O(n + nnz), with n numbers of extra memory for each of up to
/// 16 threads.
FullRows full_rows(const Pattern& lower);

}  // namespace kauri::numeric::cuda
