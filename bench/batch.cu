// A batch of systems with one pattern on a device, against the loop over single factors: refactorise and solve, values and vectors there.
// Least seconds of timed rounds. The loop enqueues all on one stream and waits once: by one factor and workspace that are filled again and
// again, by launches and by the replay of a captured graph of one item. A line of JSON per system.
//   batch [--items N] [--repeats N] [--nrhs N] [--float] [--method nd|amd|metis] SYSTEM ...
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>

#include "bench/device_array.cuh"
#include "bench/source.hpp"
#include "kauri/kauri.hpp"

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
    if (r >= 2) least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// A stream, and a graph of what was enqueued on it.
struct Captured {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t graph = nullptr;
  Captured() { require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream"); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    if (graph != nullptr) cudaGraphExecDestroy(graph);
    cudaStreamDestroy(stream);
  }
  void capture(const std::function<void()>& enqueue) {
    cudaGraph_t made = nullptr;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "a capture");
    enqueue();
    require(cudaStreamEndCapture(stream, &made) == cudaSuccess, "the end of a capture");
    require(cudaGraphInstantiate(&graph, made, 0) == cudaSuccess, "a graph");
    cudaGraphDestroy(made);
  }
  void replay() const { require(cudaGraphLaunch(graph, stream) == cudaSuccess, "a replay"); }
};

/// Items A + d_k I, d_k >= 0, and right-hand sides.
template <class T>
struct Job {
  std::shared_ptr<const Plan> plan;
  SymmetricMatrix<double> a;
  std::vector<T> value, b;
  Index items, nrhs;

  Job(SymmetricMatrix<double> matrix, std::shared_ptr<const Plan> made, const Options& options)
      : plan(std::move(made)), a(std::move(matrix)), items(options.items), nrhs(options.nrhs) {
    const Pattern& pattern = a.pattern();
    for (Index k = 0; k < items; ++k) {
      const std::size_t at = value.size();
      value.insert(value.end(), a.value().begin(), a.value().end());
      for (Index j = 0; j < pattern.n; ++j) value[at + static_cast<std::size_t>(pattern.col_ptr[j])] *= T(1 + 0.001 * (k % 100));
    }
    b.resize(static_cast<std::size_t>(Offset{items} * nrhs * a.n()));
    std::mt19937_64 random(1);
    for (T& x : b) x = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
  }

  /// The worst residual |b - A x| / (|A| |x| + |b|) of every 37th item.
  [[nodiscard]] double residual(const std::vector<T>& x) const {
    double worst = 0;
    const Pattern& pattern = a.pattern();
    const Index n = a.n();
    for (Index k = 0; k < items; k += 37)
      for (Index c = 0; c < nrhs; ++c) {
        const std::size_t at = static_cast<std::size_t>((Offset{k} * nrhs + c) * n);
        std::vector<double> r(b.begin() + at, b.begin() + at + n), row(n, 0.0);
        for (Index j = 0; j < n; ++j)
          for (Offset e = pattern.col_ptr[j]; e < pattern.col_ptr[j + 1]; ++e) {
            const Index i = pattern.row[e];
            const double v = value[static_cast<std::size_t>(k * pattern.nnz() + e)];
            r[i] -= v * x[at + j], row[i] += std::abs(v);
            if (i != j) r[j] -= v * x[at + i], row[j] += std::abs(v);
          }
        double most = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (Index i = 0; i < n; ++i)
          most = std::max(most, std::isnan(r[i]) ? 1e300 : std::abs(r[i])), norm_a = std::max(norm_a, row[i]),
          norm_x = std::max(norm_x, std::abs(double(x[at + i]))), norm_b = std::max(norm_b, std::abs(double(b[at + i])));
        worst = std::max(worst, most / (norm_a * norm_x + norm_b));
      }
    return worst;
  }
};

