// Equal fronts in cells on the device with all that the kernels need, dense parts that go there and are compared, and what the benches of
// tiled fronts share beside: the vendor's handles, a line of a result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/device_array.cuh"
#include "numeric/cuda/kernels/front_kernels.hpp"

namespace kauri::bench {

namespace kernels = numeric::cuda::kernels;
using kernels::FrontView;
using symbolic::FrontCells;
using symbolic::FrontTask;

// Symmetric m x m, column-major, diagonal dominant by rows; entry (bad, bad) is made negative.
__global__ inline void fill_dense(double* a, int m, std::uint64_t seed, int bad) {
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < std::int64_t{m} * m;
       e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % m), column = static_cast<int>(e / m);
    const std::uint64_t low = min(row, column), high = max(row, column);
    a[e] = noise(seed * 0x51ull + (low << 32 | high)) + (row == column ? (row == bad ? -2.0 * m : 0.8 * m) : 0.0);
  }
}

// Place of padded entry (row, column), row / 8 >= column / 8, in the panel, or behind it in the contribution block.
__device__ inline std::int64_t place(const FrontCells& cells, int row, int column) {
  const int pivots = cells.pivot_cells() * symbolic::kCell;
  if (column < pivots) return cells.panel().place(row, column);
  return cells.panel().entries() + cells.block().place(row - pivots, column - pivots);
}

// Dense lower part to cells; padding: unit diagonal in pivot columns, zeros elsewhere.
__global__ inline void pack(const double* a, double* front, FrontCells cells) {
  const int padded = cells.cells() * symbolic::kCell;
  const int pivot_end = cells.pivot_cells() * symbolic::kCell;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < std::int64_t{padded} * padded;
       e += std::int64_t{gridDim.x} * blockDim.x) {
    const int i = static_cast<int>(e % padded), k = static_cast<int>(e / padded);
    if (i / symbolic::kCell < k / symbolic::kCell) continue;
    const auto source = [&](int r) { return r < cells.p ? r : r < pivot_end ? -1 : r - pivot_end + cells.p; };
    const int row = source(i), column = source(k);
    double value = i == k && i < pivot_end ? 1.0 : 0.0;
    if (row >= 0 && column >= 0)
      value = row < cells.m && column < cells.m ? a[std::int64_t{max(row, column)} + std::int64_t{min(row, column)} * cells.m] : 0.0;
    front[place(cells, i, k)] = value;
  }
}

// Sums of squares over the lower triangle: cells - dense, dense. First column `first`.
__global__ inline void compare(const double* a, const double* front, FrontCells cells, int first, double* sums) {
  double difference = 0.0, norm = 0.0;
  const int m = cells.m;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < std::int64_t{m} * m;
       e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % m), column = static_cast<int>(e / m);
    if (row < column || column < first) continue;
    const double d = a[e] - front[place(cells, cells.padded_row(row), cells.padded_row(column))];
    difference += d * d, norm += a[e] * a[e];
  }
  atomicAdd(sums, difference), atomicAdd(sums + 1, norm);
}

// Of such sums.
inline double relative(const std::vector<double>& sums) { return std::sqrt(sums[0] / std::max(sums[1], 1e-300)); }

// Of the bits.
__global__ inline void hash(const double* data, std::int64_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < count; e += std::int64_t{gridDim.x} * blockDim.x) {
    mine += (static_cast<unsigned long long>(__double_as_longlong(data[e])) ^ static_cast<unsigned long long>(e)) * 0x9e3779b97f4a7c15ull;
  }
  atomicAdd(sum, mine);
}

struct Library {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  Library() {
    require(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    require(cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS, "cusolverDnCreate");
  }
};

inline void print(const char* what, FrontCells s, int count, int ahead, double us, double flops, double bytes, double vendor_us,
                  double error) {
  const double bound = std::max(flops / kPeak, bytes / kBandwidth) * 1e6;
  std::printf(
      "{\"kernel\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"ahead\":%d,\"us\":%.1f,\"tf\":%.2f,\"share\":%.3f,\"vendor_us\":%.1f,\"ratio\":"
      "%.2f,\"error\":%.1e}\n",
      what, s.m, s.p, count, ahead, us, flops / us * 1e-6, bound / us, vendor_us, vendor_us / us, error);
  std::fflush(stdout);
}

inline std::vector<FrontTask> tasks_of(FrontCells cells, int count, int ahead, int teams, bool update_only) {
  if (update_only) return symbolic::update_tasks(std::vector<FrontCells>(count, cells));
  return symbolic::factor_tasks(std::vector<symbolic::LevelFront>(count, {cells, 0}), false, ahead, teams);
}

// Equal fronts on the device with all that the kernels need.
class Fronts {
 public:
  Fronts(FrontCells cells, int count, int ahead, bool update_only)
      : cells_(cells),
        count_(count),
        teams_(kernels::resident_teams()),
        entries_(cells.panel().entries() + cells.block().entries()),
        front_(static_cast<std::size_t>(entries_) * count),
        inverses_(static_cast<std::size_t>(cells.inverse_entries()) * count),
        bad_(count),
        counters_(symbolic::counter_count(cells) * count + 1),
        views_(make_views()),
        host_tasks_(tasks_of(cells, count, ahead, teams_, update_only)),
        tasks_(host_tasks_) {}

  double* front(int f) const { return front_.get() + f * entries_; }
  std::int64_t entries() const { return entries_; }
  void load(const double* dense) const {
    for (int f = 0; f < count_; ++f) pack<<<528, 256>>>(dense, front(f), cells_);
  }
  void factor() const {
    cudaMemsetAsync(counters_.get(), 0, counters_.bytes());
    require(kernels::enqueue_factor(views_.get(), tasks_.get(), static_cast<int>(host_tasks_.size()), ticket(), {}, {}, {},
                                    DeviceSchedule::kLeastPart, teams_, 0, nullptr) == cudaSuccess,
            "factor");
  }
  int* ticket() const { return counters_.get() + symbolic::counter_count(cells_) * count_; }
  void update() const {
    cudaMemsetAsync(ticket(), 0, sizeof(int));
    require(
        kernels::enqueue_update(views_.get(), tasks_.get(), static_cast<int>(host_tasks_.size()), ticket(), teams_, nullptr) == cudaSuccess,
        "update");
  }
  int failed(int f) const { return counters_.to_host()[symbolic::counter_count(cells_) * f + kernels::kFailed]; }
  double bad_pivot(int f) const { return bad_.to_host()[f]; }
  // Frobenius error of the worst of the first and last front.
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
  std::vector<FrontView> make_views() const {
    std::vector<FrontView> views(count_);
    for (int f = 0; f < count_; ++f) {
      views[f].panel = front(f);
      views[f].block = front(f) + cells_.panel().entries();
      views[f].inverses = inverses_.get() + f * cells_.inverse_entries();
      views[f].counters = counters_.get() + symbolic::counter_count(cells_) * f;
      views[f].failed_pivot = bad_.get() + f;
      views[f].loads_block = true;
      views[f].cells = cells_;
    }
    return views;
  }
  FrontCells cells_;
  int count_;
  int teams_;
  std::int64_t entries_;
  DeviceArray<double> front_, inverses_, bad_;
  DeviceArray<int> counters_;
  DeviceArray<FrontView> views_;
  std::vector<FrontTask> host_tasks_;
  DeviceArray<FrontTask> tasks_;
};

}  // namespace kauri::bench
