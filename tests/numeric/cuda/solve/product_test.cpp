// Tests products of matrices with L and its transpose on a CUDA device and on the emulated one: the
// bits of the host's calls, on streams and in graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

constexpr System kTriangles[] = {System::L, System::Lt};

template <class W>
class CudaFactorProducts : public OnCuda<W> {
 protected:
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  bool emulated() { return this->backend().device() == "emulated"; }
};
TYPED_TEST_SUITE(CudaFactorProducts, Ways, WayNumbers);

/// Computes x = L b, or L^T b, from the entries of L, column by column.
template <class T>
std::vector<double> product_of_entries(const LowerFactor<T>& l, bool transposed,
                                       const std::vector<T>& b, Index cols) {
  const auto n = static_cast<Index>(l.col_ptr.size() - 1);
  std::vector<double> x(b.size(), 0);
  for (Index c = 0; c < cols; ++c)
    for (Index j = 0; j < n; ++j)
      for (Offset k = l.col_ptr[j]; k < l.col_ptr[j + 1]; ++k) {
        const Index to = transposed ? j : l.row[k], from = transposed ? l.row[k] : j;
        x[Offset{c} * n + to] +=
            static_cast<double>(l.value[k]) * static_cast<double>(b[Offset{c} * n + from]);
      }
  return x;
}

/// Checks both calls on the device for workspaces of several widths, and that solves with the
/// workspace still work.
template <class T>
void expect_device_products(Backend& backend, const Factor<T>& factor, Index cols, Index room,
                            const std::function<bool()>& took_memory) {
  const Index n = factor.plan().n;
  const CallerStream stream;
  auto workspace = Workspace<T>::create(factor, room), fresh = Workspace<T>::create(factor, room);
  const std::vector<T> dense = dense_numbers<T>(n, cols, 4), others = dense_numbers<T>(n, cols, 5);
  std::vector<T> solution = dense;
  factor.solve({solution.data(), n, cols, n}, fresh);
  const Offset before = backend.bytes_in_use();
  for (const System system : kTriangles) {
    const auto of_host = [&](std::vector<T> x) {
      factor.multiply(system, {x.data(), n, cols, n}, {x.data(), n, cols, n}, workspace);
      return x;
    };
    const std::vector<T> expected = of_host(dense), later = of_host(others);
    const std::vector<double> sums =
        product_of_entries(lower_factor(factor), system == System::Lt, dense, cols);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(expected[i], sums[i], 1000 * std::numeric_limits<T>::epsilon());
    for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
      SCOPED_TRACE(where + (system == System::Lt ? ", transposed" : ""));
      CallerArray<T> b(from.with(dense).data), x(to.data);
      const DeviceMatrixView<T> bs(from.at(b.data())), xs(to.at(x.data()));
      const auto fetched = [&] {
        std::vector<T> out = x.fetch();
        x.assign(to.data);
        return out;
      };
      (void)took_memory();
      factor.multiply(system, bs, xs, workspace);
      EXPECT_TRUE(is_same(fetched(), to.with(expected).data));
      factor.enqueue_multiply(system, bs, xs, workspace, stream.get());
      EXPECT_TRUE(is_same(fetched(), to.with(expected).data)) << "enqueued";
      const CallerGraph graph(
          stream, [&](cudaStream_t s) { factor.enqueue_multiply(system, bs, xs, workspace, s); });
      EXPECT_TRUE(is_same(x.fetch(), to.data)) << "the capture ran";
      graph.launch(stream);
      EXPECT_TRUE(is_same(fetched(), to.with(expected).data)) << "captured";
      b.assign(from.with(others).data);
      graph.launch(stream);
      EXPECT_TRUE(is_same(fetched(), to.with(later).data)) << "with other numbers";
      EXPECT_TRUE(is_same(b.fetch(), from.with(others).data));
      if (from.layout == to.layout) {
        factor.enqueue_multiply(system, bs, bs, workspace, stream.get());
        EXPECT_TRUE(is_same(b.fetch(), from.with(later).data)) << "in place";
      }
      EXPECT_FALSE(took_memory());
      EXPECT_EQ(backend.bytes_in_use(), before);
    });
    std::vector<T> again = dense;
    factor.solve({again.data(), n, cols, n}, workspace);
    EXPECT_TRUE(is_same(again, solution)) << "a workspace that products went through";
  }
}

