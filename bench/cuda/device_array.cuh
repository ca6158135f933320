// Helpers of the benchmarks of kernels: arrays on the device, pseudo-random numbers, medians of
// timed launches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace kauri::bench {

inline constexpr double kPeak = 62e12;       // flop/s of a large DGEMM on an H200
inline constexpr double kFmaPeak = 33.5e12;  // flop/s of fused multiply-adds in double on an H200,
                                             // by the data sheet; float has twice that
inline constexpr double kTf32Peak = 307e12;  // flop/s of mma.sync in TF32: 62 % of wgmma's, 495e12
                                             // by the data sheet (Luo et al. 2025)
inline constexpr double kBandwidth = 4.24e12;  // bytes/s of a copy, counting both the read and the
                                               // write

inline void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  std::exit(2);
}

/// Returns the bytes per second of long reads on the current device: 91 % of its memory's clock
/// times width, as measured on an H200 (4.47 of 4.92e12).
inline double read_bandwidth() {
  int device = 0, khz = 0, bits = 0;
  require(cudaGetDevice(&device) == cudaSuccess &&
              cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
              cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess,
          "the device's memory");
  return 0.91 * 2 * 1e3 * khz * bits / 8;
}

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    require(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)) == cudaSuccess,
            "cudaMalloc");
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    require(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice) == cudaSuccess,
            "upload");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::vector<T> to_host() const {
    std::vector<T> host(count_);
    require(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess,
            "download");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Returns a pseudo-random number in [-1, 1) from the counter x.
__device__ inline double noise(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1.0;
}

/// Returns the least seconds of f(), which must wait for its work, after two repeats that do not
/// count; before() is not timed.
template <class Before, class F>
double least_seconds(int repeats, const Before& before, const F& f) {
  double least = 1e300;
  for (int r = 0; r < repeats + 2; ++r) {
    before();
    require(cudaDeviceSynchronize() == cudaSuccess, "before a call");
    const auto begin = std::chrono::steady_clock::now();
    f();
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (r >= 2) least = std::min(least, s);
  }
  return least;
}

/// Returns least_seconds() without before().
template <class F>
double least_seconds(int repeats, const F& f) {
  return least_seconds(
      repeats, [] {}, f);
}

/// Returns the median microseconds of run(r) over `repeats` runs, after three that do not count;
/// prepare(r) and run(r) put work on the default stream.
inline double median_us(int repeats, const std::function<void(int)>& prepare,
                        const std::function<void(int)>& run) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<double> times;
  for (int r = 0; r < repeats + 3; ++r) {
    prepare(r);
    cudaEventRecord(begin);
    run(r);
    cudaEventRecord(end);
    require(cudaEventSynchronize(end) == cudaSuccess, "run");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (r >= 3) times.push_back(1e3 * ms);
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace kauri::bench
