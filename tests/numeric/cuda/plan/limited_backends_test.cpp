// Tests that the environment sets the multiprocessors of backends of tests that ask for none
// (tests/support/device/limited_backends.cpp), on a CUDA device and on the emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "kauri/kauri.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

/// Sets KAURI_TEST_MULTIPROCESSORS, and in the end to what it was.
class Limit {
 public:
  explicit Limit(const char* number) {
    if (const char* before = std::getenv(kName)) before_ = before;
    ::setenv(kName, number, 1);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { before_ ? ::setenv(kName, before_->c_str(), 1) : ::unsetenv(kName); }

 private:
  static constexpr const char* kName = "KAURI_TEST_MULTIPROCESSORS";
  std::optional<std::string> before_;
};

/// One multiprocessor is too few, which is refused, so each way to make a backend shows whether it
/// takes the number.
TEST(LimitedBackends, TakeTheEnvironmentsNumberUnlessATestGivesOne) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const auto refusal = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const auto a = generate("poisson2d 5");
  CudaOptions eight;
  eight.multiprocessors = 8;
  SolverOptions options;
  options.backend = BackendChoice::cuda;
  const Limit limit("1");
  const std::string refused = "cuda_backend: multiprocessors is 1, expected 0 or at least ";
  EXPECT_TRUE(refusal([&] { (void)cuda_backend(); }).starts_with(refused));
  EXPECT_TRUE(refusal([&] { (void)cuda_backend(CudaOptions{}); }).starts_with(refused));
  EXPECT_TRUE(refusal([&] {
                Solver<double> solver(options);
                (void)solver.compute(a.view());
              }).starts_with(refused));
  EXPECT_EQ(refusal([&] { (void)cuda_backend(eight); }), "no Error");
  {
    const Limit more("8");
    EXPECT_EQ(refusal([&] { (void)cuda_backend(); }), "no Error");
  }
  const Limit none("none");
  EXPECT_THROW((void)cuda_backend(), std::runtime_error);
}

}  // namespace
}  // namespace kauri::test
