// Times the solve of one or several right-hand sides on a device, with vectors in device memory.
// Reports least and median of timed calls, the share of the bandwidth bound, the worst
// componentwise backward error over the columns, and whether all runs gave the same bits. Prints a
// line of JSON per system. --float: factor and vectors in float; --fma: CudaCompute::fma, by which
// portable kernels multiply as where FP64 tensor cores are slow; --portable: the kernels that all
// devices run; --multiprocessors: how many of them kernels may take.
//   solves [--plain] [--portable] [--fma] [--float] [--multiprocessors N] [--repeats N] [--nrhs N]
//       [--group 8|16|32] [--method nd|amd|metis] SYSTEM[:PERMUTATION_FILE] ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>

#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

/// Seconds of a step from one tile of 64 columns to the next; each of the two sweeps takes it once.
constexpr double kStep = 1.5e-6;

struct Options {
  bool plain = false, portable = false, fma = false, in_float = false;
  int multiprocessors = 0;
  int repeats = 20;
  Index nrhs = 1;
  Index team = 0;  // CudaOptions::group_columns
  OrderingMethod method = OrderingMethod::nested_dissection;
};

/// Columns on the longest path of the tree of supernodes.
double longest_path(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<double> below(nodes.parent.size(), 0);
  double most = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    below[s] += nodes.pivots(s);
    most = std::max(most, below[s]);
    if (nodes.parent[s] >= 0) below[nodes.parent[s]] = std::max(below[nodes.parent[s]], below[s]);
  }
  return most;
}

/// Counts the words of two arrays that differ.
__global__ void count_different(const unsigned* a, const unsigned* b, std::size_t count,
                                unsigned long long* different) {
  unsigned long long mine = 0;
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < count;
       k += std::size_t{gridDim.x} * blockDim.x)
    mine += a[k] != b[k] ? 1 : 0;
  if (mine > 0) atomicAdd(different, mine);
}

/// Returns whether two arrays have the same bits. Compares on the device: with many columns a copy
/// to the host takes much longer than the solve.
template <class T>
bool same_bits(const DeviceArray<T>& a, const DeviceArray<T>& b) {
  const DeviceArray<unsigned long long> different(std::vector<unsigned long long>{0});
  const auto words = [](const DeviceArray<T>& x) {
    return reinterpret_cast<const unsigned*>(x.get());
  };
  count_different<<<1024, 256>>>(words(a), words(b), a.bytes() / sizeof(unsigned), different.get());
  return different.to_host().front() == 0;
}

template <class T>
std::vector<T> rounded(std::span<const double> from) {
  return {from.begin(), from.end()};
}

template <class T>
void run(const std::string& argument, const Options& options, Backend& backend) {
  const PlannedSystem system = planned(argument, options.method, backend);
  const SymmetricMatrix<double>& a = system.a;
  const std::shared_ptr<const Plan>& plan = system.plan;
  const std::vector<T> value = rounded<T>(a.value());
  auto factor = Factor<T>::create(plan, backend);
  if (!refactorize<T>(factor, value).ok())
    return void(std::printf("{\"system\": \"%s\", \"status\": \"not_positive_definite\"}\n",
                            system.name.c_str()));
  auto workspace = Workspace<T>::create(factor, options.nrhs);
  const std::vector<T> b = rounded<T>(
      random_numbers(static_cast<std::size_t>(a.n()) * static_cast<std::size_t>(options.nrhs)));
  const DeviceArray<T> there(b), out(b.size());
  const DeviceMatrixView<T> rhs({there.get(), a.n(), options.nrhs, a.n()}),
      x({out.get(), a.n(), options.nrhs, a.n()});
  const DeviceArray<T> first(b.size());
  std::vector<double> seconds;
  bool same = true;
  for (int r = 0; r < options.repeats + 2; ++r) {
    require(cudaDeviceSynchronize() == cudaSuccess, "before a solve");
    const auto begin = std::chrono::steady_clock::now();
    factor.solve(rhs, x, workspace);
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (r >= 2) seconds.push_back(s);
    if (r == 0)
      require(
          cudaMemcpy(first.get(), out.get(), out.bytes(), cudaMemcpyDeviceToDevice) == cudaSuccess,
          "copy");
    else
      same = same_bits(first, out) && same;
  }
  const std::vector<T> found = first.to_host();
  const auto all = [&](const std::vector<T>& v) {
    return MatrixView<const T>{v.data(), a.n(), options.nrhs, a.n()};
  };
  const double error =
      backward_error<T>({a.pattern(), value}, all(found), all(b), backend).componentwise;
  const double least = *std::min_element(seconds.begin(), seconds.end()),
               bytes = 2.0 * sizeof(T) * static_cast<double>(plan->cost.nnz_l);
  const double chain = 2 * longest_path(*plan) / 64 * kStep, bandwidth = bytes / read_bandwidth(),
               bound = bandwidth + chain;
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nnz_l\": %lld, \"solve%d_s\": %.4e, \"solve%d_median_s\": "
      "%.4e, \"bandwidth_s\": %.4e, "
      "\"chain_s\": %.4e, \"share\": %.3f, \"componentwise\": %.2e, \"workspace_bytes\": %lld, "
      "\"same_bits\": %s}\n",
      system.name.c_str(), a.n(), static_cast<long long>(plan->cost.nnz_l), options.nrhs, least,
      options.nrhs, median(seconds), bandwidth, chain, bound / least, error,
      static_cast<long long>(plan->workspace_bytes(sizeof(T), options.nrhs)),
      same ? "true" : "false");
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("solves of systems factorised on a device", "solves");
  bench::Options options;
  app.add_flag("--plain", options.plain, "level by level");
  app.add_flag("--portable", options.portable, "CudaOptions::portable");
  app.add_flag("--fma", options.fma, "CudaCompute::fma");
  app.add_flag("--float", options.in_float, "factor and vectors in float");
  app.add_option("--multiprocessors", options.multiprocessors, "CudaOptions::multiprocessors");
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_option("--nrhs", options.nrhs)->check(CLI::PositiveNumber);
  app.add_option("--group", options.team, "CudaOptions::group_columns");
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    CudaOptions device;
    device.fast_solve = !options.plain, device.group_columns = options.team;
    if (options.fma) device.compute = CudaCompute::fma;
    device.portable = options.portable, device.multiprocessors = options.multiprocessors;
    Backend backend = cuda_backend(device);
    for (const std::string& system : systems)
      options.in_float ? bench::run<float>(system, options, backend)
                       : bench::run<double>(system, options, backend);
  });
}
