// Tests row-major right-hand sides and solutions on a CUDA device and on the emulated one: in host
// memory and in device memory, on streams and in graphs, with the bits of column-major ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/layout.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

const std::vector<System> kSystems{System::A,  System::B, System::L,
                                   System::Lt, System::P, System::Pt};

template <class W>
class CudaLayouts : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  /// Returns whether the device is the emulated one, which is slow.
  bool emulated() { return this->backend().device() == "emulated"; }
  std::vector<std::string> systems() {
    if (emulated()) return {"poisson2d 4", "blockdiag 74 70"};
    return {"poisson2d 1", "poisson2d 40", "elast3d 6", "tree 3000 1", "blockdiag 300 100"};
  }
};
/// The types cover each kind of solve: plain ones, and sweeps in float and in double.
using LayoutWays = ::testing::Types<Way<float, CudaCompute::fma>, LevelByLevel<double>,
                                    Way<double, CudaCompute::hopper>>;
TYPED_TEST_SUITE(CudaLayouts, LayoutWays);

TYPED_TEST(CudaLayouts, SolvesFromTheHostsMemoryHaveTheBitsOfColumns) {
  using T = typename TypeParam::T;
  const std::vector<Index> rooms =
      this->emulated() ? std::vector<Index>{3, 64} : std::vector<Index>{1, 3, 64, 80};
  solves_in_either_layout<T>(this->backend(), this->plan_of(), this->systems(), {0, 1, 5}, rooms);
  solves_in_either_layout<T>(this->backend(), this->plan_of(), {"poisson2d 3"}, {70}, {64});
}

TYPED_TEST(CudaLayouts, ProductsAndRefinementHaveTheBitsOfColumns) {
  using T = typename TypeParam::T;
  products_and_refinement_in_either_layout<T>(this->backend(), this->plan_of(), this->systems(),
                                              {0, 1, 4});
}

TYPED_TEST(CudaLayouts, RefinersHaveTheBitsOfColumns) {
  using T = typename TypeParam::T;
  refiners_in_either_layout<T, CallerArray<T>>(
      this->backend(), this->plan_of(), this->emulated() ? "poisson2d 5" : "elast3d 6", {1, 9});
  if (!this->emulated() ||
      TypeParam::compute != CudaCompute::hopper)  // rows that are summed by segments
    refiners_in_either_layout<T, CallerArray<T>>(this->backend(), this->plan_of(), "arrow 140 1",
                                                 {2});
  refiners_see_overlaps_of_rows<T, CallerArray<T>>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaLayouts, BatchesHaveTheBitsOfColumns) {
  using T = typename TypeParam::T;
  for (const BatchWay way : {BatchWay::together, BatchWay::one_by_one}) {
    batches_in_either_layout<T>(this->backend(), this->plan_of(), way, "poisson2d 5");
    batches_may_lie_between_each_others_rows<T>(this->backend(), this->plan_of(), way);
  }
}

TYPED_TEST(CudaLayouts, MixedSolvesHaveTheBitsOfColumns) {
  if (!std::is_same_v<typename TypeParam::T, double> || TypeParam::compute != CudaCompute::hopper)
    GTEST_SKIP() << "once is enough";
  Backend backend = cuda_backend();  // this backend has kernels for floats, too
  mixed_solves_in_either_layout<CallerArray<double>>(
      backend, this->plan_of(), this->emulated() ? "poisson2d 4" : "elast3d 6");
}

TYPED_TEST(CudaLayouts, WhatIsRefused) {
  using T = typename TypeParam::T;
  what_is_refused_of_layouts<T>(this->backend(), this->plan_of());
}

