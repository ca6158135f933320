// ln det(A) as the logarithm of the square of one product, that of the diagonal of L, in a number
// twice as long as a double with a separate exponent (double-double: M. Joldes, J.-M. Muller,
// V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word arithmetic,
// ACM Trans. Math. Softw. 44, 2017). Lanes, warps and blocks multiply in trees that depend on the
// fronts alone.
//
// The relative error, with u = 2^-53, is at most 2 u^2 for a product with a pivot, 9 u^2 for one of
// two long numbers, and 4 u for the logarithm at the end: in all 4 u |ln det(L L^T)| + 22 n u^2. A
// sum of n logarithms, each of which is rounded, has an error of u times the sum of their
// magnitudes, even if the sum keeps its rounding errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/determinant_kernels.hpp"

#include <limits>

#include "numeric/cuda/plan/pivots.cuh"
#include "numeric/cuda/runtime/kernel/block_reduce.cuh"
#include "numeric/cuda/runtime/launch.hpp"
#include "numeric/cuda/runtime/load.hpp"

namespace kauri::numeric::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr int kBias = 1023, kMantissaBits = 52;

__device__ LongProduct one() { return {1, 0, 0}; }

/// Returns the exponent of a positive normal number x: 2^exponent <= x < 2^(exponent + 1).
__device__ int exponent_of(double x) {
  return static_cast<int>(__double_as_longlong(x) >> kMantissaBits) - kBias;
}
__device__ double power_of_two(int exponent) {
  return __longlong_as_double(static_cast<long long>(exponent + kBias) << kMantissaBits);
}
/// Returns x / 2^exponent_of(x).
__device__ double mantissa_of(double x) {
  constexpr long long kMantissa = (1LL << kMantissaBits) - 1;
  return __longlong_as_double((__double_as_longlong(x) & kMantissa) | static_cast<long long>(kBias)
                                                                          << kMantissaBits);
}

/// Returns (high + low) 2^exponent with its `high` in [1, 2). The argument `high` must be at least
/// 1, and `low` much smaller.
__device__ LongProduct normalized(double high, double low, long long exponent) {
  const double sum = __dadd_rn(high, low), rest = __dsub_rn(low, __dsub_rn(sum, high));
  const int more = exponent_of(sum);
  const double scale = power_of_two(-more);
  return {__dmul_rn(sum, scale), __dmul_rn(rest, scale), exponent + more};
}

__device__ LongProduct times(const LongProduct& a, const LongProduct& b) {
  const double product = __dmul_rn(a.high, b.high), error = __fma_rn(a.high, b.high, -product);
  const double crossed = __fma_rn(a.low, b.high, __fma_rn(a.high, b.low, error));
  return normalized(product, crossed, a.exponent + b.exponent);
}

/// Returns a times a diagonal entry of L. It is positive, and normal, since its square is not less
/// than 2^-1074. The result has no meaning if it is not, after a factorisation that failed.
__device__ LongProduct times(const LongProduct& a, double root) {
  const double mantissa = mantissa_of(root), product = __dmul_rn(a.high, mantissa),
               error = __fma_rn(a.high, mantissa, -product);
  return normalized(product, __fma_rn(a.low, mantissa, error), a.exponent + exponent_of(root));
}

/// Returns the product of `mine` of all threads of the block, in thread 0; unspecified in others.
/// All threads of the block call it.
__device__ LongProduct product_of_block(const LongProduct& mine) {
  return block_reduce<kThreads>(
      mine, [](const LongProduct& a, const LongProduct& b) { return times(a, b); },
      [](const LongProduct& a, int by) {
        return LongProduct{__shfl_down_sync(~0U, a.high, by), __shfl_down_sync(~0U, a.low, by),
                           __shfl_down_sync(~0U, a.exponent, by)};
      });
}

/// Returns 2 ln((high + low) 2^exponent). Nothing cancels, since `high` is first brought nearer to
/// 1 than to 1/2 or 2.
__device__ double log_of_square(LongProduct product) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
  if (product.high > 0x1.6a09e667f3bcdp+0) product.high /= 2, product.low /= 2, ++product.exponent;
  const auto exponent = static_cast<double>(product.exponent);
  const double whole = __dmul_rn(exponent, kLn2);
  const double rest =
      __fma_rn(exponent, kLn2Rest, __fma_rn(exponent, kLn2, -whole)) + product.low / product.high;
  return 2 * (whole + (log(product.high) + rest));
}

/// Writes 2 ln(product), or NaN if the verdict is not good, to *there.
__device__ void conclude(const LongProduct& product, const DeviceVerdict* verdict, double* there) {
  const bool good = verdict->status == VerdictStatus::positive_definite;
  *there = good ? log_of_square(product) : std::numeric_limits<double>::quiet_NaN();
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply_pivots(PlanView plan, Index fronts, const T* entries, LongProduct* part,
                    const DeviceVerdict* verdict, double* there) {
  LongProduct product = one();
  const Index lane = static_cast<Index>(threadIdx.x) % 32,
              stride = static_cast<Index>(gridDim.x) * kThreads;
  for (Index first = static_cast<Index>(blockIdx.x * kThreads + threadIdx.x) - lane; first < fronts;
       first += stride) {
    const Index s = first + lane;
    for_pivots(
        s < fronts ? Diagonal(plan.front[s]) : Diagonal(), lane,
        [&](const Diagonal& front, Index c) { product = times(product, front.root(entries, c)); });
  }
  product = product_of_block(product);
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1)
    part[blockIdx.x] = product;
  else
    conclude(product, verdict, there);
}

__global__ void __launch_bounds__(kThreads)
    multiply_parts(const LongProduct* part, Index parts, const DeviceVerdict* verdict,
                   double* there) {
  LongProduct product = one();
  for (Index k = static_cast<Index>(threadIdx.x); k < parts; k += kThreads)
    product = times(product, part[k]);
  product = product_of_block(product);
  if (threadIdx.x == 0) conclude(product, verdict, there);
}

}  // namespace

void load_determinant_kernels() {
  load(multiply_pivots<float>);
  load(multiply_pivots<double>);
  load(multiply_parts);
}

template <class T>
void enqueue_log_determinant(const PlanView& plan, Index fronts, const T* entries,
                             LongProduct* part, const DeviceVerdict* verdict, double* there,
                             cudaStream_t stream) {
  const Index blocks = determinant_blocks(fronts);
  check(kernels::launch(multiply_pivots<T>, static_cast<unsigned>(blocks), kThreads, 0, stream,
                        plan, fronts, entries, part, verdict, there),
        "a launch of a determinant");
  if (blocks > 1)
    check(kernels::launch(multiply_parts, 1, kThreads, 0, stream, part, blocks, verdict, there),
          "a launch of a determinant");
}

template void enqueue_log_determinant(const PlanView&, Index, const float*, LongProduct*,
                                      const DeviceVerdict*, double*, cudaStream_t);
template void enqueue_log_determinant(const PlanView&, Index, const double*, LongProduct*,
                                      const DeviceVerdict*, double*, cudaStream_t);

}  // namespace kauri::numeric::cuda
