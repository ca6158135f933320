// Tests Refiner on the CPU, whose calls return after all work is done.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/bodies/refiner.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

template <class T>
class Refiners : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Refiners, Scalars);

std::shared_ptr<const Plan> cpu_plan(const Pattern& pattern) { return analyze(pattern); }

TYPED_TEST(Refiners, RefineAsTheNaiveLoop) {
  const test::ManyThreads many;
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    test::refinement_is_the_naive_loops<TypeParam, test::HostArray<TypeParam>>(
        backend, cpu_plan,
        {"poisson2d 1", "poisson2d 23", "elast3d 4", "tree 700 1", "arrow 400 2",
         "blockdiag 30 7"});
  }
}

TYPED_TEST(Refiners, RefineNothing) {
  Backend backend = cpu_backend(1);
  test::refinement_of_nothing<TypeParam, test::HostArray<TypeParam>>(backend, cpu_plan);
}

TYPED_TEST(Refiners, TakeTheValuesSetLast) {
  Backend backend = cpu_backend(2);
  test::refinement_is_with_the_values_set_last<TypeParam, test::HostArray<TypeParam>>(backend,
                                                                                      cpu_plan);
}

TYPED_TEST(Refiners, SayWhereThereIsNoFactor) {
  Backend backend = cpu_backend(1);
  test::refinement_without_a_factor<TypeParam, test::HostArray<TypeParam>>(backend, cpu_plan);
}

TYPED_TEST(Refiners, Refuse) {
  Backend backend = cpu_backend(1), other = cpu_backend(1);
  test::what_refiners_refuse<TypeParam, test::HostArray<TypeParam>>(backend, other, cpu_plan);
}

TYPED_TEST(Refiners, HaveNoStreams) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const auto a = generate("poisson2d 4");
  const test::RefineCase<T> c{a, test::cast<T>(a.value())};
  const auto factor = test::filled_factor(c, backend, cpu_plan);
  auto workspace = Workspace<T>::create(factor, 1);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 1);
  const auto values = DeviceValues<T>::copy_of(c.value, backend);
  int stream = 0;
  std::vector<T> b(16, T(1)), x(16, T(0));
  const DeviceMatrixView<T> bs({b.data(), 16, 1, 16}), xs({x.data(), 16, 1, 16});
  const std::string refused = "a factor on the CPU has no streams: pass null";
  const auto said = [&](const auto& f) { return test::error_text(ErrorKind::usage, f); };
  EXPECT_EQ(said([&] { refiner.enqueue_values(values, &stream); }), refused);
  refiner.set_values(values);
  EXPECT_EQ(said([&] { refiner.enqueue_refine(factor, bs, xs, workspace, &stream); }), refused);
  EXPECT_EQ(said([&] { (void)refiner.fetch_report(&stream); }), refused);
  EXPECT_EQ(x, std::vector<T>(16, T(0)));
}

/// A cancelled refinement keeps the best x and no other state.
TYPED_TEST(Refiners, AreCancelled) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const auto a = generate("poisson2d 12");
  const test::RefineCase<T> c{a, test::cast<T>(a.value())};
  const auto factor = test::filled_factor(c, backend, cpu_plan);
  auto workspace = Workspace<T>::create(factor, 1);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 1);
  refiner.set_values(DeviceValues<T>::copy_of(c.value, backend));
  const Index n = a.n();
  std::vector<T> b(static_cast<std::size_t>(n), T(1)), x(b.size(), T(0));
  const DeviceMatrixView<T> bs({b.data(), n, 1, n}), xs({x.data(), n, 1, n});
  std::stop_source source;
  RefineOptions options;
  options.stop = source.get_token();
  source.request_stop();
  EXPECT_NE(test::error_text(ErrorKind::cancelled,
                             [&] { (void)refiner.refine(factor, bs, xs, workspace, options); }),
            "no Error");
  EXPECT_NE(test::error_text(
                ErrorKind::cancelled,
                [&] { refiner.enqueue_refine(factor, bs, xs, workspace, nullptr, options); }),
            "no Error");
  EXPECT_EQ(x, std::vector<T>(b.size(), T(0)));
  EXPECT_EQ(refiner.refine(factor, bs, xs, workspace).unrefined.componentwise, 1);
  EXPECT_NE(x, std::vector<T>(b.size(), T(0)));
}

}  // namespace
}  // namespace kauri
