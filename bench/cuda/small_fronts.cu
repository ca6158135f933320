// Times the kernels of small fronts against the traffic bound, a copy of the same bytes, and the
// batched calls of cuSOLVER and cuBLAS on the same shapes. Prints one JSON line per shape; `vendor`
// names the calls, `ratio` is the vendor's time divided by kauri's.
//   small_fronts                 the table; all fronts of a row have one shape and different values
//   small_fronts --loops         times of Hopper's and of each portable loop, in double and float;
//                                `ratio` is the time divided by that of Hopper's kernels in double
//   small_fronts --repeat RUNS   repeats the same input; exit status 1 if a bit differs
//   small_fronts --check SEEDS   many random shapes in a launch, hard matrices, planted bad pivots;
//                                exit status 1 if one fails
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cuda/device_array.cuh"
#include "bench/cuda/vendor.cuh"
#include "numeric/cuda/factor/small/front.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using kauri::bench::DeviceArray;
using kauri::bench::kBandwidth;
using kauri::bench::median_us;
using kauri::bench::noise;
using kauri::bench::require;
using kauri::bench::Vendor;
using kauri::bench::VendorFronts;
using kauri::numeric::cuda::kernels::PackedSmallFront;
using kauri::numeric::cuda::kernels::PackedSmallFrontOf;
using kauri::numeric::cuda::kernels::SmallLoop;
using kauri::symbolic::packed_column;
using kauri::symbolic::SmallLayout;

/// Returns entry (row, column) of front f: diagonally dominant, different for each front.
__device__ double entry(int f, int row, int column, int m) {
  return noise(static_cast<std::uint64_t>(f) << 32 | static_cast<std::uint64_t>(row) << 16 |
               static_cast<std::uint64_t>(column)) +
         (row == column ? m : 0.0);
}

/// Fills packed fronts, one thread block per front.
template <class T>
__global__ void fill_packed(T* fronts, SmallLayout shape) {
  T* packed = fronts + std::int64_t{blockIdx.x} * kauri::symbolic::whole_units(shape.entries());
  for (int c = 0; c < shape.m; ++c)
    for (int r = c + static_cast<int>(threadIdx.x); r < shape.m; r += static_cast<int>(blockDim.x))
      packed[packed_column(c, shape.m) + r] =
          static_cast<T>(entry(static_cast<int>(blockIdx.x), r, c, shape.m));
}

/// Fills square fronts, one thread block per front: both triangles, column-major.
__global__ void fill_square(double* square, int m) {
  double* a = square + std::int64_t{blockIdx.x} * m * m;
  for (int e = static_cast<int>(threadIdx.x); e < m * m; e += static_cast<int>(blockDim.x))
    a[e] = entry(static_cast<int>(blockIdx.x), max(e % m, e / m), min(e % m, e / m), m);
}

/// Adds up two sums of squares over the lower triangles of all fronts: of packed - square result,
/// and of the square result.
__global__ void compare(const PackedSmallFront* fronts, const double* square, double* sums) {
  const PackedSmallFront front = fronts[blockIdx.x];
  const int m = front.rows, p = front.pivots;
  const double* a = square + std::int64_t{blockIdx.x} * m * m;
  double difference = 0.0, norm = 0.0;
  for (int e = static_cast<int>(threadIdx.x); e < m * m; e += static_cast<int>(blockDim.x)) {
    const int r = e % m, c = e / m;
    if (r < c) continue;
    const double x =
        c < p
            ? front.panel[packed_column(c, m) + r]
            : front.contribution[SmallLayout{m, p}.padding() + packed_column(c - p, m - p) + r - p];
    difference += (x - a[e]) * (x - a[e]), norm += a[e] * a[e];
  }
  atomicAdd(sums, difference), atomicAdd(sums + 1, norm);
}

__global__ void hash(const double* data, std::int64_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; e < count;
       e += std::int64_t{gridDim.x} * blockDim.x)
    mine += (static_cast<unsigned long long>(__double_as_longlong(data[e])) ^
             static_cast<unsigned long long>(e)) *
            0x9e3779b97f4a7c15ull;
  atomicAdd(sum, mine);
}

