// Tests Solver: new values with their pattern, and systems that the caller scales.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/scaling.hpp"
#include "tests/support/bodies/pivot.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::error_text;

SolverOptions one_thread(Precision precision = Precision::full) {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 1;
  options.precision = precision;
  return options;
}

SymmetricMatrix<double> from_places(Index n, const std::vector<Index>& row,
                                    const std::vector<Index>& col) {
  std::vector<double> value(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) value[k] = row[k] == col[k] ? 4 : -1;
  return SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
}

TEST(Solver, RefactorizeOfAMatrixIsThatOfItsValues) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    const auto a = generate("poisson2d 9");
    auto other = a;
    for (double& v : other.value()) v *= 3;
    Solver<double> by_matrix(one_thread(precision)), by_values(one_thread(precision));
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)by_matrix.refactorize(a.view()); }),
              "Solver::refactorize: call compute() first");
    ASSERT_TRUE(by_matrix.compute(a.view()).ok() && by_values.compute(a.view()).ok());
    const std::vector<double> b(81, 1.0);
    for (const double shift : {0.0, 0.5}) {
      ASSERT_TRUE(by_matrix.refactorize(other.view(), shift).ok() &&
                  by_values.refactorize(other.value(), shift).ok());
      EXPECT_EQ(by_matrix.solve(b), by_values.solve(b));
    }
    const auto failed = by_matrix.refactorize(a.view(), -100.0);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().pivot, by_values.refactorize(a.value(), -100.0).error().pivot);
  }
}

TEST(Solver, AnalyzeAndRefactorizeAreCompute) {
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    const auto a = generate("poisson2d 9");
    const std::vector<double> b(81, 1.0);
    Solver<double> whole(one_thread(precision)), halves(one_thread(precision));
    ASSERT_TRUE(whole.compute(a.view()).ok());
    halves.analyze(a.pattern());
    EXPECT_EQ(halves.report().nnz_l, whole.report().nnz_l);
    EXPECT_EQ(halves.backend().bytes_in_use(), 0) << "no factor before its values";
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)halves.solve(b); }),
              "Solver::solve: call compute() first");
    ASSERT_TRUE(halves.refactorize(a.view()).ok());
    EXPECT_EQ(halves.solve(b), whole.solve(b));
    halves.analyze(generate("poisson2d 8").pattern());
    EXPECT_EQ(halves.backend().bytes_in_use(), 0) << "the factor of before is freed";
    EXPECT_EQ(halves.plan().n, 64);
  }
}

/// Returns A and b of a system that refinement improves.
std::pair<SymmetricMatrix<double>, std::vector<double>> shuffled_system() {
  auto a = generate("elast3d 5 --shuffle 2");
  std::vector<double> b;
  for (Index i = 0; i < a.n(); ++i) b.push_back(1 + i % 5);
  return {std::move(a), std::move(b)};
}

TEST(Solver, SharesTheBackendOfItsCaller) {
  const auto backend = std::make_shared<Backend>(cpu_backend(1));
  const auto [a, b] = shuffled_system();
  Solver<double> own(one_thread());
  ASSERT_TRUE(own.compute(a.view()).ok());
  {
    SolverOptions options;
    options.backend = BackendChoice::cuda;  // not read
    Solver<double> first(options, backend), second({}, backend);
    ASSERT_TRUE(first.compute(a.view()).ok() && second.compute(a.view()).ok());
    EXPECT_EQ(&first.backend(), backend.get());
    EXPECT_EQ(first.report().threads, 1);
    EXPECT_GE(backend->bytes_in_use(), 2 * first.plan().peak_bytes(8));
    EXPECT_EQ(first.solve(b), own.solve(b));
    EXPECT_EQ(second.solve(b), own.solve(b));
  }
  EXPECT_EQ(backend->bytes_in_use(), 0);
  EXPECT_EQ(error_text(ErrorKind::usage, [] { const Solver<double> none({}, nullptr); }),
            "Solver: the backend is null; pass that of cpu_backend() or cuda_backend()");
}

TEST(Solver, RefinesEachSolveByItsOwnOptions) {
  // Clang 14 lets no lambda use a structured binding.
  const auto system = shuffled_system();
  const SymmetricMatrix<double>& a = system.first;
  const std::vector<double>& b = system.second;
  Solver<double> solver(one_thread());
  const auto solved = [&](const std::optional<RefineOptions>& refine) {
    std::vector<double> x(b.size());
    const Refinement refinement =
        solver.solve(column_view<const double>(b), column_view<double>(x), refine);
    return std::pair(std::move(x), refinement.final_error.componentwise);
  };
  ASSERT_TRUE(solver.compute(a.view()).ok());
  EXPECT_EQ(solved(RefineOptions{}).first, solver.solve(b));
  const auto [plain, unmeasured] = solved({});
  EXPECT_EQ(unmeasured, 0);
  std::vector<double> sweeps = b;
  auto workspace = Workspace<double>::create(solver.factor(), 1);
  solver.factor().solve(column_view<double>(sweeps), workspace);
  EXPECT_EQ(plain, sweeps);
  const auto [measured, error] = solved(RefineOptions{.max_steps = 0});
  EXPECT_EQ(measured, plain);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-12);
}

