// Refinement on a device, vectors there: least seconds of timed calls, a line of JSON per system. A solve; a refinement of what it gives,
// and the same with vectors of the host's (kauri::refine, which puts A's rows on the device each time); a look at an x that needs none,
// and what each step that is left out adds to that; and a captured step of values, factor, solve and refinement.
//   refine [--repeats N] [--nrhs N] [--shift S] [--steps N] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <random>

#include "bench/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

struct Settings {
  int repeats = 20;
  Index nrhs = 1;
  double shift = 0;  // of the factor, not of what is solved: more steps
  RefineOptions refine;
};

/// Of f(), which waits, over all repeats but two; before() is not timed.
template <class Before, class F>
double least_seconds(int repeats, const Before& before, const F& f) {
  double least = 1e300;
  for (int r = 0; r < repeats + 2; ++r) {
    before();
    require(cudaDeviceSynchronize() == cudaSuccess, "before a call");
    const auto begin = std::chrono::steady_clock::now();
    f();
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (r >= 2) least = std::min(least, s);
  }
  return least;
}

/// What enqueue(stream) puts there, captured once, launched and waited for.
template <class F>
double replay_seconds(int repeats, const F& enqueue) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "a capture");
  enqueue(stream);
  require(cudaStreamEndCapture(stream, &graph) == cudaSuccess && cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess, "a graph");
  const double seconds = least_seconds(
      repeats, [] {},
      [&] { require(cudaGraphLaunch(exec, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess, "a graph"); });
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  return seconds;
}

void run(const std::string& source, const Settings& settings, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = OrderingMethod::nested_dissection, analysis.target = backend.target();
  auto factor = Factor<double>::create(analyze(a.pattern(), analysis), backend);
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  if (!refactorize(factor, values, settings.shift))
    return void(std::printf("{\"system\": \"%s\", \"status\": \"indefinite\"}\n", source.c_str()));
  const Index n = a.n(), nrhs = settings.nrhs;
  auto workspace = Workspace<double>::create(factor, nrhs);
  auto refiner = Refiner<double>::create(a.pattern(), factor, nrhs);
  refiner.set_values(values);
  std::vector<double> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs));
  std::mt19937_64 random(1);
  for (double& x : b) x = std::uniform_real_distribution<>(-1, 1)(random);
  const DeviceArray<double> b_there(b), x_there(b.size());
  const DeviceMatrixView<double> rhs({b_there.get(), n, nrhs, n}), x({x_there.get(), n, nrhs, n});
  const auto solve = [&] { factor.solve(rhs, x, workspace); };
  const auto refine_with = [&](const RefineOptions& options) { return refiner.refine(factor, rhs, x, workspace, options); };
  const double solve_s = least_seconds(
      settings.repeats, [] {}, solve);
  Refinement done;
  const double refine_s = least_seconds(settings.repeats, solve, [&] { done = refine_with(settings.refine); });
  RefineOptions look = settings.refine;
  look.target = 1, look.max_steps = 0;
  const double look_s = least_seconds(
      settings.repeats, [] {}, [&] { refine_with(look); });
  look.max_steps = 10;
  const double left_out_s = (least_seconds(
                                 settings.repeats, [] {}, [&] { refine_with(look); }) -
                             look_s) /
                            10;
  std::vector<double> solution(b.size()), host = b;
  factor.solve({host.data(), n, nrhs, n}, workspace);
  const double host_s = least_seconds(
      std::min(settings.repeats, 5), [&] { solution = host; },
      [&] {
        (void)refine<double>(a.view(), factor, {b.data(), n, nrhs, n}, {solution.data(), n, nrhs, n}, workspace, settings.refine);
      });
  const double step_s = replay_seconds(settings.repeats, [&](cudaStream_t stream) {
    enqueue_refactorize(factor, values, settings.shift, stream);
    factor.enqueue_solve(rhs, x, workspace, stream);
    refiner.enqueue_values(values, stream);
    refiner.enqueue_refine(factor, rhs, x, workspace, stream, settings.refine);
  });
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nrhs\": %d, \"solve_s\": %.4e, \"refine_s\": %.4e, \"steps\": %d, \"tried\": %d, "
      "\"host_refine_s\": %.4e, \"look_s\": %.4e, \"left_out_step_s\": %.4e, \"graph_step_s\": %.4e, \"unrefined\": %.2e, "
      "\"componentwise\": %.2e, \"bytes\": %lld}\n",
      source.c_str(), n, nrhs, solve_s, refine_s, done.steps, done.tried, host_s, look_s, left_out_s, step_s, done.unrefined.componentwise,
      done.final_error.componentwise, static_cast<long long>(refiner.bytes()));
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("refinement on a device beside that of the host", "refine");
  bench::Settings settings;
  app.add_option("--repeats", settings.repeats)->check(CLI::PositiveNumber);
  app.add_option("--nrhs", settings.nrhs)->check(CLI::PositiveNumber);
  app.add_option("--shift", settings.shift, "of the factor alone");
  app.add_option("--steps", settings.refine.max_steps);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend = cuda_backend();
    for (const std::string& system : systems) bench::run(system, settings, backend);
  });
}
