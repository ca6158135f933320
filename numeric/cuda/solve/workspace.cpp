// The allocation of a workspace of solves, and the part of its memory that products with L use.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/workspace.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"

namespace kauri::numeric::cuda {

template <class T>
Offset workspace_bytes(const Plan& plan, Index nrhs, const DeviceContext& context) {
  const KernelSet<T>& kernels = context.kernels.of<T>();
  if (kernels.runs_sweeps(plan)) return plan.workspace_bytes(sizeof(T), nrhs, kernels.together);
  const Offset row = Offset{sizeof(T)} * nrhs;
  return checked_add(2 * aligned_bytes(plan.n, row),
                     aligned_bytes(plan.internals->device.update_rows, row), "bytes of workspace");
}

template <class T>
CudaWorkspace<T>::CudaWorkspace(std::shared_ptr<const Plan> plan, Index nrhs,
                                const DeviceContext& context)
    : plan_(require_device_plan(std::move(plan))),
      nrhs_(std::min(nrhs, kSolveBlock)),
      stream_(context.pool),
      fast_(context.kernels.of<T>().runs_sweeps(*plan_)),
      block_(workspace_bytes<T>(*plan_, nrhs_, context), *context.heap) {
  const Offset vector = checked_mul(plan_->n, nrhs_, "scalars of workspace");
  y_ = block_.template take<T>(vector);
  if (fast_) {
    most_ = symbolic::solve_width(std::min(nrhs_, context.kernels.of<T>().together));
    numbers_ = block_.template take<double>(
        symbolic::solve_numbers(plan_->internals->device.sweeps, plan_->n, most_));
    if (most_ > 1) {
      enqueue_first_unset(*plan_, numbers_.data(), most_, stream_->get());
      stream_->synchronize();  // solves may be on any stream
    }
    return;
  }
  x_ = block_.template take<T>(vector);
  update_ = block_.template take<T>(
      checked_mul(plan_->internals->device.update_rows, nrhs_, "scalars of workspace"));
}

template <class T>
CudaWorkspace<T>::~CudaWorkspace() {
  stream_->wait();  // copies may be under way if a solve threw halfway
}

/// Products in a workspace of sweeps use the numbers that each solve writes anew: all of them in a
/// workspace for one right-hand side, else the scratch, without update rows and parts. Either has
/// room for two vectors and all update rows in double, or more.
template <class T>
SolveMemory<T> CudaWorkspace<T>::product_memory(const T* l) const {
  if (!fast_) return memory(l, nrhs_);
  const symbolic::DeviceSchedule& device = plan_->internals->device;
  const symbolic::MultiNumbers multi = most_ > 1
                                           ? symbolic::multi_numbers(device.sweeps, plan_->n, most_)
                                           : symbolic::MultiNumbers{};
  const Offset room = most_ > 1 ? multi.ticket - multi.scratch : numbers_.size(),
               column = 2 * Offset{plan_->n} + device.update_rows;
  const auto width = static_cast<Index>(
      std::min(Offset{nrhs_}, room * Offset{sizeof(double)} / (column * Offset{sizeof(T)})));
  T* const first = reinterpret_cast<T*>(numbers_.data() + multi.scratch);
  const Offset vector = Offset{plan_->n} * width;
  return {l, first, first + vector, first + 2 * vector, width};
}

template Offset workspace_bytes<float>(const Plan&, Index, const DeviceContext&);
template Offset workspace_bytes<double>(const Plan&, Index, const DeviceContext&);
template class CudaWorkspace<float>;
template class CudaWorkspace<double>;

}  // namespace kauri::numeric::cuda