/// Fronts on the device: inputs front after front, then panels and contribution blocks likewise.
template <class T>
class FrontsOf {
 public:
  explicit FrontsOf(const std::vector<SmallLayout>& shapes)
      : shapes_(shapes),
        in_at_(1, 0),
        out_at_(1, 0),
        in_(places()),
        out_(out_at_.back()),
        failed_(shapes.size()),
        fronts_(views()) {
    cudaMemset(out_.get(), 0xff, out_.bytes());
  }
  int count() const { return static_cast<int>(shapes_.size()); }
  std::size_t in_place(std::size_t f) const { return in_at_[f]; }
  std::size_t out_place(std::size_t f) const { return out_at_[f]; }
  const DeviceArray<T>& in() const { return in_; }
  const DeviceArray<T>& out() const { return out_; }
  const DeviceArray<PackedSmallFrontOf<T>>& views_on_device() const { return fronts_; }
  std::vector<int> failed() const { return failed_.to_host(); }
  void fill() const {
    fill_packed<<<static_cast<unsigned>(count()), 128>>>(in_.get(), shapes_[0]);
    require(cudaDeviceSynchronize() == cudaSuccess, "fill");
  }
  void factor() const {
    require(kauri::numeric::cuda::kernels::enqueue_small_fronts(
                fronts_.get(), count(), max_rows_, failed_.get(), nullptr) == cudaSuccess,
            "launch");
  }
  void factor_by(SmallLoop loop) const {
    require(kauri::numeric::cuda::kernels::enqueue_portable_fronts<T>(
                loop, fronts_.get(), count(), max_rows_, failed_.get(), nullptr) == cudaSuccess,
            "launch");
  }
  void copy() const {
    cudaMemcpyAsync(out_.get(), in_.get(), std::min(in_.bytes(), out_.bytes()),
                    cudaMemcpyDeviceToDevice);
  }

 private:
  std::size_t places() {
    for (const SmallLayout& shape : shapes_) {
      in_at_.push_back(in_at_.back() +
                       static_cast<std::size_t>(kauri::symbolic::whole_units(shape.entries())));
      out_at_.push_back(out_at_.back() +
                        static_cast<std::size_t>(shape.panel_storage() + shape.block_storage()));
      max_rows_ = std::max(max_rows_, shape.m);
    }
    return in_at_.back();
  }
  std::vector<PackedSmallFrontOf<T>> views() const {
    std::vector<PackedSmallFrontOf<T>> fronts(shapes_.size());
    for (std::size_t f = 0; f < shapes_.size(); ++f) {
      fronts[f].panel = out_.get() + out_at_[f];
      fronts[f].contribution = fronts[f].panel + shapes_[f].panel_storage();
      fronts[f].rows = shapes_[f].m, fronts[f].pivots = shapes_[f].p;
      fronts[f].source = in_.get() + in_at_[f];
    }
    return fronts;
  }
  std::vector<SmallLayout> shapes_;
  std::vector<std::size_t> in_at_, out_at_;
  int max_rows_ = 0;
  DeviceArray<T> in_, out_;
  DeviceArray<int> failed_;
  DeviceArray<PackedSmallFrontOf<T>> fronts_;
};
using Fronts = FrontsOf<double>;

/// Returns the relative error of all fronts. `squares`: the vendor's results.
double relative_error(const Fronts& fronts, const double* squares) {
  DeviceArray<double> sums(std::vector<double>{0.0, 0.0});
  compare<<<static_cast<unsigned>(fronts.count()), 128>>>(fronts.views_on_device().get(), squares,
                                                          sums.get());
  const std::vector<double> host = sums.to_host();
  return std::sqrt(host[0] / host[1]);
}

