// Tests that the environment sets the multiprocessors of backends of tests that ask for none, and
// portable kernels (tests/support/device/limited_backends.cpp), on a CUDA device and on the
// emulated one.
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

/// Sets a variable of the environment, or removes it without a value, and in the end makes it what
/// it was.
class Variable {
 public:
  explicit Variable(const char* name, const char* value = nullptr) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

/// Sets KAURI_TEST_MULTIPROCESSORS.
struct Limit : Variable {
  explicit Limit(const char* number) : Variable("KAURI_TEST_MULTIPROCESSORS", number) {}
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

/// Doubles of a Hopper device show which kernels a backend has.
TEST(LimitedBackends, HavePortableKernelsIfTheEnvironmentSaysSo) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const char* name = "KAURI_TEST_PORTABLE";
  const auto own = [&] {
    const Variable none(name);
    return cuda_backend().kernels(8);
  }();
  CudaOptions portable, hopper;
  portable.portable = true;
  hopper.compute = CudaCompute::hopper;
  const auto expected = [&] {
    const Variable none(name);
    return cuda_backend(portable).kernels(8);
  }();
  const Variable forced(name, "1");
  EXPECT_EQ(cuda_backend().kernels(8), expected);
  EXPECT_EQ(cuda_backend(CudaOptions{}).kernels(8), expected);
  EXPECT_NE(expected, "hopper");
  if (own == "hopper") {
    EXPECT_EQ(cuda_backend(hopper).kernels(8), "hopper");
  }
  const Variable other(name, "yes");
  EXPECT_THROW((void)cuda_backend(), std::runtime_error);
}

}  // namespace
}  // namespace kauri::test
