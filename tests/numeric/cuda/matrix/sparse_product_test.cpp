// Tests SparseProduct on a CUDA device and on the emulated one: on streams, in graphs, and without
// the host.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numeric/cuda/matrix/spmv/choice.hpp"
#include "tests/numeric/cuda/runtime/held.hpp"
#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/support/bodies/product.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class T>
class CudaProducts : public ::testing::Test {
 protected:
  using Array = CallerArray<T>;
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    backend_.emplace(cuda_backend());
  }
  Backend& backend() { return *backend_; }
  /// Returns whether the device is the emulated one, which is slow.
  bool emulated() { return backend().device() == "emulated"; }
  static DeviceMatrixView<T> view(const CallerArray<T>& x, Index n, Index cols) {
    return DeviceMatrixView<T>({x.data(), n, cols, n});
  }
  static std::vector<T> values(const SymmetricMatrix<double>& a) { return cast<T>(a.value()); }

 private:
  std::optional<Backend> backend_;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaProducts, Scalars);

TYPED_TEST(CudaProducts, AreExactForIntegers) {
  products_are_exact_for_integers<TypeParam, typename TestFixture::Array>(this->backend(),
                                                                          !this->emulated());
}

TYPED_TEST(CudaProducts, RoundAsSumsDo) {
  products_round_as_they_say<TypeParam, typename TestFixture::Array>(this->backend(), false,
                                                                     this->emulated() ? 40 : 200);
}

TYPED_TEST(CudaProducts, HaveTheBitsOfSingleColumns) {
  const std::vector<Index> few{1, 9}, many{1, 3, 9, 33};
  products_in_either_layout<TypeParam, typename TestFixture::Array>(
      this->backend(), {grid_pattern(3, 5, 4), star_pattern(1500, 77), dense_pattern(40)},
      this->emulated() ? few : many);
}

TYPED_TEST(CudaProducts, BringNanAndInfinityOn) {
  products_bring_nan_and_infinity_on<TypeParam, typename TestFixture::Array>(this->backend(),
                                                                             !this->emulated());
}

TYPED_TEST(CudaProducts, OfHugeAndTinyNumbers) {
  products_of_huge_and_tiny_numbers<TypeParam, typename TestFixture::Array>(this->backend());
}

TYPED_TEST(CudaProducts, AreWithTheValuesSetLast) {
  products_are_with_the_values_set_last<TypeParam, typename TestFixture::Array>(this->backend());
}

TYPED_TEST(CudaProducts, CountTheirBytes) {
  products_count_their_bytes<TypeParam>(this->backend());
}

/// Memory of the host is refused, too.
TYPED_TEST(CudaProducts, Refuse) {
  using T = TypeParam;
  what_products_refuse<T, CallerArray<T>>(this->backend());
  const OwnedPattern pattern = chain_pattern(9);
  auto product = SparseProduct<T>::create(pattern.view(), this->backend());
  std::vector<T> value(17, T(1)), host(9, T(1));
  const std::string where = " is not in the memory of CUDA device 0 but in the host's";
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  const auto borrowed = DeviceValues<T>::borrow(value);
  EXPECT_EQ(refused([&] { product.set_values(borrowed); }), "SparseProduct: value" + where);
  EXPECT_EQ(refused([&] { product.enqueue_values(borrowed, nullptr); }),
            "SparseProduct: value" + where);
  product.set_values(value);
  const CallerArray<T> there(host);
  const DeviceMatrixView<T> here({host.data(), 9, 1, 9}), right = this->view(there, 9, 1);
  EXPECT_EQ(refused([&] { product.multiply(T(1), here, T(0), right); }),
            "SparseProduct: x" + where);
  EXPECT_EQ(refused([&] { product.enqueue_multiply(T(1), right, T(0), here, nullptr); }),
            "SparseProduct: y" + where);
}

