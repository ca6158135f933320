// Times the dense kernels on tiled fronts against cuBLAS and cuSOLVER on the same shapes, compares
// the results, and prints one JSON line per shape. `share`: fraction of the roofline; `vendor`: the
// fastest of the equivalent vendor calls, whose time is `vendor_us`; `ratio`: vendor's time divided
// by kauri's; `error`: difference from the vendor's result in double.
//   kernels                 all shapes of the table; `ahead` of a trsm is the number of pivots of
//                           its blocks
//   kernels WHAT            shapes of one kernel: update, gemm, trsm, factor; with the portable
//                           kernels: portable (factor), float_update
//   kernels --repeat RUNS   repeats the same input; exit status 1 if a bit differs
//   kernels --check SEEDS   random shapes, odd sizes and planted bad pivots; exit status 1 if one
//                           fails
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bench/cuda/product_kernels.cuh"
#include "bench/cuda/tiled_fronts.cuh"

namespace kauri::bench {
namespace {

constexpr CudaCompute kComputeOfFloat[] = {CudaCompute::fma, CudaCompute::tf32x3,
                                           CudaCompute::fp16x3, CudaCompute::tf32};

double factor_flops(FrontCells s) {
  double flops = 0.0;
  for (int c = 0; c < s.p; ++c) flops += std::pow(s.m - c, 2.0);
  return flops;
}

// The vendor's C -= A A^T with the rows below the pivots of `shape`: syrk updates the lower
// triangle alone, gemm all of C.
template <class T>
void syrk(cublasHandle_t blas, FrontCells shape, T* a) {
  const T one = 1, minus = -1;
  const int n = shape.m - shape.p, k = shape.p;
  require(Calls<T>::syrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &minus, a + k, shape.m,
                         &one, a + std::int64_t{k} * shape.m + k, shape.m),
          "syrk");
}
template <class T>
void gemm(cublasHandle_t blas, FrontCells shape, T* a) {
  const T one = 1, minus = -1;
  const int n = shape.m - shape.p, k = shape.p;
  require(Calls<T>::gemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, k, &minus, a + k, shape.m, a + k,
                         shape.m, &one, a + std::int64_t{k} * shape.m + k, shape.m),
          "gemm");
}

