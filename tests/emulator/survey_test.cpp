// Surveys of emulated devices, of which one runs, by many threads at once.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/executor.hpp"
#include "src/engine/symbolic.hpp"
#include "symbolic/device/cost.hpp"
#include "tests/emulator/machine/machine.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/temp_file.hpp"

namespace kauri {
namespace {

using numeric::cuda::survey;
using test::error_text;

TEST(Survey, AsksTheDriverOncePerDevice) {
  ASSERT_TRUE(survey(0) && survey(1));
  const int before = emulator::times_properties_asked();
  EXPECT_GT(before, 0);
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (int& mine : wrong)
    threads.emplace_back([&mine] {
      for (int round = 0; round < 100; ++round)
        mine += survey(round % 2)->target != (round % 2 == 0 ? "sm_90" : "sm_80");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
  const Backend backend = cuda_backend();
  EXPECT_EQ(backend.device(), "emulated");
  EXPECT_EQ(emulator::times_properties_asked(), before);
}

TEST(Survey, TellsWhoseSecondsArePredicted) {
  const auto hopper = survey(0), ampere = survey(1), ada = survey(2);
  ASSERT_TRUE(hopper && ampere && ada);
  EXPECT_EQ(hopper->name, "emulated (9.0)");
  for (const auto& [device, processors] : {std::pair{&hopper, 132}, {&ampere, 108}, {&ada, 58}}) {
    EXPECT_TRUE(symbolic::is_predicted((*device)->card));
    EXPECT_EQ((*device)->card.processors, processors);
    EXPECT_NEAR((*device)->card.bandwidth, 3.352e12, 1e9);
  }
  EXPECT_EQ(ampere->target, "sm_80");
  EXPECT_EQ(ampere->free_bytes, 10 * hopper->free_bytes);
  EXPECT_FALSE(ampere->started);
  EXPECT_FALSE(survey(-1) || survey(4));
  EXPECT_EQ(with_device({}, ada, 8, 1).second, "");
}

TEST(Survey, TellsOfATimeLimit) {
  EXPECT_FALSE(ends_long_kernels(0));
  emulator::limit_kernel_time(true);
  EXPECT_TRUE(survey(0)->time_limit);
  EXPECT_TRUE(ends_long_kernels(0));
  EXPECT_FALSE(ends_long_kernels(4));  // there is no such device
  emulator::limit_kernel_time(false);
}

// kauri has no code for the device: an automatic choice does not offer it, and a backend refuses
// it.
TEST(Survey, DevicesBefore80AreRefused) {
  std::string why_not;
  EXPECT_FALSE(survey(3, &why_not));
  const std::string text = error_text(ErrorKind::device, [] { (void)cuda_backend(3); });
  EXPECT_EQ(why_not, text);
  EXPECT_NE(
      text.find(
          "device 3 (emulated T4) has compute capability 7.5; kauri has code for 8.0 and later"),
      std::string::npos)
      << text;
  EXPECT_NE(error_text(ErrorKind::device, [] { (void)cuda_backend(4); })
                .find("there is no CUDA device 4: 4 found"),
            std::string::npos);
}

/// An automatic choice makes an offer: the test follows it from the survey of the first device to
/// the reported reason.
TEST(Survey, TheOfferOfAnAutomaticChoice) {
  const Backends backends(BackendChoice::automatic, 1);
  for (const int scalar_bytes : {4, 8}) {
    const auto [offer, why] = backends.offered({}, scalar_bytes, 2);
    EXPECT_EQ(why, "");
    EXPECT_EQ(offer.target, host_target());
    EXPECT_EQ(offer.device.target, "sm_90");
    EXPECT_EQ(offer.device.scalar_bytes, scalar_bytes);
  }
}

/// Returns the card that an automatic choice with this part of the device is predicted by.
DeviceCard offered_card(int multiprocessors, const std::string& file = {}) {
  CudaOptions cuda;
  cuda.multiprocessors = multiprocessors;
  const Backends backends(BackendChoice::automatic, 1, cuda, file);
  const auto [offer, why] = backends.offered({}, sizeof(double), 1);
  EXPECT_EQ(why, "");
  return offer.device.card;
}

/// Predictions are those of the part of the device that kernels take, also by measured rates of the
/// whole device.
TEST(Survey, AnOfferIsOfThePartThatTheOptionLeaves) {
  EXPECT_EQ(offered_card(0).processors, 132);
  EXPECT_EQ(offered_card(33).processors, 33);
  DeviceCard whole = survey(0)->card;
  whole.in_double = {4e13, 3e12, 2e-5, 2e-6, 3e-5, 4e-6};
  whole.in_float = {6e13, 2e11, 2e-5, 2e-6, 3e-5, 4e-6};
  whole.copy_s = 1e-5, whole.copy_bytes_per_s = 1e10;
  const test::TempFile file(".json", to_json(whole, "emulated"));
  EXPECT_EQ(offered_card(0, file.path()).in_double.flops_per_s, 4e13);
  const DeviceCard part = offered_card(33, file.path());
  EXPECT_EQ(part.processors, 33);
  EXPECT_EQ(part.in_double.flops_per_s, 1e13);
  EXPECT_EQ(part.in_float.flops_per_s, 1.5e13);
  EXPECT_EQ(part.in_double.read_bytes_per_s, 33 * symbolic::kReadsOfOne);
  EXPECT_EQ(part.in_float.read_bytes_per_s, 2e11);
  EXPECT_EQ(part.in_double.start_s, 2e-5);
}

/// Where a driver reports no rates, the report says why nothing was left to choose; with a file of
/// measured rates there is a choice.
TEST(Survey, AReportTellsWhySecondsAreNotPredicted) {
  emulator::hide_rates(true);
  const std::string why =
      "the seconds of the device (emulated (9.0)) cannot be predicted: its driver reports no clock "
      "or no memory rate, or the rates of its units are not known; a file of kauri tune has them "
      "(option card)";
  EXPECT_EQ(Backends(BackendChoice::automatic, 1).offered({}, 8, 1).second,
            host_target() + ": " + why);
  DeviceCard measured = survey(0)->card;
  EXPECT_EQ(measured.clock_hz + measured.bandwidth + measured.single_to_double, 0);
  measured.in_double = {1e12, 2e11, 2e-5, 2e-6, 3e-5, 4e-6};
  measured.in_float = {2e12, 2e11, 2e-5, 2e-6, 3e-5, 4e-6};
  measured.copy_s = 1e-5, measured.copy_bytes_per_s = 1e10;
  const test::TempFile file(".json", to_json(measured, "emulated"));
  for (const bool is_measured : {false, true}) {
    SolverOptions options;
    options.threads = 1;
    options.backend = BackendChoice::cuda;
    options.precision = Precision::automatic;
    if (is_measured) options.card = file.path();
    Solver<double> solver(options);
    solver.analyze(generate("poisson2d 6").pattern());
    const std::string& reason = solver.report().precision_reason;
    EXPECT_EQ(solver.report().precisions.has_value(), is_measured);
    EXPECT_EQ(reason.find(is_measured ? "full: double is not slow" : "full: " + why), 0U) << reason;
  }
  emulator::hide_rates(false);
}

}  // namespace
}  // namespace kauri
