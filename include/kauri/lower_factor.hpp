// L itself, copied out of a factor: for those who want its entries, not solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/factor.hpp"

namespace kauri {

/// L of B = P A P^T = L L^T by compressed columns, owned; rows and columns are those of B, see Permutation.
template <Scalar T>
struct LowerFactor {
  std::vector<Offset> col_ptr;  ///< length n+1
  std::vector<Index> row;       ///< length col_ptr[n]: ascending in each column, the diagonal first
  std::vector<T> value;         ///< length col_ptr[n]
};

/// A copy of the factor's entries, from its device too: those of Plan::supernodes, so zeros among them where amalgamation padded columns,
/// and none where AnalyzeOptions::amalgamate is off (then each column has EliminationTree::column_count entries). O(entries). Throws
/// Error(usage) if the factor is not valid, Error(device) if the copy failed.
template <Scalar T>
LowerFactor<T> lower_factor(const Factor<T>& factor);

/// The diagonal of L alone, length n, in the order of B; the square of its product is det(A). Errors as above.
template <Scalar T>
std::vector<T> lower_diagonal(const Factor<T>& factor);

}  // namespace kauri
