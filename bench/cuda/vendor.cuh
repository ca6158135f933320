// The vendor's dense calls, in float and double: handles and streams, status checks that end the
// program, partial factorisations of dense fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "bench/cuda/device_array.cuh"
#include "symbolic/device/front_cells.hpp"

namespace kauri::bench {

using symbolic::FrontCells;

inline void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
  std::exit(2);
}

inline void require(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: cuSOLVER's status %d\n", what, static_cast<int>(status));
  std::exit(2);
}

/// Ends the program unless devInfo of all calls is 0, that is, the vendor factorised everything.
/// Waits for the device.
inline void require_factorised(const DeviceArray<int>& info, const char* what) {
  for (const int column : info.to_host()) {
    if (column == 0) continue;
    std::fprintf(stderr, "%s: devInfo is %d\n", what, column);
    std::exit(2);
  }
}

struct Library {
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
};

/// Streams with their own handles, to which calls are dealt in turn. A single lane uses the default
/// stream.
class Lanes {
 public:
  explicit Lanes(int count) : stream_(count, nullptr), library_(count), joined_(count) {
    for (int i = 0; i < count; ++i) {
      require(cublasCreate(&library_[i].blas), "cublasCreate");
      require(cusolverDnCreate(&library_[i].solver), "cusolverDnCreate");
      require(cudaEventCreateWithFlags(&joined_[i], cudaEventDisableTiming) == cudaSuccess,
              "event");
      if (count == 1) continue;
      require(cudaStreamCreateWithFlags(&stream_[i], cudaStreamNonBlocking) == cudaSuccess,
              "stream");
      require(cublasSetStream(library_[i].blas, stream_[i]), "cublasSetStream");
      require(cusolverDnSetStream(library_[i].solver, stream_[i]), "cusolverDnSetStream");
    }
    require(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming) == cudaSuccess, "event");
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes() {
    for (const Library& library : library_)
      cublasDestroy(library.blas), cusolverDnDestroy(library.solver);
    for (const cudaEvent_t event : joined_) cudaEventDestroy(event);
    for (const cudaStream_t stream : stream_)
      if (stream != nullptr) cudaStreamDestroy(stream);
    cudaEventDestroy(begun_);
  }
  int count() const { return static_cast<int>(library_.size()); }
  const Library& library() const { return library_[0]; }

  /// Calls use(item, lane, library) for items [0, items). The lanes start after earlier work on the
  /// default stream, which continues when all lanes are done.
  template <class Use>
  void deal(int items, const Use& use) const {
    const bool alone = count() == 1;
    if (!alone) cudaEventRecord(begun_, nullptr);
    for (int i = 0; i < count() && !alone; ++i) cudaStreamWaitEvent(stream_[i], begun_);
    for (int item = 0; item < items; ++item) use(item, item % count(), library_[item % count()]);
    for (int i = 0; i < count() && !alone; ++i) {
      cudaEventRecord(joined_[i], stream_[i]);
      cudaStreamWaitEvent(nullptr, joined_[i]);
    }
    require(cudaGetLastError() == cudaSuccess, "lanes");
  }

 private:
  std::vector<cudaStream_t> stream_;
  std::vector<Library> library_;
  std::vector<cudaEvent_t> joined_;
  cudaEvent_t begun_ = nullptr;
};

struct Vendor {
  Lanes one{1}, many{8};
};

/// The vendor's functions for one precision.
template <class T>
struct Calls;
template <>
struct Calls<double> {
  static constexpr auto potrf_size = &cusolverDnDpotrf_bufferSize;
  static constexpr auto potrf = &cusolverDnDpotrf;
  static constexpr auto potrf_batched = &cusolverDnDpotrfBatched;
  static constexpr auto trsm = &cublasDtrsm;
  static constexpr auto trsm_batched = &cublasDtrsmBatched;
  static constexpr auto syrk = &cublasDsyrk;
  static constexpr auto gemm = &cublasDgemm;
  static constexpr auto gemm_strided = &cublasDgemmStridedBatched;
};
template <>
struct Calls<float> {
  static constexpr auto potrf_size = &cusolverDnSpotrf_bufferSize;
  static constexpr auto potrf = &cusolverDnSpotrf;
  static constexpr auto potrf_batched = &cusolverDnSpotrfBatched;
  static constexpr auto trsm = &cublasStrsm;
  static constexpr auto trsm_batched = &cublasStrsmBatched;
  static constexpr auto syrk = &cublasSsyrk;
  static constexpr auto gemm = &cublasSgemm;
  static constexpr auto gemm_strided = &cublasSgemmStridedBatched;
};

/// A time of the vendor and the calls that took it.
struct VendorTime {
  const char* what;
  double us;
};