TEST(Solver, SolvesOfManyThreadsRefuseWhatTheyDoNotFit) {
  const auto a = generate("poisson2d 9");
  std::vector<double> b(2 * 81, 1.0), x(81);
  Solver<double> solver(one_thread());
  const auto text = [&](Index rows, Index cols, double* to) {
    return error_text(ErrorKind::usage, [&] {
      (void)solver.solve(MatrixView<const double>{b.data(), rows, cols, rows},
                         MatrixView<double>{to, 81, 1, 81}, {});
    });
  };
  EXPECT_EQ(text(81, 1, x.data()), "Solver::solve: call compute() first");
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)solver.factor(); }),
            "Solver::factor: call compute() first");
  ASSERT_TRUE(solver.compute(a.view()).ok());
  EXPECT_EQ(text(80, 1, x.data()), "Solver::solve: b has 80 rows, A has 81");
  EXPECT_EQ(text(81, 2, x.data()), "Solver::solve: b has 2 columns, x has 1");
  EXPECT_EQ(text(81, 1, b.data() + 5), "Solver::solve: x overlaps b; give it memory of its own");
  ASSERT_FALSE(solver.refactorize_shifted(-100).ok());
  EXPECT_EQ(
      error_text(ErrorKind::usage, [&] { (void)solver.factor(); }),
      "Solver::factor: there is no factor, since the last factorisation failed; call compute() "
      "or refactorize() with other values");
  Solver<double> mixed(one_thread(Precision::mixed));
  ASSERT_TRUE(mixed.compute(a.view()).ok());
  EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)mixed.factor(); }).find("full precision"),
            std::string::npos);
}

TEST(Solver, ARefusedRefactorisationLeavesTheShiftToBeChanged) {
  const auto a = generate("poisson2d 9");
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    Solver<double> solver(one_thread(precision));
    ASSERT_TRUE(solver.compute(a.view()).ok());
    EXPECT_THROW((void)solver.refactorize(std::span(a.value()).first(5)), Error);
    EXPECT_TRUE(solver.refactorize_shifted(2).ok());
  }
}

struct NoSolution {
  const char* name;
  double b;          ///< one entry of b
  double scale = 1;  ///< scale of A
  SolveStatus status;
  const char* reason;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NoSolution kNoSolutions[] = {
    {"none", 1, 1, SolveStatus::ok, ""},
    {"large", 1e300, 1, SolveStatus::ok, ""},
    {"nan", std::numeric_limits<double>::quiet_NaN(), 1, SolveStatus::not_finite,
     "the solution is not finite: entry (40, 1) of b (row, column, from 0) is nan"},
    {"infinite", kInfinity, 1, SolveStatus::not_finite,
     "the solution is not finite: entry (40, 1) of b (row, column, from 0) is inf"},
    {"minus_infinite", -kInfinity, 1, SolveStatus::not_finite,
     "the solution is not finite: entry (40, 1) of b (row, column, from 0) is -inf"},
    {"overflow", 1e300, 1e-20, SolveStatus::not_finite,
     "the solution is not finite: x or its residual overflows double"},
};

class SolveStatuses : public ::testing::TestWithParam<std::tuple<NoSolution, Precision, Layout>> {};

TEST_P(SolveStatuses, AreToldWithTheReason) {
  const auto& [c, precision, layout] = GetParam();
  auto a = generate("poisson2d 9");
  for (double& v : a.value()) v *= c.scale;
  Solver<double> solver(one_thread(precision));
  EXPECT_EQ(solver.report().status, SolveStatus::none);
  ASSERT_TRUE(solver.compute(a.view()).ok());
  EXPECT_EQ(solver.report().status, SolveStatus::none);
  std::vector<double> x(3 * 81, 1.0);
  const bool rows = layout == Layout::row_major;
  x[rows ? 3 * 40 + 1 : 81 + 40] = c.b;
  solver.solve({x.data(), 81, 3, rows ? 3 : 81, layout});
  EXPECT_EQ(solver.report().status, c.status);
  EXPECT_EQ(solver.report().status_reason, c.reason);
  (void)solver.solve(std::vector<double>(81, 1.0));
  EXPECT_EQ(solver.report().status, SolveStatus::ok);
  EXPECT_EQ(solver.report().status_reason, "");
}

INSTANTIATE_TEST_SUITE_P(All, SolveStatuses,
                         ::testing::Combine(::testing::ValuesIn(kNoSolutions),
                                            ::testing::Values(Precision::full, Precision::mixed),
                                            ::testing::Values(Layout::column_major,
                                                              Layout::row_major)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) +
                                  (std::get<1>(of.param) == Precision::full ? "_full" : "_mixed") +
                                  (std::get<2>(of.param) == Layout::row_major ? "_rows"
                                                                              : "_columns");
                         });

