// A study of the multi-process service, without kauri: several processes of this program launch kernels of several kinds on one device, and
// each tells when none of its own ends any more.
//   shared_device KINDS SECONDS     KINDS: of c (cooperative, all of the device, blocks that wait for one another), o (ordinary, more
//   blocks than fit),
//                                   m (copies and memsets on a second stream), g (the same cooperative kernel in a graph); in turn
// Prints the rounds done, and ends with 0; with 3 where a round has not ended within 20 s: then also whether the cooperative kernel had
// begun, by the number of blocks that did. Waits of blocks give up after 10 s, and the number of these is told: 0 means that nothing waits,
// but something does not begin.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

struct Seen {
  unsigned begun, gave_up;
};

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Eight barriers over all blocks.
__global__ void together(unsigned* counter, volatile Seen* seen) {
  if (threadIdx.x != 0) return;
  atomicAdd_system(const_cast<unsigned*>(&seen->begun), 1U);
  const unsigned long long begin = nanoseconds();
  for (unsigned turn = 1; turn <= 8; ++turn) {
    atomicAdd(counter, 1U);
    while (atomicAdd(counter, 0U) < turn * gridDim.x) {
      if (nanoseconds() - begin > 10'000'000'000ULL) {
        atomicAdd_system(const_cast<unsigned*>(&seen->gave_up), 1U);
        return;
      }
      __nanosleep(100);
    }
  }
}

__global__ void ordinary(double* x, int count) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x))
    x[i] = x[i] * 0.5 + 1;
}

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

constexpr int kBytes = 160 * 1024, kNumbers = 1 << 20;

void launch_together(int blocks, unsigned* counter, Seen* seen, cudaStream_t stream) {
  void* arguments[] = {&counter, &seen};
  require(cudaMemsetAsync(counter, 0, sizeof *counter, stream), "memset");
  require(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(static_cast<unsigned>(blocks)), dim3(128), arguments, kBytes,
                                      stream),
          "cooperative launch");
}

/// Ends the process where the stream is at work for too long.
void wait_for(cudaStream_t stream, const Seen* seen, long rounds, char kind) {
  const auto begin = std::chrono::steady_clock::now();
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) {
      std::printf("stands still after %ld rounds, in '%c': %u blocks had begun, %u waits gave up\n", rounds, kind, seen->begun,
                  seen->gave_up);
      std::fflush(stdout);
      _exit(3);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  require(status, "a round");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kinds = argc > 1 ? argv[1] : "c";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 30;
  int blocks = 0;
  require(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0), "device");
  require(cudaFuncSetAttribute(together, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes), "shared memory");
  cudaStream_t stream = nullptr, second = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  require(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "a stream");
  unsigned* counter = nullptr;
  double *x = nullptr, *here = nullptr;
  Seen* seen = nullptr;
  require(cudaMalloc(&counter, sizeof *counter), "memory");
  require(cudaMalloc(&x, kNumbers * sizeof *x), "memory");
  require(cudaHostAlloc(&here, kNumbers * sizeof *here, cudaHostAllocDefault), "memory");
  require(cudaHostAlloc(&seen, sizeof *seen, cudaHostAllocMapped), "memory");
  *seen = {};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "capture");
  launch_together(blocks, counter, seen, stream);
  require(cudaStreamEndCapture(stream, &graph), "capture");
  require(cudaGraphInstantiate(&replay, graph, 0), "graph");
  long rounds = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds; ++rounds) {
    const char kind = kinds[static_cast<std::size_t>(rounds) % kinds.size()];
    seen->begun = 0;
    if (kind == 'c') launch_together(blocks, counter, seen, stream);
    if (kind == 'g') require(cudaGraphLaunch(replay, stream), "replay");
    if (kind == 'o') ordinary<<<8192, 256, 0, stream>>>(x, kNumbers);
    if (kind == 'm') {
      require(cudaMemcpyAsync(here, x, kNumbers * sizeof *x, cudaMemcpyDeviceToHost, second), "copy");
      require(cudaMemsetAsync(x, 0, kNumbers * sizeof *x, second), "memset");
      wait_for(second, seen, rounds, kind);
    }
    wait_for(stream, seen, rounds, kind);
  }
  std::printf("%ld rounds\n", rounds);
  return 0;
}