/// Checks both calls on the device; the enqueued one allocates nothing and may be captured. nrhs:
/// columns that are solved together.
template <class T>
void expect_device_solves(Backend& backend, const Factor<T>& factor, Index cols, Index nrhs,
                          const std::function<bool()>& took_memory) {
  const Index n = factor.plan().n;
  const CallerStream stream;
  auto workspace = Workspace<T>::create(factor, nrhs);
  const std::vector<T> dense = dense_numbers<T>(n, cols, 4);
  std::vector<T> expected = dense;
  factor.solve({expected.data(), n, cols, n}, workspace);
  const Offset before = backend.bytes_in_use();
  for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
    CallerArray<T> b(from.with(dense).data), x(to.data);
    const DeviceMatrixView<T> bs(from.at(b.data())), xs(to.at(x.data()));
    const auto fetched = [&] {
      std::vector<T> out = x.fetch();
      x.assign(to.data);
      return out;
    };
    (void)took_memory();
    factor.solve(bs, xs, workspace);
    EXPECT_TRUE(is_same(fetched(), to.with(expected).data)) << where;
    factor.enqueue_solve(bs, xs, workspace, stream.get());
    EXPECT_TRUE(is_same(fetched(), to.with(expected).data)) << where << ", enqueued";
    const CallerGraph graph(stream,
                            [&](cudaStream_t s) { factor.enqueue_solve(bs, xs, workspace, s); });
    EXPECT_TRUE(is_same(x.fetch(), to.data)) << where << ": the capture ran";
    graph.launch(stream);
    EXPECT_TRUE(is_same(fetched(), to.with(expected).data)) << where << ", captured";
    EXPECT_TRUE(is_same(b.fetch(), from.with(dense).data)) << where;
    if (from.layout == to.layout) {
      factor.enqueue_solve(bs, workspace, stream.get());
      EXPECT_TRUE(is_same(b.fetch(), from.with(expected).data)) << where << ", in place";
    }
    EXPECT_FALSE(took_memory()) << where;
    EXPECT_EQ(backend.bytes_in_use(), before);
  });
}

TYPED_TEST(CudaLayouts, SolvesOnTheDeviceHaveTheBitsOfColumnsAndTakeNoMemory) {
  using T = typename TypeParam::T;
  Hook hook;
  CudaOptions options{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute};
  for (const Index together : {1, 8, 32}) {
    if (TypeParam::compute != CudaCompute::hopper && together < 32) continue;
    options.solves_together = together;
    Backend backend = cuda_backend(options);
    for (const std::string& spec : this->systems()) {
      SCOPED_TRACE(spec + ", together " + std::to_string(together));
      const auto a = generate(spec);
      const auto factor = factor_of<T>(a, backend, this->plan_of());
      for (const Index cols : {1, 6, 33})
        if (cols < 2 * together || !this->emulated() || TypeParam::compute != CudaCompute::hopper)
          expect_device_solves<T>(backend, factor, cols, cols == 6 ? 4 : 64,
                                  [&] { return hook.taken() > 0; });
    }
  }
}

/// The calls are synchronous, enqueued and captured, with blocks of right-hand sides and with all
/// together.
TYPED_TEST(CudaLayouts, PartsOnTheDeviceHaveTheBitsOfTheHosts) {
  using T = typename TypeParam::T;
  const auto a = generate(this->emulated() ? "poisson2d 3" : "elast3d 4");
  const Index n = a.n();
  const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  const CallerStream stream;
  for (const auto& [cols, room] : {std::pair<Index, Index>{1, 32}, {12, 32}, {6, 4}}) {
    if (this->emulated() && cols == 12 && TypeParam::compute != CudaCompute::hopper) continue;
    auto workspace = Workspace<T>::create(factor, room);
    const std::vector<T> dense = dense_numbers<T>(n, cols, 4),
                         others = dense_numbers<T>(n, cols, 5);
    const auto of_host = [&, cols = cols](System system, std::vector<T> x) {
      factor.solve(system, {x.data(), n, cols, n}, {x.data(), n, cols, n}, workspace);
      return x;
    };
    for (const System system : kSystems) {
      const std::vector<T> expected = of_host(system, dense), later = of_host(system, others);
      for_layouts<T>(n, cols,
                     [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
                       SCOPED_TRACE(where + ", system " + std::to_string(static_cast<int>(system)));
                       CallerArray<T> b(from.with(dense).data), x(to.data);
                       const DeviceMatrixView<T> bs(from.at(b.data())), xs(to.at(x.data()));
                       factor.solve(system, bs, xs, workspace);
                       EXPECT_TRUE(is_same(x.fetch(), to.with(expected).data));
                       x.assign(to.data);
                       factor.enqueue_solve(system, bs, xs, workspace, stream.get());
                       EXPECT_TRUE(is_same(x.fetch(), to.with(expected).data)) << "enqueued";
                       x.assign(to.data);
                       const CallerGraph graph(stream, [&](cudaStream_t s) {
                         factor.enqueue_solve(system, bs, xs, workspace, s);
                       });
                       EXPECT_TRUE(is_same(x.fetch(), to.data)) << "the capture ran";
                       graph.launch(stream);
                       EXPECT_TRUE(is_same(x.fetch(), to.with(expected).data)) << "captured";
                       EXPECT_TRUE(is_same(b.fetch(), from.with(dense).data));
                       b.assign(from.with(others).data);
                       graph.launch(stream);
                       EXPECT_TRUE(is_same(x.fetch(), to.with(later).data)) << "with other numbers";
                       if (from.layout != to.layout) return;
                       factor.enqueue_solve(system, bs, bs, workspace, stream.get());
                       EXPECT_TRUE(is_same(b.fetch(), from.with(later).data)) << "in place";
                     });
    }
  }
}