TEST(SolveStatus, IsThatOfTheWorseError) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const double bound = solved_error<double>();
  EXPECT_EQ(bound, 0x1p-26);
  EXPECT_FLOAT_EQ(static_cast<float>(solved_error<float>()), std::sqrt(0x1p-23F));
  for (const double good : {0.0, 1e-17, 1e-10, bound}) {
    EXPECT_EQ(status_of<double>({good, good}), SolveStatus::ok);
    for (const double bad : {std::nextafter(bound, 1), 1e-6, 0.7, 1.0}) {
      EXPECT_EQ(status_of<double>({good, bad}), SolveStatus::not_converged);
      EXPECT_EQ(status_of<double>({bad, good}), SolveStatus::not_converged);
    }
    for (const double bad : {kNaN, kInfinity}) {
      EXPECT_EQ(status_of<double>({good, bad}), SolveStatus::not_finite);
      EXPECT_EQ(status_of<double>({bad, good}), SolveStatus::not_finite);
    }
  }
  EXPECT_EQ(status_of<float>({1e-4, 1e-4}), SolveStatus::ok);
  EXPECT_EQ(status_of<float>({1e-3, 1e-4}), SolveStatus::not_converged);
}

TEST(SolveStatus, OfColumnsThatDidNotConverge) {
  auto a = generate("poisson2d 30");
  const Pattern p = a.pattern();
  for (Index j = 0; j < p.n; ++j)  // badly conditioned in any scaling
    a.value()[static_cast<std::size_t>(p.col_ptr[static_cast<std::size_t>(j)])] +=
        1e-9 - (j % 30 == 0 || j % 30 == 29) - (j < 30 || j >= 870);
  SolverOptions options = one_thread(Precision::mixed);
  options.mixed.allow_double = false;
  options.mixed_solve.max_steps = 1;
  options.mixed_solve.max_cg_steps = 0;
  Solver<double> solver(options);
  if (!solver.compute(a.view()).ok()) GTEST_SKIP() << "float finds no factor";
  std::vector<double> b(900);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = k % 7 == 0 ? 1 : -0.3;
  (void)solver.solve(b);
  ASSERT_GT(solver.report().mixed.unconverged, 0);
  EXPECT_NE(solver.report().status, SolveStatus::ok);
  EXPECT_NE(solver.report().status_reason, "");
}

TEST(Solver, RefactorizeNamesWhatDiffers) {
  const auto a = from_places(4, {0, 1, 1, 2, 3, 3}, {0, 0, 1, 2, 1, 3});
  Solver<double> solver(one_thread());
  ASSERT_TRUE(solver.compute(a.view()).ok());
  const std::vector<double> b{1, 2, 3, 4}, x = solver.solve(b);
  const auto refused = [&](const SymmetricMatrix<double>& other) {
    std::string text =
        error_text(ErrorKind::usage, [&] { (void)solver.refactorize(other.view()); });
    EXPECT_EQ(solver.solve(b), x);  // the solver still has the old factor
    const std::string head = "Solver::refactorize: another pattern than that of compute(): ";
    return text.find(head) == 0 ? text.substr(head.size()) : text;
  };
  EXPECT_EQ(refused(from_places(3, {0, 1, 1, 2}, {0, 0, 1, 2})), "3 rows, then 4");
  EXPECT_EQ(refused(from_places(4, {0, 2, 1, 2, 3, 3}, {0, 0, 1, 2, 1, 3})),
            "entry (1, 0) is missing");  // an equal count of entries
  EXPECT_EQ(refused(from_places(4, {0, 1, 1, 2, 2, 3, 3}, {0, 0, 1, 1, 2, 1, 3})),
            "entry (2, 1) is new");
  EXPECT_EQ(refused(from_places(4, {0, 1, 1, 2, 3, 3}, {0, 0, 1, 2, 2, 3})),
            "entry (3, 1) is missing");
  EXPECT_EQ(refused(from_places(4, {0, 1, 1, 2, 3, 3, 3}, {0, 0, 1, 2, 1, 2, 3})),
            "entry (3, 2) is new");
  EXPECT_EQ(refused(a), "no Error");
  const std::vector<Offset> ptr{0, 1, 2, 3, 3};
  const Pattern broken{4, ptr, a.pattern().row.first(3)};
  EXPECT_NE(error_text(ErrorKind::input,
                       [&] {
                         (void)solver.refactorize({broken, a.value()});
                       }),
            "no Error");
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         (void)solver.refactorize({a.pattern(), a.value().first(2)});
                       })
                .find("2 values"),
            std::string::npos);
}

