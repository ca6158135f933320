// Solves on a CUDA device: by sweeps of one or of several right-hand sides, or by the fallback,
// level by level.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/runtime/transfer/dense_copy.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/cuda/solve/fallback/kernels.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/device/schedule.hpp"

namespace kauri::numeric::cuda {

/// Solves by sweeps, kernels_.together columns at a time, or by the fallback. The fallback starts a
/// backward sweep alone from memory.y, and ends a forward sweep alone there. Right-hand sides from
/// the host lie in memory.y too (CudaWorkspace::rhs()), so b is gathered to memory.x and the
/// solution is scattered from memory.x.
template <class T>
void CudaFactor<T>::enqueue_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                                  const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                                  cudaStream_t stream) const {
  if (fast_) {
    for (Index c = 0; c < x.cols;) {
      const Index some = std::min(x.cols - c, kernels_.together);
      enqueue_fast(columns(b, c, some), columns(x, c, some), workspace, steps, stream);
      c += some;
    }
    return;
  }
  const auto levels = plan_->levels();
  SolveMemory<T> memory = workspace.memory(entries_.data(), x.cols);
  memory.run_flag = steps.run_flag;
  const auto copy = [&](T* to, const T* from) {
    const std::size_t bytes =
        static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols) * sizeof(T);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "a solution of one sweep");
  };
  PlanView in_order = view();
  in_order.old_of = nullptr;
  enqueue_gather(steps.permute ? view() : in_order, b.rows, strided(b), memory, stream);
  if (steps.backward && !steps.forward) copy(memory.y, memory.x);
  if (steps.forward)
    for (const Level& level : levels) enqueue_forward(view(), level, memory, stream);
  if (steps.backward)
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
      enqueue_backward(view(), *level, memory, stream);
  if (steps.forward && !steps.backward) copy(memory.x, memory.y);
  enqueue_scatter(steps.back ? view() : in_order, x.rows, strided(x), memory, verdict_address(),
                  stream);
}

template <class T>
void CudaFactor<T>::enqueue_fast(const MatrixView<const T>& b, const MatrixView<T>& x,
                                 const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                                 cudaStream_t stream) const {
  const Index most = symbolic::solve_width(std::min(workspace.nrhs(), kernels_.together));
  if (symbolic::solve_width(x.cols) == 1) {
    double* const numbers = scratch_of(*plan(), workspace.numbers(), most);
    if constexpr (sizeof(T) == sizeof(float)) {
      if (const auto enqueue = kernels_.single.enqueue_in_float; enqueue != nullptr)
        return enqueue_one(enqueue, strided(b), strided(x), numbers, steps, stream);
    }
    return enqueue_one(kernels_.single.enqueue, strided(b), strided(x), numbers, steps, stream);
  }
  kernels_.solve_several(kernels_,
                         {*plan(), sweeps(), entries_.data(), workspace.numbers(), most, b, x,
                          verdict_address(), steps},
                         stream);
}

template <class T>
template <class N>
void CudaFactor<T>::enqueue_one(EnqueueSweeps<SweepMemory<T, N>> launch,
                                const StridedView<const T>& b, const StridedView<T>& x,
                                double* numbers, const SolveSteps& steps,
                                cudaStream_t stream) const {
  const Plan& p = *plan();
  const PlanView permuted = view();
  PlanView in_order = permuted;
  in_order.old_of = nullptr;
  SweepMemory<T, N> memory = sweep_memory<T, N>(p, entries_.data(), numbers);
  memory.verdict = verdict_address(), memory.b = b.data, memory.out = x.data;
  memory.b_step = b.row, memory.out_step = x.row;
  memory.run_flag = steps.run_flag;
  const bool runs = steps.forward || steps.backward;  // without either, the solve is a
                                                      // permutation alone
  if (runs) enqueue_unset<N>(p, numbers, stream);
  SweepView lists = sweeps();
  lists.old_of = steps.permute ? permuted.old_of : nullptr;
  lists.back_of = steps.back ? permuted.old_of : nullptr;
  const SolveMemory<N> y{nullptr, memory.y, memory.y, memory.update, 1, steps.run_flag};
  if (!steps.forward) enqueue_gather(steps.permute ? permuted : in_order, p.n, b, y, stream);
  if (runs) launch(lists, memory, steps.forward, steps.backward, kernels_.single.blocks, stream);
  if (!steps.backward)
    enqueue_scatter(steps.back ? permuted : in_order, p.n, x, y, verdict_address(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                                   const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                                   cudaStream_t stream) const {
  require_on_device(b, "solve: b", context_.device);
  require_on_device(x, "solve: x", context_.device);
  for (Index c = 0; c < x.cols; c += workspace.nrhs()) {
    const Index nrhs = std::min(workspace.nrhs(), x.cols - c);
    enqueue_block(columns(b, c, nrhs), columns(x, c, nrhs), workspace, steps, stream);
  }
}

template <class T>
void CudaFactor<T>::solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                          const SolveSteps& steps) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  for (Index c = 0; c < x.cols; c += w.nrhs()) {
    const Index nrhs = std::min(w.nrhs(), x.cols - c);
    const MatrixView<T> there = compact_view(w.rhs(), x.rows, nrhs, x.layout);
    send(*context_.staging, columns(b, c, nrhs), there, w.stream());
    enqueue_block(there, there, w, steps, w.stream().get());
    receive<T>(*context_.staging, there, columns(x, c, nrhs), w.stream());
  }
}

template <class T>
void CudaFactor<T>::solve_on_device(MatrixView<const T> b, MatrixView<T> x,
                                    WorkspaceImpl<T>& workspace, const SolveSteps& steps) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  enqueue_blocks(b, x, w, steps, w.stream().get());
  w.stream().synchronize();
}

template <class T>
void CudaFactor<T>::enqueue_solve(MatrixView<const T> b, MatrixView<T> x,
                                  WorkspaceImpl<T>& workspace, const SolveSteps& steps,
                                  StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  enqueue_blocks(b, x, static_cast<CudaWorkspace<T>&>(workspace), steps,
                 static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_correction(const MatrixView<T>& r, WorkspaceImpl<T>& workspace,
                                       const std::int32_t* run_flag, cudaStream_t stream) const {
  enqueue_blocks(r, r, static_cast<CudaWorkspace<T>&>(workspace), {.run_flag = run_flag}, stream);
}

#define KAURI_SOLVES(T)                                                                          \
  template void CudaFactor<T>::solve(MatrixView<const T>, MatrixView<T>, WorkspaceImpl<T>&,      \
                                     const SolveSteps&) const;                                   \
  template void CudaFactor<T>::solve_on_device(MatrixView<const T>, MatrixView<T>,               \
                                               WorkspaceImpl<T>&, const SolveSteps&) const;      \
  template void CudaFactor<T>::enqueue_solve(MatrixView<const T>, MatrixView<T>,                 \
                                             WorkspaceImpl<T>&, const SolveSteps&, StreamHandle) \
      const;                                                                                     \
  template void CudaFactor<T>::enqueue_correction(const MatrixView<T>&, WorkspaceImpl<T>&,       \
                                                  const std::int32_t*, cudaStream_t) const;

KAURI_SOLVES(float)
KAURI_SOLVES(double)

}  // namespace kauri::numeric::cuda