/// Times one shape. Inputs and outputs change from launch to launch, so that the L2 cache holds
/// none of them.
void bench(const Vendor& handles, SmallLayout shape, int count) {
  constexpr int kRepeats = 21;
  const std::vector<SmallLayout> shapes(static_cast<std::size_t>(count), shape);
  std::deque<Fronts> sets;
  const double stored = 16.0 * shape.entries() * count;
  const int set_count = stored > 6e8 ? 2 : 4;
  for (int s = 0; s < set_count; ++s) sets.emplace_back(shapes).fill();
  const auto set = [&](int r) -> const Fronts& {
    return sets[static_cast<std::size_t>(r % set_count)];
  };
  const double copy_us = median_us(
      kRepeats, [](int) {}, [&](int r) { set(r).copy(); });
  const double us = median_us(
      kRepeats, [](int) {}, [&](int r) { set(r).factor(); });
  const VendorFronts<double> vendor(handles, {shape.m, shape.p}, count, nullptr);
  const double vendor_us = median_us(
      5, [&](int) { fill_square<<<static_cast<unsigned>(count), 128>>>(vendor.data(), shape.m); },
      [&](int) { vendor.run_batched(); });
  vendor.require_success();
  const double error = relative_error(sets[0], vendor.data());
  double flops = 0.0;
  for (int c = 0; c < shape.p; ++c) flops += count * std::pow(shape.m - c, 2.0);
  const double bytes = 16.0 * kauri::symbolic::packed_entries(shape.m) * count;
  std::printf(
      "{\"kernel\":\"small_fronts\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"us\":%.1f,\"tf\":%.2f,\"tb_"
      "per_s\":%.2f,\"share\":%.3f,"
      "\"copy_us\":%.1f,\"vendor\":\"%s\",\"vendor_us\":%.1f,\"ratio\":%.2f,\"error\":%.1e}\n",
      shape.m, shape.p, count, us, flops / us * 1e-6, bytes / us * 1e-6,
      bytes / kBandwidth * 1e6 / us, copy_us, vendor.kBatched, vendor_us, vendor_us / us, error);
  std::fflush(stdout);
}

/// Returns the median microseconds of run(fronts) for `count` fronts of one shape. Inputs and
/// outputs change from launch to launch, as in bench().
template <class T, class Run>
double time_of(SmallLayout shape, int count, const Run& run) {
  const std::vector<SmallLayout> shapes(static_cast<std::size_t>(count), shape);
  std::deque<FrontsOf<T>> sets;
  for (int s = 0; s < 4; ++s) sets.emplace_back(shapes).fill();
  return median_us(
      21, [](int) {}, [&](int r) { run(sets[static_cast<std::size_t>(r % 4)]); });
}

/// Times one shape by Hopper's kernels and by all portable loops. `share`: the time that a copy of
/// the bytes takes, divided by the time.
void bench_loops(SmallLayout shape, int count) {
  double hopper_us = 0.0;
  const auto print = [&](const char* kernels, const char* scalar, double size, double us) {
    if (hopper_us == 0.0) hopper_us = us;
    const double bytes = 2 * size * kauri::symbolic::packed_entries(shape.m) * count;
    std::printf(
        "{\"kernel\":\"small_front_loops\",\"loop\":\"%s\",\"scalar\":\"%s\",\"m\":%d,\"p\":%d,"
        "\"fronts\":%d,\"us\":%.1f,\"share\":%.3f,\"ratio\":%.2f}\n",
        kernels, scalar, shape.m, shape.p, count, us, bytes / kBandwidth * 1e6 / us,
        us / hopper_us);
    std::fflush(stdout);
  };
  const auto by = [](SmallLoop loop) {
    return [=](const auto& fronts) { fronts.factor_by(loop); };
  };
  print("hopper", "double", 8,
        time_of<double>(shape, count, [](const Fronts& fronts) { fronts.factor(); }));
  print("tensor", "double", 8, time_of<double>(shape, count, by(SmallLoop::tensor)));
  print("fma", "double", 8, time_of<double>(shape, count, by(SmallLoop::fma)));
  print("fma", "float", 4, time_of<float>(shape, count, by(SmallLoop::fma)));
  print("wide", "float", 4, time_of<float>(shape, count, by(SmallLoop::wide)));
}

// ---- check ----

enum class Kind { kDominant, kScaled, kIll, kCount };

