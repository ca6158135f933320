// Captures launches as a graph.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/graph.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns the graph of the launches that enqueue(stream) makes, which the caller destroys; null if
/// anything fails, also if enqueue() throws.
cudaGraph_t captured(cudaStream_t stream,
                     const std::function<void(cudaStream_t)>& enqueue) noexcept {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return nullptr;
  bool complete = true;
  try {
    enqueue(stream);
  } catch (const std::exception&) {
    complete = false;
  }
  cudaGraph_t graph =
      nullptr;  // the capture ends in any case: a stream that is still capturing refuses all else
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && complete) return graph;
  if (graph) static_cast<void>(cudaGraphDestroy(graph));
  return nullptr;
}

}  // namespace

void Graph::make(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue,
                 cudaStream_t upload) {
  if (cudaGraph_t graph = captured(stream.get(), enqueue)) {
    if (cudaGraphInstantiate(&exec_, graph, 0) != cudaSuccess) exec_ = nullptr;
    static_cast<void>(cudaGraphDestroy(graph));
  }
  if (exec_ && cudaGraphUpload(exec_, upload) != cudaSuccess) {
    static_cast<void>(cudaGraphExecDestroy(exec_));
    exec_ = nullptr;
  }
  if (!exec_)
    static_cast<void>(cudaGetLastError());  // clears the error, which is_made() reports, so that
                                            // the caller's next cudaGetLastError() has none
}

}  // namespace kauri::numeric::cuda
