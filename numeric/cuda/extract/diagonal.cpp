// Reads the diagonal and the determinant of a factor on a CUDA device, and makes its selected
// inverse.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/common/aligned_bytes.hpp"
#include "numeric/cuda/extract/determinant_kernels.hpp"
#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/inverse/inverse.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {

template <class T>
void CudaFactor<T>::copy_diagonal(std::span<T> to) const {
  if (to.empty()) return;
  const CurrentDevice current(context_.device);
  const DeviceHeap heap{context_.device, context_.heap->allocator,
                        nullptr};  // of the block for this call, which is counted in no ledger
  DeviceBlock block(aligned_bytes(plan()->n, sizeof(T)), heap);
  const PooledStream stream(context_.pool);
  T* out = block.template take<T>(plan()->n).data();
  PlanView in_order = view();
  in_order.old_of = nullptr;
  enqueue_diagonal(in_order, plan()->supernodes.count(), entries_.data(), out, nullptr,
                   stream->get());
  receive<T>(*context_.staging, {out, plan()->n, 1, plan()->n}, column_view(to), *stream);
}

template <class T>
double CudaFactor<T>::log_determinant() const {
  const CurrentDevice current(context_.device);
  const Index fronts = plan()->supernodes.count();
  const Offset parts = determinant_blocks(fronts);
  const DeviceHeap heap{context_.device, context_.heap->allocator,
                        nullptr};  // of the block for this call, which is counted in no ledger
  DeviceBlock block(aligned_bytes(parts, sizeof(LongProduct)) + aligned_bytes(1, sizeof(double)),
                    heap);
  const PooledStream stream(context_.pool);
  LongProduct* part = block.template take<LongProduct>(parts).data();
  double* there = block.template take<double>(1).data();
  cuda::enqueue_log_determinant(view(), fronts, entries_.data(), part, verdict_address(), there,
                                stream->get());
  double out = 0;
  check(cudaMemcpyAsync(&out, there, sizeof out, cudaMemcpyDeviceToHost, stream->get()),
        "a determinant");
  stream->synchronize();
  return out;
}

/// Stores partial products in the workspace's buffer for right-hand sides from the host (rhs()).
/// The buffer holds a number for each row of A, a front has one pivot or more, and the partial
/// products take less memory than a number for each front (determinant_blocks()).
template <class T>
void CudaFactor<T>::enqueue_log_determinant(double* there, WorkspaceImpl<T>& workspace,
                                            StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_on_device(there, there, "enqueue_log_determinant: the number", context_.device);
  auto* part = reinterpret_cast<LongProduct*>(static_cast<CudaWorkspace<T>&>(workspace).rhs());
  cuda::enqueue_log_determinant(view(), plan()->supernodes.count(), entries_.data(), part,
                                verdict_address(), there, static_cast<cudaStream_t>(stream));
}

template <class T>
std::unique_ptr<InverseImpl<T>> CudaFactor<T>::make_inverse() const {
  if (host_panels_)
    throw Error(ErrorKind::usage,
                "a selected inverse lies on the device beside L, in places like those of L, but "
                "panels of this L are in host memory (AnalyzeOptions::device_bytes); compute it on "
                "the CPU, or without that limit");
  const CurrentDevice current(context_.device);
  return std::make_unique<CudaInverse<T>>(plan_, context_);
}

template <class T>
Offset CudaFactor<T>::inverse_bytes() const {
  return CudaInverse<T>::bytes(*plan());
}

#define KAURI_FACTOR_READS(T)                                                                    \
  template void CudaFactor<T>::copy_diagonal(std::span<T>) const;                                \
  template double CudaFactor<T>::log_determinant() const;                                        \
  template void CudaFactor<T>::enqueue_log_determinant(double*, WorkspaceImpl<T>&, StreamHandle) \
      const;                                                                                     \
  template std::unique_ptr<InverseImpl<T>> CudaFactor<T>::make_inverse() const;                  \
  template Offset CudaFactor<T>::inverse_bytes() const;
KAURI_FACTOR_READS(float)
KAURI_FACTOR_READS(double)
#undef KAURI_FACTOR_READS

}  // namespace kauri::numeric::cuda
