// Times systems that are factorised and solved once on a device, with vectors in device memory: a
// Factor with its solve, beside FusedSolve. Reports the least seconds of calls in turn, the
// componentwise backward errors, and the largest difference of the two x divided by the largest
// |x|. Prints a line of JSON per system.
//   solve_once [--repeats N] [--nrhs N] [--method nd|amd|metis] SYSTEM[:PERMUTATION_FILE] ...
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

#include "bench/cuda/device_array.cuh"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

struct Options {
  int repeats = 12;
  Index nrhs = 1;
  OrderingMethod method = OrderingMethod::nested_dissection;
};

/// Returns the least seconds of each kind of enqueued work. Kinds alternate within a round; two
/// warm-up rounds do not count.
template <std::size_t N>
std::array<double, N> least_seconds(int repeats,
                                    const std::array<std::function<void()>, N>& enqueue) {
  std::array<double, N> least;
  least.fill(1e300);
  for (int r = 0; r < repeats + 2; ++r)
    for (std::size_t k = 0; k < N; ++k) {
      require(cudaDeviceSynchronize() == cudaSuccess, "before a call");
      const auto begin = std::chrono::steady_clock::now();
      enqueue[k]();
      require(cudaDeviceSynchronize() == cudaSuccess, "a call");
      if (r >= 2)
        least[k] = std::min(
            least[k],
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  return least;
}

void run(const std::string& argument, const Options& options, Backend& backend) {
  const PlannedSystem system = planned(argument, options.method, backend);
  const SymmetricMatrix<double>& a = system.a;
  const std::shared_ptr<const Plan>& plan = system.plan;
  const Index n = a.n(), nrhs = options.nrhs;
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  const std::vector<double> b =
      random_numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs));
  const DeviceArray<double> rhs_there(b), device_x(b.size());
  const DeviceMatrixView<double> rhs({rhs_there.get(), n, nrhs, n}),
      x({device_x.get(), n, nrhs, n});
  auto factor = Factor<double>::create(plan, backend);
  auto workspace = Workspace<double>::create(factor, nrhs);
  auto fused = FusedSolve<double>::create(a.pattern(), plan, backend, nrhs);

  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  const auto factorize = [&] { enqueue_refactorize(factor, values, 0, stream); };
  const auto solve = [&] { factor.enqueue_solve(rhs, x, workspace, stream); };
  const auto seconds =
      least_seconds<4>(options.repeats, {factorize, solve, [&] { factorize(), solve(); },
                                         [&] { fused.enqueue_solve(values, rhs, x, stream); }});
  const std::vector<double> found = device_x.to_host();
  solve();
  require(fused.fetch_verdict(stream).status == VerdictStatus::positive_definite, "a system");
  const std::vector<double> expected = device_x.to_host();
  cudaStreamDestroy(stream);

  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    largest = std::max(largest, std::abs(expected[i])),
    difference = std::max(difference, std::abs(found[i] - expected[i]));
  const auto error_of = [&](const std::vector<double>& v) {
    return backward_error<double>(a.view(), {v.data(), n, nrhs, n}, {b.data(), n, nrhs, n}, backend)
        .componentwise;
  };
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nrhs\": %d, \"nnz_l\": %lld, \"factor_s\": %.4e, "
      "\"solve_s\": %.4e, \"both_s\": %.4e, "
      "\"fused_s\": %.4e, \"gain\": %.3f, \"error\": %.1e, \"fused_error\": %.1e, \"difference\": "
      "%.1e}\n",
      system.name.c_str(), n, nrhs, static_cast<long long>(plan->cost.nnz_l), seconds[0],
      seconds[1], seconds[2], seconds[3], seconds[2] / seconds[3], error_of(expected),
      error_of(found), difference / largest);
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("a factorisation and one solve, one after the other and in one pass", "solve_once");
  bench::Options options;
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_option("--nrhs", options.nrhs)->check(CLI::PositiveNumber);
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend = cuda_backend();
    for (const std::string& system : systems) bench::run(system, options, backend);
  });
}
