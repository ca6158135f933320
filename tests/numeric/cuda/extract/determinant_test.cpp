// Tests log-determinants on a CUDA device and on the emulated one: against the diagonal of L,
// against the CPU's, on streams and in graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaDeterminants : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  std::shared_ptr<const Plan> plan_with(const Pattern& pattern, AnalyzeOptions options) {
    options.target = this->backend().target();
    return this->plan(pattern, options);
  }
  static AnalyzeOptions in_caller_order() {
    AnalyzeOptions options;
    options.ordering.method = OrderingMethod::natural;
    options.amalgamate = false;
    return options;
  }
  static Factor<Value> made_of(const std::shared_ptr<const Plan>& plan,
                               const std::vector<Value>& value, Backend& backend) {
    auto factor = Factor<Value>::create(plan, backend);
    EXPECT_TRUE(refactorize<Value>(factor, value).ok());
    return factor;
  }
};
TYPED_TEST_SUITE(CudaDeterminants, Ways, WayNumbers);

/// The log-determinant equals the sum of the diagonal's logarithms in more than twice the precision
/// to 4 u of it and 22 n u^2; a factor on the CPU agrees with its own L as well.
TYPED_TEST(CudaDeterminants, LogDeterminantsAreThoseOfTheDiagonalAndOfTheCpu) {
  using T = typename TypeParam::T;
  constexpr double u = 0x1p-53;
  const auto of_diagonal = [](const Factor<T>& factor) {
    long double sum = 0, rest = 0, size = 0;
    for (const T pivot : lower_diagonal(factor)) {
      const long double whole = 2 * std::log(static_cast<long double>(pivot)), term = whole - rest,
                        next = sum + term;
      rest = next - sum - term;
      sum = next, size += std::abs(whole);
    }
    return std::pair(sum, static_cast<double>(size));
  };
  Backend cpu = cpu_backend(1);
  for (std::uint64_t seed = 0; seed < ((this->backend().device() == "emulated") ? 12U : 100U);
       ++seed) {
    SCOPED_TRACE(seed);
    const OwnedPattern a =
        random_pattern(static_cast<Index>(1 + 13 * seed), 1 + static_cast<int>(seed % 4), seed);
    std::vector<T> value = random_dominant<T>(a.view(), seed);
    const int scale = static_cast<int>(seed % 5) - 2;  // scales to the ends of the range of T
    for (T& v : value) v = std::ldexp(v, scale * (sizeof(T) == 8 ? 400 : 40));
    AnalyzeOptions options;
    const auto factor = this->made_of(this->plan_with(a.view(), options), value, this->backend());
    options.permutation = factor.plan().perm;
    const auto theirs = this->made_of(analyze(a.view(), options), value, cpu);
    const auto [exact, size] = of_diagonal(factor);
    const double found = log_determinant(factor), n = static_cast<double>(a.n());
    EXPECT_LE(std::abs(static_cast<double>(found - exact)),
              4.01 * u * std::abs(found) + 22 * n * u * u + 0x1p-62 * size);
    EXPECT_EQ(log_determinant(factor), found) << "again";
    EXPECT_NEAR(found, log_determinant(theirs),
                2 * u * size + 20 * n * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
}

/// The systems have many small or tiled fronts, whose pivots several thread blocks multiply.
TYPED_TEST(CudaDeterminants, LogDeterminantsOfManyFronts) {
  using T = typename TypeParam::T;
  for (const char* spec : {"blockdiag 700 2", "tree 300 1", "blockdiag 300 150"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto factor = this->made_of(this->plan_with(a.pattern(), this->in_caller_order()),
                                      cast<T>(a.value()), this->backend());
    long double exact = 0;
    for (const T pivot : lower_diagonal(factor))
      exact += 2 * std::log(static_cast<long double>(pivot));
    EXPECT_NEAR(log_determinant(factor), static_cast<double>(exact),
                1e-15 * std::abs(static_cast<double>(exact)));
  }
}

TYPED_TEST(CudaDeterminants, LogDeterminantsOfNothingAndOfOne) {
  using T = typename TypeParam::T;
  const OwnedPattern nothing = pattern_of(0, {}), one = pattern_of(1, {});
  EXPECT_EQ(
      log_determinant(this->made_of(this->plan_with(nothing.view(), {}), {}, this->backend())), 0);
  for (const double value : {1.0, 2.0, 0.5, 3.0, 1e-30, 1e30}) {
    const auto factor =
        this->made_of(this->plan_with(one.view(), {}), {static_cast<T>(value)}, this->backend());
    const double expected = 2 * std::log(static_cast<double>(factor.entry(0, 0)));
    EXPECT_NEAR(log_determinant(factor), expected, 0x1p-50 * std::abs(expected)) << value;
  }
}

/// Log-determinants enqueued on a stream or in a graph directly after a factorisation with an
/// unread verdict have the same bits, or are NaN.
TYPED_TEST(CudaDeterminants, LogDeterminantsAreLeftOnTheDevice) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a :
       {diagonal_pattern(400), grid_pattern(6, 6, 1)}) {  // two thread blocks, then one
    const Pattern pattern = a.view();
    const auto value = random_dominant<T>(pattern, 1);
    auto factor =
        Factor<T>::create(this->plan_with(pattern, this->in_caller_order()), this->backend());
    auto workspace = Workspace<T>::create(factor, 1);
    const CallerStream stream;
    const CallerArray<double> there(std::vector<double>(3, 7.0));
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    const double expected = log_determinant(factor);
    const Offset before = this->backend().bytes_in_use();
    factor.enqueue_log_determinant(there.data() + 1, workspace, stream.get());
    EXPECT_EQ(there.fetch(), (std::vector<double>{7, expected, 7}));
    EXPECT_EQ(this->backend().bytes_in_use(), before);
    auto values = DeviceValues<T>::copy_of(value, this->backend());
    const CallerGraph graph(stream, [&](cudaStream_t s) {
      enqueue_refactorize(factor, values, T(0), s);
      factor.enqueue_log_determinant(there.data(), workspace, s);
    });
    std::vector<T> bad = value, twice = value;
    bad[0] = T(-1);
    for (T& v : twice) v *= 4;
    for (const auto* numbers : std::initializer_list<const std::vector<T>*>{&bad, &twice, &value}) {
      values.assign(*numbers);
      graph.launch(stream);
      const double found = there.fetch()[0];
      EXPECT_EQ(std::isnan(found), numbers == &bad);
      if (numbers == &value) {
        EXPECT_EQ(found, expected);
      }
      if (numbers == &twice) {
        EXPECT_NEAR(found, expected + pattern.n * 2 * std::log(2.0), 1e-12 * pattern.n);
      }
    }
    ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
    const std::vector<T> b(static_cast<std::size_t>(pattern.n), T(1));
    std::vector<T> x = b, again = b;
    auto fresh = Workspace<T>::create(factor, 1);
    factor.solve({x.data(), pattern.n, 1, pattern.n}, fresh);
    factor.solve({again.data(), pattern.n, 1, pattern.n}, workspace);
    EXPECT_EQ(again, x) << "a workspace that a determinant went through";
  }
}

TYPED_TEST(CudaDeterminants, WhatEnqueuedLogDeterminantsRefuse) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : {diagonal_pattern(400), grid_pattern(6, 6, 1)}) {
    const Pattern pattern = a.view();
    const auto value = random_dominant<T>(pattern, 1);
    auto factor =
        Factor<T>::create(this->plan_with(pattern, this->in_caller_order()), this->backend());
    auto workspace = Workspace<T>::create(factor, 1);
    const CallerStream stream;
    const CallerArray<double> there(std::vector<double>(3, 7.0));
    const auto refused = [&](double* to, Workspace<T>& by) {
      return error_text(ErrorKind::usage,
                        [&] { factor.enqueue_log_determinant(to, by, stream.get()); });
    };
    EXPECT_EQ(refused(there.data(), workspace),
              "enqueue_log_determinant: the factor is not valid (no successful factorisation yet, "
              "or the last one broke down): call refactorize() first");
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    double host = 0;
    EXPECT_EQ(refused(nullptr, workspace),
              "enqueue_log_determinant: the place of the number is null, expected an address");
    EXPECT_EQ(refused(&host, workspace),
              "enqueue_log_determinant: the number is not in the memory of CUDA device 0 but in "
              "the host's");
    auto theirs = Workspace<T>::create(this->plan_with(pattern, {}), 1, this->backend());
    EXPECT_EQ(refused(there.data(), theirs),
              "solve: the workspace was made for another plan; make one for this factor");
    Backend cpu = cpu_backend(1);
    const auto on_cpu = this->made_of(analyze(pattern), value, cpu);
    auto of_cpu = Workspace<T>::create(on_cpu, 1);
    EXPECT_EQ(error_text(ErrorKind::usage,
                         [&] { on_cpu.enqueue_log_determinant(there.data(), of_cpu, nullptr); }),
              "enqueue_log_determinant: the factor is on the CPU, expected one on a device");
  }
}

}  // namespace
}  // namespace kauri::test