/// Returns a symmetric matrix, packed as SmallLayout says; `bad`: a pivot that is not positive and
/// finite.
std::vector<double> make_front(const SmallLayout& shape, Kind kind, int bad,
                               std::mt19937_64& random) {
  const int m = shape.m;
  std::vector<double> packed(
      static_cast<std::size_t>(kauri::symbolic::whole_units(shape.entries())), 0.0);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto at = [&](int r, int c) -> double& {
    return packed[static_cast<std::size_t>(packed_column(c, m) + r)];
  };
  for (int c = 0; c < m; ++c)
    for (int r = c; r < m; ++r) at(r, c) = uniform(random) + (r == c ? m : 0.0);
  if (kind == Kind::kIll) {  // L L^T, with triangles like Kahan's on the diagonal of L
    std::vector<long double> l(static_cast<std::size_t>(m) * m, 0.0L);
    for (int c = 0; c < m; ++c)
      for (int r = c; r < m; ++r)
        l[static_cast<std::size_t>(r + c * m)] =
            std::pow(0.72L, c % 16) * (r == c             ? 1.0L
                                       : r / 16 == c / 16 ? -0.7L
                                                          : 0.1L * uniform(random));
    for (int c = 0; c < m; ++c)
      for (int r = c; r < m; ++r) {
        long double sum = 0.0L;
        for (int k = 0; k <= c; ++k)
          sum += l[static_cast<std::size_t>(r + k * m)] * l[static_cast<std::size_t>(c + k * m)];
        at(r, c) = static_cast<double>(sum);
      }
  }
  if (kind == Kind::kScaled) {
    std::vector<int> power(static_cast<std::size_t>(m));
    for (int& x : power) x = std::uniform_int_distribution<int>(-200, 200)(random);
    for (int c = 0; c < m; ++c)
      for (int r = c; r < m; ++r)
        at(r, c) = std::ldexp(
            at(r, c), power[static_cast<std::size_t>(r)] + power[static_cast<std::size_t>(c)]);
  }
  if (bad >= 0) {
    const double values[] = {-2.0 * m, 0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), -1e-3};
    at(bad, bad) = values[std::uniform_int_distribution<int>(0, 4)(random)];
  }
  return packed;
}

/// Returns the worst |A - L L^T - C|(r,c) / sqrt(A(r,r) A(c,c)), in long double; infinite if a
/// diagonal entry of L is not positive.
double residual(const SmallLayout& shape, const double* a, const double* result) {
  const int m = shape.m, p = shape.p;
  const double* contribution = result + shape.panel_storage() + shape.padding();
  const auto in = [&](int r, int c) { return a[packed_column(c, m) + r]; };
  const auto out = [&](int r, int c) -> long double {
    return c < p ? result[packed_column(c, m) + r]
                 : contribution[packed_column(c - p, m - p) + r - p];
  };
  long double worst = 0.0L;
  for (int c = 0; c < m; ++c) {
    if (c < p && !(out(c, c) > 0.0L)) return std::numeric_limits<double>::infinity();
    for (int r = c; r < m; ++r) {
      long double sum = c < p ? 0.0L : out(r, c);
      for (int k = 0; k < p && k <= c; ++k) sum += out(r, k) * out(c, k);
      const long double error =
          std::fabs(sum - in(r, c)) / std::sqrt(static_cast<long double>(in(r, r)) * in(c, c));
      if (!(error <= worst)) worst = error;
    }
  }
  return static_cast<double>(worst);
}

struct Findings {
  int fronts = 0, bad = 0, failures = 0;
  double worst[static_cast<int>(Kind::kCount)] = {};
};

/// Checks one launch of random fronts of one size class.
void check_launch(std::mt19937_64& random, Findings& findings) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int limits[] = {8, 16, 17, 32, 33, 48, 64, 65, 100, 128};
  const int limit = limits[pick(0, 9)];
  std::vector<SmallLayout> shapes(static_cast<std::size_t>(pick(1, limit > 64 ? 40 : 150)));
  std::vector<int> bad;
  std::vector<Kind> kinds;
  std::vector<double> in;
  for (SmallLayout& shape : shapes) {
    shape.m = pick(0, 3) ? pick(1, limit) : limit;
    shape.p = pick(0, 3) ? pick(1, shape.m) : shape.m;
    bad.push_back(pick(0, 3) ? -1 : pick(0, shape.p - 1));
    kinds.push_back(bad.back() >= 0 ? Kind::kDominant : static_cast<Kind>(pick(0, 2)));
    const std::vector<double> front = make_front(shape, kinds.back(), bad.back(), random);
    in.insert(in.end(), front.begin(), front.end());
  }
  const Fronts fronts(shapes);
  cudaMemcpy(fronts.in().get(), in.data(), fronts.in().bytes(), cudaMemcpyHostToDevice);
  fronts.factor();
  require(cudaDeviceSynchronize() == cudaSuccess, "factor");
  const std::vector<double> out = fronts.out().to_host();
  const std::vector<int> failed = fronts.failed();
  for (int f = 0; f < fronts.count(); ++f) {
    const auto i = static_cast<std::size_t>(f);
    const SmallLayout& shape = shapes[i];
    double error = 0.0;
    if (bad[i] < 0)
      error = residual(shape, in.data() + fronts.in_place(i), out.data() + fronts.out_place(i));
    double& worst = findings.worst[static_cast<int>(kinds[i])];
    worst = error <= worst ? worst : error;
    ++findings.fronts, findings.bad += bad[i] >= 0;
    const double allowed = kinds[i] == Kind::kIll ? 1e-12 : 1e-14;
    if (failed[i] == bad[i] && error <= allowed) continue;
    if (++findings.failures <= 20)
      std::printf(
          "m=%d p=%d limit=%d kind=%d front %d of %d: error %.2e, bad pivot %d, reported %d\n",
          shape.m, shape.p, limit, static_cast<int>(kinds[i]), f, fronts.count(), error, bad[i],
          failed[i]);
  }
}

