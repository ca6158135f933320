// Times factors in float on a device with each of its kernel families, and one in double for
// comparison. Reports the least seconds of timed refactorisations with values on the device, the
// distance of the float solution from the double one, its backward error in float, and the number
// of refinement steps that reach the backward error of float. Prints a line of JSON per system and
// kernel family.
//   float_factor [--repeats N] [--method nd|amd|metis] SYSTEM[:PERMUTATION_FILE] ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>

#include "bench/cuda/device_array.cuh"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"

namespace kauri::bench {
namespace {

constexpr CudaCompute kComputeOfFloat[] = {CudaCompute::fma, CudaCompute::tf32x3,
                                           CudaCompute::fp16x3, CudaCompute::tf32};

struct Options {
  int repeats = 10;
  OrderingMethod method = OrderingMethod::nested_dissection;
};

struct System : PlannedSystem {
  std::vector<double> b;
};

System system_of(const std::string& argument, const Options& options) {
  System system{planned(argument, options.method, cuda_backend()), {}};
  system.b.resize(static_cast<std::size_t>(system.a.n()));
  std::mt19937_64 random(1);
  for (double& x : system.b)
    x = static_cast<float>(std::uniform_real_distribution<>(-1, 1)(random));
  return system;
}

/// Solution x with its times; x is empty if a pivot failed.
template <class T>
struct Outcome {
  double seconds = 1e300;
  std::vector<T> x;
  Refinement refinement;
};

template <class T>
Outcome<T> run(const System& system, CudaCompute compute, int repeats) {
  Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = compute});
  auto factor = Factor<T>::create(system.plan, backend);
  const std::vector<T> value(system.a.value().begin(), system.a.value().end());
  const auto values = DeviceValues<T>::copy_of(value, backend);
  Outcome<T> result;
  for (int r = 0; r < repeats + 2; ++r) {
    require(cudaDeviceSynchronize() == cudaSuccess, "before a factorisation");
    const auto begin = std::chrono::steady_clock::now();
    const bool ok = static_cast<bool>(refactorize(factor, values));
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (r >= 2) result.seconds = std::min(result.seconds, s);
    if (!ok) return result;
  }
  const Index n = system.a.n();
  const std::vector<T> b(system.b.begin(), system.b.end());
  auto workspace = Workspace<T>::create(factor, 1);
  result.x = b;
  factor.solve({result.x.data(), n, 1, n}, workspace);
  std::vector<T> refined = result.x;
  result.refinement =
      refine<T>({system.a.pattern(), value}, factor, {b.data(), n, 1, n}, {refined.data(), n, 1, n},
                workspace, RefineOptions{.max_steps = 20});
  return result;
}

/// Returns max |x - y| / max |y|.
template <class T>
double distance(const std::vector<T>& x, const std::vector<double>& y) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double d = std::abs(x[i] - y[i]);
    if (!(d <= most)) most = d;  // keeps a NaN
    size = std::max(size, std::abs(y[i]));
  }
  return most / size;
}

template <class T>
void print(const System& system, const char* compute, const Outcome<T>& result,
           const std::vector<double>& exact) {
  const auto flops = static_cast<double>(system.plan->cost.flops);
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nnz_l\": %lld, \"flops\": %.4e, \"scalar\": \"%s\", "
      "\"compute\": \"%s\", \"factor_s\": %.4e, ",
      system.name.c_str(), system.a.n(), static_cast<long long>(system.plan->cost.nnz_l), flops,
      sizeof(T) == sizeof(double) ? "double" : "float", compute, result.seconds);
  if (result.x.empty())
    std::printf("\"status\": \"not_positive_definite\"}\n");
  else
    std::printf(
        "\"tf\": %.2f, \"from_double\": %.2e, \"componentwise\": %.2e, \"steps\": %d, \"refined\": "
        "%.2e}\n",
        flops / result.seconds * 1e-12, distance(result.x, exact),
        result.refinement.unrefined.componentwise, result.refinement.steps,
        result.refinement.final_error.componentwise);
  std::fflush(stdout);
}

void compare(const std::string& argument, const Options& options) {
  const System system = system_of(argument, options);
  const auto exact = run<double>(system, CudaCompute::automatic, options.repeats);
  print(system, cuda_backend().kernels(sizeof(double)).c_str(), exact, exact.x);
  if (exact.x.empty()) return;
  for (const CudaCompute compute : kComputeOfFloat)
    print(system, numeric::cuda::short_name(compute), run<float>(system, compute, options.repeats),
          exact.x);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("factorisations in float by each loop", "float_factor");
  bench::Options options;
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    for (const std::string& system : systems) bench::compare(system, options);
  });
}
