// Launches of a mixed solve on a device: scaling, rounding, and vectors of one column or of several that lie side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/mixed_store.hpp"

namespace kauri::numeric::cuda {

/// So that nothing is loaded at a first launch. Throws Error(device).
void load_mixed_kernels();

/// What the device tells of a scaling or of a column.
struct MixedFlags {
  int wrong;  ///< not 0: a diagonal entry that is not positive and finite, or an entry of b or x that is not
  int above;  ///< of a right-hand side: the greatest exponent_above() of its entries, scaled; see scaling_rule.hpp
};

/// source: for each entry of the rows its place in the order of A's, in which `lower` is. exponent[i] of A's diagonal, and flags->wrong.
void enqueue_exponents(const RowsView<double>& rows, const std::uint32_t* source, const double* lower, int* exponent, MixedFlags* flags,
                       cudaStream_t stream);
/// value, by rows: that of S A S; and in float in the order of A's entries.
void enqueue_scaling(const RowsView<double>& rows, std::span<const std::uint32_t> source, const double* lower, const int* exponent,
                     double* value, float* rounded, cudaStream_t stream);
/// lower, in the order of A's entries: the values by rows.
void enqueue_gathering(const RowsView<double>& rows, std::span<const std::uint32_t> source, double* lower, cudaStream_t stream);

/// flags->above of S b, of the first column, and flags->wrong.
void enqueue_height(Index n, const StridedView<const double>& b, const int* exponent, MixedFlags* flags, cudaStream_t stream);
/// c = r = S b 2^-t, y = 0, with 2^t above the greatest entry of S b; norms->worst.residual, as far as the exponent goes.
void enqueue_load(Index n, const StridedView<const double>& b, const int* exponent, const MixedFlags* flags, double* c, double* y,
                  double* r, ResidualNorms* norms, cudaStream_t stream);
/// x = S y 2^t, and flags->wrong.
void enqueue_store(Index n, const double* y, const int* exponent, const StridedView<double>& x, MixedFlags* flags, cudaStream_t stream);

/// Columns of n numbers, one behind the other.
struct MixedColumns {
  Index n, count;
};
/// d = r in float, divided by a power of two that norms->worst.residual tells and that is left in grow; norms->x = 0.
void enqueue_rounding(const MixedColumns& columns, const double* r, ResidualNorms* norms, float* d, double* grow, cudaStream_t stream);
/// before = y; y += d grow, without grow y += d. norms->x, which was 0, is that of y, and the other norms are zeros.
template <class T>
void enqueue_addition(const MixedColumns& columns, const T* d, const double* grow, double* y, double* before, ResidualNorms* norms,
                      cudaStream_t stream);
/// z = d *grow, and p where it is not null.
void enqueue_growth(Index n, const float* d, const double* grow, double* z, double* p, cudaStream_t stream);
/// before = r; y += step p.
void enqueue_advance(Index n, const double* r, double* before, double step, const double* p, double* y, cudaStream_t stream);
/// p = z + beta p.
void enqueue_turn(Index n, const double* z, double beta, double* p, cudaStream_t stream);
/// to = u.v, u.w, from up to kDotBlocks parts of each: the same order always.
inline constexpr unsigned kDotBlocks = 256;
void enqueue_dots(Index n, const double* u, const double* v, const double* w, Dots* part, Dots* to, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