// Times the vendor's update: the faster of syrk and gemm for float, with TF32 allowed if `compute`
// is plain TF32.
template <class T>
VendorTime vendor_update(const Vendor& vendor, CudaCompute compute, FrontCells shape, int repeats,
                         std::uint64_t seed) {
  const bool plain = compute == CudaCompute::tf32;
  cublasHandle_t blas = vendor.one.library().blas;
  DeviceArray<T> a(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<1056, 256>>>(a.get(), shape.m, seed, -1);
  require(cublasSetMathMode(blas, plain ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
          "cublasSetMathMode");
  const auto nothing = [](int) {};
  VendorTime best{plain ? "syrk in TF32" : "syrk",
                  median_us(repeats, nothing, [&](int) { syrk(blas, shape, a.get()); })};
  if (std::is_same_v<T, float>) {
    const VendorTime whole{plain ? "gemm in TF32" : "gemm",
                           median_us(repeats, nothing, [&](int) { gemm(blas, shape, a.get()); })};
    if (whole.us < best.us) best = whole;
  }
  require(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
  return best;
}

template <class T>
void bench_update(const Vendor& vendor, CudaCompute compute, int n, int k, int repeats,
                  std::uint64_t seed) {
  const FrontCells shape{n + k, k};
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<1056, 256>>>(a.get(), shape.m, seed, -1);
  const Fronts<T> fronts(compute, shape, 1, 0, true);
  fronts.load(a.get());
  syrk(vendor.one.library().blas, shape, a.get());
  fronts.update();
  require(cudaDeviceSynchronize() == cudaSuccess, "update");
  const double error = fronts.error(a.get(), k);
  const VendorTime time = vendor_update<T>(vendor, compute, shape, repeats, seed);
  const double us = median_us(
      repeats, [](int) {}, [&](int) { fronts.update(); });
  const double tri = 0.5 * n * (n + 1.0);
  print<T>(
      {"update", shape, 1, 0, us, 2 * tri * k, sizeof(T) * (2 * tri + double(n) * k), time, error},
      compute);
}

// Returns the error of the first front against the vendor's factor in double.
template <class T>
double error_of(const Fronts<T>& fronts, const Vendor& vendor, FrontCells shape, const double* a) {
  const VendorFronts<double> oracle(vendor, shape, 1, a);
  oracle.load();
  oracle.run();
  oracle.require_success();
  return fronts.error(oracle.data(), 0);
}

template <class T>
void bench_factor(const Vendor& vendor, CudaCompute compute, FrontCells shape, int count, int ahead,
                  int repeats, std::uint64_t seed) {
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<1056, 256>>>(a.get(), shape.m, seed, -1);
  const Fronts<T> fronts(compute, shape, count, ahead, false);
  const double us = median_us(
      repeats, [&](int) { fronts.load(a.get()); }, [&](int) { fronts.factor(); });
  const double error = error_of(fronts, vendor, shape, a.get());
  DeviceArray<T> input(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<1056, 256>>>(input.get(), shape.m, seed, -1);
  const VendorTime time = VendorFronts<T>(vendor, shape, count, input.get()).time(repeats);
  const double m = shape.m, bytes = count * sizeof(T) * m * (m + 1);
  print<T>({"factor", shape, count, ahead, us, count * factor_flops(shape), bytes, time, error},
           compute);
}

// Returns the bound of the error of a well-conditioned front in T against the vendor's factor in
// double.
template <class T>
double tolerance_of(CudaCompute compute) {
  return 45 * (compute == CudaCompute::tf32 ? 0x1p-11 : std::numeric_limits<T>::epsilon());
}

// Checks one random front (or several equal ones) against the vendor's factor, or with a planted
// bad pivot.
template <class T>
bool check_one(const Vendor& vendor, CudaCompute compute, std::mt19937_64& random,
               std::uint64_t seed, bool bad_pivot) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  FrontCells shape;
  shape.m = pick(1, pick(0, 1) ? 300 : 1200);
  shape.p = pick(0, 2) ? pick(1, shape.m) : shape.m;
  const int count = pick(0, 2) ? 1 : pick(2, 40);
  const int ahead = pick(0, 3);
  const int bad = bad_pivot ? pick(0, shape.p - 1) : -1;
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<528, 256>>>(a.get(), shape.m, seed, bad);
  const Fronts<T> fronts(compute, shape, count, ahead, false);
  fronts.load(a.get());
  fronts.factor();
  require(cudaDeviceSynchronize() == cudaSuccess, "factor");
  const int failed = fronts.failed(count - 1);
  if (bad_pivot) {
    if (failed == bad + 1 && fronts.failed_pivot(count - 1) < 0) return true;
    std::printf("%s: bad pivot %d of m=%d p=%d count=%d: reported %d\n", name_of(compute), bad,
                shape.m, shape.p, count, failed - 1);
    return false;
  }
  const double error = error_of(fronts, vendor, shape, a.get());
  if (failed == 0 && error < tolerance_of<T>(compute)) return true;
  std::printf("%s: m=%d p=%d count=%d ahead=%d: error %.2e, failed %d\n", name_of(compute), shape.m,
              shape.p, count, ahead, error, failed);
  return false;
}

// Returns the number of runs whose bits differ from those of the first, and prints a line.
template <class T, class Run>
int differing(const char* what, FrontCells shape, int count, int runs, const T* data,
              std::int64_t entries, const Run& run) {
  int different = 0;
  unsigned long long first = 0;
  for (int r = 0; r < runs; ++r) {
    run();
    DeviceArray<unsigned long long> sum(std::vector<unsigned long long>{0});
    hash<<<528, 256>>>(data, entries, sum.get());
    const unsigned long long now = sum.to_host()[0];
    if (r == 0) first = now;
    if (now != first) ++different;
  }
  std::printf("{\"repeat\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"runs\":%d,\"different\":%d}\n",
              what, shape.m, shape.p, count, runs, different);
  std::fflush(stdout);
  return different;
}

template <class T>
int differing_fronts(CudaCompute compute, FrontCells shape, int count, bool update_only, int runs) {
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<T><<<1056, 256>>>(a.get(), shape.m, 1, -1);
  const Fronts<T> fronts(compute, shape, count, 1, update_only);
  const std::string what = std::string(update_only ? "update, " : "factor, ") + name_of(compute);
  return differing(what.c_str(), shape, count, runs, fronts.front(0), fronts.entries() * count,
                   [&] {
                     fronts.load(a.get());
                     if (update_only)
                       fronts.update();
                     else
                       fronts.factor();
                   });
}

int differing_solves(const Vendor& vendor, FrontCells shape, int count, int block, int runs) {
  const Solves solves(vendor, shape, count, block, 1);
  return differing("trsm", shape, count, runs, solves.front(0), solves.entries(), [&] {
    solves.load();
    solves.run();
  });
}

template <class T>
int differing_portable(CudaCompute compute, int runs) {
  return differing_fronts<T>(compute, {2048, 1024}, 1, false, runs) +
         differing_fronts<T>(compute, {300, 130}, 100, false, runs);
}

int repeat(const Vendor& vendor, int runs) {
  int different = 0;
  for (FrontCells s : {FrontCells{8256, 64}, FrontCells{8448, 256}, FrontCells{9216, 1024}})
    different += differing_fronts<double>(CudaCompute::hopper, s, 1, true, runs);
  for (FrontCells s : {FrontCells{8192, 2048}, FrontCells{2048, 2048}, FrontCells{4096, 4096}})
    different += differing_fronts<double>(CudaCompute::hopper, s, 1, false, runs);
  different += differing_fronts<double>(CudaCompute::hopper, {512, 256}, 64, false, runs);
  different += differing_fronts<double>(CudaCompute::hopper, {300, 130}, 100, false, runs);
  different += differing_portable<double>(CudaCompute::tensor, runs);
  different += differing_portable<double>(CudaCompute::fma, runs);
  for (const CudaCompute compute : kComputeOfFloat)
    different += differing_portable<float>(compute, runs);
  different += differing_solves(vendor, {8192, 2048}, 1, 256, runs);
  different += differing_solves(vendor, {2048, 1000}, 1, 1024, runs);
  different += differing_solves(vendor, {512, 256}, 64, 256, runs);
  return different == 0 ? 0 : 1;
}

int check(const Vendor& vendor, int seeds) {
  int failures = 0;
  for (int s = 0; s < seeds; ++s) {
    std::mt19937_64 random(s);
    const bool bad = s % 4 == 3;
    if (!check_one<double>(vendor, CudaCompute::hopper, random, s, bad)) ++failures;
    if (!check_products(vendor, random, s)) ++failures;
    if (!check_one<double>(vendor, CudaCompute::tensor, random, s, bad)) ++failures;
    if (!check_one<double>(vendor, CudaCompute::fma, random, s, bad)) ++failures;
    for (const CudaCompute compute : kComputeOfFloat) {
      if (!check_one<float>(vendor, compute, random, s, bad)) ++failures;
    }
  }
  std::printf("{\"checked\":%d,\"failures\":%d}\n", seeds, failures);
  return failures == 0 ? 0 : 1;
}

void bench_factors(const Vendor& vendor) {
  const auto bench = [&](FrontCells shape, int count, int ahead, int repeats, std::uint64_t seed) {
    bench_factor<double>(vendor, CudaCompute::hopper, shape, count, ahead, repeats, seed);
  };
  for (int n : {64, 256, 512, 1024, 2048, 4096, 8192}) bench({n, n}, 1, 1, 9, n);
  for (int ahead : {0, 2, 4}) bench({4096, 4096}, 1, ahead, 9, 7);
  for (FrontCells s : {FrontCells{2048, 1024}, FrontCells{4096, 1024}, FrontCells{8192, 512},
                       FrontCells{8192, 2048}})
    bench(s, 1, 1, 9, 5);
  bench({512, 256}, 64, 0, 7, 3);
  bench({512, 256}, 64, 1, 7, 3);
  bench({1024, 512}, 16, 1, 7, 3);
  bench({256, 128}, 256, 1, 5, 3);
  bench({4096, 2048}, 4, 1, 5, 3);
}

template <class T>
void bench_portable(const Vendor& vendor, CudaCompute compute) {
  for (int n : {512, 1024, 2048, 4096, 8192})
    bench_factor<T>(vendor, compute, {n, n}, 1, symbolic::kAhead, 7, n);
  for (FrontCells s : {FrontCells{2048, 1024}, FrontCells{8192, 2048}})
    bench_factor<T>(vendor, compute, s, 1, symbolic::kAhead, 7, 5);
  bench_factor<T>(vendor, compute, {512, 256}, 64, symbolic::kAhead, 7, 3);
}

// Times solves with panels in blocks of kPanelSolveBlock pivots, and in narrower and wider blocks.
void bench_solves(const Vendor& vendor) {
  for (int block : {256, symbolic::kPanelSolveBlock, 1024}) {
    for (FrontCells s : {FrontCells{8192, 512}, FrontCells{8192, 2048}, FrontCells{2048, 1024}})
      bench_solve(vendor, s, 1, block, 15);
  }
  bench_solve(vendor, {512, 256}, 64, symbolic::kPanelSolveBlock, 15);
}

int run(int argc, char** argv) {
  const Vendor vendor;
  if (kernels::resident_teams() == 0 || !kernels::prepare_dense_kernels()) {
    std::fprintf(stderr, "no device that runs these kernels\n");
    return 2;
  }
  if (argc == 3 && std::strcmp(argv[1], "--check") == 0) return check(vendor, std::atoi(argv[2]));
  if (argc == 3 && std::strcmp(argv[1], "--repeat") == 0) return repeat(vendor, std::atoi(argv[2]));
  const std::string only = argc > 1 ? argv[1] : "";
  if (const std::string all[] = {"", "update", "gemm", "trsm", "factor", "portable",
                                 "float_update"};
      std::find(std::begin(all), std::end(all), only) == std::end(all)) {
    std::fprintf(stderr, "%s: no kernel of that name\n", only.c_str());
    return 2;
  }
  const std::vector<int> orders{2048, 8192}, inner{64, 128, 256, 512, 1024};
  for (int n : orders) {
    for (int k : inner) {
      if (only.empty() || only == "update")
        bench_update<double>(vendor, CudaCompute::hopper, n, k, 15, n + k);
      for (const CudaCompute compute : kComputeOfFloat)
        if (only.empty() || only == "float_update")
          bench_update<float>(vendor, compute, n, k, 15, n + k);
    }
  }
  for (int n : orders) {
    for (int k : inner) {
      if (only.empty() || only == "gemm") bench_product(vendor, n, n, k, 15);
    }
  }
  if (only.empty() || only == "trsm") bench_solves(vendor);
  if (only.empty() || only == "factor") bench_factors(vendor);
  if (only.empty() || only == "portable") {
    bench_portable<double>(vendor, CudaCompute::tensor);
    bench_portable<double>(vendor, CudaCompute::fma);
    for (const CudaCompute compute : kComputeOfFloat) bench_portable<float>(vendor, compute);
  }
  return 0;
}

}  // namespace
}  // namespace kauri::bench

int main(int argc, char** argv) { return kauri::bench::run(argc, argv); }
