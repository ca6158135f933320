// Tests SparseProduct on the CPU, whose calls return after all work is done.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/bodies/product.hpp"
#include "tests/support/bodies/refiner.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

template <class T>
class SparseProducts : public ::testing::Test {
 protected:
  using Array = test::HostArray<T>;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseProducts, Scalars);

TYPED_TEST(SparseProducts, AreExactForIntegers) {
  const test::ManyThreads many;
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    test::products_are_exact_for_integers<TypeParam, typename TestFixture::Array>(backend, true);
  }
}

/// A float product rounds once, from a sum in double.
TYPED_TEST(SparseProducts, RoundAsSumsInDoubleDo) {
  Backend backend = cpu_backend(1);
  test::products_round_as_they_say<TypeParam, typename TestFixture::Array>(
      backend, sizeof(TypeParam) == 4, test::seeds(400));
}

TYPED_TEST(SparseProducts, HaveTheBitsOfSingleColumns) {
  Backend backend = cpu_backend(2);
  test::products_in_either_layout<TypeParam, typename TestFixture::Array>(
      backend, {test::grid_pattern(3, 5, 4), test::star_pattern(500, 77), test::dense_pattern(40)},
      {1, 2, 9, 33});
}

TYPED_TEST(SparseProducts, BringNanAndInfinityOn) {
  Backend backend = cpu_backend(1);
  test::products_bring_nan_and_infinity_on<TypeParam, typename TestFixture::Array>(backend, true);
}

TYPED_TEST(SparseProducts, OfHugeAndTinyNumbers) {
  Backend backend = cpu_backend(1);
  test::products_of_huge_and_tiny_numbers<TypeParam, typename TestFixture::Array>(backend);
}

TYPED_TEST(SparseProducts, AreWithTheValuesSetLast) {
  Backend backend = cpu_backend(2);
  test::products_are_with_the_values_set_last<TypeParam, typename TestFixture::Array>(backend);
}

TYPED_TEST(SparseProducts, CountTheirBytes) {
  Backend backend = cpu_backend(1);
  test::products_count_their_bytes<TypeParam>(backend);
}

TYPED_TEST(SparseProducts, Refuse) {
  Backend backend = cpu_backend(1);
  test::what_products_refuse<TypeParam, typename TestFixture::Array>(backend);
}

/// The systems have rows that several threads share, and long rows; the product is close to
/// multiply(), which sums in twice the precision.
TYPED_TEST(SparseProducts, HaveTheSameBitsByAnyNumberOfThreads) {
  using T = TypeParam;
  const test::ManyThreads many;
  for (const char* spec : {"lap27 22", "arrow 9000 5", "tree 3000 1"}) {
    const auto a = generate(spec);
    const Index n = a.n(), cols = 2;
    const std::vector<T> value = test::cast<T>(a.value()), x = test::dense_numbers<T>(n, cols, 1),
                         y = test::dense_numbers<T>(n, cols, 2);
    std::vector<T> precise(x.size()), expected, scaled;
    Backend one = cpu_backend(1);
    multiply<T>({a.pattern(), value}, {x.data(), n, cols, n}, {precise.data(), n, cols, n}, one);
    const test::NaiveProduct naive(a.pattern(), value, x, cols);
    for (const int threads : {1, 2, 5}) {
      Backend backend = cpu_backend(threads);
      auto product = SparseProduct<T>::create({a.pattern(), value}, backend);
      std::vector<T> found = y;
      product.multiply(T(1), {x.data(), n, cols, n}, T(0), {found.data(), n, cols, n});
      if (expected.empty()) expected = found;
      EXPECT_TRUE(test::is_same(found, expected)) << spec << ", " << threads << " threads";
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_LE(std::abs(found[k] - precise[k]),
                  (naive.entries[k % static_cast<std::size_t>(n)] + 1) *
                      std::numeric_limits<T>::epsilon() * naive.magnitude[k]);
      found = y;
      product.multiply(T(0.3), {x.data(), n, cols, n}, T(-1.1), {found.data(), n, cols, n});
      if (scaled.empty()) scaled = found;
      EXPECT_TRUE(test::is_same(found, scaled)) << spec << ", " << threads << " threads";
    }
  }
}

TYPED_TEST(SparseProducts, HaveNoStreams) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const auto pattern = test::chain_pattern(3);
  auto product = SparseProduct<T>::create(pattern.view(), backend);
  const auto value = DeviceValues<T>::copy_of(std::vector<T>(5, T(1)), backend);
  int stream = 0;
  std::vector<T> x(3, T(1)), y(3, T(0));
  const DeviceMatrixView<T> xs({x.data(), 3, 1, 3}), ys({y.data(), 3, 1, 3});
  const auto said = [](const auto& f) { return test::error_text(ErrorKind::usage, f); };
  const std::string refused = "a product on the CPU has no streams: pass null";
  EXPECT_EQ(said([&] { product.enqueue_values(value, &stream); }), refused);
  product.set_values(value);
  EXPECT_EQ(said([&] { product.enqueue_multiply(T(1), xs, T(0), ys, &stream); }), refused);
  EXPECT_EQ(y, std::vector<T>(3, T(0)));
}

}  // namespace
}  // namespace kauri
