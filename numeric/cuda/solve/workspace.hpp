// Memory of solves and of products with L on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "numeric/cuda/solve/fallback/memory.hpp"

namespace kauri::numeric::cuda {

/// Returns the device bytes of a workspace for `nrhs` right-hand sides in T:
/// Plan::workspace_bytes(), or the bytes of a solve level by level if the device does not solve by
/// sweeps. Throws Error(overflow).
template <class T>
Offset workspace_bytes(const Plan& plan, Index nrhs, const DeviceContext& context);

template <class T>
class CudaWorkspace final : public WorkspaceImpl<T> {
 public:
  CudaWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, const DeviceContext& context);
  ~CudaWorkspace() override;
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  [[nodiscard]] const Plan& plan() const override { return *plan_; }
  /// Returns memory of a solve level by level for `nrhs` <= nrhs() right-hand sides; l: a factor's
  /// entries on the device. Only in a workspace without numbers().
  [[nodiscard]] SolveMemory<T> memory(const T* l, Index nrhs) const {
    return {l, x_.data(), y_.data(), update_.data(), nrhs};
  }
  /// Returns memory for products with L, of as many columns as fit (its nrhs), at most nrhs(); l: a
  /// factor's entries on the device. The memory leaves out the update rows and parts that solves of
  /// several columns by sweeps need unset (all bits 1).
  [[nodiscard]] SolveMemory<T> product_memory(const T* l) const;
  /// Returns device memory for n x nrhs() scalars, columns on their way from the host and back. It
  /// is also y of memory(): a solve writes y only after it has read b from there, and reads y for
  /// the last time before it writes x there.
  [[nodiscard]] T* rhs() const { return y_.data(); }
  /// Returns the scratch of a solve by sweeps on the device: symbolic::solve_numbers() doubles, for
  /// factors in float too. Returns null if the device solves level by level.
  [[nodiscard]] double* numbers() const { return numbers_.data(); }
  [[nodiscard]] const Stream& stream() const { return *stream_; }

 private:
  std::shared_ptr<const Plan> plan_;
  Index nrhs_;
  Index most_ = 1;  // width of the columns that numbers_ has room for: 1, 8 or 32 (solve_width())
  PooledStream stream_;
  bool fast_;
  DeviceBlock block_;
  DeviceArray<T> x_, y_, update_;
  DeviceArray<double> numbers_;
};

}  // namespace kauri::numeric::cuda
