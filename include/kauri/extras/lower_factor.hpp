// The entries of L, its diagonal and the determinant, copied out of a factor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/solve/factor.hpp"

namespace kauri {

/// L of B = P A P^T = L L^T by compressed columns. Owns its arrays; rows and columns are those of
/// B, see Permutation.
template <Scalar T>
struct LowerFactor {
  std::vector<Offset> col_ptr;  ///< length n+1: column j is [col_ptr[j], col_ptr[j+1])
  std::vector<Index> row;       ///< length col_ptr[n]: ascending in each column, the diagonal first
  std::vector<T> value;         ///< length col_ptr[n]: the entries, in the order of row
};

/// Returns a copy of L in host memory. Its pattern is that of Plan::supernodes: it contains
/// zeros where amalgamation padded columns, and none if AnalyzeOptions::amalgamate was false (each
/// column then has EliminationTree::column_count entries). O(entries). Throws Error: usage (the
/// factor is not valid), device (the copy failed).
template <Scalar T>
LowerFactor<T> lower_factor(const Factor<T>& factor);

/// Returns the diagonal of L, length n, in the order of B: number k belongs to row old_of(k) of A.
/// The square of its product is the determinant of the A + shift I that was factorised. On a device
/// the call allocates n scalars there for its duration. Throws as lower_factor(), and
/// Error(memory).
template <Scalar T>
std::vector<T> lower_diagonal(const Factor<T>& factor);

/// Returns det(A + shift I) of the last factorisation: the product of the pivots with twice the
/// digits of a double, rounded once, and a second time if it is subnormal. 1 for a matrix without
/// rows; infinite or 0 if the determinant is out of the range of double. Pivots are recovered from
/// L's diagonal, their rounded square roots, which several numbers can have; of these the call
/// takes the one with the most trailing zero bits. So a pivot that is an integer or another short
/// number is recovered exactly, any other to within two units in the last place of T. Throws as
/// lower_diagonal().
template <Scalar T>
double determinant(const Factor<T>& factor);

/// Returns ln det(A + shift I) of the last factorisation, also if determinant() overflows or
/// underflows. 0 for a matrix without rows. The error, given the computed L, is on the CPU at most
/// 2^-52 times the sum of |ln L(j,j)^2|, on a device at most 2^-51 times the magnitude of the
/// result plus n 2^-101. On a device the call allocates some 30 kB at most for its duration;
/// Factor::enqueue_log_determinant() allocates nothing. Throws Error: usage (the factor is not
/// valid), memory, device.
template <Scalar T>
double log_determinant(const Factor<T>& factor);

}  // namespace kauri
