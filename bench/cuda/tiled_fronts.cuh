// Equal fronts in cells on the device with all inputs of the kernels, Hopper's or the portable
// ones; conversion to and from dense parts; a line of results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "bench/cuda/device_array.cuh"
#include "bench/cuda/vendor.cuh"
#include "kauri/core/backend.hpp"
#include "numeric/cuda/factor/tiled/hopper/dense_kernels.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"

namespace kauri::bench {

namespace kernels = numeric::cuda::kernels;
using kernels::FrontView;
using kernels::FrontViewOf;
using symbolic::FrontTask;

// Fills a symmetric m x m matrix of type T, column-major, diagonally dominant by rows; entry (bad,
// bad) is made negative.
template <class T, class Stored>
__global__ void fill_dense(Stored* a, int m, std::uint64_t seed, int bad) {
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{m} * m; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % m), column = static_cast<int>(e / m);
    const std::uint64_t low = min(row, column), high = max(row, column);
    a[e] = static_cast<T>(noise(seed * 0x51ull + (low << 32 | high)) +
                          (row == column ? (row == bad ? -2.0 * m : 0.8 * m + 1.0) : 0.0));
  }
}

// Returns the position of padded entry (row, column), row / 8 >= column / 8, in the panel, or
// behind it in the contribution block.
__device__ inline std::int64_t place(const FrontCells& cells, int row, int column) {
  const int pivots = cells.pivot_cells() * symbolic::kCell;
  if (column < pivots) return cells.panel().place(row, column);
  return cells.panel().entries() + cells.block().place(row - pivots, column - pivots);
}

// Copies the dense lower part to cells; padding: unit diagonal in pivot columns, zeros elsewhere.
template <class T>
__global__ void pack(const double* a, T* front, FrontCells cells) {
  const int padded = cells.cells() * symbolic::kCell;
  const int pivot_end = cells.pivot_cells() * symbolic::kCell;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{padded} * padded; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int i = static_cast<int>(e % padded), k = static_cast<int>(e / padded);
    if (i / symbolic::kCell < k / symbolic::kCell) continue;
    const auto source = [&](int r) {
      return r < cells.p ? r : r < pivot_end ? -1 : r - pivot_end + cells.p;
    };
    const int row = source(i), column = source(k);
    double value = i == k && i < pivot_end ? 1.0 : 0.0;
    if (row >= 0 && column >= 0)
      value = row < cells.m && column < cells.m
                  ? a[std::int64_t{max(row, column)} + std::int64_t{min(row, column)} * cells.m]
                  : 0.0;
    front[place(cells, i, k)] = static_cast<T>(value);
  }
}

// Adds up two sums of squares over the lower triangle from column `first` on: of cells - dense, and
// of dense.
template <class T>
__global__ void compare(const double* a, const T* front, FrontCells cells, int first,
                        double* sums) {
  double difference = 0.0, norm = 0.0;
  const int m = cells.m;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       e < std::int64_t{m} * m; e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % m), column = static_cast<int>(e / m);
    if (row < column || column < first) continue;
    const double d = a[e] - front[place(cells, cells.padded_row(row), cells.padded_row(column))];
    difference += d * d, norm += a[e] * a[e];
  }
  atomicAdd(sums, difference), atomicAdd(sums + 1, norm);
}

// Returns the relative difference from the two sums of compare().
inline double relative(const std::vector<double>& sums) {
  return std::sqrt(sums[0] / std::max(sums[1], 1e-300));
}

// Adds a hash of the bits of data to *sum.
template <class T>
__global__ void hash(const T* data, std::int64_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < count;
       e += std::int64_t{gridDim.x} * blockDim.x) {
    unsigned long long bits = 0;
    memcpy(&bits, data + e, sizeof(T));
    mine += (bits ^ static_cast<unsigned long long>(e)) * 0x9e3779b97f4a7c15ull;
  }
  atomicAdd(sum, mine);
}