TYPED_TEST(CudaFactorProducts, OnTheDeviceHaveTheBitsOfTheHostsAndTakeNoMemory) {
  using T = typename TypeParam::T;
  Hook hook;
  CudaOptions options{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute};
  for (const Index together : {1, 8, 32}) {
    if (TypeParam::compute != CudaCompute::hopper && together < 32) continue;
    options.solves_together = together;
    Backend backend = cuda_backend(options);
    for (const std::string& spec :
         this->emulated()
             ? std::vector<std::string>{"poisson2d 1", "poisson2d 5", "blockdiag 74 70"}
             : std::vector<std::string>{"poisson2d 1", "poisson2d 40", "elast3d 6",
                                        "tree 3000 1"}) {
      SCOPED_TRACE(spec + ", together " + std::to_string(together));
      if (this->emulated() && spec == "blockdiag 74 70" && together == 8) continue;
      const auto a = generate(spec);
      const auto factor = factor_of<T>(a, backend, this->plan_of());
      for (const auto& [cols, room] : {std::pair<Index, Index>{1, 1}, {6, 4}, {35, 64}})
        if (!this->emulated() || cols < 35 || a.n() < 50)
          expect_device_products<T>(backend, factor, cols, room, [&] { return hook.taken() > 0; });
    }
  }
}

