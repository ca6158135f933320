// Every product of the CUDA backend except factors, once each and tiny, on the emulated device: for
// sanitizers, under which the full tests take minutes. Runs the calls that wait, and those on
// streams and in graphs; other tests check the numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kauri/device/sparse_product.hpp"
#include "kauri/extras/batch.hpp"
#include "kauri/extras/schur.hpp"
#include "kauri/extras/selected_inverse.hpp"
#include "kauri/solve/fused_solve.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/refiner.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/batch.hpp"
#include "tests/support/bodies/inverse.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/bodies/mixed.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class W>
class EachOnce : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  PlanWith plan_with() {
    return [this](const Pattern& pattern, AnalyzeOptions options) {
      options.target = this->backend().target();
      return this->plan(pattern, options);
    };
  }
  /// Returns a pattern with small fronts alone, and one with a tiled front.
  static std::vector<OwnedPattern> patterns() { return {grid_pattern(4, 3, 1), dense_pattern(70)}; }
  static DeviceMatrixView<Value> view(const CallerArray<Value>& x, Index n, Index cols) {
    return DeviceMatrixView<Value>({x.data(), n, cols, n});
  }
  /// Calls f(stream) directly and as a graph of the caller.
  template <class F>
  static void both_ways(const F& f) {
    const CallerStream stream;
    f(stream.get());
    const CallerGraph graph(stream, f);
    graph.launch(stream);
    require(cudaDeviceSynchronize());
  }
};
using EachWay = ::testing::Types<LevelByLevel<float>, Way<double, CudaCompute::hopper>>;
TYPED_TEST_SUITE(EachOnce, EachWay);

TYPED_TEST(EachOnce, FusedSolves) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : this->patterns()) {
    const Index n = a.n();
    auto fused = FusedSolve<T>::create(a.view(), this->plan(a.view()), this->backend(), 2);
    const auto value = random_dominant<T>(a.view(), 1);
    const auto values = DeviceValues<T>::copy_of(value, this->backend());
    std::vector<T> b = dense_numbers<T>(n, 2, 1);
    const CallerArray<T> there(b);
    this->both_ways([&](cudaStream_t s) {
      fused.enqueue_solve(values, this->view(there, n, 2), this->view(there, n, 2), s);
    });
    ASSERT_TRUE(fused
                    .solve(value, {b.data(), n, 2, 2, Layout::row_major},
                           {b.data(), n, 2, 2, Layout::row_major})
                    .ok());
  }
}

TYPED_TEST(EachOnce, Batches) {
  using T = typename TypeParam::T;
  for (const auto& [spec, way] : {std::pair("poisson2d 4", BatchWay::together),
                                  {"poisson2d 4", BatchWay::one_by_one},
                                  {"blockdiag 74 70", BatchWay::together}}) {
    AnalyzeOptions options;
    options.target = this->backend().target();
    SymmetricMatrix<double> a = generate(spec);
    auto plan = analyze(a.pattern(), options);
    const BatchSystem<T> system = batch_system<T>(std::move(a), std::move(plan), 3, 1);
    expect_solved_items(this->backend(), way, system, 2, 1, 1);
    const Index n = system.a.n();
    auto batch = BatchFactor<T>::create(system.plan, 3, this->backend(), way);
    auto workspace = BatchWorkspace<T>::create(batch, 2);
    const BatchColumns<T> b(3, n, 2, 1, 8);
    const CallerArray<T> x(b.data);
    const DeviceBatchView<T> there({x.data(), 3, n, 2, b.ld, b.stride});
    const auto values = DeviceValues<T>::copy_of(system.value, this->backend());
    this->both_ways([&](cudaStream_t stream) {
      enqueue_refactorize(batch, values, system.stride, T(0.25), stream);
      batch.enqueue_solve(there, there, workspace, stream);
    });
    for (const DeviceVerdict& v : batch.fetch_verdicts(nullptr))
      EXPECT_EQ(v.status, VerdictStatus::positive_definite);
  }
}

TYPED_TEST(EachOnce, Refiners) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : this->patterns()) {
    const Index n = a.n();
    auto factor = Factor<T>::create(this->plan(a.view()), this->backend());
    const auto values = DeviceValues<T>::copy_of(random_dominant<T>(a.view(), 1), this->backend());
    ASSERT_TRUE(refactorize(factor, values).ok());
    auto workspace = Workspace<T>::create(factor, 2);
    auto refiner = Refiner<T>::create(a.view(), factor, 2);
    refiner.set_values(values);
    const CallerArray<T> b(this->random_rhs(n, 2, 1)), x(this->random_rhs(n, 2, 2));
    const Refinement refined =
        refiner.refine(factor, this->view(b, n, 2), this->view(x, n, 2), workspace);
    EXPECT_GT(refined.steps, 0) << "from a start that is no solution";
    this->both_ways([&](cudaStream_t stream) {
      refiner.enqueue_refine(factor, this->view(b, n, 2), this->view(x, n, 2), workspace, stream);
    });
    EXPECT_EQ(refiner.fetch_report(nullptr).status, VerdictStatus::positive_definite);
  }
}