/// The parts run one after the other on a stream without a wait in between, or in one graph.
TYPED_TEST(CudaLayouts, PartsEnqueuedInTurnAreTheWhole) {
  using T = typename TypeParam::T;
  for (const std::string& spec : this->systems()) {
    const auto a = generate(spec);
    const Index n = a.n();
    const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
    const CallerStream stream;
    for (const Index cols : {1, 6}) {
      SCOPED_TRACE(spec + ", columns " + std::to_string(cols));
      auto workspace = Workspace<T>::create(factor, cols);
      const std::vector<T> dense = dense_numbers<T>(n, cols, 4);
      CallerArray<T> x(dense);
      const DeviceMatrixView<T> xs({x.data(), n, cols, n});
      factor.solve(xs, workspace);
      const std::vector<T> expected = x.fetch();
      const auto enqueue = [&](std::initializer_list<System> systems) {
        return [&, systems = std::vector<System>(systems)](cudaStream_t s) {
          for (const System system : systems) factor.enqueue_solve(system, xs, xs, workspace, s);
        };
      };
      for (const auto& parts : {enqueue({System::P, System::L, System::Lt, System::Pt}),
                                enqueue({System::P, System::B, System::Pt})}) {
        x.assign(dense);
        parts(stream.get());
        EXPECT_TRUE(is_same(x.fetch(), expected));
        x.assign(dense);
        CallerGraph(stream, parts).launch(stream);
        EXPECT_TRUE(is_same(x.fetch(), expected)) << "captured";
      }
    }
  }
}

/// System::P and System::Pt permute into the workspace and out of it: they clear nothing and launch
/// no empty sweep.
TYPED_TEST(CudaLayouts, PermutationsAreTwoLaunches) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 7");
  const Index n = a.n();
  const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  const CallerStream stream;
  for (const Index cols : {1, 6}) {
    auto workspace = Workspace<T>::create(factor, cols);
    const std::vector<T> dense = dense_numbers<T>(n, cols, 4);
    const CallerArray<T> x(dense);
    const DeviceMatrixView<T> xs({x.data(), n, cols, n});
    std::size_t nodes = 0;
    for (const System system : {System::P, System::Pt}) {
      const CallerGraph graph(
          stream, [&](cudaStream_t s) { factor.enqueue_solve(system, xs, xs, workspace, s); });
      nodes += graph.nodes();
      graph.launch(stream);
    }
    EXPECT_EQ(nodes, 4);
    EXPECT_TRUE(is_same(x.fetch(), dense));
    factor.enqueue_solve(System::L, xs, xs, workspace,
                         stream.get());  // the workspace must not hold stale numbers of a sweep
    auto fresh = Workspace<T>::create(factor, cols);
    std::vector<T> expected = dense;
    factor.solve(System::L, {expected.data(), n, cols, n}, {expected.data(), n, cols, n}, fresh);
    EXPECT_TRUE(is_same(x.fetch(), expected));
  }
}

/// A part of a solve enqueued directly after a refactorisation that fails writes NaN into x and
/// nothing else.
TYPED_TEST(CudaLayouts, PartsOfSolutionsThatThereAreNot) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 7");
  const Index n = a.n();
  auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  const CallerStream stream;
  std::vector<T> bad = this->values(a);
  bad[static_cast<std::size_t>(a.pattern().col_ptr[n / 2])] = T(-1);
  const auto there = DeviceValues<T>::copy_of(bad, this->backend()),
             good = DeviceValues<T>::copy_of(this->values(a), this->backend());
  for (const Index cols : {1, 12}) {
    auto workspace = Workspace<T>::create(factor, 32);
    const std::vector<T> dense = dense_numbers<T>(n, cols, 4),
                         nothing(dense.size(), std::numeric_limits<T>::quiet_NaN());
    for (const System system : kSystems) {
      std::vector<T> expected = dense;
      factor.solve(system, {expected.data(), n, cols, n}, {expected.data(), n, cols, n}, workspace);
      for (const auto* values : {&there, &good}) {
        enqueue_refactorize(factor, *values, T(0), stream.get());
        for_layouts<T>(
            n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
              const CallerArray<T> b(from.with(dense).data), x(to.data);
              factor.enqueue_solve(system, DeviceMatrixView<T>(from.at(b.data())),
                                   DeviceMatrixView<T>(to.at(x.data())), workspace, stream.get());
              EXPECT_TRUE(is_same(x.fetch(), to.with(values == &good ? expected : nothing).data))
                  << where << " " << static_cast<int>(system);
            });
      }
      ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
    }
  }
}

