// Capture of launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/graph.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Null if anything fails.
cudaGraph_t captured(cudaStream_t stream, const std::function<void(cudaStream_t)>& enqueue) noexcept {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return nullptr;
  bool complete = true;
  try {
    enqueue(stream);
  } catch (const std::exception&) {
    complete = false;
  }
  cudaGraph_t graph = nullptr;  // ended in any case: a stream that is still capturing would refuse all else
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && complete) return graph;
  if (graph) cudaGraphDestroy(graph);
  return nullptr;
}

}  // namespace

void Graph::make(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue, cudaStream_t upload) {
  if (cudaGraph_t graph = captured(stream.get(), enqueue)) {
    if (cudaGraphInstantiate(&exec_, graph, 0) != cudaSuccess) exec_ = nullptr;
    cudaGraphDestroy(graph);
  }
  if (exec_ && cudaGraphUpload(exec_, upload) != cudaSuccess) {
    cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  if (!exec_) static_cast<void>(cudaGetLastError());  // an answer, not an error of the next launch
}

}  // namespace kauri::numeric::cuda
