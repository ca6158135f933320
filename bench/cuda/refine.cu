// Times refinement on a device with vectors in device memory: least seconds of timed calls, a line
// of JSON per system. Calls: a solve; a refinement of its result, and one with vectors on the host
// (kauri::refine, which uploads A's rows on each call); a check of an x that needs no refinement,
// and the cost of each further step that is skipped; a captured step of values, factor, solve and
// refinement. With --mixed instead: factor, solve, and solve with refinement in double; factor and
// solve in float; and MixedFactor with its default target (eps), with the accepted error (4 eps),
// and with the error that an unrefined solve in double has (1e-14).
// --portable takes the kernels that all devices run, --compute their arithmetic in float; with fma,
// double is without FP64 tensor cores, too.
//   refine [--repeats N] [--nrhs N] [--shift S] [--steps N] [--mixed] [--portable]
//       [--compute auto|fma|tf32x3|tf32|fp16x3] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>

#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"

namespace kauri::bench {
namespace {

struct Settings {
  int repeats = 20;
  Index nrhs = 1;
  double shift = 0;  // added to the factorised matrix, not to the system that is solved: makes
                     // refinement take more steps
  bool mixed = false;
  CudaOptions device;
  RefineOptions refine;
};

/// Captures the work of enqueue(stream) once, and returns the least seconds of a launch with its
/// wait.
template <class F>
double replay_seconds(int repeats, const F& enqueue) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess,
          "a capture");
  enqueue(stream);
  require(cudaStreamEndCapture(stream, &graph) == cudaSuccess &&
              cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess,
          "a graph");
  const double seconds = least_seconds(
      repeats, [] {},
      [&] {
        require(cudaGraphLaunch(exec, stream) == cudaSuccess &&
                    cudaStreamSynchronize(stream) == cudaSuccess,
                "a graph");
      });
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  return seconds;
}

std::vector<double> random_rhs(Index n, Index nrhs) {
  return random_numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs));
}

/// Times factor, solve and, in double, solve with refinement. Returns false if A is not positive
/// definite.
template <class T>
bool plain_times(const SymmetricMatrix<double>& a, const PreparedPlan& plan,
                 const Settings& settings, Backend& backend) {
  const Index n = a.n(), nrhs = settings.nrhs;
  const std::vector<T> value(a.value().begin(), a.value().end());
  const std::vector<double> b = random_rhs(n, nrhs);
  const auto values = DeviceValues<T>::copy_of(value, backend);
  const DeviceArray<T> device_b(std::vector<T>(b.begin(), b.end())), device_x(b.size());
  const DeviceMatrixView<T> rhs({device_b.get(), n, nrhs, n}), x({device_x.get(), n, nrhs, n});
  auto factor = Factor<T>::create(plan);
  if (!refactorize(factor, values)) return false;
  auto workspace = Workspace<T>::create(factor, nrhs);
  const char* name = sizeof(T) == sizeof(double) ? "double" : "float";
  std::printf(", \"%s_factor_s\": %.4e, \"%s_solve_s\": %.4e", name,
              least_seconds(settings.repeats, [&] { (void)refactorize(factor, values).ok(); }),
              name, least_seconds(settings.repeats, [&] { factor.solve(rhs, x, workspace); }));
  if constexpr (std::is_same_v<T, double>) {
    auto refiner = Refiner<double>::create(a.pattern(), factor, nrhs);
    refiner.set_values(values);
    Refinement done;
    const double seconds = least_seconds(settings.repeats, [&] {
      factor.solve(rhs, x, workspace);
      done = refiner.refine(factor, rhs, x, workspace, settings.refine);
    });
    std::printf(
        ", \"double_refined_s\": %.4e, \"double_steps\": %d, \"double_unrefined\": %.2e, "
        "\"double_refined\": %.2e",
        seconds, done.steps, done.unrefined.componentwise, done.final_error.componentwise);
  }
  return true;
}

void mixed_times(const SymmetricMatrix<double>& a, const PreparedPlan& plan,
                 const Settings& settings, Backend& backend) {
  const Index n = a.n(), nrhs = settings.nrhs;
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  const DeviceArray<double> device_b(random_rhs(n, nrhs)),
      device_x(static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs));
  const DeviceMatrixView<double> rhs({device_b.get(), n, nrhs, n}), x({device_x.get(), n, nrhs, n});
  MixedFactor factor = MixedFactor::create(a.pattern(), plan, nrhs);
  std::printf(", \"mixed_factor_s\": %.4e, \"mixed\": [",
              least_seconds(settings.repeats, [&] { (void)factor.refactorize(values).ok(); }));
  const char* between = "";
  for (const double target : {0.0, 0x1p-50, 1e-14}) {
    MixedReport report;
    const double seconds = least_seconds(
        settings.repeats, [&] { report = factor.solve(rhs, x, {.target = target}).value(); });
    std::printf(
        "%s{\"target\": %.2e, \"solve_s\": %.4e, \"path\": \"%s\", \"kernels\": \"%s\", \"steps\": "
        "%d, \"contraction\": %.2e, "
        "\"unrefined\": %.2e, \"componentwise\": %.2e}",
        between, target, seconds, std::string(name_of(report.path)).c_str(), report.kernels.c_str(),
        report.steps, report.contraction, report.unrefined.componentwise,
        report.error.componentwise);
    between = ", ";
  }
  std::printf("]");
}

