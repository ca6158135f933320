// Tests CudaOptions::multiprocessors: bits, targets and kernels do not depend on it, and values out
// of range are refused; on a CUDA device and on the emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {
namespace {

CudaOptions with(int multiprocessors, bool portable = false,
                 CudaCompute compute = CudaCompute::automatic) {
  CudaOptions options;
  options.multiprocessors = multiprocessors, options.portable = portable;
  options.compute = compute;
  return options;
}

/// A system and kernels.
struct Case {
  const char* spec;
  bool portable;
  CudaCompute compute;
  std::vector<int> parts;        ///< numbers of multiprocessors
  std::vector<Index> columns{};  ///< numbers of right-hand sides
};

/// Returns cases with large and small fronts, narrow ones and paths. The emulated device is slow,
/// so the systems take turns there.
std::vector<Case> cases(bool emulated) {
  using enum CudaCompute;
  if (emulated)
    return {{"poisson3d 8", false, automatic, {33}, {1, 5}},
            {"blockdiag 240 30", true, automatic, {4}, {1, 8, 12}},
            {"poisson2d 15", true, fma, {8}, {1, 17}}};
  std::vector<Case> out;
  for (const char* spec :
       {"poisson3d 11", "poisson2d 40", "blockdiag 900 30", "blockdiag 520 130", "tree 3000 1"})
    for (const auto& [portable, compute] :
         {std::pair(false, automatic), std::pair(true, automatic), std::pair(true, fma)})
      out.push_back({spec, portable, compute, {4, 8, 33, 66}, {1, 5, 8, 9, 32, 40}});
  return out;
}

/// Returns the solutions of each number of columns, one after another, after a second
/// factorisation.
template <class T>
std::vector<T> solutions(const SymmetricMatrix<double>& a, const std::shared_ptr<const Plan>& plan,
                         const std::vector<Index>& numbers, Backend& backend) {
  auto factor = Factor<T>::create(plan, backend);
  std::vector<T> all;
  const std::vector<T> value = cast<T>(a.value());
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(refactorize<T>(factor, value).ok());
  for (const Index columns : numbers) {
    std::vector<T> x(static_cast<std::size_t>(plan->n) * static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(1 + static_cast<int>(k % 7));
    auto workspace = Workspace<T>::create(factor, columns);
    factor.solve({x.data(), plan->n, columns, plan->n}, workspace);
    all.insert(all.end(), x.begin(), x.end());
  }
  return all;
}

/// Prints the bits of x as a number, by which bench/device/run compares processes: they may see
/// parts of a device of different sizes.
template <class T>
void print_bits(const Case& of, const char* scalar, const std::vector<T>& x) {
  std::uint64_t sum = 14695981039346656037U;  // FNV-1a
  for (const std::byte b : std::as_bytes(std::span(x)))
    sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 1099511628211U;
  std::printf("bits of %s, %s, portable %d, compute %d: %016llx\n", of.spec, scalar,
              static_cast<int>(of.portable), static_cast<int>(of.compute),
              static_cast<unsigned long long>(sum));
}

void same_bits_by_any_part(const Case& of, int all) {
  const auto a = generate(of.spec);
  Backend whole = cuda_backend(with(0, of.portable, of.compute));
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  options.target = whole.target();
  const auto plan = analyze(a.pattern(), options);
  const auto doubles = solutions<double>(a, plan, of.columns, whole);
  const auto floats = solutions<float>(a, plan, of.columns, whole);
  print_bits(of, "double", doubles), print_bits(of, "float", floats);
  for (const int multiprocessors : of.parts) {
    if (multiprocessors > all) continue;  // a device, or a part of one, with fewer of them
    SCOPED_TRACE(multiprocessors);
    Backend part = cuda_backend(with(multiprocessors, of.portable, of.compute));
    EXPECT_EQ(part.target(), whole.target());
    for (const int bytes : {4, 8}) EXPECT_EQ(part.kernels(bytes), whole.kernels(bytes));
    EXPECT_TRUE(solutions<double>(a, plan, of.columns, part) == doubles);
    EXPECT_TRUE(solutions<float>(a, plan, of.columns, part) == floats);
  }
}

TEST(Multiprocessors, ChangeNoBits) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  int all = 0;
  require(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
  for (const Case& of : cases(cuda_backend().device() == "emulated")) {
    SCOPED_TRACE(std::string(of.spec) + (of.portable ? ", portable" : ""));
    same_bits_by_any_part(of, all);
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
