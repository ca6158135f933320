// A sequence of launches as a CUDA graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// An executable graph. Its runs wait for each other, whatever streams they are launched on.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (!exec_) return;
    if (const InContext inside(context_); inside) static_cast<void>(cudaGraphExecDestroy(exec_));
  }
  /// Records the launches that enqueue(stream) puts on `stream`, without running them, and uploads
  /// the graph to the device on the stream `upload`. Work may be under way on `stream`; the call
  /// waits for nothing. The device must be current. If this fails, for example for lack of memory,
  /// is_made() stays false.
  void make(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue,
            cudaStream_t upload);
  [[nodiscard]] bool is_made() const { return exec_ != nullptr; }
  /// Enqueues a run of the graph, which is_made(). Throws Error: device, memory.
  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(exec_, stream), "the launch of a graph");
  }

 private:
  CUctx_st* context_ = current_context();
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace kauri::numeric::cuda