// Returns the name of the kernels that run on tiled fronts: Hopper's for `hopper`; in TF32 the
// streamed ones if the device has them; else the portable ones.
inline const char* name_of(CudaCompute compute) {
  return compute == CudaCompute::tensor ? "mma" : numeric::cuda::short_name(compute);
}

// Returns the peak flop/s of the units that the kernels use. On Hopper mma.m8n8k4 runs at half the
// rate of the FP64 tensor cores, so its share is at most one half.
template <class T>
double peak_of(CudaCompute compute) {
  if (compute == CudaCompute::fp16x3) return 2 * kTf32Peak / 3;
  if (numeric::cuda::is_of_float_alone(compute))
    return compute == CudaCompute::tf32 ? kTf32Peak : kTf32Peak / 3;
  return compute != CudaCompute::fma ? kPeak : std::is_same_v<T, double> ? kFmaPeak : 2 * kFmaPeak;
}

// Returns the number of resident teams of the streamed kernels, if the device has them; 0 for other
// kernel families.
template <class T>
int streamed_teams(CudaCompute compute) {
  return std::is_same_v<T, float>
             ? kernels::streamed::resident_teams(kernels::portable::arithmetic_of(compute))
             : 0;
}

template <class T>
int teams_of(CudaCompute compute) {
  if (compute == CudaCompute::hopper) return kernels::resident_teams();
  if (const int teams = streamed_teams<T>(compute); teams > 0) return teams;
  return kernels::portable::resident_teams<T>(kernels::portable::arithmetic_of(compute));
}

// A line of a result. `ahead`: columns by which preparations run ahead; for a trsm, pivots of a
// block.
struct Line {
  const char* kernel;
  FrontCells cells;
  int fronts, ahead;
  double us, flops, bytes;
  VendorTime vendor;
  double error;
};

template <class T>
void print(const Line& line, CudaCompute compute) {
  const double bound = std::max(line.flops / peak_of<T>(compute), line.bytes / kBandwidth) * 1e6;
  std::printf(
      "{\"kernel\":\"%s\",\"compute\":\"%s\",\"scalar\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,"
      "\"ahead\":%d,",
      line.kernel, name_of(compute), std::is_same_v<T, double> ? "double" : "float", line.cells.m,
      line.cells.p, line.fronts, line.ahead);
  std::printf(
      "\"us\":%.1f,\"tf\":%.2f,\"share\":%.3f,\"vendor\":\"%s\",\"vendor_us\":%.1f,\"ratio\":%.2f,"
      "\"error\":%.1e}\n",
      line.us, line.flops / line.us * 1e-6, bound / line.us, line.vendor.what, line.vendor.us,
      line.vendor.us / line.us, line.error);
  std::fflush(stdout);
}

inline std::vector<FrontTask> tasks_of(FrontCells cells, int count, int ahead, int teams,
                                       bool update_only) {
  if (update_only) return symbolic::update_tasks(std::vector<FrontCells>(count, cells));
  return symbolic::factor_tasks(std::vector<symbolic::LevelFront>(count, {cells, 0}), false, ahead,
                                teams);
}

// Equal fronts on the device with all inputs of the kernels.
template <class T>
class Fronts {
 public:
  Fronts(CudaCompute compute, FrontCells cells, int count, int ahead, bool update_only)
      : compute_(compute),
        cells_(cells),
        count_(count),
        teams_(teams_of<T>(compute)),
        streamed_(streamed_teams<T>(compute) > 0),
        entries_(cells.panel().entries() + cells.block().entries()),
        front_(static_cast<std::size_t>(entries_) * count),
        inverses_(static_cast<std::size_t>(cells.diagonal_entries()) * count),
        failed_pivot_(count),
        counters_(symbolic::counter_count(cells) * count + 1),
        views_(make_views()),
        host_tasks_(tasks_of(cells, count, ahead, teams_, update_only)),
        tasks_(host_tasks_) {
    if (update_only)
      cudaMemset(counters_.get(), 0x7f,
                 counters_.bytes());  // the portable kernel reads this as: all of L is finished
  }

