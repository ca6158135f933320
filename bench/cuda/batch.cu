// Times a batch of systems with one pattern on a device against a loop over single factors:
// refactorise and solve, with values and vectors in device memory. Reports the least seconds of
// timed rounds. The loop enqueues all items on one stream and waits once; it reuses one factor and
// workspace, by launches and by the replay of a captured graph of one item. Prints a line of JSON
// per system.
//   batch [--items N] [--repeats N] [--nrhs N] [--float] [--method nd|amd|metis] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>

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
  bool single = false;  // factorise in float
  OrderingMethod method = OrderingMethod::nested_dissection;
};

/// Returns the least seconds of `run` and a wait for the device; two warm-up rounds do not count.
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

/// A stream, and a graph of the work that was captured on it.
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

/// A system as a batch of items, with values and vectors on the device.
template <class T>
struct Measured {
  const BatchJob<T>& job;
  const Index n;
  const Offset nnz, rhs;  // entries of an item's values and of its vectors
  const DeviceArray<T> value, b, x;
  const PreparedPlan prepared;
  Measured(const BatchJob<T>& made, const std::shared_ptr<const Plan>& plan, Backend& backend)
      : job(made),
        n(plan->n),
        nnz(plan->nnz),
        rhs(Offset{n} * made.nrhs),
        value(made.value),
        b(made.b),
        x(made.b.size()),
        prepared(PreparedPlan::create(plan, backend)) {}
};

/// Seconds of all items together.
struct BatchSeconds {
  double factor = 0, solve = 0, both = 0, residual = 0;
  Index failed = 0;  // items that are not positive definite
  BatchWay way = BatchWay::automatic;
};

template <class T>
BatchSeconds time_batch(const Measured<T>& m, int repeats) {
  BatchSeconds seconds;
  const BatchJob<T>& job = m.job;
  const auto values = DeviceValues<T>::borrow({m.value.get(), job.value.size()});
  auto batch = BatchFactor<T>::create(m.prepared, job.items, BatchWay::automatic);
  auto workspace = BatchWorkspace<T>::create(batch, job.nrhs);
  const DeviceBatchView<const T> from({m.b.get(), job.items, m.n, job.nrhs, m.n, m.rhs});
  const DeviceBatchView<T> to({m.x.get(), job.items, m.n, job.nrhs, m.n, m.rhs});
  const Captured work;
  seconds.way = batch.way();
  seconds.factor =
      least_seconds(repeats, [&] { enqueue_refactorize(batch, values, m.nnz, T(0), work.stream); });
  for (const DeviceVerdict& v : batch.fetch_verdicts(work.stream))
    seconds.failed += v.status != VerdictStatus::positive_definite;
  seconds.solve =
      least_seconds(repeats, [&] { batch.enqueue_solve(from, to, workspace, work.stream); });
  seconds.both = least_seconds(repeats, [&] {
    enqueue_refactorize(batch, values, m.nnz, T(0), work.stream);
    batch.enqueue_solve(from, to, workspace, work.stream);
  });
  seconds.residual = job.residual(m.x.to_host());
  return seconds;
}

/// Seconds of all items one after another, by one factor: enqueued, and by a graph of item 0.
struct LoopSeconds {
  double enqueued = 0, replayed = 0;
};

template <class T>
LoopSeconds time_loop(const Measured<T>& m, int repeats) {
  LoopSeconds seconds;
  const BatchJob<T>& job = m.job;
  auto factor = Factor<T>::create(m.prepared);
  auto single = Workspace<T>::create(factor, job.nrhs);
  const auto enqueue = [&](Index k, cudaStream_t stream) {
    enqueue_refactorize(
        factor,
        DeviceValues<T>::borrow({m.value.get() + k * m.nnz, static_cast<std::size_t>(m.nnz)}), T(0),
        stream);
    factor.enqueue_solve(DeviceMatrixView<const T>({m.b.get() + k * m.rhs, m.n, job.nrhs, m.n}),
                         DeviceMatrixView<T>({m.x.get() + k * m.rhs, m.n, job.nrhs, m.n}), single,
                         stream);
  };
  const Captured work;
  seconds.enqueued = least_seconds(repeats, [&] {
    for (Index k = 0; k < job.items; ++k) enqueue(k, work.stream);
  });
  Captured item;  // of item 0 again and again: what a replay takes, were its values copied to one
                  // place for nothing
  item.capture([&] { enqueue(0, item.stream); });
  seconds.replayed = least_seconds(repeats, [&] {
    for (Index k = 0; k < job.items; ++k) item.replay();
  });
  return seconds;
}

template <class T>
void time_job(const std::string& source, const Options& options, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = options.method;
  analysis.target = backend.target();
  const BatchJob<T> job(a, options.items, options.nrhs);
  const auto plan = analyze(a.pattern(), analysis);
  const Measured<T> measured(job, plan, backend);
  const BatchSeconds batch = time_batch(measured, options.repeats);
  const LoopSeconds loop = time_loop(measured, std::max(1, options.repeats / 4));
  const double best = std::min(loop.enqueued, loop.replayed);
  std::printf(
      "{\"system\": \"%s\", \"scalar\": \"%s\", \"items\": %d, \"n\": %d, \"nrhs\": %d, \"nnz_l\": "
      "%lld, \"flops\": %.4g, "
      "\"largest_front\": %d, \"levels\": %zu, \"way\": \"%s\", \"failed\": %d, "
      "\"batch_factor_s\": %.4e, \"batch_solve_s\": %.4e, "
      "\"batch_s\": %.4e, \"loop_s\": %.4e, \"replay_s\": %.4e, \"ratio\": %.2f, \"residual\": "
      "%.2e, \"batch_bytes\": %lld}\n",
      source.c_str(), sizeof(T) == 4 ? "float" : "double", job.items, plan->n, job.nrhs,
      static_cast<long long>(plan->cost.nnz_l), plan->cost.flops, plan->cost.largest_front,
      plan->internals->device.level.size(),
      batch.way == BatchWay::together ? "together" : "one_by_one", batch.failed, batch.factor,
      batch.solve, batch.both, loop.enqueued, loop.replayed, best / batch.both, batch.residual,
      static_cast<long long>(BatchFactor<T>::bytes(measured.prepared, job.items)));
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