/// The backend chooses the kernel family for float, since Hopper's kernels exist in double only.
TYPED_TEST(EachOnce, MixedFactors) {
  Backend backend = cuda_backend();
  small_mixed_systems(backend, this->plan_of());
  columns_are_as_each_alone(backend, this->plan_of(), generate("poisson2d 3"));
  columns_are_as_each_alone(backend, this->plan_of(), generate("blockdiag 74 70"));
}

TYPED_TEST(EachOnce, SelectedInverses) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : this->patterns()) {
    check_dense_inverse<T>(this->backend(), this->plan_with(), a, {}, 5);
    const auto n = static_cast<std::size_t>(a.n()), nnz = static_cast<std::size_t>(a.view().nnz());
    const auto values = DeviceValues<T>::copy_of(random_dominant<T>(a.view(), 1), this->backend());
    auto factor = Factor<T>::create(this->plan(a.view()), this->backend());
    auto inverse = SelectedInverse<T>::create(factor);
    const CallerArray<T> diagonal((std::vector<T>(n))), entries((std::vector<T>(nnz)));
    this->both_ways([&](cudaStream_t stream) {
      enqueue_refactorize(factor, values, T(0), stream);
      inverse.enqueue_compute(factor, stream);
      inverse.enqueue_diagonal(std::span<T>(diagonal.data(), n), stream);
      inverse.enqueue_on_pattern(std::span<T>(entries.data(), nnz), stream);
    });
    EXPECT_EQ(inverse.fetch_verdict(nullptr).status, VerdictStatus::positive_definite);
    EXPECT_EQ(diagonal.fetch(), inverse.diagonal());
  }
}

TYPED_TEST(EachOnce, ProductsWithL) {
  using T = typename TypeParam::T;
  products_are_those_with_l<T>(this->backend(), this->plan_with(), this->patterns());
  for (const OwnedPattern& a : this->patterns()) {
    const auto factor =
        factor_of<T>(this->plan(a.view()), random_dominant<T>(a.view(), 1), this->backend());
    EXPECT_TRUE(std::isfinite(log_determinant(factor)));
    auto workspace = Workspace<T>::create(factor, 2);
    const CallerArray<T> x(this->random_rhs(a.n(), 2, 1));
    this->both_ways([&](cudaStream_t stream) {
      for (const System part : {System::L, System::Lt})
        factor.enqueue_multiply(part, this->view(x, a.n(), 2), this->view(x, a.n(), 2), workspace,
                                stream);
    });
  }
}

TYPED_TEST(EachOnce, SparseProducts) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 4");
  const std::vector<T> value = this->values(a);
  auto product = SparseProduct<T>::create({a.pattern(), value}, this->backend());
  std::vector<T> x(static_cast<std::size_t>(a.n()), T(1)), y(x.size());
  product.multiply(T(1), {x.data(), a.n(), 1, a.n()}, T(0), {y.data(), a.n(), 1, a.n()});
  const CallerArray<T> from(x), to(y);
  this->both_ways([&](cudaStream_t stream) {
    product.enqueue_multiply(T(1), this->view(from, a.n(), 1), T(0), this->view(to, a.n(), 1),
                             stream);
  });
  EXPECT_EQ(to.fetch(), y);
}

TYPED_TEST(EachOnce, SchurComplements) {
  using T = typename TypeParam::T;
  const std::vector<Index> last{7, 2, 5};
  for (const OwnedPattern& a : this->patterns()) {
    const Index n = a.n();
    check_schur<T>(this->backend(), this->plan_with(), a, last, OrderingMethod::amd);
    AnalyzeOptions options;
    options.ordering.last = last;
    const auto factor = factor_of<T>(this->plan_with()(a.view(), options),
                                     random_dominant<T>(a.view(), 1), this->backend());
    const auto schur = SchurComplement<T>::on_device(factor, 3);
    auto workspace = Workspace<T>::create(factor, 1);
    const CallerArray<T> b(this->random_rhs(n, 1, 1)), y(this->random_rhs(n, 1, 2)),
        x(this->random_rhs(n, 1, 3));
    const CallerArray<T> g(this->random_rhs(3, 1, 4)), solved(this->random_rhs(3, 1, 5)),
        s(this->random_rhs(3, 3, 6));
    this->both_ways([&](cudaStream_t stream) {
      schur.enqueue_write(factor, this->view(s, 3, 3), stream);
      schur.enqueue_condense(factor, this->view(b, n, 1), this->view(y, n, 1), this->view(g, 3, 1),
                             workspace, stream);
      schur.enqueue_solve(factor, this->view(g, 3, 1), this->view(solved, 3, 1),
                          this->view(x, n, 1), workspace, stream);
      schur.enqueue_expand(factor, this->view(y, n, 1), this->view(solved, 3, 1),
                           this->view(x, n, 1), workspace, stream);
    });
  }
}

}  // namespace
}  // namespace kauri::test
