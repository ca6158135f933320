// Times refactorisations of several factors of one system on a device, each on a stream of its own,
// and solves with one right-hand side. Values and vectors lie in device memory. Reports those per
// second of all factors together and the gain over one factor, for 1, 2, 4 and 8 factors, and
// whether all x have the same bits. Prints a line of JSON per system and number of factors.
//   streams [--seconds S] [--teams N] [--method nd|amd|metis] SYSTEM[:PERMUTATION_FILE] ...
// --seconds: those of one trial with one factor. --teams: the warp teams that do large fronts;
// without it as many as the plan can use. 1000: all.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "bench/cuda/device_array.cuh"
#include "bench/systems_app.hpp"
#include "kauri/kauri.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::bench {
namespace {

struct Options {
  double seconds = 0.05;
  Index teams = 0;
  OrderingMethod method = OrderingMethod::nested_dissection;
};

constexpr int kTrials = 5;

/// Returns a copy of the plan whose large fronts `teams` teams do.
std::shared_ptr<const Plan> for_teams(const Plan& plan, Index teams) {
  auto out = std::make_shared<Plan>(plan);
  symbolic::DeviceSchedule& device = out->internals->device;
  device = symbolic::make_device_schedule(plan.supernodes, plan.internals->assembly,
                                          std::min(teams, symbolic::kFewestTeams));
  device.useful_teams = teams;
  return out;
}

/// A factor with its stream, vectors and workspace.
class Lane {
 public:
  Lane(const std::shared_ptr<const Plan>& plan, const DeviceArray<double>& b, Backend& backend)
      : n_(plan->n),
        factor_(Factor<double>::create(plan, backend)),
        workspace_(Workspace<double>::create(factor_, 1)),
        b_(b),
        x_(static_cast<std::size_t>(n_)) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { cudaStreamDestroy(stream_); }
  void refactorize(const DeviceValues<double>& values) {
    enqueue_refactorize(factor_, values, 0, stream_);
  }
  void solve() {
    factor_.enqueue_solve(DeviceMatrixView<const double>({b_.get(), n_, 1, n_}),
                          DeviceMatrixView<double>({x_.get(), n_, 1, n_}), workspace_, stream_);
  }
  [[nodiscard]] bool is_good() {
    return factor_.fetch_verdict(stream_).status == VerdictStatus::positive_definite;
  }
  [[nodiscard]] std::vector<double> x() const { return x_.to_host(); }

 private:
  Index n_;
  Factor<double> factor_;
  Workspace<double> workspace_;
  const DeviceArray<double>& b_;
  DeviceArray<double> x_;
  cudaStream_t stream_ = nullptr;
};

using Lanes = std::vector<std::unique_ptr<Lane>>;
using Call = std::function<void(Lane&)>;

/// Returns the least seconds, over the trials, of `rounds` calls of each lane, which follow one
/// another on its stream.
double seconds_of(const Lanes& lanes, int rounds, const Call& enqueue, int trials = kTrials) {
  return least_seconds(trials, [&] {
    for (int round = 0; round < rounds; ++round)
      for (const auto& lane : lanes) enqueue(*lane);
    require(cudaDeviceSynchronize() == cudaSuccess, "the calls");
  });
}

/// Returns how many calls of one lane take this many seconds, from 4 to 1000.
int rounds_in(double seconds, const Lanes& lanes, const Call& enqueue) {
  constexpr int kProbe = 4;
  const double each = seconds_of(lanes, kProbe, enqueue, 1) / kProbe;
  return static_cast<int>(std::clamp(seconds / each, double{kProbe}, 1000.0));
}

/// Returns the most calls per second of all lanes together.
double rate_of(const Lanes& lanes, int rounds, const Call& enqueue) {
  return static_cast<double>(lanes.size()) * rounds / seconds_of(lanes, rounds, enqueue);
}

void run(const std::string& argument, const Options& options, Backend& backend) {
  const PlannedSystem system = planned(argument, options.method, backend);
  const SymmetricMatrix<double>& a = system.a;
  auto plan = system.plan;
  if (options.teams > 0) plan = for_teams(*plan, options.teams);
  const auto values = DeviceValues<double>::copy_of(a.value(), backend);
  const DeviceArray<double> b(random_numbers(static_cast<std::size_t>(a.n())));
  const Call refactorize = [&](Lane&lane) { lane.refactorize(values); },
             solve = [](Lane&lane) { lane.solve(); };
  Lanes lanes;
  int refactor_rounds = 0, solve_rounds = 0;
  std::vector<double> expected;
  double refactor_alone = 0, solve_alone = 0;
  for (const std::size_t count : {1, 2, 4, 8}) {
    while (lanes.size() < count) {
      lanes.push_back(std::make_unique<Lane>(plan, b, backend));
      for (int call = 0; call < 3; ++call) lanes.back()->refactorize(values);  // makes the graph
      lanes.back()->solve();
    }
    if (count == 1) {
      refactor_rounds = rounds_in(options.seconds, lanes, refactorize);
      solve_rounds = rounds_in(options.seconds, lanes, solve);
    }
    const double refactored = rate_of(lanes, refactor_rounds, refactorize),
                 solved = rate_of(lanes, solve_rounds, solve);
    if (count == 1) refactor_alone = refactored, solve_alone = solved;
    bool same = true;
    for (const auto& lane : lanes) {
      require(lane->is_good(), "a factor");
      const std::vector<double> x = lane->x();
      if (expected.empty()) expected = x;
      same = same && x == expected;
    }
    std::printf(
        "{\"system\": \"%s\", \"n\": %d, \"nnz_l\": %lld, \"teams\": %d, \"streams\": %d, "
        "\"factor_s\": %.4e, \"solve1_s\": %.4e, \"factor_gain\": %.3f, \"solve1_gain\": %.3f, "
        "\"same_bits\": %s}\n",
        system.name.c_str(), a.n(), static_cast<long long>(plan->cost.nnz_l),
        plan->internals->device.useful_teams, static_cast<int>(count), 1 / refactored, 1 / solved,
        refactored / refactor_alone, solved / solve_alone, same ? "true" : "false");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace kauri::bench

int main(int count, char** argument) {
  using namespace kauri;
  CLI::App app("several factors of a system, each on a stream of its own", "streams");
  bench::Options options;
  app.add_option("--seconds", options.seconds, "of one trial with one factor")
      ->check(CLI::PositiveNumber);
  app.add_option("--teams", options.teams, "0: as many as the plan can use; 1000: all")
      ->check(CLI::NonNegativeNumber);
  bench::add_method(app, options.method);
  return bench::with_systems(app, count, argument, [&](const std::vector<std::string>& systems) {
    Backend backend = cuda_backend();
    for (const std::string& system : systems) bench::run(system, options, backend);
  });
}
