// Tests that waits end in kernels built with KAURI_WATCHDOG: a missing signal is reported with
// kernel, ticket and counter. Each test that loses a signal runs in a separate process, since a
// trap ends the device's context. The emulated device runs the tests as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "numeric/cuda/runtime/watchdog.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

using numeric::cuda::watchdog::Kernel;

constexpr std::uint64_t kLimit = 100'000'000;  // ns

/// Holds a system with tiled fronts below tiled fronts, run by few teams, and its factor. The
/// device is first used in the process that the test ends.
class Watched {
 public:
  explicit Watched(CudaCompute compute, OwnedPattern pattern = grid_pattern(9, 9, 9, true),
                   bool portable = false)
      : pattern_(std::move(pattern)),
        value_(random_dominant<double>(pattern_.view(), 1)),
        backend_(cuda_backend(
            CudaOptions{.device = 0, .allocator = {}, .compute = compute, .portable = portable})) {
    AnalyzeOptions options;
    options.target = backend_.target();
    options.ordering.method = OrderingMethod::amd;
    plan = run_by(*analyze(pattern_.view(), options), symbolic::kFewestEver);
    factor = std::make_unique<Factor<double>>(Factor<double>::create(plan, backend_));
  }
  void arm(Kernel kernel, int unit, int lane = -1) const {
    numeric::cuda::watchdog::arm(
        {.limit = kLimit, .lost_kernel = kernel, .lost_unit = unit, .lost_lane = lane});
  }
  [[nodiscard]] bool refactorize() const {
    return kauri::refactorize<double>(*factor, value_).ok();
  }
  [[nodiscard]] std::vector<double> solve(Index columns) const {
    std::vector<double> x(static_cast<std::size_t>(plan->n * columns), 1.0);
    auto workspace = Workspace<double>::create(*factor, columns);
    factor->solve({x.data(), plan->n, columns, plan->n}, workspace);
    return x;
  }
  /// Returns the number of a contribution task on which the front's parent waits.
  [[nodiscard]] int contribution() const {
    const symbolic::DeviceSchedule& device = plan->internals->device;
    for (std::size_t k = 0; k < device.task.size(); ++k)
      if (device.task[k].kind == symbolic::DeviceTask::Kind::contribution &&
          parent_of(device.task[k].front) != kNone)
        return static_cast<int>(k);
    return -1;
  }
  /// Returns the parent's number among tiled fronts.
  [[nodiscard]] Index parent_of(Index tiled) const {
    const Index parent =
        plan->supernodes
            .parent[plan->internals->device.front[plan->internals->device.small_fronts + tiled]];
    return parent == kNone ? kNone : plan->internals->device.tiled[parent];
  }

  std::shared_ptr<Plan> plan;
  std::unique_ptr<Factor<double>> factor;

 private:
  OwnedPattern pattern_;
  std::vector<double> value_;
  Backend backend_;
};

/// Runs `call` and ends the process: with 0 if `is_told` accepts the text of the error.
[[noreturn]] void end_with(const std::function<void()>& call,
                           const std::function<bool(const std::string&)>& is_told) {
  const std::string text = error_text(ErrorKind::device, call);
  if (is_told(text)) std::_Exit(0);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::_Exit(1);
}

bool has(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

class WatchdogDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
};

#define KAURI_EXPECT_TOLD(statement) EXPECT_EXIT(statement, ::testing::ExitedWithCode(0), "")

void lose_a_contribution(CudaCompute compute, Kernel kernel, const char* name) {
  const Watched system(compute);
  const int lost = system.contribution();
  if (lost < 0) std::_Exit(2);
  system.arm(kernel, lost);
  end_with([&] { static_cast<void>(system.refactorize()); },
           [&](const std::string& text) {
             std::smatch found;
             const std::regex line(
                 std::string(name) +
                 R"(, block \d+, warp \d+, ticket (\d+) waits for tasks that write the blocks )" +
                 R"(of the front's children: (\d+), (\d+) wanted, counter 0x[0-9a-f]+)");
             if (!std::regex_search(text, found, line)) return false;
             const auto number = [&](int k) { return std::stoi(found[k]); };
             const symbolic::DeviceSchedule& device = system.plan->internals->device;
             return device.task[number(1)].front == system.parent_of(device.task[lost].front) &&
                    number(2) == number(3) - 1;
           });
}

TEST_F(WatchdogDeathTest, TellsWhichTicketOfHoppersKernelWaitsForALostTask) {
  KAURI_EXPECT_TOLD(lose_a_contribution(CudaCompute::hopper, Kernel::front_kernel, "front_kernel"));
}

TEST_F(WatchdogDeathTest, TellsWhichTicketOfThePortableKernelWaitsForALostTask) {
  KAURI_EXPECT_TOLD(lose_a_contribution(CudaCompute::fma, Kernel::run_tasks, "run_tasks"));
}

