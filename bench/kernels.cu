// Times the dense kernels on tiled fronts against cuBLAS and cuSOLVER on the same shapes and checks them against these: one JSON line per
// shape.
//   kernels                 all shapes of the table; `ahead` of a trsm are the pivots of its blocks
//   kernels WHAT            those of one kernel: update, gemm, trsm, factor
//   kernels --repeat RUNS   the same input again and again: exit code 1 where a bit differs
//   kernels --check SEEDS   random shapes, odd sizes and planted bad pivots; exit code 1 where one fails
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bench/product_kernels.cuh"
#include "bench/tiled_fronts.cuh"

namespace kauri::bench {
namespace {

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

// Runs that differ in a bit from the first.
template <class Run>
int differing(const char* what, FrontCells shape, int count, int runs, const double* data, std::int64_t entries, const Run& run) {
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
  std::printf("{\"repeat\":\"%s\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"runs\":%d,\"different\":%d}\n", what, shape.m, shape.p, count, runs,
              different);
  std::fflush(stdout);
  return different;
}

int differing_fronts(FrontCells shape, int count, bool update_only, int runs) {
  DeviceArray<double> a(std::size_t(shape.m) * shape.m);
  fill_dense<<<1056, 256>>>(a.get(), shape.m, 1, -1);
  const Fronts fronts(shape, count, 1, update_only);
  return differing(update_only ? "update" : "factor", shape, count, runs, fronts.front(0), fronts.entries() * count, [&] {
    fronts.load(a.get());
    if (update_only)
      fronts.update();
    else
      fronts.factor();
  });
}

int differing_solves(const Library& library, FrontCells shape, int count, int block, int runs) {
  const Solves solves(library, shape, count, block, 1);
  return differing("trsm", shape, count, runs, solves.front(0), solves.entries(), [&] {
    solves.load();
    solves.run();
  });
}

int repeat(const Library& library, int runs) {
  int different = 0;
  different += differing_fronts({8256, 64}, 1, true, runs);
  different += differing_fronts({8448, 256}, 1, true, runs);
  different += differing_fronts({9216, 1024}, 1, true, runs);
  different += differing_fronts({8192, 2048}, 1, false, runs);
  different += differing_fronts({2048, 2048}, 1, false, runs);
  different += differing_fronts({4096, 4096}, 1, false, runs);
  different += differing_fronts({512, 256}, 64, false, runs);
  different += differing_fronts({300, 130}, 100, false, runs);
  different += differing_solves(library, {8192, 2048}, 1, 256, runs);
  different += differing_solves(library, {2048, 1000}, 1, 1024, runs);
  different += differing_solves(library, {512, 256}, 64, 256, runs);
  return different == 0 ? 0 : 1;
}

int check(const Library& library, int seeds) {
  int failures = 0;
  for (int s = 0; s < seeds; ++s) {
    std::mt19937_64 random(s);
    if (!check_one(library, random, s, s % 4 == 3)) ++failures;
    if (!check_products(library, random, s)) ++failures;
  }
  std::printf("{\"checked\":%d,\"failures\":%d}\n", seeds, failures);
  return failures == 0 ? 0 : 1;
}

void bench_factors(const Library& library) {
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

// In blocks as wide as kSolveBlock says, and otherwise.
void bench_solves(const Library& library) {
  for (int block : {256, symbolic::kSolveBlock, 1024}) {
    for (FrontCells s : {FrontCells{8192, 512}, FrontCells{8192, 2048}, FrontCells{2048, 1024}}) bench_solve(library, s, 1, block, 15);
  }
  bench_solve(library, {512, 256}, 64, symbolic::kSolveBlock, 15);
}

int run(int argc, char** argv) {
  const Library library;
  if (kernels::resident_teams() == 0) {
    std::fprintf(stderr, "no device that runs these kernels\n");
    return 2;
  }
  if (argc == 3 && std::strcmp(argv[1], "--check") == 0) return check(library, std::atoi(argv[2]));
  if (argc == 3 && std::strcmp(argv[1], "--repeat") == 0) return repeat(library, std::atoi(argv[2]));
  const std::string only = argc > 1 ? argv[1] : "";
  const std::vector<int> orders{2048, 8192}, inner{64, 128, 256, 512, 1024};
  for (int n : orders) {
    for (int k : inner) {
      if (only.empty() || only == "update") bench_update(library, n, k, 15, n + k);
    }
  }
  for (int n : orders) {
    for (int k : inner) {
      if (only.empty() || only == "gemm") bench_product(library, n, n, k, 15);
    }
  }
  if (only.empty() || only == "trsm") bench_solves(library);
  if (only.empty() || only == "factor") bench_factors(library);
  return 0;
}

}  // namespace
}  // namespace kauri::bench

int main(int argc, char** argv) { return kauri::bench::run(argc, argv); }
