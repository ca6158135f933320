// Times the dense kernels on tiled fronts against cuBLAS and cuSOLVER on the same shapes and checks them against these: one JSON line per
// shape.
//   kernels                 all shapes of the table
//   kernels --repeat RUNS   the same input again and again: exit code 1 where a bit differs
//   kernels --check SEEDS   random shapes, odd sizes and planted bad pivots; exit code 1 where one fails
// SPDX-License-Identifier: BSD-3-Clause
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/device_array.cuh"
#include "numeric/cuda/kernels/front_kernels.hpp"

namespace {

using kauri::bench::DeviceArray;
using kauri::bench::kBandwidth;
using kauri::bench::kPeak;
using kauri::bench::median_us;
using kauri::bench::noise;
using kauri::bench::require;
namespace kernels = kauri::numeric::cuda::kernels;
namespace symbolic = kauri::symbolic;
using kernels::FrontView;
using symbolic::FrontCells;
using symbolic::FrontTask;

// Symmetric m x m, column-major, diagonal dominant by rows; entry (bad, bad) is made negative.
__global__ void fill_dense(double* a, int m, std::uint64_t seed, int bad) {
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < std::int64_t{m} * m;
       e += std::int64_t{gridDim.x} * blockDim.x) {
    const int row = static_cast<int>(e % m), column = static_cast<int>(e / m);
    const std::uint64_t low = min(row, column), high = max(row, column);
    a[e] = noise(seed * 0x51ull + (low << 32 | high)) + (row == column ? (row == bad ? -2.0 * m : 0.8 * m) : 0.0);
  }
}

// Place of padded entry (row, column), row / 8 >= column / 8, in the panel, or behind it in the contribution block.
__device__ std::int64_t place(const FrontCells& cells, int row, int column) {
  const int pivots = cells.pivot_cells() * symbolic::kCell;
  if (column < pivots) return cells.panel().place(row, column);
  return cells.panel().entries() + cells.block().place(row - pivots, column - pivots);
}

