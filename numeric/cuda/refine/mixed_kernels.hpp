// Launches of a mixed solve on a device: scaling of A, rounding to float, and operations on vectors
// of one column or of several that lie side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "numeric/cuda/matrix/residual_kernels.hpp"
#include "numeric/mixed_impl.hpp"

namespace kauri::numeric::cuda {

/// Loads all kernels, so that none is loaded at its first launch. Throws Error(device).
void load_mixed_kernels();

/// Flags that the device sets for the scaling of A, or for a column of b and x. The kernels only
/// raise them: `wrong` must be 0 and `above` kNoExponent before the first.
struct MixedFlags {
  int wrong;  ///< not 0: a diagonal entry is not positive and finite, or an entry of b or x is not
              ///< finite
  int above;  ///< greatest exponent_above() (scaling_rule.hpp) of the entries of S b, for the
              ///< column b; not used for A
};

/// Enqueues exponent[i] = scale_exponent(A(i,i)), and flags->wrong = 1 if an A(i,i) is not positive
/// and finite. lower: values of A; source: for each entry of the rows the index of its value in
/// `lower`. Values of `rows` are not read.
void enqueue_exponents(const RowsView<double>& rows, const std::uint32_t* source,
                       const double* lower, int* exponent, MixedFlags* flags, cudaStream_t stream);
/// Enqueues the entries of S A S, with S(i,i) = 2^-exponent[i]: in `value` by full rows, in
/// `rounded` in float and in the order of A's entries. lower, source: as above.
void enqueue_scaling(const RowsView<double>& rows, std::span<const std::uint32_t> source,
                     const double* lower, const int* exponent, double* value, float* rounded,
                     cudaStream_t stream);
/// Enqueues the copy of the values of `rows` to `lower`, in the order of A's entries.
void enqueue_gathering(const RowsView<double>& rows, std::span<const std::uint32_t> source,
                       double* lower, cudaStream_t stream);

/// Enqueues flags->above = the greatest exponent_above() of the entries of S b for the first column
/// of b, and flags->wrong = 1 if an entry of b is not finite.
void enqueue_height(Index n, const StridedView<const double>& b, const int* exponent,
                    MixedFlags* flags, cudaStream_t stream);
/// Enqueues c = r = S b 2^-t and y = 0, t = loading_exponent(flags->above): 2^t is greater than the
/// magnitudes of S b. norms->worst.residual is set to 0.5, which has the exponent of the norm of r.
void enqueue_load(Index n, const StridedView<const double>& b, const int* exponent,
                  const MixedFlags* flags, double* c, double* y, double* r, ResidualNorms* norms,
                  cudaStream_t stream);
/// Enqueues x = S y 2^t, with t of enqueue_load(), and flags->wrong = 1 if an entry of x is not
/// finite.
void enqueue_store(Index n, const double* y, const int* exponent, const StridedView<double>& x,
                   MixedFlags* flags, cudaStream_t stream);

/// Shape of `count` columns of n numbers, which lie one after another.
struct MixedColumns {
  Index n, count;
};
/// Enqueues, for each column k, d = r / 2^e rounded to float and grow[k] = 2^e, with e =
/// shrinking_exponent(norms[k].worst.residual), the norm of r; sets norms[k].x = 0.
void enqueue_rounding(const MixedColumns& columns, const double* r, ResidualNorms* norms, float* d,
                      double* grow, cudaStream_t stream);
/// Enqueues, for each column k, before = y, then y += d grow[k] (y += d if `grow` is null).
/// norms[k].x, which must be 0 before, becomes the infinity norm of y; the other norms become 0.
template <class T>
void enqueue_addition(const MixedColumns& columns, const T* d, const double* grow, double* y,
                      double* before, ResidualNorms* norms, cudaStream_t stream);
/// Enqueues z = d times the number *grow, and p = z if p is not null; all have n numbers.
void enqueue_growth(Index n, const float* d, const double* grow, double* z, double* p,
                    cudaStream_t stream);
/// Enqueues before = r and y += step p.
void enqueue_advance(Index n, const double* r, double* before, double step, const double* p,
                     double* y, cudaStream_t stream);
/// Enqueues p = z + beta p.
void enqueue_turn(Index n, const double* z, double beta, double* p, cudaStream_t stream);
/// Most partial sums of an inner product, one for each thread block.
inline constexpr unsigned kDotBlocks = 256;
/// Enqueues *to = (u.v, u.w). part: room for kDotBlocks partial sums. The order of the additions
/// depends on n alone, so equal inputs give equal bits.
void enqueue_dots(Index n, const double* u, const double* v, const double* w, Dots* part, Dots* to,
                  cudaStream_t stream);

}  // namespace kauri::numeric::cuda
