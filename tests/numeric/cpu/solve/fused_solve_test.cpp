// Tests FusedSolve on the CPU, whose calls return after all work is done.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/bodies/fused.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri {
namespace {

template <class T>
class FusedSolves : public ::testing::Test {
 protected:
  using Array = test::HostArray<T>;
  static constexpr double kTolerance = 10 * test::inverse_tolerance<T>();
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FusedSolves, Scalars);

std::shared_ptr<const Plan> cpu_plan(const Pattern& pattern) { return analyze(pattern); }

TYPED_TEST(FusedSolves, AreTheDenseOnes) {
  const test::ManyThreads many;
  std::vector<test::OwnedPattern> patterns = test::hard_patterns();
  for (std::uint64_t seed = 0; seed < test::seeds(40); ++seed)
    patterns.push_back(test::random_pattern(static_cast<Index>(1 + seed * 13 % 50),
                                            1.0 + static_cast<double>(seed % 5), seed));
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    test::fused_solves_are_the_dense_ones<TypeParam, typename TestFixture::Array>(
        backend, cpu_plan, patterns, {1, 2, 9}, TestFixture::kTolerance);
  }
}

TYPED_TEST(FusedSolves, AreAsGoodAsThoseOfFactors) {
  Backend backend = cpu_backend(2);
  test::fused_errors_are_those_of_factors<TypeParam>(
      backend, cpu_plan,
      {"poisson2d 40", "elast3d 5", "tree 3000 1", "arrow 400 2", "blockdiag 30 7",
       "poisson3d 12"});
}

TYPED_TEST(FusedSolves, TellWhereThereIsNoFactor) {
  Backend backend = cpu_backend(1);
  test::fused_breakdowns<TypeParam, typename TestFixture::Array>(backend, cpu_plan,
                                                                 test::seeds(80));
}

TYPED_TEST(FusedSolves, NameWhatIsNotFinite) {
  Backend backend = cpu_backend(1);
  for (const test::OwnedPattern& a : {test::grid_pattern(5, 4, 1), test::dense_pattern(100)})
    test::fused_solves_name_what_is_not_finite<TypeParam, typename TestFixture::Array>(backend,
                                                                                       cpu_plan, a);
}

TYPED_TEST(FusedSolves, InAnyUnits) {
  Backend backend = cpu_backend(1);
  test::fused_solves_in_any_units<TypeParam, typename TestFixture::Array>(
      backend, cpu_plan,
      {test::grid_pattern(6, 5, 2), test::dense_pattern(64), test::dense_pattern(100)},
      TestFixture::kTolerance);
}

TYPED_TEST(FusedSolves, HaveTheVerdictsOfFactors) {
  Backend backend = cpu_backend(1);
  test::fused_verdicts_are_those_of_factors<TypeParam>(backend, cpu_plan, test::hard_patterns());
}

TYPED_TEST(FusedSolves, CountTheirBytes) {
  Backend backend = cpu_backend(1);
  test::fused_solves_count_their_bytes<TypeParam>(backend, cpu_plan);
}

TYPED_TEST(FusedSolves, Refuse) {
  Backend backend = cpu_backend(1);
  test::what_fused_solves_refuse<TypeParam>(backend, cpu_plan);
}

TYPED_TEST(FusedSolves, HaveNoStreams) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const auto a = test::chain_pattern(3);
  auto fused = FusedSolve<T>::create(a.view(), analyze(a.view()), backend);
  const auto values = DeviceValues<T>::copy_of(std::vector<T>{4, 1, 4, 1, 4}, backend);
  std::vector<T> x(3, T(1));
  const DeviceMatrixView<T> there({x.data(), 3, 1, 3});
  int stream = 0;
  EXPECT_EQ(test::error_text(ErrorKind::usage,
                             [&] { fused.enqueue_solve(values, there, there, &stream); }),
            "a fused solve on the CPU has no streams: pass null");
  EXPECT_EQ(x, std::vector<T>(3, T(1)));
}

}  // namespace
}  // namespace kauri
