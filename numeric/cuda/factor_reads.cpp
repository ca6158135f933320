// What is made of a factor on a CUDA device beside solves: its diagonal and determinant, products with L, memory for selected inverses.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/determinant_kernels.hpp"
#include "numeric/cuda/factor.hpp"
#include "numeric/cuda/inverse.hpp"
#include "numeric/cuda/product_kernels.hpp"
#include "numeric/cuda/staging.hpp"
#include "numeric/cuda/unwinding.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/device_schedule.hpp"

namespace kauri::numeric::cuda {

template <class T>
void CudaFactor<T>::copy_diagonal(std::span<T> to) const {
  if (to.empty()) return;
  const CurrentDevice current(context_.device);
  const DeviceHeap heap{context_.device, context_.heap->allocator, nullptr};  // for the time of this call
  DeviceBlock block(symbolic::aligned_bytes(plan()->n, sizeof(T)), heap);
  const LentStream stream(context_.lending);
  T* out = block.template take<T>(plan()->n).data();
  PlanView in_order = plan_->view();
  in_order.old_of = nullptr;
  enqueue_diagonal(in_order, plan()->supernodes.count(), entries_.data(), out, nullptr, stream->get());
  receive<T>(*context_.staging, {out, plan()->n, 1, plan()->n}, column_view(to), *stream);
}

template <class T>
double CudaFactor<T>::log_determinant() const {
  const CurrentDevice current(context_.device);
  const Index fronts = plan()->supernodes.count();
  const Offset parts = determinant_blocks(fronts);
  const DeviceHeap heap{context_.device, context_.heap->allocator, nullptr};  // for the time of this call
  DeviceBlock block(symbolic::aligned_bytes(parts, sizeof(LongProduct)) + symbolic::aligned_bytes(1, sizeof(double)), heap);
  const LentStream stream(context_.lending);
  LongProduct* part = block.template take<LongProduct>(parts).data();
  double* there = block.template take<double>(1).data();
  cuda::enqueue_log_determinant(plan_->view(), fronts, entries_.data(), part, verdict_address(), there, stream->get());
  double out = 0;
  check(cudaMemcpyAsync(&out, there, sizeof out, cudaMemcpyDeviceToHost, stream->get()), "a determinant");
  stream->synchronize();
  return out;
}

/// Parts go where right-hand sides of the host's come through: there is a number for each row, and a front has one or more.
template <class T>
void CudaFactor<T>::enqueue_log_determinant(double* there, SolveStore<T>& workspace, StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_on_device(there, there, "enqueue_log_determinant: the number", context_.device);
  auto* part = reinterpret_cast<LongProduct*>(static_cast<CudaWorkspace<T>&>(workspace).rhs());
  cuda::enqueue_log_determinant(plan_->view(), plan()->supernodes.count(), entries_.data(), part, verdict_address(), there,
                                static_cast<cudaStream_t>(stream));
}

/// Of a fast workspace: in the numbers of a solve of one, which each solve writes anew, where several go together what all of them do.
/// Both have places for two vectors and all update rows in double, or more.
template <class T>
SolveMemory<T> CudaWorkspace<T>::product_memory(const T* l) const {
  if (!fast_) return memory(l, nrhs_);
  const DeviceSchedule& device = plan_->device;
  const symbolic::WideNumbers wide = most_ > 1 ? symbolic::wide_numbers(device.sweeps, plan_->n, most_) : symbolic::WideNumbers{};
  const Offset room = most_ > 1 ? wide.ticket - wide.scratch : numbers_.size(), column = 2 * Offset{plan_->n} + device.update_rows;
  const auto width = static_cast<Index>(std::min(Offset{nrhs_}, room * Offset{sizeof(double)} / (column * Offset{sizeof(T)})));
  T* const first = reinterpret_cast<T*>(numbers_.data() + wide.scratch);
  const Offset vector = Offset{plan_->n} * width;
  return {l, first, first + vector, first + 2 * vector, width};
}

template <class T>
void CudaFactor<T>::enqueue_product_block(const MatrixView<const T>& b, const MatrixView<T>& x, SolveMemory<T> memory, bool transposed,
                                          cudaStream_t stream) const {
  memory.nrhs = x.cols;
  PlanView in_order = plan_->view();
  in_order.old_of = nullptr;
  enqueue_gather<T>(in_order, b.rows, strided(b), memory, stream);
  for (const Level& level : plan_->levels())
    transposed ? enqueue_transposed_product(plan_->view(), level, memory, stream) : enqueue_product(plan_->view(), level, memory, stream);
  SolveMemory<T> result = memory;
  result.x = memory.y;
  enqueue_scatter(in_order, x.rows, strided(x), result, verdict_address(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_product_blocks(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace,
                                           bool transposed, cudaStream_t stream) const {
  require_on_device(b, "multiply: b", context_.device);
  require_on_device(x, "multiply: x", context_.device);
  const SolveMemory<T> memory = workspace.product_memory(entries_.data());
  for (Index c = 0; c < x.cols; c += memory.nrhs) {
    const Index nrhs = std::min(memory.nrhs, x.cols - c);
    enqueue_product_block(columns(b, c, nrhs), columns(x, c, nrhs), memory, transposed, stream);
  }
}

/// Of what is gathered from right-hand sides of the host's nothing is left when the product is scattered: it goes there.
template <class T>
void CudaFactor<T>::multiply(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, bool transposed) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const SolveMemory<T> memory = w.product_memory(entries_.data());
  const WaitInUnwinding waits(w.stream());
  for (Index c = 0; c < x.cols; c += memory.nrhs) {
    const Index nrhs = std::min(memory.nrhs, x.cols - c);
    const MatrixView<T> from = compact_view(w.rhs(), x.rows, nrhs, x.layout), to = compact_view(memory.x, x.rows, nrhs, x.layout);
    send(*context_.staging, columns(b, c, nrhs), from, w.stream());
    enqueue_product_block(from, to, memory, transposed, w.stream().get());
    receive<T>(*context_.staging, to, columns(x, c, nrhs), w.stream());
  }
}

template <class T>
void CudaFactor<T>::multiply_there(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, bool transposed) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  enqueue_product_blocks(b, x, w, transposed, w.stream().get());
  w.stream().synchronize();
}

template <class T>
void CudaFactor<T>::enqueue_multiply(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, bool transposed,
                                     StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  enqueue_product_blocks(b, x, static_cast<CudaWorkspace<T>&>(workspace), transposed, static_cast<cudaStream_t>(stream));
}

template <class T>
std::unique_ptr<InverseStore<T>> CudaFactor<T>::make_inverse() const {
  const CurrentDevice current(context_.device);
  return std::make_unique<CudaInverse<T>>(plan_, context_);
}

template <class T>
Offset CudaFactor<T>::inverse_bytes() const {
  return CudaInverse<T>::bytes(*plan());
}

#define KAURI_FACTOR_READS(T)                                                                                                  \
  template void CudaFactor<T>::copy_diagonal(std::span<T>) const;                                                              \
  template double CudaFactor<T>::log_determinant() const;                                                                      \
  template void CudaFactor<T>::enqueue_log_determinant(double*, SolveStore<T>&, StreamHandle) const;                           \
  template SolveMemory<T> CudaWorkspace<T>::product_memory(const T*) const;                                                    \
  template void CudaFactor<T>::multiply(MatrixView<const T>, MatrixView<T>, SolveStore<T>&, bool) const;                       \
  template void CudaFactor<T>::multiply_there(MatrixView<const T>, MatrixView<T>, SolveStore<T>&, bool) const;                 \
  template void CudaFactor<T>::enqueue_multiply(MatrixView<const T>, MatrixView<T>, SolveStore<T>&, bool, StreamHandle) const; \
  template std::unique_ptr<InverseStore<T>> CudaFactor<T>::make_inverse() const;                                               \
  template Offset CudaFactor<T>::inverse_bytes() const;
KAURI_FACTOR_READS(float)
KAURI_FACTOR_READS(double)
#undef KAURI_FACTOR_READS

}  // namespace kauri::numeric::cuda
