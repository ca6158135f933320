// Which backend a solve goes to, if a CUDA device is there. Without a device
// every test is skipped, visibly.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/executor.hpp"
#include "symbolic/device/cost.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri {
namespace {

/// `automatic` takes the device or the CPU as the figures say, tells why, and x is right on either.
TEST(CudaChoice, AutomaticIsRightOnEither) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  const auto solved_on = [](const char* spec, int factorizations, auto scalar) {
    using T = decltype(scalar);
    SolverOptions options;
    options.threads = 1;
    options.analyze.factorizations = factorizations;
    options.analyze.solves = 0;
    options.analyze.ordering.method = OrderingMethod::amd;
    Solver<T> solver(options);
    const auto a = generate(spec);
    const std::vector<T> value = test::cast<T>(a.value());
    EXPECT_TRUE(solver.compute({a.pattern(), value}).ok()) << spec;
    const BackendKind kind = solver.backend().kind();
    EXPECT_EQ(kind == BackendKind::cuda, solver.plan().on_device()) << spec;
    EXPECT_EQ(solver.backend().target(), solver.plan().target) << spec;
    EXPECT_EQ(solver.analysis().target_reason.find(solver.plan().target + ": "), 0U)
        << solver.analysis().target_reason;
    std::vector<T> b(static_cast<std::size_t>(a.n()), T(1));
    const std::vector<T> x = solver.solve(b);
    EXPECT_LE(solver.report().refinement.final_error.componentwise, sizeof(T) == 8 ? 1e-14 : 5e-6)
        << spec;
    return kind;
  };
  EXPECT_EQ(solved_on("poisson2d 10", 1, 1.0), BackendKind::cpu);
  EXPECT_EQ(solved_on("poisson2d 10", 1, 1.0F), BackendKind::cpu);
  // One thread needs about a second for each in double, half of that in float.
  // A device whose seconds can be predicted is faster by far.
  const auto survey = numeric::cuda::survey(0);
  ASSERT_TRUE(survey);
  const BackendKind better =
      symbolic::is_predicted(survey->card) ? BackendKind::cuda : BackendKind::cpu;
  EXPECT_EQ(solved_on("poisson3d 40", 1000000, 1.0), better) << survey->name;
  EXPECT_EQ(solved_on("poisson3d 40", 1000000, 1.0F), better) << survey->name;
}

/// One Solver goes from one backend to the other and back.
TEST(CudaChoice, ChangesWithTheSystem) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  SolverOptions options;
  options.threads = 1;
  options.analyze.factorizations = 100;
  options.analyze.solves = 0;
  options.analyze.ordering.method = OrderingMethod::amd;
  Solver<double> solver(options);
  for (const char* spec : {"poisson2d 5", "poisson3d 40", "poisson2d 5"}) {
    const auto a = generate(spec);
    ASSERT_TRUE(solver.compute(a.view()).ok()) << spec;
    EXPECT_EQ(solver.backend().target(), solver.plan().target) << spec;
    const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
    solver.solve(std::span<const double>(b));
    EXPECT_LE(solver.report().refinement.final_error.componentwise, 1e-14) << spec;
  }
}

}  // namespace
}  // namespace kauri
