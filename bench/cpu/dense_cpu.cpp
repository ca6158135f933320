// Times the CPU's dense kernels shape by shape and prints a JSON line each: seconds, Gflop/s, and
// the ratio to the BLAS linked in, if any.
//   dense_cpu [TARGET]          TARGET: cpu-avx512, cpu-avx2 or cpu-generic; default: this
//                               machine's best
// Run it on an idle core.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "kauri/core/backend.hpp"
#include "numeric/cpu/dense/dense.hpp"
#include "symbolic/common/contribution_layout.hpp"

#ifdef KAURI_BENCH_BLAS
// NOLINTBEGIN(readability-identifier-naming): Fortran's names
extern "C" void dsyrk_(const char*, const char*, const int*, const int*, const double*,
                       const double*, const int*, const double*, double*, const int*);
extern "C" void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
                       const double*, const double*, const int*, double*, const int*);
// NOLINTEND(readability-identifier-naming)
#endif

namespace kauri {
namespace {

/// Returns the least seconds of a call of f, which is repeated for about a fifth of a second.
template <class F>
double least_seconds(F&& f) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9, total = 0;
  for (int runs = 0; runs < 3 || total < 0.2; ++runs) {
    const auto start = Clock::now();
    f();
    const double t = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, t);
    total += t;
  }
  return best;
}

std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<double> v(count);
  for (double& x : v) x = std::uniform_real_distribution<double>(0.5, 1)(random);
  return v;
}

void print(const char* kernel, const std::string& target, Index m, Index k, double flops,
           double own, double blas) {
  std::printf(
      "{\"kernel\":\"%s\",\"target\":\"%s\",\"m\":%d,\"k\":%d,\"time_s\":%.4g,\"gflops\":%.4g",
      kernel, target.c_str(), m, k, own, flops / own * 1e-9);
  if (blas > 0) std::printf(",\"blas_time_s\":%.4g,\"times_blas\":%.3g", blas, blas / own);
  std::printf("}\n");
}

/// Times the update of a contribution block: lower triangle of -A A^T, A m x k, in place and
/// packed.
void bench_update(const numeric::cpu::DenseKernels<double>& kernels, const std::string& target,
                  Index m, Index k) {
  const Offset lda = m + k;
  const auto a = random_numbers(static_cast<std::size_t>(lda) * static_cast<std::size_t>(k) + 64);
  std::vector<double> c(static_cast<std::size_t>(m) * static_cast<std::size_t>(m) + 64);
  std::vector<double> packed(static_cast<std::size_t>(m + symbolic::FrontScratch::kPadding) *
                             static_cast<std::size_t>(k));
  const double flops = static_cast<double>(m) * (m + 1) * k;
  double blas = 0;
#ifdef KAURI_BENCH_BLAS
  const int im = m, ik = k, il = static_cast<int>(lda);
  const double minus = -1, zero = 0;
  blas = least_seconds(
      [&] { dsyrk_("L", "N", &im, &ik, &minus, a.data() + k, &il, &zero, c.data(), &im); });
#endif
  print("update", target, m, k, flops, least_seconds([&] {
          kernels.update(m, m, k, a.data() + k, lda, a.data() + k, lda, c.data(), m, true, false);
        }),
        blas);
  print("pack+update", target, m, k, flops, least_seconds([&] {
          kernels.pack(m, k, a.data() + k, lda, packed.data());
          kernels.update_packed(m, m, k, packed.data(), packed.data(), c.data(), m, 0, false);
        }),
        blas);
}

/// Times the Cholesky factorisation of a pivot block of order n and the solve of m rows with it.
void bench_panel(const numeric::cpu::DenseKernels<double>& kernels, const std::string& target,
                 Index n, Index m) {
  auto a = random_numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(j) * (n + 1)] = n + 1;
  auto l = a;
  double pivot = 0;
  print("potrf", target, n, n, static_cast<double>(n) * n * n / 3, least_seconds([&] {
          l = a;
          (void)kernels.potrf(n, l.data(), n, &pivot);
        }),
        0);
  auto x = random_numbers(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  double blas = 0;
#ifdef KAURI_BENCH_BLAS
  const int im = m, in = n;
  const double one = 1;
  blas = least_seconds(
      [&] { dtrsm_("R", "L", "T", "N", &im, &in, &one, l.data(), &in, x.data(), &im); });
#endif
  print("trsm", target, m, n, static_cast<double>(m) * n * n,
        least_seconds([&] { kernels.trsm(m, n, l.data(), n, x.data(), m); }), blas);
}

}  // namespace
}  // namespace kauri

int main(int argc, char** argv) try {
  const std::string target = argc > 1 ? argv[1] : kauri::host_target();
  const auto& kernels = kauri::numeric::cpu::dense_kernels<double>(target);
  for (const kauri::Index m : {8, 16, 32, 64, 128, 240, 400, 800, 1600})
    for (const kauri::Index k : {4, 8, 16, 64, 256}) kauri::bench_update(kernels, target, m, k);
  for (const kauri::Index n : {1, 2, 4, 8, 16, 32, 64})
    for (const kauri::Index m : {8, 64, 512}) kauri::bench_panel(kernels, target, n, m);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "dense_cpu: %s\n", e.what());
  return 1;
}
