// Ranges for profilers, reported to range_recorder.cpp, which NVTX loads in place of a profiler
// (NVTX_INJECTION64_PATH).
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "kauri/device/sparse_product.hpp"
#include "kauri/extras/batch.hpp"
#include "kauri/extras/generate.hpp"
#include "kauri/extras/schur.hpp"
#include "kauri/extras/selected_inverse.hpp"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/fused_solve.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/solver.hpp"

namespace kauri {
namespace {

class PhaseRanges : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("NVTX_INJECTION64_PATH");
    if (!path || !std::string(path).ends_with("range_recorder.so"))
      GTEST_SKIP() << "NVTX_INJECTION64_PATH does not name range_recorder.so";
    void* recorder = dlopen(path, RTLD_NOW);
    ASSERT_NE(recorder, nullptr) << dlerror();
    taken_ = reinterpret_cast<const char* (*)()>(dlsym(recorder, "ranges_recorded"));
    ASSERT_NE(taken_, nullptr);
    taken_();
  }
  /// Returns the ranges since the last call.
  std::string ranges() { return taken_(); }

  const SymmetricMatrix<double> a_ = generate("poisson2d 12");
  std::vector<double> x_ = std::vector<double>(static_cast<std::size_t>(a_.n()), 1.0);

 private:
  const char* (*taken_)() = nullptr;
};

SolverOptions by(OrderingMethod method) {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 1;
  options.analyze.ordering.method = method;
  return options;
}

TEST_F(PhaseRanges, OfASolver) {
  Solver<double> solver(by(OrderingMethod::amd));
  ASSERT_TRUE(solver.compute(a_.view()));
  EXPECT_EQ(ranges(), "ordering()symbolic()symbolic()prepare()prepare()factor()");
  ASSERT_TRUE(solver.refactorize(a_.value()));
  EXPECT_EQ(ranges(), "factor()");
  x_ = solver.solve(x_);
  std::string corrections;
  for (int k = 0; k < solver.report().refinement.tried; ++k) corrections += "solve()";
  EXPECT_EQ(ranges(), "prepare()solve()refine(" + corrections + ")");
}

TEST_F(PhaseRanges, EndWithWhatIsThrown) {
  Solver<double> solver(by(OrderingMethod::amd));
  ASSERT_TRUE(solver.compute(a_.view()));
  ranges();
  std::vector<double> value(a_.value().begin(), a_.value().end());
  value[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)solver.refactorize(value), Error);
  EXPECT_EQ(ranges(), "factor()");
}

TEST_F(PhaseRanges, OfContests) {
  (void)analyze(a_.pattern());
  const std::string seen = ranges();
  // A cost prediction follows each ordering; the plan of the best one is made last.
  EXPECT_TRUE(seen.starts_with("ordering()symbolic()")) << seen;
  EXPECT_TRUE(seen.ends_with("symbolic()symbolic()")) << seen;
}

TEST_F(PhaseRanges, OfEverythingElse) {
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a_.pattern());
  Factor<double> factor = Factor<double>::create(plan, backend);
  ASSERT_TRUE(refactorize<double>(factor, a_.value()));
  Workspace<double> workspace = Workspace<double>::create(factor, 1);
  const MatrixView<double> x = column_view(std::span<double>(x_));
  std::vector<double> y_(x_.size());
  const MatrixView<double> y = column_view(std::span<double>(y_));
  ranges();

  (void)estimate_condition(a_.view(), factor, workspace);
  const std::string condition = ranges();
  EXPECT_TRUE(condition.starts_with("condition(solve()solve()") && condition.ends_with("solve())"))
      << condition;
  factor.multiply(System::L, x, y, workspace);
  EXPECT_EQ(ranges(), "product()");
  SelectedInverse<double> inverse = SelectedInverse<double>::create(factor);
  inverse.compute(factor);
  EXPECT_EQ(ranges(), "prepare()selected inverse()");
  SparseProduct<double> product = SparseProduct<double>::create(a_.view(), backend);
  product.multiply(1, x, 0, y);
  EXPECT_EQ(ranges(), "prepare()product()");
  residual<double>(a_.view(), x, y, y, backend);
  (void)backward_error<double>(a_.view(), x, y, backend);
  EXPECT_EQ(ranges(), "residual()residual()");

  BatchFactor<double> batch = BatchFactor<double>::create(plan, 1, backend);
  refactorize<double>(batch, a_.value(), a_.nnz());
  BatchWorkspace<double> room = BatchWorkspace<double>::create(batch, 1);
  batch.solve({x_.data(), 1, a_.n(), 1, a_.n(), a_.n()}, room);
  EXPECT_EQ(ranges(), "prepare()prepare()factor()prepare()solve()");

  MixedFactor mixed = MixedFactor::create(a_.pattern(), plan, backend);
  ASSERT_TRUE(mixed.refactorize(a_.value()));
  ASSERT_TRUE(mixed.solve(x, x));
  EXPECT_EQ(ranges(), "prepare()prepare()factor()solve()");

  FusedSolve<double> fused = FusedSolve<double>::create(a_.pattern(), plan, backend);
  ranges();
  ASSERT_TRUE(fused.solve(a_.value(), x, x));
  EXPECT_EQ(ranges(), "factor and solve()");

  SchurComplement<double> schur(factor, 3);
  std::vector<double> s(9);
  schur.write({s.data(), 3, 3, 3});
  EXPECT_EQ(ranges(), "Schur complement()");
}

}  // namespace
}  // namespace kauri