void run_mixed(const std::string& source, const Settings& settings, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = OrderingMethod::nested_dissection, analysis.target = backend.target();
  const PreparedPlan plan = PreparedPlan::create(analyze(a.pattern(), analysis), backend);
  std::printf("{\"system\": \"%s\", \"n\": %d, \"nrhs\": %d, \"portable\": %s, \"kernels\": \"%s\"",
              source.c_str(), a.n(), settings.nrhs, settings.device.portable ? "true" : "false",
              backend.kernels(sizeof(float)).c_str());
  if (plain_times<double>(a, plan, settings, backend) &&
      plain_times<float>(a, plan, settings, backend))
    mixed_times(a, plan, settings, backend);
  else
    std::printf(", \"status\": \"not_positive_definite\"");
  std::printf("}\n");
  std::fflush(stdout);
}

void run(const std::string& source, const Settings& settings, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = OrderingMethod::nested_dissection, analysis.target = backend.target();
  auto factor = Factor<double>::create(analyze(a.pattern(), analysis), backend);
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  if (!refactorize(factor, values, settings.shift))
    return void(std::printf("{\"system\": \"%s\", \"status\": \"not_positive_definite\"}\n",
                            source.c_str()));
  const Index n = a.n(), nrhs = settings.nrhs;
  auto workspace = Workspace<double>::create(factor, nrhs);
  auto refiner = Refiner<double>::create(a.pattern(), factor, nrhs);
  refiner.set_values(values);
  const std::vector<double> b = random_rhs(n, nrhs);
  const DeviceArray<double> device_b(b), device_x(b.size());
  const DeviceMatrixView<double> rhs({device_b.get(), n, nrhs, n}), x({device_x.get(), n, nrhs, n});
  const auto solve = [&] { factor.solve(rhs, x, workspace); };
  const auto refine_with = [&](const RefineOptions& options) {
    return refiner.refine(factor, rhs, x, workspace, options);
  };
  const double solve_s = least_seconds(settings.repeats, solve);
  Refinement done;
  const double refine_s =
      least_seconds(settings.repeats, solve, [&] { done = refine_with(settings.refine); });
  RefineOptions look = settings.refine;
  look.target = 1, look.max_steps = 0;
  const double look_s = least_seconds(settings.repeats, [&] { refine_with(look); });
  look.max_steps = 10;
  const double left_out_s =
      (least_seconds(settings.repeats, [&] { refine_with(look); }) - look_s) / 10;
  std::vector<double> solution(b.size()), host = b;
  factor.solve({host.data(), n, nrhs, n}, workspace);
  const double host_s = least_seconds(
      std::min(settings.repeats, 5), [&] { solution = host; },
      [&] {
        (void)refine<double>(a.view(), factor, {b.data(), n, nrhs, n},
                             {solution.data(), n, nrhs, n}, workspace, settings.refine);
      });
  const double step_s = replay_seconds(settings.repeats, [&](cudaStream_t stream) {
    enqueue_refactorize(factor, values, settings.shift, stream);
    factor.enqueue_solve(rhs, x, workspace, stream);
    refiner.enqueue_values(values, stream);
    refiner.enqueue_refine(factor, rhs, x, workspace, stream, settings.refine);
  });
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"nrhs\": %d, \"solve_s\": %.4e, \"refine_s\": %.4e, "
      "\"steps\": %d, \"tried\": %d, "
      "\"host_refine_s\": %.4e, \"look_s\": %.4e, \"left_out_step_s\": %.4e, \"graph_step_s\": "
      "%.4e, \"unrefined\": %.2e, "
      "\"componentwise\": %.2e, \"bytes\": %lld}\n",
      source.c_str(), n, nrhs, solve_s, refine_s, done.steps, done.tried, host_s, look_s,
      left_out_s, step_s, done.unrefined.componentwise, done.final_error.componentwise,
      static_cast<long long>(refiner.bytes()));
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
  app.add_flag("--mixed", settings.mixed, "mixed precision beside double and float");
  app.add_flag("--portable", settings.device.portable, "kernels that all devices run");
  bench::add_compute(app, settings.device.compute);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend = cuda_backend(settings.device);
    for (const std::string& system : systems)
      settings.mixed ? bench::run_mixed(system, settings, backend)
                     : bench::run(system, settings, backend);
  });
}