/// Loses a task of `kind` on which others wait. The first waiting ticket belongs to the same front.
void lose_a_task(CudaCompute compute, Kernel kernel, const char* name,
                 symbolic::DeviceTask::Kind kind) {
  const Watched system(compute);
  const std::vector<symbolic::DeviceTask>& task = system.plan->internals->device.task;
  const auto lost = std::find_if(task.begin(), task.end(),
                                 [&](const symbolic::DeviceTask& t) { return t.kind == kind; });
  if (lost == task.end()) std::_Exit(2);
  system.arm(kernel, static_cast<int>(lost - task.begin()));
  end_with([&] { static_cast<void>(system.refactorize()); },
           [&](const std::string& text) {
             std::smatch found;
             const std::regex line(
                 std::string(name) +
                 R"(, block \d+, warp \d+, ticket (\d+) waits for [^:]+: (\d+), (\d+) wanted)");
             if (!std::regex_search(text, found, line)) return false;
             return task[std::stoul(found[1])].front == lost->front &&
                    std::stoi(found[2]) < std::stoi(found[3]);
           });
}

TEST_F(WatchdogDeathTest, TellsWhoWaitsForALostTaskOfEachKind) {
  using Kind = symbolic::DeviceTask::Kind;
  for (const Kind kind : {Kind::fill, Kind::prepare, Kind::panel}) {
    SCOPED_TRACE(static_cast<int>(kind));
    KAURI_EXPECT_TOLD(lose_a_task(CudaCompute::hopper, Kernel::front_kernel, "front_kernel", kind));
    KAURI_EXPECT_TOLD(lose_a_task(CudaCompute::fma, Kernel::run_tasks, "run_tasks", kind));
  }
}

/// Loses a small front below small ones.
void lose_a_small_front(CudaCompute compute, Kernel kernel, const std::string& name) {
  const Watched system(compute, grid_pattern(24, 24, 1));
  system.arm(kernel, 0);
  end_with(
      [&] { static_cast<void>(system.refactorize()); },
      [&](const std::string& text) {
        std::smatch found;
        const std::regex line(
            name +
            R"(, block \d+, warp \d+, ticket \d+ waits for children of a small front: (\d+), (\d+) wanted)");
        return std::regex_search(text, found, line) &&
               std::stoi(found[1]) == std::stoi(found[2]) - 1;
      });
}

TEST_F(WatchdogDeathTest, TellsWhichSmallFrontWaitsForALostChild) {
  KAURI_EXPECT_TOLD(lose_a_small_front(CudaCompute::hopper, Kernel::factor_fronts_by_warps,
                                       "factor_fronts_by_warps"));
  KAURI_EXPECT_TOLD(lose_a_small_front(CudaCompute::fma, Kernel::portable_fronts_by_warps,
                                       "portable_fronts_by_warps"));
}

/// Loses a number of a solve. `unit`: a ticket, or a front, as in Waiter. `lane`: the lane whose
/// number is lost while the others arrive; -1: all are lost. portable: CudaOptions::portable.
void lose_a_number(Kernel kernel, int unit, int lane, Index columns, const char* name,
                   bool portable = false) {
  const Watched system(portable ? CudaCompute::fma : CudaCompute::hopper,
                       grid_pattern(9, 9, 9, true), portable);
  if (!system.refactorize()) std::_Exit(2);
  system.arm(kernel, unit, lane);
  end_with(
      [&] { static_cast<void>(system.solve(columns)); },
      [&](const std::string& text) {
        return has(
            text,
            std::string(name) +
                R"(, block \d+, warp \d+, (ticket|front) \d+ waits for a number of the solve that is not )" +
                "there, at 0x[0-9a-f]+");
      });
}

TEST_F(WatchdogDeathTest, TellsOfANumberThatATaskOfASweepDoesNotSend) {
  for (const bool portable : {false, true})
    KAURI_EXPECT_TOLD(lose_a_number(Kernel::sweep, 0, -1, 1, "sweep", portable));
}

TEST_F(WatchdogDeathTest, TellsOfANumberThatATaskOfAMultiSweepDoesNotSend) {
  for (const Index columns : {8, 16, 32}) {
    SCOPED_TRACE(columns);
    for (const bool portable : {false, true})
      KAURI_EXPECT_TOLD(
          lose_a_number(Kernel::multi_sweep, 0, -1, columns, "multi sweep", portable));
    KAURI_EXPECT_TOLD(lose_a_number(Kernel::multi_sweep, 0, 0, columns,
                                    "multi sweep"));  // only the last row of a tile arrives
  }
}

/// Nothing is reported under the same time limit if all signals are sent.
TEST_F(WatchdogDeathTest, TellsNothingWhereAllSignalsAreSent) {
  KAURI_EXPECT_TOLD({
    const Watched system(CudaCompute::hopper);
    system.arm(Kernel::none, -1);
    for (int run = 0; run < 3; ++run)
      if (!system.refactorize()) std::_Exit(2);
    for (const Index columns : {1, 8, 32}) static_cast<void>(system.solve(columns));
    std::_Exit(numeric::cuda::watchdog::report().empty() ? 0 : 3);
  });
}

}  // namespace
}  // namespace kauri::test
