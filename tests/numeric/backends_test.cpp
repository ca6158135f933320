// Which backend gets a job, as far as no device is needed for it: the reasons told, and a device that turns out to be full.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/backends.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kauri/kauri.hpp"

namespace kauri {
namespace {

std::string reason(SolverOptions options) {
  options.threads = 1;
  Solver<double> solver(options);
  EXPECT_TRUE(solver.compute(generate("poisson2d 6").view()).ok());
  EXPECT_EQ(solver.backend().kind(), BackendKind::cpu);
  return solver.analysis().target_reason;
}

TEST(Backends, TheCpuIsTakenForAReason) {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  EXPECT_EQ(reason(options), host_target() + ": as asked for");
  options.backend = BackendChoice::automatic;
  if (!cuda_available()) {
    EXPECT_EQ(reason(options), host_target() + ": there is no CUDA device");
  }
  options.analyze.target = host_target() == "cpu-generic" ? "cpu-avx2" : "cpu-generic";
  Backends backends(BackendChoice::automatic, 1);
  const auto [offer, why] = backends.offered(options.analyze, sizeof(double), 1);
  EXPECT_EQ(offer.target, options.analyze.target);
  EXPECT_EQ(offer.device.target, "");
  EXPECT_EQ(why, options.analyze.target + ": the target was asked for");
}

/// Offers a device with room for anything, which then is full or is not.
struct Stub {
  bool full;
  std::vector<std::string> taken = {};

  static std::pair<AnalyzeOptions, std::string> offered(AnalyzeOptions options, int, Index) {
    options.target = "cpu-generic";
    options.device = {"sm_90", Offset{1} << 60, true, 1};
    return {options, ""};
  }
  std::string take(const Analysis& analysis, int, Index) {
    taken.push_back(analysis.plan->target);
    return full ? "cpu-generic: no room" : "";
  }
};

TEST(Backends, AFullDeviceLeavesTheJobToTheCpu) {
  const auto a = generate("poisson3d 20");
  AnalyzeOptions options;
  options.workers = 1;
  options.factorizations = 1000000;
  options.solves = 0;
  for (const bool full : {false, true}) {
    Stub stub{full};
    int runs = 0;
    const Analysis analysis = analyze_for(stub, options, sizeof(double), 1, [&](const AnalyzeOptions& offer) {
      ++runs;
      return analyze_with_report(a.pattern(), offer);
    });
    EXPECT_EQ(stub.taken, std::vector<std::string>{"sm_90"});
    EXPECT_EQ(runs, full ? 2 : 1);
    EXPECT_EQ(analysis.plan->target, full ? "cpu-generic" : "sm_90");
    EXPECT_EQ(analysis.plan->on_device(), !full);
    EXPECT_EQ(analysis.forecasts.size(), 2U);
    EXPECT_EQ(analysis.target_reason.find(full ? "cpu-generic: no room" : "sm_90: "), 0U) << analysis.target_reason;
    EXPECT_FALSE(analysis.reason.empty());
  }
}

}  // namespace
}  // namespace kauri