/// Parts of solves refuse the arguments that whole solves refuse.
TYPED_TEST(CudaLayouts, PartsThatAreRefused) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 4");
  const Index n = a.n();
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> host(static_cast<std::size_t>(n), T(1));
  const CallerArray<T> array(host);
  const DeviceMatrixView<T> x({array.data(), n, 1, n}), short_x({array.data(), n - 1, 1, n}),
      here({host.data(), n, 1, n});
  const auto refused = [&](System system, const DeviceMatrixView<T>& b) {
    const std::string text = error_text(
        ErrorKind::usage, [&] { factor.enqueue_solve(system, b, b, workspace, nullptr); });
    EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.solve(system, b, b, workspace); }), text);
    return text;
  };
  for (const System system : kSystems)
    EXPECT_EQ(refused(system, x),
              "solve: the factor is not valid (no successful factorisation yet, or the last one "
              "broke down): call refactorize() first");
  ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  for (const System system : kSystems) {
    EXPECT_EQ(refused(system, short_x), "solve: x has 15 rows, A has 16");
    EXPECT_EQ(refused(system, here),
              "solve: b is not in the memory of CUDA device 0 but in the host's");
  }
  EXPECT_EQ(refused(static_cast<System>(6), x),
            "solve: unknown System 6; expected A, B, L, Lt, P or Pt (0 to 5)");
  EXPECT_EQ(array.fetch(), host);
  Backend cpu = cpu_backend(1);
  const auto on_cpu = factor_of<T>(a, cpu, [](const Pattern& pattern) { return analyze(pattern); });
  auto theirs = Workspace<T>::create(on_cpu, 1);
  EXPECT_EQ(
      error_text(ErrorKind::usage, [&] { on_cpu.enqueue_solve(System::L, x, x, theirs, nullptr); }),
      "solve: b and x are marked as device memory, but the factor is on the CPU; pass views of the "
      "host's memory");
}

/// A call checks a matrix to its last entry, so it detects rows in host memory behind rows on the
/// device.
TYPED_TEST(CudaLayouts, MatricesAreOnTheDeviceToTheirLastRow) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 5");
  const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  auto workspace = Workspace<T>::create(factor, 2);
  const Laid<T> shape(a.n(), 3, 1, Layout::row_major);
  const CallerArray<T> x(shape.data);
  const DeviceMatrixView<T> good(shape.at(x.data()));
  std::vector<T> host = shape.data;
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] {
                         factor.enqueue_solve(DeviceMatrixView<T>(shape.at(host.data())), good,
                                              workspace, nullptr);
                       }),
            "solve: b is not in the memory of CUDA device 0 but in the host's");
  // The call checks where the last entry of a matrix lies that begins on the device.
  const CallerArray<T> other(shape.data);
  const MatrixView<T> beyond{other.data(), a.n(), 3, Offset{1} << 40, Layout::row_major};
  const std::string text = error_text(ErrorKind::usage, [&] {
    factor.enqueue_solve(DeviceMatrixView<T>(beyond), good, workspace, nullptr);
  });
  EXPECT_EQ(text.find("solve: b is not in the memory of CUDA device 0"), 0U) << text;
}

/// Page-locked matrices without gaps are copied directly, all others through chunks.
TYPED_TEST(CudaLayouts, FromPageLockedMemory) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 6");
  const Index n = a.n(), cols = 5;
  const auto factor = factor_of<T>(a, this->backend(), this->plan_of());
  const std::vector<T> dense = dense_numbers<T>(n, cols, 4);
  T* pinned = nullptr;
  require(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 4096 * sizeof(T), cudaHostAllocDefault));
  T *b = pinned, *x = pinned + 2048;
  for (const Index nrhs : {2, 8}) {
    auto workspace = Workspace<T>::create(factor, nrhs);
    std::vector<T> expected = dense;
    factor.solve({expected.data(), n, cols, n}, workspace);
    for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
      const std::vector<T> given = from.with(dense).data;
      std::copy(given.begin(), given.end(), b);
      std::copy(to.data.begin(), to.data.end(), x);
      factor.solve(from.at(b), to.at(x), workspace);
      EXPECT_TRUE(is_same(std::vector<T>(x, x + to.data.size()), to.with(expected).data)) << where;
      EXPECT_TRUE(is_same(std::vector<T>(b, b + given.size()), given)) << where;
    });
  }
  require(cudaFreeHost(pinned));
}

}  // namespace
}  // namespace kauri::test