/// Invalid options are refused, and so is a system whose numbers overflow in its own units
/// (docs/limits.md).
TEST(Solver, ChecksItsOptionsAndWhatItSolves) {
  const auto made = [](const auto& change) {
    SolverOptions options = one_thread();
    change(options);
    return error_text(ErrorKind::usage, [&] { const Solver<double> solver(options); });
  };
  EXPECT_EQ(made([](SolverOptions& o) { o.backend = static_cast<BackendChoice>(7); }),
            "Solver: unknown BackendChoice 7; expected automatic, cpu or cuda (0 to 2)");
  EXPECT_EQ(made([](SolverOptions& o) { o.precision = static_cast<Precision>(7); }),
            "Solver: unknown Precision 7; expected full, mixed or automatic (0 to 2)");
  EXPECT_EQ(made([](SolverOptions& o) { o.refine.max_steps = -1; }),
            "Solver: max_steps is -1, expected 0 or more");
  EXPECT_EQ(made([](SolverOptions& o) { o.refine.target = -1; }),
            "Solver: target is -1, expected 0 or more");
  EXPECT_EQ(made([](SolverOptions& o) { o.refine.stagnation = -1; }),
            "Solver: stagnation is -1, expected 0 or more");
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    Solver<double> solver(one_thread(precision));
    ASSERT_TRUE(solver.compute(generate("poisson2d 3").view()).ok());
    const auto solved = [&](Index rows, Index cols) {
      return error_text(ErrorKind::usage, [&] { solver.solve({nullptr, rows, cols, rows}); });
    };
    EXPECT_EQ(solved(9, 1), "Solver::solve: x is null, expected an address");
    EXPECT_EQ(solved(8, 1), "Solver::solve: x has 8 rows, A has 9");
    EXPECT_EQ(solved(9, 0), "no Error");
  }
}

/// On the CPU an automatic precision is the full one, with its bits; so it is for systems in float.
TEST(Solver, AutomaticPrecisionIsFullOnTheCpu) {
  const auto a = generate("poisson3d 6");
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  Solver<double> full(one_thread()), automatic(one_thread(Precision::automatic));
  ASSERT_TRUE(full.compute(a.view()).ok() && automatic.compute(a.view()).ok());
  EXPECT_EQ(automatic.solve(b), full.solve(b));
  EXPECT_TRUE(automatic.factor().valid());
  EXPECT_EQ(automatic.report().precision, Precision::full);
  EXPECT_EQ(automatic.report().precision_reason, "full: on the CPU");
  EXPECT_EQ(full.report().precision_reason, "full: as asked for");
  EXPECT_FALSE(automatic.report().precisions);
  EXPECT_EQ(automatic.report().scalar_bytes, 8);
  Solver<float> in_float(one_thread(Precision::automatic));
  in_float.analyze(a.pattern());
  EXPECT_EQ(in_float.report().precision, Precision::full);
  EXPECT_EQ(in_float.report().precision_reason, "");
  Solver<double> mixed(one_thread(Precision::mixed));
  mixed.analyze(a.pattern());
  EXPECT_EQ(mixed.report().precision_reason, "mixed: as asked for");
}

TEST(Solver, ScaledByTheCaller) {
  const auto plain = generate("poisson2d 8");
  std::vector<int> unit(64);
  for (int i = 0; i < 64; ++i) unit[i] = i < 32 ? -500 : 500;
  auto a = test::in_units(plain, unit);
  std::vector<double> b(64);
  for (int i = 0; i < 64; ++i) b[i] = std::ldexp(1.0, unit[i]);
  Solver<double> solver(one_thread());

  const SymmetricScaling scaling(a.view());
  scaling.apply(a.view(), a.value());  // S A S
  if (const auto done = solver.compute(a.view()); !done) FAIL();
  scaling.apply(b);  // S b
  std::vector<double> x = solver.solve(b);
  scaling.apply(x);  // x = S y

  ASSERT_TRUE(solver.compute(plain.view()).ok());
  const std::vector<double> expected = solver.solve(std::vector<double>(64, 1.0));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(std::ldexp(x[i], unit[i]), expected[i]) << i;
}

}  // namespace
}  // namespace kauri