template <class T>
void time_job(const std::string& source, const Options& options, Backend& backend) {
  const SymmetricMatrix<double> a = load(source);
  AnalyzeOptions analysis;
  analysis.ordering.method = options.method;
  analysis.target = backend.target();
  const Job<T> job(a, analyze(a.pattern(), analysis), options);
  const Index n = a.n();
  const Offset nnz = a.pattern().nnz(), rhs = Offset{n} * job.nrhs;
  const DeviceArray<T> value(job.value), b(job.b), x(job.b.size());
  const auto values = DeviceValues<T>::borrow({value.get(), job.value.size()});
  const auto prepared = PreparedPlan::create(job.plan, backend);

  auto batch = BatchFactor<T>::create(prepared, job.items, BatchWay::automatic);
  auto workspace = BatchWorkspace<T>::create(batch, job.nrhs);
  const DeviceBatchView<const T> from({b.get(), job.items, n, job.nrhs, n, rhs});
  const DeviceBatchView<T> to({x.get(), job.items, n, job.nrhs, n, rhs});
  const Captured work;
  const double factor_s = least_seconds(options.repeats, [&] { enqueue_refactorize(batch, values, nnz, T(0), work.stream); });
  Index failed = 0;
  for (const DeviceVerdict& v : batch.fetch_verdicts(work.stream)) failed += v.status != VerdictStatus::positive_definite;
  const double solve_s = least_seconds(options.repeats, [&] { batch.enqueue_solve(from, to, workspace, work.stream); });
  const double both_s = least_seconds(options.repeats, [&] {
    enqueue_refactorize(batch, values, nnz, T(0), work.stream);
    batch.enqueue_solve(from, to, workspace, work.stream);
  });
  const double residual = job.residual(x.to_host());

  auto factor = Factor<T>::create(prepared);
  auto single = Workspace<T>::create(factor, job.nrhs);
  const auto one = [&](Index k) {
    enqueue_refactorize(factor, DeviceValues<T>::borrow({value.get() + k * nnz, static_cast<std::size_t>(nnz)}), T(0), work.stream);
    factor.enqueue_solve(DeviceMatrixView<const T>({b.get() + k * rhs, n, job.nrhs, n}),
                         DeviceMatrixView<T>({x.get() + k * rhs, n, job.nrhs, n}), single, work.stream);
  };
  const double loop_s = least_seconds(std::max(1, options.repeats / 4), [&] {
    for (Index k = 0; k < job.items; ++k) one(k);
  });
  Captured item;  // of item 0 again and again: what a replay takes, were its values copied to one place for nothing
  item.capture([&] {
    enqueue_refactorize(factor, DeviceValues<T>::borrow({value.get(), static_cast<std::size_t>(nnz)}), T(0), item.stream);
    factor.enqueue_solve(DeviceMatrixView<const T>({b.get(), n, job.nrhs, n}), DeviceMatrixView<T>({x.get(), n, job.nrhs, n}), single,
                         item.stream);
  });
  const double replay_s = least_seconds(std::max(1, options.repeats / 4), [&] {
    for (Index k = 0; k < job.items; ++k) item.replay();
  });
  const double best = std::min(loop_s, replay_s);
  std::printf(
      "{\"system\": \"%s\", \"scalar\": \"%s\", \"items\": %d, \"n\": %d, \"nrhs\": %d, \"nnz_l\": %lld, \"flops\": %.4g, "
      "\"largest_front\": %d, \"levels\": %zu, \"way\": \"%s\", \"failed\": %d, \"batch_factor_s\": %.4e, \"batch_solve_s\": %.4e, "
      "\"batch_s\": %.4e, \"loop_s\": %.4e, \"replay_s\": %.4e, \"ratio\": %.2f, \"residual\": %.2e, \"batch_bytes\": %lld}\n",
      source.c_str(), sizeof(T) == 4 ? "float" : "double", job.items, n, job.nrhs, static_cast<long long>(job.plan->cost.nnz_l),
      job.plan->cost.flops, job.plan->cost.largest_front, job.plan->device.level.size(),
      batch.way() == BatchWay::together ? "together" : "one_by_one", failed, factor_s, solve_s, both_s, loop_s, replay_s, best / both_s,
      residual, static_cast<long long>(BatchFactor<T>::bytes(prepared, job.items)));
  std::fflush(stdout);
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  bench::Options options;
  std::vector<std::string> systems;
  for (int k = 1; k < count; ++k) {
    const std::string word = argument[k];
    if (word == "--float")
      options.single = true;
    else if (word == "--items" && k + 1 < count)
      options.items = std::max(std::atoi(argument[++k]), 1);
    else if (word == "--repeats" && k + 1 < count)
      options.repeats = std::max(std::atoi(argument[++k]), 1);
    else if (word == "--nrhs" && k + 1 < count)
      options.nrhs = std::max(std::atoi(argument[++k]), 1);
    else if (word == "--method" && k + 1 < count)
      options.method = ordering_from_name(argument[++k]).value();
    else
      systems.push_back(word);
  }
  try {
    Backend backend = cuda_backend();
    for (const std::string& system : systems)
      options.single ? bench::time_job<float>(system, options, backend) : bench::time_job<double>(system, options, backend);
  } catch (const Error& error) {
    std::fprintf(stderr, "batch: %s\n", error.what());
    return 2;
  }
  return 0;
}
