// Tests failing allocations: the k-th one fails, k = 0, 1, 2 ...; every phase throws, leaks
// nothing, and succeeds afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"
#include "ordering/graph/scratch.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/process/temp_file.hpp"

namespace {

std::atomic<long> allocations_left{-1};  // a negative count never fails
std::atomic<long> alive{0};

void* give_out(std::size_t size, std::size_t alignment) {
  void* p = nullptr;
  if (posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, size ? size : 1) !=
      0)
    return nullptr;
  ++alive;
  return p;
}

void* take(std::size_t size, std::size_t alignment) {
  const bool fails = allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0;
  return fails ? nullptr : give_out(size, alignment);
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* p = take(size, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

void give(void* p) noexcept {
  if (p) --alive;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return take_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) {
  return take_or_throw(size, static_cast<std::size_t>(a));
}
// Only the standard library calls this one, for the buffers of std::stable_sort, and it copes
// without them, so it never fails here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return give_out(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return take(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size) { return take_or_throw(size, alignof(std::max_align_t)); }
void operator delete(void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }

namespace kauri {
namespace {

/// Runs `phase` with each of its allocations failing in turn, or every `stride`-th; returns the
/// number of allocations. A failure must be bad_alloc or Error(memory).
template <class Phase>
long fail_each_allocation(const Phase& phase, long stride = 1) {
  for (long k = 0;; k += stride) {
    const long before = alive.load();
    allocations_left = k;
    try {
      phase();
      const bool failed = allocations_left.exchange(-1) < 0;
      EXPECT_FALSE(failed) << "allocation " << k << " failed without a word";
      return k;
    } catch (const Error& e) {
      allocations_left = -1;
      EXPECT_EQ(e.kind(), ErrorKind::memory) << e.what();
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
    EXPECT_EQ(alive.load(), before) << "a leak after allocation " << k << " failed";
    if (alive.load() != before) return k;
  }
}

/// Calls fail_each_allocation() after one run that creates what the process keeps: thread arenas,
/// device contexts.
template <class Phase>
long fail_each_later_allocation(const Phase& phase) {
  phase();
  return fail_each_allocation(phase);
}

/// oneTBB launches a thread when the first work for it appears, and cannot undo the launch if
/// memory fails at that moment (2021.8). So these tests run on two threads, and the second one is
/// launched before anything fails.
class Allocation : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    threads_.emplace(tbb::global_control::max_allowed_parallelism, 2);
    std::atomic<int> here{0};
    const auto end =
        std::chrono::steady_clock::now() +
        std::chrono::minutes(1);  // ends: the tests are skipped without a second thread
    tbb::task_arena(2).execute([&] {
      tbb::parallel_for(
          0, 2,
          [&](int) {
            ++here;
            while (here < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            if (here < 2) alone_ = true;
          },
          tbb::simple_partitioner());
    });
  }
  static void TearDownTestSuite() { threads_.reset(); }
  void SetUp() override {
    if (alone_) GTEST_SKIP() << "this process gets no second thread";
  }

 private:
  static inline std::optional<tbb::global_control> threads_;
  static inline std::atomic<bool> alone_{false};
};

TEST_F(Allocation, EveryPhaseSurvivesEveryFailure) {
  const auto a = generate("poisson2d 9 --dof 2");
  Backend backend = cpu_backend(1);
  for (const auto method : {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::amd,
                            OrderingMethod::minimum_degree}) {
    AnalyzeOptions options;
    options.ordering.method = method;
    EXPECT_GT(fail_each_later_allocation([&] { (void)analyze(a.pattern(), options); }), 10)
        << name_of(method);
  }
  const auto plan = analyze(a.pattern());
  EXPECT_GT(fail_each_allocation([&] { (void)Factor<double>::create(plan, backend); }), 2);
  EXPECT_GT(fail_each_allocation([&] { (void)Workspace<double>::create(plan, 4, backend); }), 2);
  EXPECT_EQ(backend.bytes_in_use(), 0);
  const auto factor = Factor<double>::create(plan, backend);
  const Offset before = backend.bytes_in_use();
  EXPECT_GT(fail_each_allocation([&] { (void)SelectedInverse<double>::create(factor); }), 5);
  EXPECT_EQ(backend.bytes_in_use(), before);
  EXPECT_GT(fail_each_allocation([&] {
              (void)SymmetricMatrix<double>::from_csc(a.n(), a.pattern().col_ptr, a.pattern().row,
                                                      a.value(), Storage::lower);
            }),
            2);
  SolverOptions options;
  options.threads = 1;
  EXPECT_GT(fail_each_later_allocation([&] {
              Solver<double> solver(options);
              (void)solver.compute(a.view());
            }),
            20);
}

TEST_F(Allocation, OrderingsThatCallOthersSurviveEveryFailure) {
  const auto a = generate("poisson2d 9 --dof 2");
  for (const auto method :
       {OrderingMethod::nested_dissection, OrderingMethod::metis, OrderingMethod::automatic}) {
    if (!ordering_available(method)) continue;
    AnalyzeOptions options;
    options.ordering.method = method;
    (void)analyze(a.pattern(), options);  // what libraries keep from their first call is not a leak
    EXPECT_GT(fail_each_allocation([&] { (void)analyze(a.pattern(), options); }), 10)
        << name_of(method);
  }
}

/// A failure in one thread must not leave shared state of the others half changed.
TEST_F(Allocation, AnalysesOfManyPartsSurviveFailures) {
  const auto a = generate("poisson2d 80");
  for (const auto method :
       {OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::nested_dissection}) {
    AnalyzeOptions options;
    options.target = "sm_90";
    options.ordering.method = method;
    const auto expected = analyze(a.pattern(), options);
    EXPECT_GT(fail_each_allocation([&] { (void)analyze(a.pattern(), options); },
                                   test::kSanitized ? 163 : 41),
              300)
        << name_of(method);
    EXPECT_EQ(analyze(a.pattern(), options)->supernodes.row, expected->supernodes.row);
  }
}

TEST_F(Allocation, ScratchSurvivesFailures) {
  ordering::Scratch<int> scratch;
  ASSERT_NE(scratch.require(10), nullptr);
  allocations_left = 0;
  EXPECT_THROW((void)scratch.require(11), std::bad_alloc);
  allocations_left = -1;
  EXPECT_NE(scratch.require(10), nullptr);  // the old size is available
}

/// With two threads the allocation may fail on the other thread: the failure must reach the caller,
/// and the same objects work afterwards.
TEST_F(Allocation, SolvesAndRefinementSurviveEveryFailure) {
  const auto a = generate("poisson2d 40");
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  for (const int threads : {1, 2}) {
    Backend backend = cpu_backend(threads);
    AnalyzeOptions options;
    options.workers = 2;
    options.ordering.method = OrderingMethod::amd;
    const auto plan = analyze(a.pattern(), options);
    ASSERT_GT(plan->internals->schedule.task.size(), 1u);
    auto factor = Factor<double>::create(plan, backend);
    auto workspace = Workspace<double>::create(factor, 1);
    std::vector<double> x(b.size()), y(b.size());
    std::vector<double> first;
    const auto whole = [&] {
      ASSERT_TRUE(refactorize<double>(factor, a.view()).ok());
      std::copy(b.begin(), b.end(), x.begin());
      factor.solve(column_view(std::span(x)), workspace);
      for (double& v : x) v *= 1 + 1e-6;  // gives refinement something to do
      (void)refine<double>(a.view(), factor, column_view(std::span(b)), column_view(std::span(x)),
                           workspace);
      multiply<double>(a.view(), column_view(std::span<const double>(x)), column_view(std::span(y)),
                       backend);
    };
    whole();
    first = x;
    EXPECT_GT(fail_each_allocation(whole), 10) << threads;
    EXPECT_EQ(x, first);
  }
}

TEST_F(Allocation, OnlyTheMakingOfARefinerAllocates) {
  const auto a = generate("poisson2d 30");
  Backend backend = cpu_backend(1);
  auto factor = Factor<double>::create(analyze(a.pattern()), backend);
  ASSERT_TRUE(refactorize<double>(factor, a.value(), 0.05).ok());
  auto workspace = Workspace<double>::create(factor, 2);
  EXPECT_GT(fail_each_allocation([&] { (void)Refiner<double>::create(a.pattern(), factor, 2); }),
            6);
  auto refiner = Refiner<double>::create(a.pattern(), factor, 2);
  const auto value = DeviceValues<double>::borrow(a.value());
  std::vector<double> b(2 * static_cast<std::size_t>(a.n()), 1.0), x(b.size(), 0.0);
  const DeviceMatrixView<double> bs({b.data(), a.n(), 2, a.n()}), xs({x.data(), a.n(), 2, a.n()});
  Refinement done;
  EXPECT_EQ(fail_each_allocation([&] {
              refiner.enqueue_values(value, nullptr);
              done = refiner.refine(factor, bs, xs, workspace,
                                    {.max_steps = 5, .target = 0, .stagnation = 1});
            }),
            0);
  EXPECT_GE(done.steps, 3);
}

TEST_F(Allocation, OnlyTheMakingOfAProductAllocates) {
  const auto a = generate("poisson2d 30");
  Backend backend = cpu_backend(1);
  EXPECT_GT(fail_each_allocation([&] { (void)SparseProduct<double>::create(a.view(), backend); }),
            6);
  EXPECT_EQ(backend.bytes_in_use(), 0);
  auto product = SparseProduct<double>::create(a.pattern(), backend);
  const auto value = DeviceValues<double>::borrow(a.value());
  std::vector<double> x(2 * static_cast<std::size_t>(a.n()), 1.0), y(x.size(), 3.0);
  const DeviceMatrixView<double> xs({x.data(), a.n(), 2, a.n()}), ys({y.data(), a.n(), 2, a.n()});
  EXPECT_EQ(fail_each_allocation([&] {
              product.set_values(a.value());
              product.enqueue_values(value, nullptr);
              product.enqueue_multiply(-1, xs, 1, ys, nullptr);
              product.multiply(1, xs, 0, ys);
            }),
            0);
  EXPECT_EQ(y.front(), 2);
}

/// Refactorisations and solves in float allocate nothing. The solve that needs a factor in double
/// allocates it; if that fails, the next solve does.
TEST_F(Allocation, OnlyTheMakingOfMixedFactorsAllocates) {
  const auto a = generate("poisson2d 30");
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a.pattern());
  EXPECT_GT(fail_each_allocation([&] { (void)MixedFactor::create(a.pattern(), plan, backend, 2); }),
            20);
  auto mixed = MixedFactor::create(a.pattern(), plan, backend, 2);
  EXPECT_GT(fail_each_allocation([&] {
              auto other = MixedFactor::create(a.pattern(), plan, backend);
              other.reserve(3);
            }),
            25);
  std::vector<double> b(2 * static_cast<std::size_t>(a.n()), 1.0), x(b.size(), 0.0);
  std::iota(b.begin() + a.n(), b.end(), 0.0);
  const MatrixView<const double> bs{b.data(), a.n(), 2, a.n()};
  const MatrixView<double> xs{x.data(), a.n(), 2, a.n()};
  MixedReport report;
  const auto whole = [&](const MixedSolveOptions& options) {
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    report = mixed.solve(bs, xs, options).value();
  };
  EXPECT_EQ(fail_each_allocation([&] { whole({}); }), 0);
  EXPECT_EQ(report.path, MixedPath::refinement);
  EXPECT_EQ(fail_each_allocation([&] { whole({.max_steps = 1}); }), 0);
  EXPECT_EQ(report.path, MixedPath::conjugate_gradients);
  const std::vector<double> by_float = x;
  ASSERT_TRUE(mixed.refactorize(a.value()).ok());
  const MixedSolveOptions no_way{.max_steps = 1, .max_cg_steps = 0};  // no step in float suffices
  EXPECT_GT(fail_each_allocation([&] {
              EXPECT_TRUE(mixed.valid());
              report = mixed.solve(bs, xs, no_way).value();
              EXPECT_TRUE(mixed.in_double());
            }),
            5);
  EXPECT_EQ(report.in_double, 2);
  EXPECT_TRUE(report.converged());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], by_float[i], 1e-9 * std::abs(x[i]));
}

TEST_F(Allocation, ReadersSurviveEveryFailure) {
  const test::TempFile matrix(
      "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n");
  EXPECT_GT(fail_each_allocation([&] { (void)read_matrix(matrix.path()); }), 3);
  const test::TempFile dense("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_GT(fail_each_allocation([&] { (void)read_dense(dense.path()); }), 3);
  const test::TempFile order("p.txt", "1\n0\n");
  EXPECT_GT(fail_each_allocation([&] { (void)read_permutation(order.path()); }), 2);
}

TEST_F(Allocation, WhatIsDoneWithAFactorAllocatesNothingOnOneThread) {
  const auto a = generate("poisson3d 12");
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a.pattern());
  auto factor = Factor<double>::create(plan, backend);
  auto workspace = Workspace<double>::create(plan, 1, backend);
  auto inverse = SelectedInverse<double>::create(factor);
  std::vector<double> x(static_cast<std::size_t>(a.n()), 1.0);
  allocations_left = 0;  // the next allocation fails
  bool ok = true;
  try {
    ok = refactorize<double>(factor, a.value()).ok();
    factor.solve(column_view(std::span(x)), workspace);
    factor.multiply(System::L, column_view(std::span<const double>(x)), column_view(std::span(x)),
                    workspace);
    factor.multiply(System::Lt, column_view(std::span<const double>(x)), column_view(std::span(x)),
                    workspace);
    inverse.compute(factor);
  } catch (const std::bad_alloc&) {
    ok = false;
  }
  allocations_left = -1;
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace kauri
