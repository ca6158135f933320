// Tests in separate processes: on which devices they take memory, and the effects of a fork and of
// an empty CUDA_VISIBLE_DEVICES.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime/driver.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_calls.hpp"
#include "tests/support/process/child.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

/// Runs this program again with one test of InOwnProcess, and with `setting` in its environment if
/// it is not null. Returns 0 if the test passed. The variables that give GoogleTest shards and
/// reports are removed, since they belong to this process.
int run_alone(const std::string& test, const char* setting = nullptr) {
  std::string filter = "--gtest_filter=InOwnProcess.DISABLED_" + test,
              disabled = "--gtest_also_run_disabled_tests";
  std::string program = "/proc/self/exe";
  char* arguments[] = {program.data(), filter.data(), disabled.data(), nullptr};
  std::vector<char*> environment;
  std::string extra = setting != nullptr ? setting : "";
  const std::string name = extra.substr(0, extra.find('=') + 1);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string known = *entry;
    if (known.rfind("GTEST_", 0) != 0 && (name.empty() || known.rfind(name, 0) != 0))
      environment.push_back(*entry);
  }
  if (setting != nullptr) environment.push_back(extra.data());
  environment.push_back(nullptr);
  return exit_of(status_of_child([&] {
    execve(program.c_str(), arguments, environment.data());
    _exit(126);
  }));
}

class Processes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(Processes, OnTheSecondDeviceTakeNothingOfTheFirst) {
  int devices = 0;
  require(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "one device alone";
  EXPECT_EQ(run_alone("OnTheSecondDevice"), 0);
}
TEST_F(Processes, AreToldThatNoDeviceIsVisible) {
  EXPECT_EQ(run_alone("WithoutADevice", "CUDA_VISIBLE_DEVICES="), 0);
}
TEST_F(Processes, ForkBeforeTheFirstCall) { EXPECT_EQ(run_alone("ForkBeforeTheFirstCall"), 0); }
TEST_F(Processes, AreToldOfAForkAfterTheFirstCall) {
  EXPECT_EQ(run_alone("ForkAfterTheFirstCall"), 0);
}

/// Runs f() in a child of this process; returns 0 if nothing in it has failed.
template <class F>
int in_child(const F& f) {
  return exit_of(status_of_child([&] {
    f();
    std::cout.flush();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }));
}

/// Returns the index and the MiB in use of each device that nvidia-smi reports, or nothing without
/// nvidia-smi.
std::string memory_in_use() {
  std::string out;
  FILE* pipe = popen(
      "nvidia-smi --query-gpu=index,memory.used --format=csv,noheader,nounits 2>/dev/null | tr "
      "'\\n' ';'",
      "r");
  if (pipe == nullptr) return out;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) out += part;
  pclose(pipe);
  return out;
}

TEST(InOwnProcess, DISABLED_OnTheSecondDevice) {
  ASSERT_FALSE(has_primary_context(0));
  std::cout << "MiB in use before: " << memory_in_use() << "\n";
  DeviceCalls calls(1, [&](const char* call) {
    ASSERT_FALSE(has_primary_context(0)) << "after " << call;
    ASSERT_EQ(current_context(), nullptr) << "after " << call;
  });
  calls.make();
  calls.use(nullptr);
  EXPECT_TRUE(has_primary_context(1));
  std::cout << "MiB in use with a backend on device 1: " << memory_in_use() << "\n";
  calls.end();
  EXPECT_TRUE(cuda_available()) << "asks the first device, without a context there";
  EXPECT_FALSE(has_primary_context(0));
}

TEST(InOwnProcess, DISABLED_WithoutADevice) {
  EXPECT_FALSE(cuda_available());
  const std::string text = error_text(ErrorKind::device, [] { (void)cuda_backend(); });
  EXPECT_EQ(
      text.find(std::string("there is no CUDA device 0: ") + cudaGetErrorString(cudaErrorNoDevice)),
      0U)
      << text;
  EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << text;
  Solver<double> solver;
  ASSERT_TRUE(solver.compute(generate("poisson2d 6").view()).ok());
  EXPECT_EQ(solver.backend().kind(), BackendKind::cpu);
  EXPECT_NE(solver.analysis().target_reason.find(text), std::string::npos)
      << solver.analysis().target_reason;
}

TEST(InOwnProcess, DISABLED_ForkBeforeTheFirstCall) {
  const auto calls = [] { DeviceCalls(0, [](const char*) {}).run(nullptr); };
  EXPECT_EQ(in_child(calls), 0);
  calls();
}

TEST(InOwnProcess, DISABLED_ForkAfterTheFirstCall) {
  DeviceCalls calls(0, [](const char*) {});
  calls.make();
  EXPECT_EQ(in_child([&] {
              EXPECT_FALSE(cuda_available());
              const std::string hint =
                  "a process that was forked from one that has used CUDA cannot use it";
              const std::string made = error_text(ErrorKind::device, [] { (void)cuda_backend(); });
              EXPECT_NE(made.find(hint), std::string::npos) << made;
              const std::string used = error_text(
                  ErrorKind::device, [&] { calls.use(nullptr); });  // uses the parent's factor
              EXPECT_NE(used.find(hint), std::string::npos) << used;
            }),
            0);
  calls.use(nullptr);  // the parent's factor still works
  calls.end();
}

}  // namespace
}  // namespace kauri::test