/// Each kind of kernel runs a time step as one graph, replayed with new values, x and y, several
/// columns and both layouts.
TYPED_TEST(CudaProducts, ReplaysMultiplyWithTheNumbersOfTheDay) {
  using T = TypeParam;
  const CallerStream stream;
  int merged = 0;
  for (const char* spec : {"poisson2d 12", "arrow 2500 2", "blockdiag 90 45"}) {
    const auto a = generate(spec);
    const Index n = a.n(), cols = 3;
    const auto size = static_cast<std::size_t>(n * cols);
    merged += numeric::cuda::choose_spmv(numeric::cuda::full_rows(a.pattern())).way ==
                      numeric::cuda::SpmvWay::merge
                  ? 1
                  : 0;
    auto product = SparseProduct<T>::create(a.pattern(), this->backend());
    auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
    CallerArray<T> x(std::vector<T>(size, T(0))), y(std::vector<T>(size, T(0))),
        z(std::vector<T>(size, T(0)));
    const DeviceMatrixView<T> rows_of_y({y.data(), n, cols, cols, Layout::row_major});
    const CallerGraph graph(stream, [&](cudaStream_t s) {
      product.enqueue_values(there, s);
      product.enqueue_multiply(T(-1), this->view(x, n, cols), T(1), rows_of_y, s);
      product.enqueue_multiply(T(0.5), rows_of_y, T(0), this->view(z, n, cols), s);
    });
    for (int round = 0; round < 3; ++round) {
      const std::vector<T> value = small_integers<T>(static_cast<std::size_t>(a.nnz()),
                                                     static_cast<std::uint64_t>(round)),
                           from = small_integers<T>(size, 10), before = small_integers<T>(size, 11);
      there.assign(value);
      x.assign(from), y.assign(before);
      graph.launch(stream);
      auto host = SparseProduct<T>::create({a.pattern(), value}, this->backend());
      std::vector<T> expected = before, last(size);
      const MatrixView<T> rows{expected.data(), n, cols, cols, Layout::row_major};
      host.multiply(T(-1), MatrixView<const T>{from.data(), n, cols, n}, T(1), rows);
      host.multiply(T(0.5), rows, T(0), {last.data(), n, cols, n});
      EXPECT_EQ(y.fetch(), expected) << spec << " " << round;
      EXPECT_EQ(z.fetch(), last) << spec << " " << round;
    }
  }
  EXPECT_EQ(merged, 1);
}