// Dense lower part to cells; padding: unit diagonal in pivot columns, zeros elsewhere.
__global__ void pack(const double* a, double* front, FrontCells cells) {
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
__global__ void compare(const double* a, const double* front, FrontCells cells, int first, double* sums) {
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

struct Library {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  Library() {
    require(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    require(cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS, "cusolverDnCreate");
  }
};

std::vector<FrontTask> tasks_of(FrontCells cells, int count, int ahead, int teams, bool update_only) {
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
                                    kauri::DeviceSchedule::kLeastPart, teams_, 0, nullptr) == cudaSuccess,
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
      const std::vector<double> host = sums.to_host();
      const double error = std::sqrt(host[0] / std::max(host[1], 1e-300));
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

// Partial factorisation by the vendor: potrf, trsm, syrk on the dense front.
class Vendor {
 public:
  Vendor(const Library& library, double* a, FrontCells shape) : library_(library), a_(a), shape_(shape), info_(1), work_(size()) {}
  void run() const {
    const int m = shape_.m, p = shape_.p, n = m - p;
    if (p > 0)
      cusolverDnDpotrf(library_.solver, CUBLAS_FILL_MODE_LOWER, p, a_, m, work_.get(), static_cast<int>(work_.bytes() / 8), info_.get());
    const double one = 1.0, minus = -1.0;
    if (n == 0 || p == 0) return;
    cublasDtrsm(library_.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, p, &one, a_, m, a_ + p, m);
    cublasDsyrk(library_.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, p, &minus, a_ + p, m, &one, a_ + std::int64_t{p} * m + p, m);
  }

 private:
  std::size_t size() const {
    int entries = 0;
    cusolverDnDpotrf_bufferSize(library_.solver, CUBLAS_FILL_MODE_LOWER, shape_.p, a_, shape_.m, &entries);
    return static_cast<std::size_t>(entries);
  }
  const Library& library_;
  double* a_;
  FrontCells shape_;
  DeviceArray<int> info_;
  DeviceArray<double> work_;
};

double factor_flops(FrontCells s) {
  double flops = 0.0;
  for (int c = 0; c < s.p; ++c) flops += std::pow(s.m - c, 2.0);
  return flops;
}

void print(const char* what, FrontCells s, int count, int ahead, double us, double flops, double bytes, double vendor_us, double error) {
  const double bound = std::max(flops / kPeak, bytes / kBandwidth) * 1e6;
  std::printf(
      "{\"kernel\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"ahead\":%d,\"us\":%.1f,\"tf\":%.2f,\"share\":%.3f,\"vendor_us\":%.1f,\"ratio\":"
      "%.2f,\"error\":%.1e}\n",
      what, s.m, s.p, count, ahead, us, flops / us * 1e-6, bound / us, vendor_us, vendor_us / us, error);
  std::fflush(stdout);
}

void bench_update(const Library& library, int n, int k, int repeats, std::uint64_t seed) {
  const FrontCells shape{n + k, k};
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<<<1056, 256>>>(a.get(), shape.m, seed, -1);
  const Fronts fronts(shape, 1, 0, true);
  fronts.load(a.get());
  const double one = 1.0, minus = -1.0;
  double* c = a.get() + std::int64_t{k} * shape.m + k;
  const auto vendor = [&] {
    cublasDsyrk(library.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &minus, a.get() + k, shape.m, &one, c, shape.m);
  };
  vendor();
  fronts.update();
  require(cudaDeviceSynchronize() == cudaSuccess, "update");
  const double error = fronts.error(a.get(), k);
  const double vendor_us = median_us(
      repeats, [](int) {}, [&](int) { vendor(); });
  const double us = median_us(
      repeats, [](int) {}, [&](int) { fronts.update(); });
  const double tri = 0.5 * n * (n + 1.0);
  print("update", shape, 1, 0, us, 2 * tri * k, 8.0 * (2 * tri + double(n) * k), vendor_us, error);
}

void bench_factor(const Library& library, FrontCells shape, int count, int ahead, int repeats, std::uint64_t seed) {
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  const auto fill = [&] { fill_dense<<<1056, 256>>>(a.get(), shape.m, seed, -1); };
  fill();
  const Fronts fronts(shape, count, ahead, false);
  DeviceArray<double> b(std::size_t(shape.m) * shape.m);
  fill_dense<<<1056, 256>>>(b.get(), shape.m, seed, -1);
  const Vendor vendor(library, b.get(), shape);
  const double us = median_us(
      repeats, [&](int) { fronts.load(a.get()); }, [&](int) { fronts.factor(); });
  const double vendor_us =
      count * median_us(
                  repeats, [&](int) { fill_dense<<<1056, 256>>>(b.get(), shape.m, seed, -1); }, [&](int) { vendor.run(); });
  const double m = shape.m;
  print("factor", shape, count, ahead, us, count * factor_flops(shape), count * 8.0 * m * (m + 1), vendor_us, fronts.error(b.get(), 0));
}

// One random front (or several): against the vendor, or with a planted bad pivot.
bool check_one(const Library& library, std::mt19937_64& random, std::uint64_t seed, bool bad_pivot) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  FrontCells shape;
  shape.m = pick(1, pick(0, 1) ? 300 : 1200);
  shape.p = pick(0, 2) ? pick(1, shape.m) : shape.m;
  const int count = pick(0, 2) ? 1 : pick(2, 40);
  const int ahead = pick(0, 3);
  const int bad = bad_pivot ? pick(0, shape.p - 1) : -1;
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<<<528, 256>>>(a.get(), shape.m, seed, bad);
  const Fronts fronts(shape, count, ahead, false);
  fronts.load(a.get());
  fronts.factor();
  require(cudaDeviceSynchronize() == cudaSuccess, "factor");
  const int failed = fronts.failed(count - 1);
  if (bad_pivot) {
    if (failed == bad + 1 && fronts.bad_pivot(count - 1) < 0) return true;
    std::printf("bad pivot %d of m=%d p=%d count=%d: reported %d\n", bad, shape.m, shape.p, count, failed - 1);
    return false;
  }
  const Vendor vendor(library, a.get(), shape);
  vendor.run();
  const double error = fronts.error(a.get(), 0);
  if (failed == 0 && error < 1e-14) return true;
  std::printf("m=%d p=%d count=%d ahead=%d: error %.2e, failed %d\n", shape.m, shape.p, count, ahead, error, failed);
  return false;
}

__global__ void hash(const double* data, std::int64_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < count; e += std::int64_t{gridDim.x} * blockDim.x) {
    mine += (static_cast<unsigned long long>(__double_as_longlong(data[e])) ^ static_cast<unsigned long long>(e)) * 0x9e3779b97f4a7c15ull;
  }
  atomicAdd(sum, mine);
}

// Runs that differ in a bit from the first.
int differing(FrontCells shape, int count, bool update_only, int repeats) {
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<<<1056, 256>>>(a.get(), shape.m, 1, -1);
  const Fronts fronts(shape, count, 1, update_only);
  int different = 0;
  unsigned long long first = 0;
  for (int r = 0; r < repeats; ++r) {
    fronts.load(a.get());
    if (update_only)
      fronts.update();
    else
      fronts.factor();
    DeviceArray<unsigned long long> sum(std::vector<unsigned long long>{0});
    hash<<<528, 256>>>(fronts.front(0), fronts.entries() * count, sum.get());
    const unsigned long long now = sum.to_host()[0];
    if (r == 0) first = now;
    if (now != first) ++different;
  }
  std::printf("{\"repeat\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"runs\":%d,\"different\":%d}\n", update_only ? "update" : "factor",
              shape.m, shape.p, count, repeats, different);
  std::fflush(stdout);
  return different;
}

int repeat(int runs) {
  int different = 0;
  different += differing({8256, 64}, 1, true, runs);
  different += differing({8448, 256}, 1, true, runs);
  different += differing({9216, 1024}, 1, true, runs);
  different += differing({8192, 2048}, 1, false, runs);
  different += differing({2048, 2048}, 1, false, runs);
  different += differing({4096, 4096}, 1, false, runs);
  different += differing({512, 256}, 64, false, runs);
  different += differing({300, 130}, 100, false, runs);
  return different == 0 ? 0 : 1;
}

int check(const Library& library, int seeds) {
  int failures = 0;
  for (int s = 0; s < seeds; ++s) {
    std::mt19937_64 random(s);
    if (!check_one(library, random, s, s % 4 == 3)) ++failures;
  }
  std::printf("{\"checked\":%d,\"failures\":%d}\n", seeds, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Library library;
  if (kernels::resident_teams() == 0) {
    std::fprintf(stderr, "no device that runs these kernels\n");
    return 2;
  }
  if (argc == 3 && std::strcmp(argv[1], "--check") == 0) return check(library, std::atoi(argv[2]));
  if (argc == 3 && std::strcmp(argv[1], "--repeat") == 0) return repeat(std::atoi(argv[2]));
  const std::string only = argc > 1 ? argv[1] : "";
  if (only.empty() || only == "update") {
    for (int n : {2048, 8192}) {
      for (int k : {64, 128, 256, 512, 1024}) bench_update(library, n, k, 15, n + k);
    }
  }
  if (only.empty() || only == "factor") {
    for (int n : {64, 256, 512, 1024, 2048, 4096, 8192}) bench_factor(library, {n, n}, 1, 1, 9, n);
    for (int ahead : {0, 2, 4}) bench_factor(library, {4096, 4096}, 1, ahead, 9, 7);
    for (FrontCells s : {FrontCells{2048, 1024}, FrontCells{4096, 1024}, FrontCells{8192, 512}, FrontCells{8192, 2048}})
      bench_factor(library, s, 1, 1, 9, 5);
    bench_factor(library, {512, 256}, 64, 0, 7, 3);
    bench_factor(library, {512, 256}, 64, 1, 7, 3);
    bench_factor(library, {1024, 512}, 16, 1, 7, 3);
    bench_factor(library, {256, 128}, 256, 1, 5, 3);
    bench_factor(library, {4096, 2048}, 4, 1, 5, 3);
  }
  return 0;
}