/// The test needs few launches, for tools that slow each of them down.
TYPED_TEST(CudaFactorProducts, OfTwoColumnsAreThoseOfTheEntries) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 9");
  const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  auto workspace = Workspace<T>::create(factor, 2);
  const Index n = a.n();
  const std::vector<T> dense = dense_numbers<T>(n, 2, 4);
  for (const System system : kTriangles) {
    CallerArray<T> x(dense);
    const DeviceMatrixView<T> xs({x.data(), n, 2, n});
    factor.multiply(system, xs, xs, workspace);
    const std::vector<T> product = x.fetch();
    const std::vector<double> sums =
        product_of_entries(lower_factor(factor), system == System::Lt, dense, 2);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(product[i], sums[i], 1000 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(CudaFactorProducts, OfNothing) {
  using T = typename TypeParam::T;
  const SymmetricMatrix<double> nothing;
  const auto none = factor_of<T>(nothing, this->backend(), this->plan_of());
  const auto some = factor_of<T>(generate("poisson2d 2"), this->backend(), this->plan_of());
  auto of_none = Workspace<T>::create(none, 1), of_some = Workspace<T>::create(some, 1);
  for (const System system : kTriangles) {
    none.multiply(system, DeviceMatrixView<T>({nullptr, 0, 3, 0}),
                  DeviceMatrixView<T>({nullptr, 0, 3, 0}), of_none);
    none.enqueue_multiply(system, DeviceMatrixView<T>({nullptr, 0, 3, 0}),
                          DeviceMatrixView<T>({nullptr, 0, 3, 0}), of_none, nullptr);
    some.enqueue_multiply(system, DeviceMatrixView<T>({nullptr, 4, 0, 4}),
                          DeviceMatrixView<T>({nullptr, 4, 0, 4}), of_some, nullptr);
  }
}

/// A product enqueued directly after a refactorisation that fails writes NaN into x and nothing
/// else.
TYPED_TEST(CudaFactorProducts, WithAFactorThatThereIsNot) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 7");
  const Index n = a.n();
  auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  const CallerStream stream;
  std::vector<T> bad = this->values(a);
  bad[static_cast<std::size_t>(a.pattern().col_ptr[n / 2])] = T(-1);
  auto values = DeviceValues<T>::copy_of(bad, this->backend());
  for (const Index cols : {1, 12}) {
    auto workspace = Workspace<T>::create(factor, 32);
    const std::vector<T> dense = dense_numbers<T>(n, cols, 4),
                         nothing(dense.size(), std::numeric_limits<T>::quiet_NaN());
    const CallerArray<T> b(dense), x(dense);
    const DeviceMatrixView<T> bs({b.data(), n, cols, n}), xs({x.data(), n, cols, n});
    for (const System system : kTriangles) {
      std::vector<T> expected = dense;
      factor.multiply(system, {expected.data(), n, cols, n}, {expected.data(), n, cols, n},
                      workspace);
      const CallerGraph graph(stream, [&](cudaStream_t s) {
        enqueue_refactorize(factor, values, T(0), s);
        factor.enqueue_multiply(system, bs, xs, workspace, s);
      });
      for (const bool good : {false, true}) {
        values.assign(good ? this->values(a) : bad);
        enqueue_refactorize(factor, values, T(0), stream.get());
        factor.enqueue_multiply(system, bs, xs, workspace, stream.get());
        EXPECT_TRUE(is_same(x.fetch(), good ? expected : nothing));
        values.assign(good ? bad : this->values(a));
        graph.launch(stream);
        EXPECT_TRUE(is_same(x.fetch(), good ? nothing : expected)) << "captured";
        EXPECT_TRUE(is_same(b.fetch(), dense));
      }
      values.assign(this->values(a));
      enqueue_refactorize(factor, values, T(0), stream.get());
      ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
    }
  }
}

TYPED_TEST(CudaFactorProducts, WhatTheyRefuse) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 4");
  const Index n = a.n();
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> host(static_cast<std::size_t>(2 * n), T(1));
  const CallerArray<T> array(host);
  const DeviceMatrixView<T> x({array.data(), n, 1, n}), here({host.data(), n, 1, n});
  const auto refused = [&](System system, const DeviceMatrixView<T>& b,
                           const DeviceMatrixView<T>& to, Workspace<T>& by) {
    const std::string text =
        error_text(ErrorKind::usage, [&] { factor.enqueue_multiply(system, b, to, by, nullptr); });
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.multiply(system, b, to, by); }), text);
    return text;
  };
  EXPECT_EQ(refused(System::L, x, x, workspace),
            "solve: the factor is not valid (no successful factorisation yet, or the last one "
            "broke down): call refactorize() first");
  ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  for (const System system : {System::A, System::B, System::P, System::Pt})
    EXPECT_EQ(refused(system, x, x, workspace), "multiply: the system must be L or Lt");
  auto theirs = Workspace<T>::create(this->plan(a.pattern()), 1, this->backend());
  for (const System system : kTriangles) {
    EXPECT_EQ(refused(system, x, DeviceMatrixView<T>({array.data(), n - 1, 1, n}), workspace),
              "solve: x has 15 rows, A has 16");
    EXPECT_EQ(refused(system, DeviceMatrixView<T>({array.data(), n, 2, n}), x, workspace),
              "solve: b has 2 columns, x has 1");
    EXPECT_EQ(refused(system, DeviceMatrixView<T>({array.data(), n, 1, 2, Layout::row_major}), x,
                      workspace),
              "solve: x begins where b does, with another leading dimension or layout; give both "
              "the same, or x memory of its own");
    EXPECT_EQ(refused(system, here, x, workspace),
              "multiply: b is not in the memory of CUDA device 0 but in the host's");
    EXPECT_EQ(refused(system, x, here, workspace),
              "multiply: x is not in the memory of CUDA device 0 but in the host's");
    EXPECT_EQ(refused(system, x, x, theirs),
              "solve: the workspace was made for another plan; make one for this factor");
  }
  EXPECT_EQ(array.fetch(), host);
}

}  // namespace
}  // namespace kauri::test
