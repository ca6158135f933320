// Engine on a CUDA device and on the emulated one: values, b and x in the device's memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "src/engine/engine.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

class DeviceEngines : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }

  /// An analysis whose plan runs with the fewest teams, for the emulated device.
  std::shared_ptr<Symbolic> symbolic(int scalar_bytes = sizeof(double)) const {
    SolverOptions options;
    options.backend = BackendChoice::cuda;
    auto made = std::make_shared<Symbolic>(options, scalar_bytes);
    made->analyze(made->options.analyze, 1, [&](const AnalyzeOptions& offered) {
      Analysis analysis = analyze_with_report(a.pattern(), offered);
      analysis.plan = run_by(*analysis.plan, kauri::symbolic::kFewestEver);
      return analysis;
    });
    return made;
  }

  /// Values in the device's memory; their owner counts the references.
  BorrowedValues<double> there(Symbolic& shared) const {
    auto copy = std::make_shared<DeviceValues<double>>(
        DeviceValues<double>::copy_of(a.value(), shared.backend()));
    return {.value = copy->span(), .on_device = true, .owner = copy};
  }

  MatrixView<double> one(double* x) const { return {x, a.n(), 1, a.n()}; }

  /// Solves with b and x on the device; counts calls of `meanwhile` in `calls`.
  std::vector<double> solved_there(Engine<double>& engine, const SolveRequest& request,
                                   int* calls = nullptr) const {
    const CallerArray<double> from(b), to(std::vector<double>(b.size()));
    EXPECT_TRUE(engine.solve_on_device(System::A, one(from.data()), one(to.data()), request, [&] {
      if (calls) ++*calls;
    }));
    return to.fetch();
  }

  std::vector<double> solved_here(Engine<double>& engine, const SolveRequest& request) const {
    std::vector<double> x(b.size());
    EXPECT_TRUE(
        engine.solve(System::A, column_view<const double>(b), column_view<double>(x), request));
    return x;
  }

  const SymmetricMatrix<double> a = generate("poisson3d 5");
  const std::vector<double> b = std::vector<double>(static_cast<std::size_t>(a.n()), 1.0);
};

/// Values on the device give the bits of values on the host, with and without a shift.
TEST_F(DeviceEngines, ValuesOfTheDeviceAreBorrowed) {
  const auto shared = symbolic();
  Engine<double> copied(shared), borrowed(shared);
  for (Engine<double>* engine : {&copied, &borrowed}) engine->prepare();
  for (const double shift : {0.0, 0.5}) {
    BorrowedValues<double> values = there(*shared);
    const std::weak_ptr<const void> owner = values.owner;
    ASSERT_TRUE(copied.factorize(a.value(), shift, {}));
    ASSERT_TRUE(borrowed.factorize(std::move(values), shift, {}, {}));
    EXPECT_FALSE(owner.expired());
    EXPECT_FALSE(borrowed.can_shift());
    EXPECT_EQ(borrowed.worst_pivot(), std::nullopt) << "the values are not on the host";
    for (const SolveRequest& request : {SolveRequest{}, SolveRequest{.corrections = 2}}) {
      EXPECT_EQ(solved_there(borrowed, request), solved_there(copied, request)) << shift;
      EXPECT_EQ(solved_here(borrowed, request), solved_here(copied, request)) << shift;
    }
    EXPECT_EQ(borrowed.report().status, SolveStatus::ok);
    EXPECT_EQ(borrowed.values(), copied.values());
    ASSERT_TRUE(borrowed.factorize(a.value(), 0.0, {}));
    EXPECT_TRUE(owner.expired());
  }
}

/// Without refinement x on the device is x on the host; `meanwhile` is called once.
TEST_F(DeviceEngines, SolvesOnTheDeviceAreThoseOnTheHost) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  int calls = 0;
  EXPECT_EQ(solved_there(engine, {}, &calls), solved_here(engine, {}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(engine.report().status, SolveStatus::none);
  solved_there(engine, {.corrections = 2}, &calls);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(engine.report().status, SolveStatus::ok);
  // Values of another filling replace those of the refiner in the pool.
  ASSERT_TRUE(engine.factorize(a.value(), 2.0, {}));
  solved_there(engine, {.corrections = 2});
  EXPECT_EQ(engine.report().status, SolveStatus::ok);
}

/// The function that a solve on a device calls meanwhile may solve with the same engine, also if a
/// filling waits.
TEST_F(DeviceEngines, SolvesMayBeMadeMeanwhile) {
  Engine<double> engine(symbolic());
  engine.prepare();
  ASSERT_TRUE(engine.factorize(a.value(), 0.0, {}));
  const std::vector<double> x = solved_here(engine, {});
  const CallerArray<double> from(b), to(std::vector<double>(b.size()));
  std::jthread filling;
  EXPECT_TRUE(engine.solve_on_device(System::A, one(from.data()), one(to.data()), {}, [&] {
    filling = std::jthread([&] { EXPECT_TRUE(engine.factorize(a.value(), 2.0, {})); });
    for (int k = 0; k < 20; ++k) EXPECT_EQ(solved_here(engine, {}), x);
  }));
  EXPECT_EQ(to.fetch(), x);
  filling.join();
  EXPECT_NE(solved_here(engine, {}), x);
}

TEST_F(DeviceEngines, MixedPrecisionTakesValuesAndVectorsOfTheDevice) {
  const auto shared = symbolic(sizeof(float));
  Engine<double> copied(shared, Precision::mixed), borrowed(shared, Precision::mixed);
  for (Engine<double>* engine : {&copied, &borrowed}) engine->prepare();
  ASSERT_TRUE(copied.factorize(a.value(), 0.0, {}));
  ASSERT_TRUE(borrowed.factorize(there(*shared), 0.0, {}, {}));
  EXPECT_EQ(solved_there(borrowed, {}), solved_here(copied, {}));
  EXPECT_EQ(borrowed.report().status, SolveStatus::ok);
  EXPECT_TRUE(borrowed.values().empty()) << "the factor has a copy of its own";
}

TEST_F(DeviceEngines, MixedPrecisionRefusesAShiftOfValuesOfTheDevice) {
  const auto shared = symbolic(sizeof(float));
  Engine<double> engine(shared, Precision::mixed);
  engine.prepare();
  ASSERT_TRUE(engine.factorize(there(*shared), 0.0, {}, {}));
  const std::vector<double> x = solved_here(engine, {});
  for (const double shift : {0.5, 0.0 / 0.0}) {
    const std::string said = error_text(
        ErrorKind::usage, [&] { (void)engine.factorize(there(*shared), shift, {}, {}); });
    EXPECT_NE(said.find("expected 0 for values on a device"), std::string::npos) << said;
  }
  EXPECT_TRUE(engine.valid());
  EXPECT_EQ(solved_here(engine, {}), x);
}

}  // namespace
}  // namespace kauri::test
