// The measurement of a device, the choice of precision by a card, and solves in the precision that
// is chosen, on a CUDA device and on the emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/executor.hpp"
#include "src/card/measure.hpp"
#include "symbolic/device/cost.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri::test {
namespace {

bool is_emulated() { return numeric::cuda::survey(0)->name.starts_with("emulated"); }

/// Returns the multiprocessors that kernels take: few are emulated sooner.
int multiprocessors() { return is_emulated() ? 33 : 0; }

class Tune : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
};
class AutomaticPrecision : public Tune {};

void expect_measured(const DeviceCard& card) {
  for (const DeviceCard::Rates& rates : {card.in_double, card.in_float})
    for (const double x : {rates.flops_per_s, rates.read_bytes_per_s, rates.start_s, rates.level_s,
                           rates.sweep_start_s, rates.sweep_level_s})
      EXPECT_TRUE(std::isfinite(x) && x > 0) << x;
  EXPECT_TRUE(std::isfinite(card.copy_s) && card.copy_s > 0);
  EXPECT_TRUE(std::isfinite(card.copy_bytes_per_s) && card.copy_bytes_per_s > 0);
  EXPECT_TRUE(symbolic::is_measured(card));
}

/// The card of the device with measured rates as one has on which all that is done in
/// double takes 50 times as long as in float, or as long.
DeviceCard measured_card(bool slow_double) {
  DeviceCard card = numeric::cuda::survey(0)->card;
  card.in_float = {4e13, 2e12, 2e-5, 2e-6, 2e-5, 2e-6};
  card.in_double = card.in_float;
  if (slow_double) card.in_double = {8e11, 4e10, 1e-3, 1e-4, 1e-3, 1e-4};
  card.copy_s = 1e-5, card.copy_bytes_per_s = 1e12;
  return card;
}

SolverOptions options_for(const TempFile& file, int factorizations) {
  SolverOptions options;
  options.threads = 1;
  options.backend = BackendChoice::cuda;
  options.cuda.multiprocessors = multiprocessors();
  options.precision = Precision::automatic;
  options.card = file.path();
  options.analyze.factorizations = factorizations;
  return options;
}

TEST_F(Tune, EndsWithPositiveNumbers) {
  CudaOptions options;
  options.multiprocessors = multiprocessors();
  Backend backend = cuda_backend(options);
  const card::Sizes sizes{.rows = 130, .fronts = 1, .levels = 20, .copied = 100, .seconds = 0};
  const DeviceCard card = card::measured(numeric::cuda::survey(0)->card, backend, sizes);
  expect_measured(card);
  // A file keeps the numbers.
  const TempFile file(".json", to_json(card, backend.device()));
  EXPECT_EQ(read_card(file.path()).in_float.flops_per_s, card.in_float.flops_per_s);
}

TEST_F(Tune, OfTheWholeDevice) {
  if (is_emulated()) GTEST_SKIP() << "minutes on the emulated device";
  expect_measured(measure_card());
}

TEST_F(Tune, SizesFitTheDevice) {
  EXPECT_EQ(card::sizes_for(132, Offset{1} << 37).fronts, 132);
  const card::Sizes small = card::sizes_for(132, Offset{1} << 30);
  EXPECT_GE(small.fronts, 1);
  EXPECT_LE(Offset{2} * small.fronts * small.rows * small.rows * 4, Offset{1} << 28);
  EXPECT_EQ(card::sizes_for(132, 0).fronts, 1);
}

/// `kauri tune` promises less than a second. Two systems, the larger one of twice the operations,
/// are factorised four times each, at a fifth of the peak or faster.
TEST_F(Tune, TakesLessThanASecondOnAnyCard) {
  const DeviceCard cards[] = {{9, 0, 132, 1.98e9, 4.9e12, 2},
                              {9, 0, 78, 1.98e9, 4e12, 32},
                              {8, 0, 108, 1.41e9, 1.555e12, 2},
                              {8, 6, 84, 1.8e9, 7.68e11, 32},
                              {8, 9, 128, 2.52e9, 1.008e12, 64}};
  for (const DeviceCard& card : cards)
    for (const int scalar_bytes : {4, 8}) {
      card::Sizes sizes = card::sizes_for(card.processors, Offset{1} << 37);
      if (scalar_bytes == 8) sizes = card::sizes_in_double(card, sizes);
      const double front = std::pow(sizes.rows, 3) / 3, all = 4 * 3 * sizes.fronts * front;
      const double peak = symbolic::operations_per_cycle(card, scalar_bytes, CudaCompute::fma) *
                          card.processors * card.clock_hz;
      EXPECT_LT(5 * all / peak, 0.45) << card.major << "." << card.minor << " " << scalar_bytes;
    }
}

