// A factor on a CUDA device. The folder solve/ holds its solves, extract/ all else that is made of
// it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/plan/tiled_plan.hpp"
#include "numeric/cuda/runtime/graph.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"

namespace kauri::numeric::cuda {

template <class T>
class CudaWorkspace;
template <class T>
struct SolveMemory;

/// The small fronts of one factor in two launches: first the narrow fronts, then the others, each
/// in the order of their levels. Holds their descriptions and counters, with the addresses of the
/// factor.
template <class T>
class SmallFactor {
 public:
  SmallFactor() = default;
  /// Enqueues the making of the descriptions on the current device: they are valid once the stream
  /// has completed it. The members of `kernels` are not null. Throws Error: memory, device.
  SmallFactor(const DevicePlan& plan, const FactorMemory<T>& memory, const SmallKernels<T>& kernels,
              DeviceBlock& block, cudaStream_t stream);
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  SmallKernels<T> kernels_;
  DeviceArray<GatheredFront> front_;
  DeviceArray<int> counters_;  // one for each front, then two tickets
  Index narrow_ = 0;
};

/// The tiled fronts of one factor, which one persistent kernel factorises. Holds views of them and
/// of their children with the addresses of the factor, and counters.
template <class T>
class TiledFactor {
 public:
  TiledFactor() = default;
  /// Enqueues the making of the views on the current device: they are valid once the stream has
  /// completed it. `plan` outlives this object. `kernels` has teams > 0. Throws Error:
  /// memory, device.
  TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory, const TiledKernels<T>& kernels,
              DeviceBlock& block, cudaStream_t stream);
  /// Enqueues the tasks of all tiled fronts, then the launch that copies their failures to the
  /// fronts' states. All small fronts come before it on the stream.
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  const TiledPlan* plan_ = nullptr;
  DeviceArray<kernels::FrontViewOf<T>> front_;
  DeviceArray<kernels::ChildViewOf<T>> child_;
  DeviceArray<int>
      counters_;  // of fronts, then of levels, then the ticket and the number of levels done
  kernels::SumsOf<T> sums_;
  Index first_ = 0;  // first tiled front in PlanView::order
  TiledKernels<T> kernels_;
  unsigned pauses_ = 0;
  Index least_part_ = 0;
};

