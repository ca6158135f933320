// Products of L and of its transpose with vectors on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/cuda/solve/fallback/kernels.hpp"
#include "numeric/cuda/solve/product_kernels.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

template <class T>
void CudaFactor<T>::enqueue_product_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                                          SolveMemory<T> memory, bool transposed,
                                          cudaStream_t stream) const {
  memory.nrhs = x.cols;
  PlanView in_order = view();
  in_order.old_of = nullptr;
  enqueue_gather<T>(in_order, b.rows, strided(b), memory, stream);
  for (const Level& level : plan_->levels())
    transposed ? enqueue_transposed_product(view(), level, memory, stream)
               : enqueue_product(view(), level, memory, stream);
  SolveMemory<T> result = memory;
  result.x = memory.y;
  enqueue_scatter(in_order, x.rows, strided(x), result, verdict_address(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_product_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                                           const CudaWorkspace<T>& workspace, bool transposed,
                                           cudaStream_t stream) const {
  require_on_device(b, "multiply: b", context_.device);
  require_on_device(x, "multiply: x", context_.device);
  const SolveMemory<T> memory = workspace.product_memory(entries_.data());
  for (Index c = 0; c < x.cols; c += memory.nrhs) {
    const Index nrhs = std::min(memory.nrhs, x.cols - c);
    enqueue_product_block(columns(b, c, nrhs), columns(x, c, nrhs), memory, transposed, stream);
  }
}

/// Leaves the product in memory.x, from where it is copied to the host: the scatter to memory.x
/// begins after the product's operand in memory.x was read for the last time.
template <class T>
void CudaFactor<T>::multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                             bool transposed) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const SolveMemory<T> memory = w.product_memory(entries_.data());
  const WaitInUnwinding waits(w.stream());
  for (Index c = 0; c < x.cols; c += memory.nrhs) {
    const Index nrhs = std::min(memory.nrhs, x.cols - c);
    const MatrixView<T> from = compact_view(w.rhs(), x.rows, nrhs, x.layout),
                        to = compact_view(memory.x, x.rows, nrhs, x.layout);
    send(*context_.staging, columns(b, c, nrhs), from, w.stream());
    enqueue_product_block(from, to, memory, transposed, w.stream().get());
    receive<T>(*context_.staging, to, columns(x, c, nrhs), w.stream());
  }
}

template <class T>
void CudaFactor<T>::multiply_on_device(MatrixView<const T> b, MatrixView<T> x,
                                       WorkspaceImpl<T>& workspace, bool transposed) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  enqueue_product_blocks(b, x, w, transposed, w.stream().get());
  w.stream().synchronize();
}

template <class T>
void CudaFactor<T>::enqueue_multiply(MatrixView<const T> b, MatrixView<T> x,
                                     WorkspaceImpl<T>& workspace, bool transposed,
                                     StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  enqueue_product_blocks(b, x, static_cast<CudaWorkspace<T>&>(workspace), transposed,
                         static_cast<cudaStream_t>(stream));
}

#define KAURI_PRODUCTS(T)                                                                      \
  template void CudaFactor<T>::multiply(MatrixView<const T>, MatrixView<T>, WorkspaceImpl<T>&, \
                                        bool) const;                                           \
  template void CudaFactor<T>::multiply_on_device(MatrixView<const T>, MatrixView<T>,          \
                                                  WorkspaceImpl<T>&, bool) const;              \
  template void CudaFactor<T>::enqueue_multiply(MatrixView<const T>, MatrixView<T>,            \
                                                WorkspaceImpl<T>&, bool, StreamHandle) const;

KAURI_PRODUCTS(float)
KAURI_PRODUCTS(double)

}  // namespace kauri::numeric::cuda