int check(int seeds) {
  Findings findings;
  for (int s = 0; s < seeds; ++s) {
    std::mt19937_64 random(static_cast<unsigned>(s));
    check_launch(random, findings);
  }
  std::printf(
      "{\"launches\":%d,\"fronts\":%d,\"bad_pivots\":%d,\"failures\":%d,\"worst_dominant\":%.1e,"
      "\"worst_scaled\":%.1e,\"worst_ill\":%.1e}"
      "\n",
      seeds, findings.fronts, findings.bad, findings.failures, findings.worst[0], findings.worst[1],
      findings.worst[2]);
  return findings.failures == 0 ? 0 : 1;
}

/// Returns the number of runs whose bits differ from those of the first.
int differing(SmallLayout shape, int count, int runs) {
  const Fronts fronts(std::vector<SmallLayout>(static_cast<std::size_t>(count), shape));
  cudaMemset(fronts.in().get(), 0, fronts.in().bytes());
  fronts.fill();
  int different = 0;
  unsigned long long first = 0;
  for (int r = 0; r < runs; ++r) {
    cudaMemset(fronts.out().get(), 0xff, fronts.out().bytes());
    fronts.factor();
    DeviceArray<unsigned long long> sum(std::vector<unsigned long long>{0});
    hash<<<528, 256>>>(fronts.out().get(), static_cast<std::int64_t>(fronts.out().bytes() / 8),
                       sum.get());
    const unsigned long long now = sum.to_host()[0];
    if (r == 0) first = now;
    if (now != first) ++different;
  }
  std::printf(
      "{\"repeat\":\"small_fronts\",\"m\":%d,\"p\":%d,\"fronts\":%d,\"runs\":%d,\"different\":%d}"
      "\n",
      shape.m, shape.p, count, runs, different);
  std::fflush(stdout);
  return different;
}

int repeat(int runs) {
  int different = 0;
  for (SmallLayout shape : {SmallLayout{32, 16}, SmallLayout{29, 21}, SmallLayout{64, 32},
                            SmallLayout{51, 37}, SmallLayout{128, 64}, SmallLayout{123, 123}})
    different += differing(shape, 20000, runs);
  return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!kauri::numeric::cuda::kernels::prepare_small_fronts()) {
    std::fprintf(stderr, "no device that runs these kernels\n");
    return 2;
  }
  if (argc == 3 && std::strcmp(argv[1], "--check") == 0) return check(std::atoi(argv[2]));
  if (argc == 3 && std::strcmp(argv[1], "--repeat") == 0) return repeat(std::atoi(argv[2]));
  if (argc == 2 && std::strcmp(argv[1], "--loops") == 0) {
    for (SmallLayout shape :
         {SmallLayout{8, 3}, SmallLayout{16, 8}, SmallLayout{24, 7}, SmallLayout{32, 16},
          SmallLayout{32, 32}, SmallLayout{47, 13}, SmallLayout{64, 32}, SmallLayout{64, 64}})
      bench_loops(shape, 20000);
    return 0;
  }
  const Vendor handles;
  for (SmallLayout shape :
       {SmallLayout{32, 16}, SmallLayout{64, 32}, SmallLayout{128, 64}, SmallLayout{8, 3},
        SmallLayout{16, 8}, SmallLayout{24, 7}, SmallLayout{32, 32}, SmallLayout{47, 13},
        SmallLayout{64, 64}, SmallLayout{96, 48}, SmallLayout{100, 20}, SmallLayout{128, 16},
        SmallLayout{128, 128}})
    bench(handles, shape, 20000);
  for (SmallLayout shape : {SmallLayout{32, 16}, SmallLayout{64, 32}, SmallLayout{128, 64}})
    bench(handles, shape, 132);
  return 0;
}
