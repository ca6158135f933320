// Tests CudaOptions::multiprocessors: bits, targets and kernels do not depend on it, and values out
// of range are refused; on a CUDA device and on the emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {
namespace {

CudaOptions with(int multiprocessors, bool portable = false) {
  CudaOptions options;
  options.multiprocessors = multiprocessors, options.portable = portable;
  return options;
}

/// Returns the solutions of 1, 5 and 32 columns, one after another, and the values of a second
/// factorisation.
template <class T>
std::vector<T> solutions(const SymmetricMatrix<double>& a, const std::shared_ptr<const Plan>& plan,
                         Backend& backend) {
  auto factor = Factor<T>::create(plan, backend);
  std::vector<T> all;
  const std::vector<T> value = cast<T>(a.value());
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(refactorize<T>(factor, value).ok());
  for (const Index columns : {1, 5, 32}) {
    if (columns == 32 && backend.device() == "emulated") break;
    std::vector<T> x(static_cast<std::size_t>(plan->n) * static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(1 + static_cast<int>(k % 7));
    auto workspace = Workspace<T>::create(factor, columns);
    factor.solve({x.data(), plan->n, columns, plan->n}, workspace);
    all.insert(all.end(), x.begin(), x.end());
  }
  return all;
}

TEST(Multiprocessors, ChangeNoBits) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const bool emulated = cuda_backend().device() == "emulated";  // slow
  const std::vector<const char*> specs =
      emulated ? std::vector{"poisson3d 8"} : std::vector{"poisson3d 11", "poisson2d 40"};
  const std::vector<int> parts = emulated ? std::vector{4, 33} : std::vector{4, 8, 33, 66};
  for (const char* spec : specs)
    for (const bool portable : {false, true}) {
      const auto a = generate(spec);
      Backend whole = cuda_backend(with(0, portable));
      AnalyzeOptions options;
      options.ordering.method = OrderingMethod::amd;
      options.target = whole.target();
      const auto plan = analyze(a.pattern(), options);
      const auto doubles = solutions<double>(a, plan, whole);
      const auto floats = solutions<float>(a, plan, whole);
      for (const int multiprocessors : parts) {
        SCOPED_TRACE(std::string(spec) + ", " + std::to_string(multiprocessors));
        Backend part = cuda_backend(with(multiprocessors, portable));
        EXPECT_EQ(part.target(), whole.target());
        for (const int bytes : {4, 8}) EXPECT_EQ(part.kernels(bytes), whole.kernels(bytes));
        EXPECT_EQ(solutions<double>(a, plan, part), doubles);
        EXPECT_EQ(solutions<float>(a, plan, part), floats);
      }
    }
}

TEST(Multiprocessors, OutOfRangeAreRefused) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const auto refusal = [](const CudaOptions& options) {
    return error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); });
  };
  EXPECT_TRUE(refusal(with(-1)).starts_with("cuda_backend: multiprocessors is -1, expected 0 to "));
  EXPECT_TRUE(refusal(with(100000)).ends_with(", which is all that the device has"));
  EXPECT_TRUE(
      refusal(with(1)).starts_with("cuda_backend: multiprocessors is 1, expected 0 or at least "))
      << refusal(with(1));
}

TEST(Multiprocessors, PortableKernelsAreNotHoppers) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  Backend backend = cuda_backend(with(0, true));
  EXPECT_NE(backend.kernels(8), "hopper");
  CudaOptions options = with(0, true);
  options.compute = CudaCompute::hopper;
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); }),
            "the kernels for Hopper are not portable; choose another CudaCompute, or portable = "
            "false");
}

}  // namespace
}  // namespace kauri::test