/// Partial factorisations of equal fronts, dense by columns, m x m each: potrf of the pivots, trsm
/// and syrk of the rows below.
template <class T>
class VendorFronts {
 public:
  static constexpr const char* kBatched = "potrfBatched, trsmBatched, gemmStridedBatched";
  /// `input`: one front on the device, from which all fronts are copied; null if the caller fills
  /// data().
  VendorFronts(const Vendor& vendor, FrontCells shape, int count, const T* input)
      : batches_(vendor.one),
        lanes_(count == 1 ? vendor.one : vendor.many),
        shape_(shape),
        count_(count),
        input_(input),
        a_(static_cast<std::size_t>(entries()) * count),
        work_entries_(work_size()),
        work_(static_cast<std::size_t>(work_entries_) * lanes_.count()),
        info_(count),
        diagonal_(list(0)),
        below_(list(shape.p)) {}
  T* data() const { return a_.get(); }
  void load() const {
    for (int f = 0; f < count_; ++f)
      cudaMemcpyAsync(a_.get() + f * entries(), input_,
                      static_cast<std::size_t>(entries()) * sizeof(T), cudaMemcpyDeviceToDevice);
  }
  /// Makes three calls per front.
  void run() const {
    lanes_.deal(count_,
                [this](int f, int lane, const Library& library) { factor(f, lane, library); });
  }
  /// Makes three calls for all fronts. gemm replaces syrk, which has no batched call, and so
  /// computes both triangles of the block.
  void run_batched() const {
    const int m = shape_.m, p = shape_.p, n = m - p;
    const T one = 1, minus = -1;
    const Library& library = batches_.library();
    require(Calls<T>::potrf_batched(library.solver, CUBLAS_FILL_MODE_LOWER, p, diagonal_.get(), m,
                                    info_.get(), count_),
            "potrfBatched");
    if (n == 0) return;
    require(Calls<T>::trsm_batched(library.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                                   CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, p, &one, diagonal_.get(),
                                   m, below_.get(), m, count_),
            "trsmBatched");
    const T* l = a_.get() + p;
    require(Calls<T>::gemm_strided(library.blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, p, &minus, l, m,
                                   entries(), l, m, entries(), &one,
                                   a_.get() + std::int64_t{p} * m + p, m, entries(), count_),
            "gemmStridedBatched");
  }
  /// Ends the program if the last run met a bad pivot.
  void require_success() const { require_factorised(info_, "the vendor's potrf"); }

  /// Times both ways and returns the faster.
  VendorTime time(int repeats) const {
    constexpr int kMostBatched = 512;  // pivots; potrfBatched is meant for small matrices
    const auto load_all = [this](int) { load(); };
    VendorTime best{
        count_ == 1 ? "potrf, trsm, syrk" : "potrf, trsm, syrk of each front, on 8 streams",
        median_us(repeats, load_all, [this](int) { run(); })};
    require_success();
    if (count_ == 1 || shape_.p > kMostBatched) return best;
    const VendorTime batched{kBatched,
                             median_us(repeats, load_all, [this](int) { run_batched(); })};
    require_success();
    return batched.us < best.us ? batched : best;
  }

 private:
  long long entries() const { return static_cast<long long>(shape_.m) * shape_.m; }
  int work_size() const {
    int size = 0;
    require(Calls<T>::potrf_size(lanes_.library().solver, CUBLAS_FILL_MODE_LOWER, shape_.p,
                                 a_.get(), shape_.m, &size),
            "potrf_bufferSize");
    return size;
  }
  std::vector<T*> list(int row) const {
    std::vector<T*> pointers;
    for (int f = 0; f < count_; ++f) pointers.push_back(a_.get() + f * entries() + row);
    return pointers;
  }
  void factor(int f, int lane, const Library& library) const {
    const int m = shape_.m, p = shape_.p, n = m - p;
    const T one = 1, minus = -1;
    T* a = a_.get() + f * entries();
    require(Calls<T>::potrf(library.solver, CUBLAS_FILL_MODE_LOWER, p, a, m,
                            work_.get() + std::int64_t{lane} * work_entries_, work_entries_,
                            info_.get() + f),
            "potrf");
    if (n == 0) return;
    require(Calls<T>::trsm(library.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                           CUBLAS_DIAG_NON_UNIT, n, p, &one, a, m, a + p, m),
            "trsm");
    require(Calls<T>::syrk(library.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, p, &minus, a + p,
                           m, &one, a + std::int64_t{p} * m + p, m),
            "syrk");
  }
  const Lanes &batches_, &lanes_;
  FrontCells shape_;
  int count_;
  const T* input_;
  DeviceArray<T> a_;
  int work_entries_;
  DeviceArray<T> work_;
  DeviceArray<int> info_;
  DeviceArray<T*> diagonal_, below_;
};

}  // namespace kauri::bench
