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

/// det(A), of the A + shift I last factorised: the product of the pivots to twice the digits of a double, rounded once, and once more below
/// the least normal number. 1 for a matrix without rows; infinite or 0 where no double has it. Several pivots have the same rounded root in
/// L's diagonal; of these the one with the most zeros at its end is taken: one that is an integer or another short number comes back
/// exactly, others to within two units in the last place of T. Errors as above.
template <Scalar T>
double determinant(const Factor<T>& factor);

/// ln det(A), of the A + shift I last factorised: what a determinant says where it would overflow. 0 for a matrix without rows. Errors as
/// above. Of the factor's numbers, on the CPU within 2^-52 times the sum of |ln L(j,j)^2|, on a device within 2^-51 times its own magnitude
/// (and n 2^-101); there memory is taken for the time of the call, some 30 kB at most: Error(memory). Factor::enqueue_log_determinant()
/// does without.
template <Scalar T>
double log_determinant(const Factor<T>& factor);

}  // namespace kauri
