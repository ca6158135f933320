// Tests which backend takes a job, as far as that needs no device: the reasons given, and the
// fallback if a device is full.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/symbolic.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/cost.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/temp_file.hpp"

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
    EXPECT_EQ(reason(options).find(host_target() + ": there is no CUDA device"), 0U);
  }
  options.analyze.target = host_target() == "cpu-generic" ? "cpu-avx2" : "cpu-generic";
  Backends backends(BackendChoice::automatic, 1);
  const auto [offer, why] = backends.offered(options.analyze, sizeof(double), 1);
  EXPECT_EQ(offer.target, options.analyze.target);
  EXPECT_EQ(offer.device.target, "");
  EXPECT_EQ(why, options.analyze.target + ": the target was asked for");
}

constexpr DeviceCard kH200{9, 0, 132, 1.98e9, 4.9e12}, kA100{8, 0, 108, 1.41e9, 1.555e12};

/// Returns a device as a survey reports it.
numeric::cuda::Survey found(const char* name, const DeviceCard& card) {
  return {name, std::string(symbolic::device_target(card.major, card.minor)), card, Offset{1} << 36,
          true};
}

TEST(Backends, DevicesAreOfferedInBothScalarsWhereTheirSecondsArePredicted) {
  AnalyzeOptions options;
  options.target = "cpu-generic";
  for (const int scalar_bytes : {4, 8}) {
    for (const auto& [device, target] : {std::pair{found("H200", kH200), "sm_90"},
                                         {found("H20", {9, 0, 78, 1.98e9, 4e12}), "sm_90"},
                                         {found("A100", kA100), "sm_80"},
                                         {found("L4", {8, 9, 58, 2.04e9, 3e11}), "sm_80"}}) {
      const auto [offer, why] = with_device(options, device, scalar_bytes, 3);
      EXPECT_EQ(why, "");
      EXPECT_EQ(offer.target, "cpu-generic");
      EXPECT_EQ(offer.device.target, target);
      EXPECT_EQ(offer.device.scalar_bytes, scalar_bytes);
      EXPECT_EQ(offer.device.card.processors, device.card.processors);
      EXPECT_EQ(offer.device.free_bytes, Offset{1} << 36);
      EXPECT_TRUE(offer.device.started);
      EXPECT_EQ(offer.device.nrhs, 3);
    }
    for (const DeviceCard& card : {DeviceCard{}, DeviceCard{7, 5, 40, 1.6e9, 3e11},
                                   DeviceCard{8, 7, 16, 1.3e9, 0}, DeviceCard{8, 7, 16, 0, 2e11}}) {
      const auto [offer, why] = with_device(options, found("Orin", card), scalar_bytes, 1);
      EXPECT_EQ(offer.device.target, "");
      EXPECT_EQ(why.find("cpu-generic: the seconds of the device (Orin) cannot be predicted"), 0U)
          << why;
    }
    DeviceCard measured{8, 7, 16, 0, 0};  // by kauri tune, whose file keeps the driver's zeros
    measured.in_double = {5e10, 1e11, 1e-4, 1e-5, 1e-4, 1e-5};
    measured.in_float = {2e12, 1e11, 1e-4, 1e-5, 1e-4, 1e-5};
    EXPECT_EQ(with_device(options, found("Orin", measured), scalar_bytes, 1).second, "");
    EXPECT_EQ(with_device(options, {}, scalar_bytes, 1).second,
              "cpu-generic: there is no CUDA device");
  }
}

/// A large job chooses a device that was never measured, and the report says what its estimated
/// seconds are based on; a small job chooses the CPU.
TEST(Backends, TheReasonNamesScaledConstants) {
  struct Offering {
    numeric::cuda::Survey device;
    static std::string take(const Analysis&, int, Index) { return ""; }
    std::pair<AnalyzeOptions, std::string> offered(AnalyzeOptions options, int scalar_bytes,
                                                   Index nrhs) const {
      return with_device(std::move(options), device, scalar_bytes, nrhs);
    }
  };
  const auto large = generate("poisson3d 20"), small = generate("poisson2d 10");
  for (const auto& device : {found("H200", kH200), found("A100", kA100)})
    for (const int scalar_bytes : {4, 8}) {
      Offering offering{device};
      const auto analyzed = [&](const SymmetricMatrix<double>& a, int factorizations) {
        AnalyzeOptions options;
        options.target = "cpu-generic";
        options.workers = 1, options.solves = 0, options.factorizations = factorizations;
        return analyze_for(offering, options, scalar_bytes, 1, [&](const AnalyzeOptions& offer) {
          return analyze_with_report(a.pattern(), offer);
        });
      };
      const Analysis many = analyzed(large, 1000000), one = analyzed(small, 1);
      EXPECT_EQ(many.plan->target, device.target) << many.target_reason;
      EXPECT_EQ(one.plan->target, "cpu-generic") << one.target_reason;
      const bool measured = device.target == "sm_90";
      EXPECT_EQ(many.target_reason.find(measured ? " are measured" : " are scaled, not measured") !=
                    std::string::npos,
                true)
          << many.target_reason;
    }
}

/// Offers a device with room for any plan; take() then reports it full or not.
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
    const Analysis analysis =
        analyze_for(stub, options, sizeof(double), 1, [&](const AnalyzeOptions& offer) {
          ++runs;
          return analyze_with_report(a.pattern(), offer);
        });
    EXPECT_EQ(stub.taken, std::vector<std::string>{"sm_90"});
    EXPECT_EQ(runs, full ? 2 : 1);
    EXPECT_EQ(analysis.plan->target, full ? "cpu-generic" : "sm_90");
    EXPECT_EQ(analysis.plan->on_device(), !full);
    EXPECT_EQ(analysis.forecasts.size(), 2U);
    EXPECT_EQ(analysis.target_reason.find(full ? "cpu-generic: no room" : "sm_90: "), 0U)
        << analysis.target_reason;
    EXPECT_FALSE(analysis.reason.empty());
  }
}

/// The file of a card is read when a Solver is made, and named if that fails; on the CPU it changes
/// nothing.
TEST(Backends, CardsAreReadWhenASolverIsMade) {
  SolverOptions options;
  options.threads = 1;
  options.backend = BackendChoice::cpu;
  options.card = "/nowhere/card.json";
  EXPECT_NE(test::error_text(ErrorKind::input, [&] { Solver<double>{options}; })
                .find("/nowhere/card.json"),
            std::string::npos);
  EXPECT_NE(test::error_text(ErrorKind::input,
                             [&] {
                               Solver<double>{options, std::make_shared<Backend>(cpu_backend(1))};
                             })
                .find("/nowhere/card.json"),
            std::string::npos);
  DeviceCard card{8, 9, 58, 2.04e9, 3e11, 64};
  card.in_double = {1e12, 2e11, 1e-5, 1e-6, 1e-5, 1e-6};
  card.in_float = {2e13, 2e11, 1e-5, 1e-6, 1e-5, 1e-6};
  card.copy_s = 1e-5, card.copy_bytes_per_s = 1e10;
  const test::TempFile file(".json", to_json(card, "L4"));
  options.card = file.path();
  options.precision = Precision::automatic;
  Solver<double> solver(options);
  EXPECT_TRUE(solver.compute(generate("poisson2d 6").view()).ok());
  EXPECT_EQ(solver.report().precision, Precision::full);
  EXPECT_FALSE(solver.report().precisions);
}

}  // namespace
}  // namespace kauri