  T* front(int f) const { return front_.get() + f * entries_; }
  std::int64_t entries() const { return entries_; }
  void load(const double* dense) const {
    for (int f = 0; f < count_; ++f) pack<<<528, 256>>>(dense, front(f), cells_);
  }
  void factor() const {
    cudaMemsetAsync(counters_.get(), 0, counters_.bytes());
    require(enqueue() == cudaSuccess, "factor");
  }
  int* ticket() const { return counters_.get() + symbolic::counter_count(cells_) * count_; }
  void update() const {
    cudaMemsetAsync(ticket(), 0, sizeof(int));
    require(enqueue_update() == cudaSuccess, "update");
  }
  int failed(int f) const {
    return counters_.to_host()[symbolic::counter_count(cells_) * f + kernels::kFailed];
  }
  double failed_pivot(int f) const { return failed_pivot_.to_host()[f]; }
  // Returns the larger Frobenius error of the first and the last front.
  double error(const double* reference, int first) const {
    double worst = 0.0;
    for (int f : {0, count_ - 1}) {
      DeviceArray<double> sums(2);
      cudaMemset(sums.get(), 0, sums.bytes());
      compare<<<528, 256>>>(reference, front(f), cells_, first, sums.get());
      const double error = relative(sums.to_host());
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }

 private:
  cudaError_t enqueue() const {
    const int tasks = static_cast<int>(host_tasks_.size());
    if constexpr (std::is_same_v<T, double>) {
      if (compute_ == CudaCompute::hopper)
        return kernels::enqueue_factor(views_.get(), tasks_.get(), tasks, ticket(), {}, {}, {},
                                       symbolic::DeviceSchedule::kLeastPart, teams_, 0, nullptr);
    } else if (streamed_) {
      return kernels::streamed::enqueue_factor(
          kernels::portable::arithmetic_of(compute_), views_.get(), tasks_.get(), tasks, ticket(),
          {}, {}, {}, symbolic::DeviceSchedule::kLeastPart, teams_, 0, nullptr);
    }
    return kernels::portable::enqueue_factor<T>(
        kernels::portable::arithmetic_of(compute_), views_.get(), tasks_.get(), tasks, ticket(), {},
        {}, {}, symbolic::DeviceSchedule::kLeastPart, teams_, 0, nullptr);
  }
  // Runs the update alone. The portable kernels have no call for it and factorise with the update's
  // tasks instead, which then wait for nothing.
  cudaError_t enqueue_update() const {
    if constexpr (std::is_same_v<T, double>) {
      if (compute_ == CudaCompute::hopper)
        return kernels::enqueue_update(views_.get(), tasks_.get(),
                                       static_cast<int>(host_tasks_.size()), ticket(), teams_,
                                       nullptr);
    }
    return enqueue();
  }
  std::vector<FrontViewOf<T>> make_views() const {
    std::vector<FrontViewOf<T>> views(count_);
    for (int f = 0; f < count_; ++f) {
      views[f].panel = front(f);
      views[f].block = front(f) + cells_.panel().entries();
      views[f].inverses = inverses_.get() + f * cells_.diagonal_entries();
      views[f].counters = counters_.get() + symbolic::counter_count(cells_) * f;
      views[f].failed_pivot = failed_pivot_.get() + f;
      views[f].loads_block = 1;
      views[f].cells = cells_;
    }
    return views;
  }
  CudaCompute compute_;
  FrontCells cells_;
  int count_;
  int teams_;
  bool streamed_;
  std::int64_t entries_;
  DeviceArray<T> front_, inverses_;
  DeviceArray<double> failed_pivot_;
  DeviceArray<int> counters_;
  DeviceArray<FrontViewOf<T>> views_;
  std::vector<FrontTask> host_tasks_;
  DeviceArray<FrontTask> tasks_;
};

}  // namespace kauri::bench