/// No enqueued call makes the host wait.
TYPED_TEST(CudaProducts, ReturnWhileTheStreamIsHeldUp) {
  if (!streams_are_apart()) GTEST_SKIP() << kStreamsShareQueues;
  using T = TypeParam;
  const CallerStream stream;
  for (const char* spec : {"poisson2d 6", "arrow 2500 2"}) {
    const auto a = generate(spec);
    const Index n = a.n();
    auto product = SparseProduct<T>::create(a.pattern(), this->backend());
    const auto value = DeviceValues<T>::copy_of(this->values(a), this->backend());
    const CallerArray<T> x(dense_numbers<T>(n, 1, 1)), y(dense_numbers<T>(n, 1, 2));
    const std::vector<T> before = dense_numbers<T>(n, 1, 2);
    {
      Held held(stream);
      product.enqueue_values(value, stream.get());
      product.enqueue_multiply(T(2), this->view(x, n, 1), T(1), this->view(y, n, 1), stream.get());
      product.enqueue_multiply(T(-2), this->view(x, n, 1), T(1), this->view(y, n, 1), stream.get());
      ASSERT_TRUE(held.holds()) << "a call waited for the stream";
    }
    require(cudaStreamSynchronize(stream.get()));
    const std::vector<T> found = y.fetch();
    const NaiveProduct size(a.pattern(), this->values(a), x.fetch(), 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LE(std::abs(found[i] - before[i]),
                4 * std::numeric_limits<T>::epsilon() * static_cast<T>(1 + size.magnitude[i]))
          << spec;
  }
}

/// A product takes one allocation of as many bytes as it reports; calls with host memory allocate
/// more during the call. If an allocation fails, nothing remains held, and later calls work.
TYPED_TEST(CudaProducts, AreOneAllocationThatMayFail) {
  using T = TypeParam;
  Hook hook;
  Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = hook.allocator()});
  for (const char* spec : {"poisson2d 1", "elast3d 2", "arrow 2500 2"}) {
    const auto a = generate(spec);
    const Index n = a.n(), cols = 2;
    const std::vector<T> value = this->values(a), numbers = dense_numbers<T>(n, cols, 1);
    const auto there = DeviceValues<T>::copy_of(value, backend);
    const std::size_t alive = hook.alive();
    const Offset before = hook.bytes(), counted = backend.bytes_in_use();
    hook.fail_at(0);
    EXPECT_EQ(
        error_text(ErrorKind::memory, [&] { (void)SparseProduct<T>::create(a.pattern(), backend); })
            .find("not enough device memory: "),
        0U);
    EXPECT_EQ(hook.alive(), alive);
    EXPECT_EQ(backend.bytes_in_use(), counted);
    hook.fail_at(1);
    auto product = SparseProduct<T>::create(a.pattern(), backend);
    EXPECT_EQ(hook.alive(), alive + 1);
    EXPECT_EQ(hook.bytes(), before + product.bytes()) << spec;
    EXPECT_EQ(backend.bytes_in_use(), counted + product.bytes()) << spec;
    const CallerArray<T> x(numbers), y(numbers);
    product.set_values(there);
    product.enqueue_values(there, nullptr);
    product.multiply(T(1), this->view(x, n, cols), T(0), this->view(y, n, cols));
    product.enqueue_multiply(T(1), this->view(x, n, cols), T(0), this->view(y, n, cols), nullptr);
    const std::vector<T> expected = y.fetch();
    EXPECT_FALSE(hook.failed()) << "a call on the device took memory";
    std::vector<T> from = numbers, to(numbers.size());
    const MatrixView<T> xs{from.data(), n, cols, n}, ys{to.data(), n, cols, n};
    hook.fail_at(0);
    EXPECT_NE(error_text(ErrorKind::memory, [&] { product.set_values(value); }), "no Error");
    hook.fail_at(0);
    EXPECT_NE(error_text(ErrorKind::memory, [&] { product.multiply(T(1), xs, T(0), ys); }),
              "no Error");
    hook.fail_at(std::numeric_limits<long>::max());
    product.set_values(value);
    product.multiply(T(1), xs, T(0), ys);
    EXPECT_EQ(to, expected) << spec;
    EXPECT_EQ(hook.alive(), alive + 1);
    EXPECT_EQ(backend.bytes_in_use(), counted + product.bytes()) << spec;
  }
  EXPECT_EQ(hook.alive(), 0U);
  EXPECT_TRUE(hook.sound());
}

/// Several products run at once, each on its own stream.
TYPED_TEST(CudaProducts, OfManyStreamsHaveTheBitsOfOneAlone) {
  using T = TypeParam;
  const auto a = generate(this->emulated() ? "arrow 2500 2" : "arrow 60000 3");
  const Index n = a.n(), cols = 5;
  const std::vector<T> value = this->values(a), x = dense_numbers<T>(n, cols, 1),
                       y = dense_numbers<T>(n, cols, 2);
  const CallerArray<T> xs(x);
  auto alone = SparseProduct<T>::create({a.pattern(), value}, this->backend());
  const CallerArray<T> ys(y);
  alone.multiply(T(0.3), this->view(xs, n, cols), T(-0.9), this->view(ys, n, cols));
  const std::vector<T> expected = ys.fetch();
  struct One {
    One(const Pattern& pattern, Backend& backend, const std::vector<T>& start)
        : product(SparseProduct<T>::create(pattern, backend)), to(start) {}
    CallerStream stream;
    SparseProduct<T> product;
    CallerArray<T> to;
  };
  const auto there = DeviceValues<T>::copy_of(value, this->backend());
  std::vector<std::unique_ptr<One>> all;
  for (int k = 0; k < 4; ++k) all.push_back(std::make_unique<One>(a.pattern(), this->backend(), y));
  for (int round = 0; round < (this->emulated() ? 1 : 20); ++round) {
    for (auto& one : all) one->to.assign(y);
    for (auto& one : all) one->product.enqueue_values(there, one->stream.get());
    for (auto& one : all)
      one->product.enqueue_multiply(T(0.3), this->view(xs, n, cols), T(-0.9),
                                    this->view(one->to, n, cols), one->stream.get());
    for (auto& one : all) ASSERT_EQ(one->to.fetch(), expected) << round;
  }
}

}  // namespace
}  // namespace kauri::test
