// The CUDA runtime as a caller of kauri uses it, beside kauri's own use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace kauri::test {

inline void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA in a test: ") + cudaGetErrorString(status));
}

/// Holds an array on the device; writes and reads are synchronous with all streams.
template <class T>
class CallerArray {
 public:
  explicit CallerArray(const std::vector<T>& host) : size_(host.size()) {
    require(cudaMalloc(&data_, size_ * sizeof(T) + 1));
    assign(host);
  }
  CallerArray(const CallerArray&) = delete;
  CallerArray& operator=(const CallerArray&) = delete;
  ~CallerArray() { cudaFree(data_); }
  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
  void assign(const std::vector<T>& host) {
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());  // a copy from pageable memory may return before it
                                       // has ended
  }
  [[nodiscard]] std::vector<T> fetch() const {
    require(cudaDeviceSynchronize());
    std::vector<T> host(size_);
    require(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  std::size_t size_;
  void* data_ = nullptr;
};

class CallerStream {
 public:
  CallerStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  CallerStream(const CallerStream&) = delete;
  CallerStream& operator=(const CallerStream&) = delete;
  ~CallerStream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Holds the work that f(stream) enqueues as a CUDA graph.
class CallerGraph {
 public:
  template <class F>
  CallerGraph(const CallerStream& stream, F&& f) {
    require(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
    f(stream.get());
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(stream.get(), &graph));
    require(cudaGraphGetNodes(graph, nullptr, &nodes_));
    const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    require(status);
  }
  CallerGraph(const CallerGraph&) = delete;
  CallerGraph& operator=(const CallerGraph&) = delete;
  ~CallerGraph() { cudaGraphExecDestroy(exec_); }
  void launch(const CallerStream& stream) const { require(cudaGraphLaunch(exec_, stream.get())); }
  /// Returns the number of launches, copies and other nodes.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

 private:
  std::size_t nodes_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace kauri::test
