// A sequence of launches as a CUDA graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// Its runs wait for each other, whatever their streams.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (!exec_) return;
    if (const InContext inside(context_); inside) cudaGraphExecDestroy(exec_);
  }
  /// Records what enqueue(stream) puts on `stream`, where work may be under way, without running it, and sends the graph to the device by
  /// `upload`. Waits for nothing. The device is current. Where it fails, memory being short, there is no graph.
  void make(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue, cudaStream_t upload);
  [[nodiscard]] bool is_made() const { return exec_ != nullptr; }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream), "the launch of a graph"); }

 private:
  CUctx_st* context_ = current_context();
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace kauri::numeric::cuda
