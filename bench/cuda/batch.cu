// A batch of systems with one pattern on a device, against the loop over single factors:
// refactorise and solve, values and vectors there. Least seconds of timed rounds. The loop enqueues
// all on one stream and waits once: by one factor and workspace that are filled again and again, by
// launches and by the replay of a captured graph of one item. A line of JSON per system.
//   batch [--items N] [--repeats N] [--nrhs N] [--float] [--method nd|amd|metis] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

#include "bench/cuda/batch_job.hpp"
#include "bench/cuda/device_array.cuh"
#include "bench/source.hpp"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::bench {
namespace {

struct Options {
  Index items = 1000;
  int repeats = 10;
  Index nrhs = 1;
  bool single = false;  // float
  OrderingMethod method = OrderingMethod::nested_dissection;
};

/// Least seconds of `run`, which waits, after two rounds that do not count.
double least_seconds(int repeats, const std::function<void()>& run) {
  double least = 1e300;
  for (int r = 0; r < repeats + 2; ++r) {
    require(cudaDeviceSynchronize() == cudaSuccess, "before a round");
    const auto begin = std::chrono::steady_clock::now();
    run();
    require(cudaDeviceSynchronize() == cudaSuccess, "a round");
    if (r >= 2)
      least = std::min(
          least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// A stream, and a graph of what was enqueued on it.
struct Captured {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t graph = nullptr;
  Captured() {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    if (graph != nullptr) cudaGraphExecDestroy(graph);
    cudaStreamDestroy(stream);
  }
  void capture(const std::function<void()>& enqueue) {
    cudaGraph_t made = nullptr;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess,
            "a capture");
    enqueue();
    require(cudaStreamEndCapture(stream, &made) == cudaSuccess, "the end of a capture");
    require(cudaGraphInstantiate(&graph, made, 0) == cudaSuccess, "a graph");
    cudaGraphDestroy(made);
  }
  void replay() const { require(cudaGraphLaunch(graph, stream) == cudaSuccess, "a replay"); }
};

template <class T>
void time_job(const std::string& source, const Options& options, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = options.method;
  analysis.target = backend.target();
  const BatchJob<T> job(a, options.items, options.nrhs);
  const auto plan = analyze(a.pattern(), analysis);
  const Index n = a.n();
  const Offset nnz = a.pattern().nnz(), rhs = Offset{n} * job.nrhs;
  const DeviceArray<T> value(job.value), b(job.b), x(job.b.size());
  const auto values = DeviceValues<T>::borrow({value.get(), job.value.size()});
  const auto prepared = PreparedPlan::create(plan, backend);

  auto batch = BatchFactor<T>::create(prepared, job.items, BatchWay::automatic);
  auto workspace = BatchWorkspace<T>::create(batch, job.nrhs);
  const DeviceBatchView<const T> from({b.get(), job.items, n, job.nrhs, n, rhs});
  const DeviceBatchView<T> to({x.get(), job.items, n, job.nrhs, n, rhs});
  const Captured work;
  const double factor_s = least_seconds(
      options.repeats, [&] { enqueue_refactorize(batch, values, nnz, T(0), work.stream); });
  Index failed = 0;
  for (const DeviceVerdict& v : batch.fetch_verdicts(work.stream))
    failed += v.status != VerdictStatus::positive_definite;
  const double solve_s = least_seconds(
      options.repeats, [&] { batch.enqueue_solve(from, to, workspace, work.stream); });
  const double both_s = least_seconds(options.repeats, [&] {
    enqueue_refactorize(batch, values, nnz, T(0), work.stream);
    batch.enqueue_solve(from, to, workspace, work.stream);
  });
  const double residual = job.residual(x.to_host());

  auto factor = Factor<T>::create(prepared);
  auto single = Workspace<T>::create(factor, job.nrhs);
  const auto one = [&](Index k) {
    enqueue_refactorize(
        factor, DeviceValues<T>::borrow({value.get() + k * nnz, static_cast<std::size_t>(nnz)}),
        T(0), work.stream);
    factor.enqueue_solve(DeviceMatrixView<const T>({b.get() + k * rhs, n, job.nrhs, n}),
                         DeviceMatrixView<T>({x.get() + k * rhs, n, job.nrhs, n}), single,
                         work.stream);
  };
  const double loop_s = least_seconds(std::max(1, options.repeats / 4), [&] {
    for (Index k = 0; k < job.items; ++k) one(k);
  });
  Captured item;  // of item 0 again and again: what a replay takes, were its values copied to one
                  // place for nothing
  item.capture([&] {
    enqueue_refactorize(factor,
                        DeviceValues<T>::borrow({value.get(), static_cast<std::size_t>(nnz)}), T(0),
                        item.stream);
    factor.enqueue_solve(DeviceMatrixView<const T>({b.get(), n, job.nrhs, n}),
                         DeviceMatrixView<T>({x.get(), n, job.nrhs, n}), single, item.stream);
  });
  const double replay_s = least_seconds(std::max(1, options.repeats / 4), [&] {
    for (Index k = 0; k < job.items; ++k) item.replay();
  });
  const double best = std::min(loop_s, replay_s);
  std::printf(
      "{\"system\": \"%s\", \"scalar\": \"%s\", \"items\": %d, \"n\": %d, \"nrhs\": %d, \"nnz_l\": "
      "%lld, \"flops\": %.4g, "
      "\"largest_front\": %d, \"levels\": %zu, \"way\": \"%s\", \"failed\": %d, "
      "\"batch_factor_s\": %.4e, \"batch_solve_s\": %.4e, "
      "\"batch_s\": %.4e, \"loop_s\": %.4e, \"replay_s\": %.4e, \"ratio\": %.2f, \"residual\": "
      "%.2e, \"batch_bytes\": %lld}\n",
      source.c_str(), sizeof(T) == 4 ? "float" : "double", job.items, n, job.nrhs,
      static_cast<long long>(plan->cost.nnz_l), plan->cost.flops, plan->cost.largest_front,
      plan->internals->device.level.size(),
      batch.way() == BatchWay::together ? "together" : "one_by_one", failed, factor_s, solve_s,
      both_s, loop_s, replay_s, best / both_s, residual,
      static_cast<long long>(BatchFactor<T>::bytes(prepared, job.items)));
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("many systems of one pattern, together and one by one", "batch");
  bench::Options options;
  app.add_flag("--float", options.single);
  app.add_option("--items", options.items)->check(CLI::PositiveNumber);
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_option("--nrhs", options.nrhs)->check(CLI::PositiveNumber);
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend = cuda_backend();
    for (const std::string& system : systems)
      options.single ? bench::time_job<float>(system, options, backend)
                     : bench::time_job<double>(system, options, backend);
  });
}
