// The selected inverse on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cuda/inverse/kernels.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"

namespace kauri::numeric::cuda {

/// Lists of tiles and steps of a plan's inverse, and the size of its scratch. They follow from the
/// pattern alone.
struct InverseLayout {
  explicit InverseLayout(const Plan& plan);
  std::vector<InverseTile> tile;   ///< tiles of all launches; InverseTiles are ranges of it
  std::vector<InverseStep> steps;  ///< steps, in the order of their launches
  InverseTiles quotients;          ///< tiles of Y, of all tiled fronts
  std::vector<std::vector<InverseRun>>
      runs;  ///< runs[l]: runs of the tiled fronts of level l, in the order of their launches
  std::vector<InversePlace> place;  ///< per tiled front, in the order of Front::tiled
  Offset scratch = 0;  ///< entries of InverseMemory::scratch: those of the largest step or run
};

template <class T>
class CudaInverse final : public InverseImpl<T>, public DeviceInverse<T> {
 public:
  CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context);
  ~CudaInverse() override;
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_->plan(); }
  void compute(const FactorImpl<T>& factor) override;
  [[nodiscard]] T entry(Index s, Index r, Index c) const override;
  void copy_diagonal(std::span<T> to) const override;
  void copy_entries(std::span<T> to) const override;
  [[nodiscard]] DeviceInverse<T>* on_device() override { return this; }
  void enqueue_compute(const FactorImpl<T>& factor, StreamHandle stream) override;
  const DeviceVerdict& fetch_verdict(StreamHandle stream) override;
  void enqueue_diagonal(std::span<T> there, StreamHandle stream) const override;
  void enqueue_entries(std::span<T> there, StreamHandle stream) const override;
  /// Returns the bytes of device memory that the constructor takes.
  static Offset bytes(const Plan& plan) { return bytes(plan, InverseLayout(plan)); }

 private:
  static Offset bytes(const Plan& plan, const InverseLayout& layout);
  CudaInverse(std::shared_ptr<const DevicePlan> plan, const DeviceContext& context,
              InverseLayout layout);
  /// Enqueues all launches that compute Z, and the copy to verdict_ of the verdict that the factor
  /// has when the stream reaches the copy.
  void enqueue(const FactorImpl<T>& impl, cudaStream_t stream) const;
  /// Calls enqueue(plan, fronts, z, out, stream), which enqueues a launch that writes out_; then
  /// copies to.size() numbers of out_ to the host, and waits. Threads take turns (reading_).
  template <class Enqueue>
  void read(const Enqueue& enqueue, std::span<T> to) const;

  DeviceContext context_;
  std::shared_ptr<const DevicePlan> plan_;
  std::vector<InverseStep> steps_;
  InverseTiles quotients_;
  std::vector<std::vector<InverseRun>> runs_;
  DeviceBlock block_;
  PooledStream stream_;  // after the block: its destructor waits before the block is freed
  DeviceArray<T> z_, scratch_;
  DeviceArray<T> out_;  // nnz: results on their way to the host, of one reader at a time
  DeviceArray<InversePlace> place_;
  DeviceArray<InverseTile> tile_;
  DeviceArray<Index> front_of_;
  DeviceArray<DeviceVerdict> verdict_;  // verdict of the factor that Z was computed from
  DeviceVerdict seen_;
  mutable std::mutex reading_;
};

}  // namespace kauri::numeric::cuda
