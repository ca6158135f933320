// A factor and its solves on a CUDA device: one captured graph per refactorisation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/backend.hpp"
#include "numeric/cuda/small_factor.hpp"
#include "numeric/cuda/tiled_factor.hpp"

namespace kauri::numeric::cuda {

class Staging;

/// What all that one executor makes shares. The heap is the executor's own, which outlives factors and workspaces.
struct DeviceContext {
  int device = 0;
  const DeviceHeap* heap = nullptr;
  std::shared_ptr<Staging> staging;
  int teams = 0;  ///< of the fast kernels' tasks; 0 where the device cannot run these kernels: all is done level by level
};

/// A captured sequence of launches. Its runs wait for each other, whatever their streams.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  /// Records what enqueue(stream) puts on the stream, without running it.
  template <class F>
  void capture(const Stream& stream, F&& enqueue) {
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "a capture");
    cudaGraph_t graph = nullptr;
    try {
      enqueue(stream.get());
    } catch (...) {  // a stream that is still capturing would refuse to free memory
      cudaStreamEndCapture(stream.get(), &graph);
      if (graph) cudaGraphDestroy(graph);
      static_cast<void>(cudaGetLastError());
      throw;
    }
    check(cudaStreamEndCapture(stream.get(), &graph), "a capture");
    const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "a graph");
    check(cudaGraphUpload(exec_, stream.get()), "a graph");
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream), "the launch of a graph"); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

template <class T>
class CudaWorkspace;

template <class T>
class CudaFactor final : public FactorStore<T>, public DeviceSolves<T> {
 public:
  CudaFactor(std::shared_ptr<const Plan> plan, DeviceContext context);
  ~CudaFactor() override;
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const override { return plan_->plan(); }
  [[nodiscard]] const DeviceVerdict& verdict() const override { return seen_; }
  [[nodiscard]] const DeviceVerdict* verdict_address() const override { return &verdict_.data()->verdict; }
  const DeviceVerdict& fetch_verdict(StreamHandle stream) override;
  const DeviceVerdict& refactorize(std::span<const T> value, T shift, ValuesAre values) override;
  void enqueue_refactorize(std::span<const T> value, T shift, StreamHandle stream) override;
  [[nodiscard]] std::span<const T> on_host(std::span<const T> value, std::vector<T>& room) const override;
  void solve(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace) const override;
  [[nodiscard]] const DeviceSolves<T>* device_solves() const override { return this; }
  [[nodiscard]] bool awaits_verdict() const override { return awaits_verdict_; }
  void solve_there(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace) const override;
  void enqueue_solve(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, StreamHandle stream) const override;
  [[nodiscard]] T entry(Index row, Index col) const override;

 private:
  [[nodiscard]] FactorMemory<T> memory() const;
  /// The launches that the graph holds: all but the beginning.
  void enqueue(cudaStream_t stream) const;
  /// from: values on the device, or null: they are there.
  void enqueue_beginning_of(const T* from, T shift, cudaStream_t stream) const;
  [[nodiscard]] DeviceVerdict* host_verdict() const { return static_cast<DeviceVerdict*>(host_verdict_.data()); }
  /// b and x on the device, of at most as many columns as the workspace has room for.
  void enqueue_block(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace, cudaStream_t stream) const;
  /// Of any number of columns.
  void enqueue_blocks(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace, cudaStream_t stream) const;
  /// Brings values to value_, or returns their place on the device.
  const T* take(std::span<const T> value) const;

  DeviceContext context_;
  std::unique_ptr<DevicePlan> plan_;
  Stream stream_;
  DeviceBuffer<T> entries_, value_, shift_;
  DeviceBuffer<FrontState> state_;
  DeviceBuffer<Index> fail_column_;
  DeviceBuffer<double> fail_pivot_;
  DeviceBuffer<VerdictMemory> verdict_;
  PinnedBytes host_verdict_{sizeof(DeviceVerdict)};  // written by the device with verdict_
  SmallFactor small_;                                // of double alone, as tiled_
  TiledFactor tiled_;
  Graph graph_;
  bool fast_ = false;
  bool holds_values_ = false;
  bool awaits_verdict_ = false;
  DeviceVerdict seen_;
};

template <class T>
class CudaWorkspace final : public SolveStore<T> {
 public:
  CudaWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, const DeviceHeap& heap);
  ~CudaWorkspace() override;
  [[nodiscard]] Index nrhs() const override { return nrhs_; }
  [[nodiscard]] const Plan& plan() const override { return *plan_; }
  /// Memory for `nrhs` <= nrhs() right-hand sides, with a factor's L.
  [[nodiscard]] SolveMemory<T> memory(const T* l, Index nrhs) const { return {l, x_.data(), y_.data(), update_.data(), nrhs}; }
  [[nodiscard]] T* rhs() const { return rhs_.data(); }
  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  std::shared_ptr<const Plan> plan_;
  Index nrhs_;
  Stream stream_;
  DeviceBuffer<T> rhs_, x_, y_, update_;
};

}  // namespace kauri::numeric::cuda