template <class T>
class CudaFactor final : public FactorImpl<T>,
                         public HostAccess<T>,
                         public StreamCalls<T>,
                         public DeviceSolves<T> {
 public:
  CudaFactor(std::shared_ptr<const DevicePlan> plan, DeviceContext context);
  ~CudaFactor() override;
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_->plan(); }
  [[nodiscard]] const DeviceVerdict& verdict() const override { return seen_; }
  [[nodiscard]] const DeviceVerdict* verdict_address() const override {
    return &verdict_.data()->verdict;
  }
  const DeviceVerdict& fetch_verdict(StreamHandle stream) override;
  void begin_after(StreamHandle stream) override;
  const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) override;
  void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) override;
  [[nodiscard]] std::span<const T> on_host(std::span<const T> value,
                                           std::vector<T>& room) const override;
  void solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
             const SolveSteps& steps) const override;
  [[nodiscard]] HostAccess<T>& host_access() override { return *this; }
  [[nodiscard]] StreamCalls<T>& stream_calls() override { return *this; }
  [[nodiscard]] const DeviceSolves<T>* device_solves() const override { return this; }
  [[nodiscard]] bool awaits_verdict() const override { return awaits_verdict_; }
  void solve_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                       const SolveSteps& steps) const override;
  void enqueue_solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                     const SolveSteps& steps, StreamHandle stream) const override;
  void multiply_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                          bool transposed) const override;
  void enqueue_multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                        bool transposed, StreamHandle stream) const override;
  void run_now(const std::function<void(StreamHandle)>& enqueue) const override;
  void enqueue_last_product(MatrixView<const T> y, MatrixView<T> g,
                            StreamHandle stream) const override;
  void enqueue_last_transposed(MatrixView<const T> x2, MatrixView<T> y,
                               StreamHandle stream) const override;
  void enqueue_last_square(MatrixView<T> s, StreamHandle stream) const override;
  void enqueue_below_zeros(MatrixView<const T> g, MatrixView<T> y,
                           StreamHandle stream) const override;
  void enqueue_last_rows(MatrixView<const T> y, MatrixView<T> x2,
                         StreamHandle stream) const override;
  void enqueue_rows_of_l(MatrixView<T> y, StreamHandle stream) const override;
  [[nodiscard]] std::unique_ptr<NormEstimator<T>> make_norm_estimator(
      WorkspaceImpl<T>& workspace) const override;
  [[nodiscard]] double log_determinant() const override;
  void enqueue_log_determinant(double* there, WorkspaceImpl<T>& workspace,
                               StreamHandle stream) const override;
  /// Enqueues R = A^-1 R on the device, in place: one step of a refinement. Does nothing if
  /// run_flag is not null and *run_flag, on the device, is 0. The device must be current.
  void enqueue_correction(const MatrixView<T>& r, WorkspaceImpl<T>& workspace,
                          const std::int32_t* run_flag, cudaStream_t stream) const;
  [[nodiscard]] T entry(Index row, Index col) const override;
  void copy_panel(Index s, std::span<T> to) const override;
  void copy_diagonal(std::span<T> to) const override;
  [[nodiscard]] Offset diagonal_inverse_entries(Index s) const override;
  void copy_diagonal_inverses(Index s, std::span<T> to) const override;
  const DeviceVerdict& restore(SavedPanels<T>& from) override;
  void multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                bool transposed) const override;
  [[nodiscard]] std::unique_ptr<InverseImpl<T>> make_inverse() const override;
  [[nodiscard]] Offset inverse_bytes() const override;
  /// DeviceSchedule::entries entries on the device: panels and contribution blocks.
  [[nodiscard]] const T* entries() const { return entries_.data(); }

 private:
  [[nodiscard]] FactorMemory<T> memory() const;
  /// Enqueues all launches of a factorisation after that of enqueue_beginning_of(). Their arguments
  /// never change, so graph_ records them.
  void enqueue(cudaStream_t stream) const;
  /// Launches graph_ if it is made, else calls enqueue(); the second call then makes graph_.
  void run(cudaStream_t stream);
  /// Enqueues the first kernel of a factorisation: sets the shift, resets the verdict, and copies
  /// the values from `source` to value_ unless they are in place.
  void enqueue_beginning_of(ValueSource<T> source, T shift, cudaStream_t stream) const;
  /// Enqueues the solve of all columns of b. b and x lie on the device and have at most
  /// workspace.nrhs() columns.
  void enqueue_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                     const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                     cudaStream_t stream) const;
  /// Enqueues the solve of at most KernelSet::together columns by sweeps. b and x lie on the
  /// device.
  void enqueue_fast(const MatrixView<const T>& b, const MatrixView<T>& x,
                    const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                    cudaStream_t stream) const;
  /// Enqueues the solve of one column of T by sweeps. numbers: scratch_of() of the workspace.
  void enqueue_one(const StridedView<const T>& b, const StridedView<T>& x, double* numbers,
                   const SolveSteps& steps, cudaStream_t stream) const;
  /// Enqueues the solve of any number of columns, workspace.nrhs() at a time. Throws Error(usage)
  /// if b or x does not lie on the device.
  void enqueue_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                      const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                      cudaStream_t stream) const;
  /// Enqueues x = L b, or x = L^T b if transposed, for at most memory.nrhs columns. b and x lie on
  /// the device; x may be memory.x.
  void enqueue_product_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                             SolveMemory<T> memory, bool transposed, cudaStream_t stream) const;
  /// Enqueues the product for any number of columns. Throws Error(usage) if b or x does not lie on
  /// the device.
  void enqueue_product_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                              const CudaWorkspace<T>& workspace, bool transposed,
                              cudaStream_t stream) const;
  /// Returns where the first kernel of a factorisation finds `value`. Enqueues the copy to value_
  /// if `value` is in host memory or on another device; on this device the kernel copies it itself.
  ValueSource<T> stage_values(std::span<const T> value) const;

  DeviceContext context_;
  std::shared_ptr<const DevicePlan> plan_;
  KernelSet<T> kernels_;
  bool fast_;                   // true if solves go by sweeps
  PooledVerdict host_verdict_;  // the device writes it together with verdict_
  DeviceBlock block_;           // holds all arrays, those of small_ and tiled_ too
  PooledStream stream_;         // declared after the memory: destroyed first, when it waits
  DeviceArray<T> entries_, value_, shift_;
  DeviceArray<FrontState> state_;
  DeviceArray<Index> fail_column_;
  DeviceArray<double> fail_pivot_;
  DeviceArray<VerdictMemory> verdict_;
  SmallFactor<T> small_;  // if kernels_.gathers()
  TiledFactor<T> tiled_;
  Graph graph_;
  bool ran_ = false, tried_graph_ = false;
  bool holds_values_ = false;
  bool awaits_verdict_ = false;
  DeviceVerdict seen_;
};

}  // namespace kauri::numeric::cuda
