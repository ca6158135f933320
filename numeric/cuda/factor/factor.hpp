// A factor on a CUDA device: its memory, and its refactorisations (factor.cpp, restore.cpp). Its
// solves and products with L are defined in the folder solve/; what else is computed from L
// (diagonal, Schur complements, norm estimates), in extract/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "numeric/backend.hpp"
#include "numeric/cuda/factor/host_panels.hpp"
#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/plan/tiled_plan.hpp"
#include "numeric/cuda/runtime/graph.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "symbolic/launch/launches.hpp"

namespace kauri::numeric::cuda {

template <class T>
class CudaWorkspace;
template <class T>
struct SolveMemory;

/// The narrow and small fronts of one factor in two launches: first the narrow fronts, then the
/// small ones, each in the order of their levels. Holds descriptions of the fronts with the
/// addresses of the factor's memory, and counters.
template <class T>
class SmallFactor {
 public:
  SmallFactor() = default;
  /// Takes its arrays from `block` and enqueues the kernel that fills the descriptions, on the
  /// current device: they are valid once the stream has completed it. `homes`: as for
  /// enqueue_gathered_views(). The members of `kernels` are not null. Throws Error: memory, device.
  SmallFactor(const DevicePlan& plan, const PlanView& homes, const FactorMemory<T>& memory,
              const SmallKernels<T>& kernels, DeviceBlock& block, cudaStream_t stream);
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  SmallKernels<T> kernels_;
  DeviceArray<GatheredFront<T>> front_;
  DeviceArray<int> counters_;  // one for each narrow or small front, then the tickets of the two
                               // launches
  Index narrow_ = 0;
};

/// The tiled fronts of one factor, which a persistent kernel factorises: in one launch, or in one
/// for each segment of the plan, or in more if these may take too long. Holds views of the fronts
/// and of their children with the addresses of the factor's memory, and counters.
template <class T>
class TiledFactor {
 public:
  TiledFactor() = default;
  /// Takes its arrays from `block` and enqueues the kernels that fill the views, on the current
  /// device: they are valid once the stream has completed them. `plan` must outlive this object,
  /// and kernels.teams be > 0. Throws Error: memory, device.
  TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory, const TiledKernels<T>& kernels,
              DeviceBlock& block, cudaStream_t stream);
  /// Functions that enqueue what comes between the launches: begin(k) before the tasks of segment
  /// k, end(k) when they and the launch that copies failures of their fronts to the fronts' states
  /// are enqueued. A plan without segments counts as one.
  struct Between {
    std::function<void(std::size_t)> begin, end;
  };
  /// Enqueues zeros for the counters and the tasks of all tiled fronts. The caller enqueues all
  /// small fronts on the stream before.
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, const Between& between,
               cudaStream_t stream) const;

 private:
  /// A segment: the end of its tasks, and its fronts as positions in PlanView::order.
  struct SegmentTasks {
    Index task_end, first, fronts;
  };
  const TiledPlan* plan_ = nullptr;
  DeviceArray<kernels::FrontViewOf<T>> front_;
  DeviceArray<kernels::ChildViewOf<T>> child_;
  DeviceArray<int>
      counters_;  // counters of fronts, tasks done of each level, the ticket, Levels::passed
  kernels::SumsOf<T> sums_;
  Index first_ = 0;  // position of the first tiled front in PlanView::order
  TiledKernels<T> kernels_;
  std::vector<symbolic::LaunchRange> ranges_;
  std::vector<SegmentTasks> segments_;
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
  /// Enqueues R = A^-1 R on the device, in place, for any number of columns: one step of a
  /// refinement. Does nothing if run_flag is not null and *run_flag, on the device, is 0. The
  /// device must be current. Throws Error(usage) if R does not lie on the device.
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
  /// Returns DeviceSchedule::entries entries on the device: panels of L with the inverses beside
  /// them, and the memory of contribution blocks. The index of a panel in host memory (view()) lies
  /// outside of them.
  [[nodiscard]] const T* entries() const { return entries_.data(); }
  /// Returns the plan's arrays with the records of fronts by which L is read.
  [[nodiscard]] PlanView view() const;

 private:
  [[nodiscard]] FactorMemory<T> memory() const;
  /// Returns the lists of sweeps with the records of view(). The plan has such lists.
  [[nodiscard]] SweepView sweeps() const;
  /// Returns the panel of front s, on the device or in host memory.
  [[nodiscard]] const T* panel_of(Index s) const;
  void fill_panel(SavedPanels<T>& from, Index s, std::vector<T>& room, T* to) const;
  void restore_panels(SavedPanels<T>& from, cudaStream_t stream);
  /// Enqueues the tasks of tiled fronts with the copies of panels that leave, and the inverses of
  /// diagonal tiles.
  void enqueue_tasks(cudaStream_t stream) const;
  /// Enqueues all launches of a factorisation after the first one, which enqueue_beginning_of()
  /// enqueues. The arguments of these launches never change, so graph_ records them.
  void enqueue(cudaStream_t stream) const;
  /// Launches graph_ if it is made, else calls enqueue(). The second call that enqueues tries once
  /// to make graph_, after its own launches.
  void run(cudaStream_t stream);
  /// Enqueues the first kernel of a factorisation: sets the shift, resets the verdict on the device
  /// and on the host, and copies the values from `source` to value_ unless they are in place.
  void enqueue_beginning_of(ValueSource<T> source, T shift, cudaStream_t stream) const;
  /// Enqueues the solve of all columns of b, by sweeps if fast_, else by the fallback. b and x lie
  /// on the device and have at most workspace.nrhs() columns; x may be b.
  void enqueue_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                     const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                     cudaStream_t stream) const;
  /// Enqueues the solve of at most KernelSet::together columns by sweeps. b and x lie on the
  /// device; x may be b.
  void enqueue_fast(const MatrixView<const T>& b, const MatrixView<T>& x,
                    const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                    cudaStream_t stream) const;
  /// Enqueues the solve of one column of scalars T by sweeps with numbers in N, which `launch`
  /// enqueues, or a permutation alone if `steps` has no sweep. `numbers`: scratch_of() of the
  /// workspace.
  template <class N>
  void enqueue_one(EnqueueSweeps<SweepMemory<T, N>> launch, const StridedView<const T>& b,
                   const StridedView<T>& x, double* numbers, const SolveSteps& steps,
                   cudaStream_t stream) const;
  /// Enqueues the solve of any number of columns, workspace.nrhs() at a time; x may be b. Throws
  /// Error(usage) if b or x does not lie on the device.
  void enqueue_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                      const CudaWorkspace<T>& workspace, const SolveSteps& steps,
                      cudaStream_t stream) const;
  /// Enqueues x = L b, or x = L^T b if transposed, for at most memory.nrhs columns, NaN if the
  /// verdict is not good; memory: CudaWorkspace::product_memory(). b and x lie on the device; x may
  /// be b or memory.x.
  void enqueue_product_block(const MatrixView<const T>& b, const MatrixView<T>& x,
                             SolveMemory<T> memory, bool transposed, cudaStream_t stream) const;
  /// Enqueues x = L b, or x = L^T b if transposed, for any number of columns. Throws Error(usage)
  /// if b or x does not lie on the device.
  void enqueue_product_blocks(const MatrixView<const T>& b, const MatrixView<T>& x,
                              const CudaWorkspace<T>& workspace, bool transposed,
                              cudaStream_t stream) const;
  /// Returns where the first kernel of a factorisation finds `value`. If `value` lies on this
  /// device, that is `value` itself, which the kernel copies to value_. If it lies in host memory
  /// or on another device, enqueues the copy to value_ on stream_ and returns in_place(), as for an
  /// empty `value`.
  ValueSource<T> stage_values(std::span<const T> value) const;

  DeviceContext context_;
  std::shared_ptr<const DevicePlan> plan_;
  KernelSet<T> kernels_;
  bool fast_;                   // true if solves go by sweeps
  PooledVerdict host_verdict_;  // verdict in page-locked memory, which the device writes together
                                // with verdict_
  DeviceBlock block_;           // memory of all arrays below, and of those in small_ and tiled_
  PooledStream stream_;         // declared after block_, so destroyed before it, after waiting for
                                // its work
  DeviceArray<T> entries_, value_, shift_;
  DeviceArray<FrontState> state_;
  DeviceArray<Index> failed_column_;
  DeviceArray<double> failed_pivot_;
  DeviceArray<VerdictMemory> verdict_;
  std::optional<HostPanels<T>> host_panels_;  // if panels leave the device
  SmallFactor<T> small_;                      // if kernels_.gathers()
  TiledFactor<T> tiled_;
  Graph graph_;
  bool ran_ = false, tried_graph_ = false;
  bool holds_values_ = false;
  bool awaits_verdict_ = false;
  DeviceVerdict seen_;
};

}  // namespace kauri::numeric::cuda
