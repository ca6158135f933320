// Residuals, each row summed in about twice the precision; denominators after Arioli, Demmel & Duff 1989. A row a thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <cfloat>

#include "numeric/cuda/dot2.cuh"
#include "numeric/cuda/kernels/launch.hpp"
#include "numeric/cuda/residual.hpp"

namespace kauri::numeric::cuda {
namespace {

template <class T>
__global__ void product_rows(RowsView<T> a, const T* x, T* y) {
  const auto i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= a.n) return;
  Dot2 sum{0};
  for (Offset k = a.ptr[i]; k < a.ptr[i + 1]; ++k) sum.subtract<T>(a.value[a.source[k]], x[a.col[k]]);
  y[i] = static_cast<T>(0 - sum.value());
}

template <class T>
__device__ ResidualWorst residual_row(const RowsView<T>& a, Index i, const T* x, const T* b, double x_norm, T* r) {
  constexpr double epsilon = sizeof(T) == 4 ? double{FLT_EPSILON} : DBL_EPSILON;
  Dot2 sum{static_cast<double>(b[i])};
  double magnitude = fabs(sum.sum), row_norm = 0;
  const double b_i = magnitude;
  for (Offset k = a.ptr[i]; k < a.ptr[i + 1]; ++k) {
    const double v = a.value[a.source[k]], x_k = x[a.col[k]];
    sum.subtract<T>(v, x_k);
    magnitude += fabs(v * x_k);
    row_norm += fabs(v);
  }
  r[i] = static_cast<T>(sum.value());
  const double residual = fabs(static_cast<double>(r[i])), entries = static_cast<double>(a.ptr[i + 1] - a.ptr[i]);
  // A denominator that is all rounding tells nothing: the second kind of row of Arioli, Demmel & Duff.
  const double noise = 1000 * entries * epsilon * (row_norm * x_norm + b_i);
  const double scale = magnitude > noise ? magnitude : magnitude + row_norm * x_norm;
  return {residual, row_norm, residual == 0 ? 0 : residual / scale};
}

template <class T>
__global__ void residual_rows(RowsView<T> a, const T* x, const T* b, double x_norm, T* r, ResidualWorst* worst) {
  __shared__ ResidualWorst found[kRowsPerBlock];
  const auto i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  found[threadIdx.x] = i < a.n ? residual_row(a, i, x, b, x_norm, r) : ResidualWorst{0, 0, 0};
  __syncthreads();
  for (unsigned half = kRowsPerBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) found[threadIdx.x].take(found[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) worst[blockIdx.x] = found[0];
}

unsigned blocks_for(Index n) { return (static_cast<unsigned>(n) + kRowsPerBlock - 1) / kRowsPerBlock; }

}  // namespace

template <class T>
void enqueue_product(const RowsView<T>& a, const T* x, T* y, cudaStream_t stream) {
  kernels::launch(product_rows<T>, blocks_for(a.n), kRowsPerBlock, 0, stream, a, x, y);
  check(cudaGetLastError(), "a launch of a product");
}

template <class T>
void enqueue_residual(const RowsView<T>& a, const T* x, const T* b, double x_norm, T* r, ResidualWorst* worst, cudaStream_t stream) {
  kernels::launch(residual_rows<T>, blocks_for(a.n), kRowsPerBlock, 0, stream, a, x, b, x_norm, r, worst);
  check(cudaGetLastError(), "a launch of a residual");
}

template void enqueue_product(const RowsView<float>&, const float*, float*, cudaStream_t);
template void enqueue_product(const RowsView<double>&, const double*, double*, cudaStream_t);
template void enqueue_residual(const RowsView<float>&, const float*, const float*, double, float*, ResidualWorst*, cudaStream_t);
template void enqueue_residual(const RowsView<double>&, const double*, const double*, double, double*, ResidualWorst*, cudaStream_t);

}  // namespace kauri::numeric::cuda