/// A Solver that was left the choice solves by a factor in float, to the accuracy of double, where
/// the card says that double is slow; else in double.
TEST_F(AutomaticPrecision, FollowsTheCard) {
  const auto a = generate("poisson3d 6");
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  for (const bool slow : {true, false}) {
    const TempFile file(".json", to_json(measured_card(slow), "emulated"));
    Solver<double> solver(options_for(file, 1000));
    ASSERT_TRUE(solver.compute(a.view()).ok());
    const SolverReport& report = solver.report();
    EXPECT_EQ(report.precision, slow ? Precision::mixed : Precision::full);
    EXPECT_EQ(report.scalar_bytes, slow ? 4 : 8);
    EXPECT_EQ(report.precision_reason.find(slow ? "mixed: predicted " : "full: "), 0U)
        << report.precision_reason;
    ASSERT_TRUE(report.precisions);
    EXPECT_EQ(report.precisions->takes_mixed, slow);
    EXPECT_NE(to_text(report).find("precision: " + report.precision_reason), std::string::npos);
    const std::vector<double> x = solver.solve(b);
    EXPECT_EQ(report.status, SolveStatus::ok) << report.status_reason;
    EXPECT_LE(report.refinement.final_error.componentwise, 0x1p-50);
    if (slow) {
      EXPECT_EQ(report.mixed.unconverged, 0);
      EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)solver.factor(); }), "no Error");
    } else {
      EXPECT_TRUE(solver.factor().valid());
    }
  }
}

/// Each analysis chooses anew, and solves follow it.
TEST_F(AutomaticPrecision, IsChosenByEachAnalysis) {
  const TempFile file(".json", to_json(measured_card(true), "emulated"));
  Solver<double> solver(options_for(file, 1));
  const auto small = generate("poisson2d 3"), large = generate("poisson3d 6");
  for (const auto* a : {&small, &large, &small}) {
    ASSERT_TRUE(solver.compute(a->view()).ok());
    const bool mixed = solver.report().precision == Precision::mixed;
    EXPECT_EQ(solver.report().precisions->takes_mixed, mixed);
    const std::vector<double> b(static_cast<std::size_t>(a->n()), 1.0);
    (void)solver.solve(b);
    EXPECT_EQ(solver.report().status, SolveStatus::ok);
  }
}

/// The Solver does what was asked for, and its report says what the other precision would cost.
TEST_F(AutomaticPrecision, IsNotTheDefault) {
  const TempFile file(".json", to_json(measured_card(true), "emulated"));
  SolverOptions options = options_for(file, 1000);
  options.precision = Precision::full;
  Solver<double> solver(options);
  solver.analyze(generate("poisson3d 6").pattern());
  EXPECT_EQ(solver.report().precision, Precision::full);
  EXPECT_EQ(solver.report().precision_reason.find(
                "full: as asked for; automatic takes mixed: predicted "),
            0U)
      << solver.report().precision_reason;
  // A solver in float has nothing to choose.
  options.precision = Precision::automatic;
  Solver<float> in_float(options);
  in_float.analyze(generate("poisson3d 6").pattern());
  EXPECT_EQ(in_float.report().precision, Precision::full);
  EXPECT_FALSE(in_float.report().precisions);
}

TEST_F(AutomaticPrecision, ACardOfAnotherDeviceIsRefused) {
  DeviceCard card = measured_card(true);
  card.processors = 84, card.major = 7, card.minor = 0;
  const TempFile file(".json", to_json(card, "another"));
  Solver<double> solver(options_for(file, 1));
  const std::string text =
      error_text(ErrorKind::usage, [&] { solver.analyze(generate("poisson2d 3").pattern()); });
  EXPECT_NE(text.find(file.path() +
                      " is of a device with compute capability 7.0 and 84 "
                      "multiprocessors, the device (" +
                      numeric::cuda::survey(0)->name + ") has compute capability "),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace kauri::test
