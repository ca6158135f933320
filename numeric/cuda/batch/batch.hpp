// A batch on a CUDA device whose items are done together: one block of threads an item, all items
// in one launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/batch/kernels.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"

namespace kauri::numeric::cuda {

/// Returns `way`, or if that is `automatic` `together` or `one_by_one`, as the plan alone decides;
/// see kauri::BatchWay. Throws Error(usage) for `together` if a front has more than
/// batch_most_rows() rows, or if an item has 2^31 entries or update rows, or more.
BatchWay chosen_way(const Plan& plan, BatchWay way);

template <class T>
class CudaBatchWorkspace final : public BatchWorkspaceImpl<T> {
 public:
  CudaBatchWorkspace(const Plan& plan, Index items, Index nrhs, int blocks,
                     const DeviceContext& context);
  CudaBatchWorkspace(const CudaBatchWorkspace&) = delete;
  CudaBatchWorkspace& operator=(const CudaBatchWorkspace&) = delete;
  ~CudaBatchWorkspace() override;
  /// Returns the bytes of device memory that the constructor allocates. blocks: most thread blocks
  /// of a solve, each of which has its scratch.
  static Offset bytes(const Plan& plan, Index items, Index nrhs, int blocks);
  [[nodiscard]] Index nrhs() const { return nrhs_; }
  /// Returns device memory for nrhs() columns of each item on their way from the host and back,
  /// item after item. scratch() returns BatchRhs::scratch, null if it is not needed.
  [[nodiscard]] T* rhs() const { return rhs_.data(); }
  [[nodiscard]] T* scratch() const { return scratch_.data(); }
  [[nodiscard]] const Stream& stream() const { return *stream_; }

 private:
  Index nrhs_;
  PooledStream stream_;
  DeviceBlock block_;
  DeviceArray<T> rhs_, scratch_;
};

template <class T>
class CudaBatch final : public BatchImpl<T> {
 public:
  CudaBatch(std::shared_ptr<const DevicePlan> plan, Index items, DeviceContext context);
  CudaBatch(const CudaBatch&) = delete;
  CudaBatch& operator=(const CudaBatch&) = delete;
  ~CudaBatch() override;
  /// Returns the bytes of device memory that the constructor allocates.
  static Offset bytes(const Plan& plan, Index items);
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_->plan(); }
  [[nodiscard]] Index items() const override { return items_; }
  [[nodiscard]] BatchWay way() const override { return BatchWay::together; }
  [[nodiscard]] std::span<const DeviceVerdict> verdicts() const override { return seen_; }
  [[nodiscard]] const DeviceVerdict* verdict_address(Index k) const override {
    return verdict_.data() + k;
  }
  std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream) override;
  [[nodiscard]] bool awaits_verdicts() const override { return awaits_verdicts_; }
  void begin_after(StreamHandle stream) override;
  std::span<const DeviceVerdict> refactorize(const ItemValues<T>& value, T shift) override;
  void enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) override;
  [[nodiscard]] Offset workspace_bytes(Index nrhs) const override;
  [[nodiscard]] std::unique_ptr<BatchWorkspaceImpl<T>> make_workspace(Index nrhs) const override;
  void solve(const BatchView<const T>& b, const BatchView<T>& x,
             BatchWorkspaceImpl<T>& workspace) const override;
  void solve_on_device(const BatchView<const T>& b, const BatchView<T>& x,
                       BatchWorkspaceImpl<T>& workspace) const override;
  void enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x,
                     BatchWorkspaceImpl<T>& workspace, StreamHandle stream) const override;
  [[nodiscard]] T entry(Index k, Index row, Index col) const override;

 private:
  [[nodiscard]] BatchMemory<T> memory() const;
  /// Reads the verdicts that the device has written to page-locked host memory into seen_, and
  /// returns them. Throws Error(usage) if work of another batch wrote them.
  std::span<const DeviceVerdict> see();
  /// Returns values in memory of this batch's device: `value` itself if it lies there, else a copy
  /// in value_, enqueued on stream_. Without entries (no items, or an empty A) the result's `data`
  /// is null, and no kernel reads it.
  [[nodiscard]] ItemValues<T> values_on_device(const ItemValues<T>& value) const;
  /// Enqueues the solves of all columns of b, any number of them; b and x are on the device.
  void enqueue_columns(const BatchView<const T>& b, const BatchView<T>& x,
                       const CudaBatchWorkspace<T>& workspace, cudaStream_t stream) const;

  DeviceContext context_;
  std::shared_ptr<const DevicePlan> plan_;
  Index items_;
  int factor_blocks_, solve_blocks_;  // thread blocks that the device holds at once
  PooledVerdicts host_verdict_;       // copies of verdict_ for the host, which kernels write, too
  DeviceBlock block_;
  PooledStream stream_;  // after the block and the verdicts: its destructor waits before they go
  DeviceArray<T> entries_, value_;
  DeviceArray<DeviceVerdict> verdict_;
  BatchPlan shared_{};
  std::vector<DeviceVerdict> seen_;
  bool awaits_verdicts_ = false;
};

}  // namespace kauri::numeric::cuda
