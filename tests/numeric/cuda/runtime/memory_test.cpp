// Tests the caller's allocator, failing allocations, values from every kind of memory, and retries
// that copy nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::error_text;
using test::Hook;
using test::require;

template <class W>
class DeviceMemories : public test::OnCuda<W> {};
TYPED_TEST_SUITE(DeviceMemories, test::Ways);

TYPED_TEST(DeviceMemories, EachAllocationOfTheCallersMayFail) {
  using T = typename TypeParam::T;
  const auto a = generate("elast3d 6");
  const auto value = this->values(a);
  const auto plan = this->plan(a.pattern());
  auto expected = factorize<T>(plan, value, this->backend());
  ASSERT_TRUE(expected.ok());
  Hook hook;
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  for (long k = 0;; ++k) {
    hook.fail_at(k);
    const std::string text = error_text(ErrorKind::memory, [&] {
      auto factor = factorize<T>(plan, value, backend);
      ASSERT_TRUE(factor.ok());
      auto workspace = Workspace<T>::create(factor.value(), 1);
      const auto there = DeviceValues<T>::copy_of(value, backend);
      hook.fail_at(std::numeric_limits<long>::max());
      EXPECT_EQ(this->solution(factor.value()), this->solution(expected.value()));
      EXPECT_EQ(hook.alive(), 4u);
    });
    EXPECT_EQ(backend.bytes_in_use(), 0) << k;
    EXPECT_EQ(hook.alive(), 0u) << k;
    EXPECT_TRUE(hook.sound()) << k;
    if (text == "no Error") {
      EXPECT_EQ(k, 4);
      break;
    }
    EXPECT_EQ(text.find("not enough device memory: "), 0u) << text;
    EXPECT_NE(text.find(" bytes needed of the caller's allocator"), std::string::npos) << text;
    ASSERT_LT(k, 4);
  }
}

/// Each object allocates the bytes that the plan predicts, and its arrays use exactly these.
TYPED_TEST(DeviceMemories, APreparedPlanAFactorAndAWorkspaceAreOneAllocationEach) {
  using T = typename TypeParam::T;
  for (const char* spec :
       {"poisson2d 1", "poisson2d 30", "poisson3d 12", "elast3d 7", "tree 5000 1", "tree 5000 3",
        "arrow 20000 3", "blockdiag 300 300", "blockdiag 50 1"}) {
    const auto plan = this->plan(generate(spec).pattern());
    Hook hook;
    Backend backend = cuda_backend(
        CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
    EXPECT_EQ(hook.alive(), 0u);
    EXPECT_EQ(backend.peak_bytes(), 0);
    const auto prepared = PreparedPlan::create(plan, backend);
    EXPECT_EQ(hook.alive(), 1u) << spec;
    EXPECT_EQ(hook.bytes(), plan->prepared_bytes()) << spec;
    EXPECT_EQ(backend.bytes_in_use(), hook.bytes()) << spec;
    const auto factor = Factor<T>::create(prepared);
    EXPECT_EQ(hook.alive(), 2u) << spec;
    EXPECT_EQ(hook.bytes(), this->factor_bytes(*plan)) << spec;
    EXPECT_EQ(backend.bytes_in_use(), hook.bytes()) << spec;
    for (const Index nrhs : {1, 3, 1000}) {
      const auto workspace = Workspace<T>::create(factor, nrhs);
      EXPECT_EQ(hook.alive(), 3u) << spec;
      EXPECT_EQ(hook.bytes() - this->factor_bytes(*plan), plan->workspace_bytes(sizeof(T), nrhs))
          << spec;
      EXPECT_EQ(backend.bytes_in_use(), hook.bytes()) << spec;
    }
  }
}

/// Factors of a prepared plan share one copy of its arrays, which lives as long as any of them.
TYPED_TEST(DeviceMemories, FactorsOfAPreparedPlanShareItsArrays) {
  using T = typename TypeParam::T;
  for (const char* spec : {"elast3d 6", "tree 5000 3", "arrow 20000 3"}) {
    const auto a = generate(spec);
    const auto plan = this->plan(a.pattern());
    const auto value = this->values(a);
    auto alone = Factor<T>::create(plan, this->backend());
    ASSERT_TRUE(refactorize<T>(alone, value).ok());
    const std::vector<T> expected = this->solution(alone);
    Hook hook;
    Backend backend = cuda_backend(
        CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
    const Offset own = this->factor_bytes(*plan) - plan->prepared_bytes();
    std::vector<Factor<T>> factors;
    {
      const auto prepared = PreparedPlan::create(plan, backend);
      EXPECT_EQ(prepared.shared_plan(), plan);
      const PreparedPlan copy = prepared;
      for (int k = 0; k < 3; ++k) factors.push_back(Factor<T>::create(k == 1 ? copy : prepared));
      EXPECT_EQ(hook.bytes(), plan->prepared_bytes() + 3 * own) << spec;
    }
    for (std::size_t k = factors.size(); k-- > 0;) {
      EXPECT_EQ(factors[k].shared_plan(), plan);
      ASSERT_TRUE(refactorize<T>(factors[k], value, T(k)).ok()) << spec;
    }
    EXPECT_EQ(this->solution(factors[0]), expected) << spec;
    factors.erase(factors.begin());
    EXPECT_EQ(hook.bytes(), plan->prepared_bytes() + 2 * own) << spec;
    EXPECT_NE(this->solution(factors[0]), expected) << spec;
    ASSERT_TRUE(refactorize<T>(factors[0], value).ok()) << spec;
    EXPECT_EQ(this->solution(factors[0]), expected) << spec;
    factors.clear();
    EXPECT_EQ(hook.alive(), 0u) << spec;
    EXPECT_TRUE(hook.sound()) << spec;
  }
}

/// The two scalars need different views of the same arrays.
TYPED_TEST(DeviceMemories, APreparedPlanServesFloatAndDouble) {
  using T = typename TypeParam::T;
  if (TypeParam::compute == CudaCompute::hopper || TypeParam::compute == CudaCompute::tensor)
    GTEST_SKIP() << "loops of double alone";
  const auto a = generate("elast3d 7");
  const auto plan = this->plan(a.pattern());
  const auto value = this->values(a);
  auto alone = Factor<T>::create(plan, this->backend());
  ASSERT_TRUE(refactorize<T>(alone, value).ok());
  const auto prepared = PreparedPlan::create(plan, this->backend());
  auto narrow = Factor<float>::create(prepared);
  auto wide = Factor<double>::create(prepared);
  const std::vector<float> narrow_value = test::cast<float>(a.value());
  const std::vector<double> wide_value = test::cast<double>(a.value());
  ASSERT_TRUE(refactorize<float>(narrow, narrow_value).ok());
  ASSERT_TRUE(refactorize<double>(wide, wide_value).ok());
  Index far = 0;
  for (Index j = 0; j < a.n(); ++j) {
    const double exact = wide.entry(j, j);
    if (std::abs(static_cast<double>(narrow.entry(j, j)) - exact) > 1e-4 * exact) ++far;
    const double own = sizeof(T) == 4 ? static_cast<double>(narrow.entry(j, j)) : exact;
    EXPECT_EQ(own, static_cast<double>(alone.entry(j, j))) << j;
  }
  EXPECT_EQ(far, 0);
}

/// The test counts the memory that refinement takes on the device during a call.
TYPED_TEST(DeviceMemories, RefinementsAllocationMayFail) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 8");
  const auto value = this->values(a);
  const SymmetricView<T> view{a.pattern(), value};
  Hook hook;
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  auto factor = factorize<T>(this->plan(a.pattern()), value, backend);
  ASSERT_TRUE(factor.ok());
  auto workspace = Workspace<T>::create(factor.value(), 1);
  const std::vector<T> b = this->random_rhs(a.n(), 1, 5);
  std::vector<T> x = b;
  const auto columns = [&] { return MatrixView<T>{x.data(), a.n(), 1, a.n()}; };
  factor.value().solve(columns(), workspace);
  const std::size_t alive = hook.alive();
  const auto attempt = [&] {
    return error_text(ErrorKind::memory, [&] {
      (void)refine<T>(view, factor.value(), column_view(std::span<const T>(b)), columns(),
                      workspace, RefineOptions{});
    });
  };
  hook.fail_at(0);
  EXPECT_EQ(attempt().find("not enough device memory: "), 0u);
  EXPECT_EQ(hook.alive(), alive);
  hook.fail_at(std::numeric_limits<long>::max());
  EXPECT_EQ(attempt(), "no Error");
  EXPECT_EQ(hook.alive(), alive);
  EXPECT_TRUE(hook.sound());
}

/// The run that a backend does when it is created only saves time later, so it may fail.
TYPED_TEST(DeviceMemories, ABackendNeedsNoMemoryOfTheDevice) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 20");
  const auto plan = this->plan(a.pattern());
  Hook hook;
  hook.fail_at(0);
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  EXPECT_TRUE(hook.failed());
  EXPECT_EQ(hook.alive(), 0u);
  hook.fail_at(std::numeric_limits<long>::max());
  EXPECT_TRUE(factorize<T>(plan, this->values(a), backend).ok());
}

/// Streams and places for verdicts pass from one factor to the next; a new factor does not see the
/// previous one's verdict.
TYPED_TEST(DeviceMemories, FactorsOneAfterAnotherAndManyAtOnceAreStrangers) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 20");
  const auto plan = this->plan(a.pattern());
  const auto value = this->values(a);
  auto broken = value;
  broken[a.pattern().col_ptr[a.n() / 2]] = T(-3);
  std::vector<Factor<T>> factors;
  for (int round = 0; round < 100; ++round) {  // more than one page holds
    auto factor = Factor<T>::create(plan, this->backend());
    EXPECT_EQ(factor.verdict(), DeviceVerdict{});
    EXPECT_EQ(factor.fetch_verdict(nullptr), DeviceVerdict{}) << round;
    ASSERT_EQ(refactorize<T>(factor, round % 2 == 0 ? value : broken, T(round) / 64).ok(),
              round % 2 == 0);
    if (round % 3 != 0) factors.push_back(std::move(factor));
  }
  const auto expected = this->solution(factors[1]);  // of round 2
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const std::size_t round = k / 2 * 3 + 1 + k % 2;
    EXPECT_EQ(factors[k].valid(), round % 2 == 0);
    EXPECT_EQ(factors[k].fetch_verdict(nullptr), factors[k].verdict()) << round;
    EXPECT_EQ(factors[k].verdict().status == VerdictStatus::positive_definite, round % 2 == 0)
        << round;
  }
  factors.erase(factors.begin() + 2, factors.end());
  auto alone = Factor<T>::create(plan, this->backend());
  ASSERT_TRUE(refactorize<T>(alone, value, T(2) / 64).ok());
  EXPECT_EQ(this->solution(alone), expected);
  EXPECT_EQ(this->solution(factors[1]), expected);
}

/// The arrays of the plans fill chunks, end in them, and follow each other in them; more threads
/// than chunks make them.
TYPED_TEST(DeviceMemories, FactorsMadeByManyThreadsHaveTheSameBits) {
  using T = typename TypeParam::T;
  const std::vector<std::string> specs{"poisson3d 14", "poisson2d 300", "tree 60000 1",
                                       "elast3d 6"};
  std::vector<std::vector<T>> value, expected;
  std::vector<std::shared_ptr<const Plan>> plans;
  std::vector<PreparedPlan> prepared;  // used in every second round
  for (const std::string& spec : specs) {
    const auto a = generate(spec);
    value.push_back(this->values(a));
    plans.push_back(this->plan(a.pattern()));
    prepared.push_back(PreparedPlan::create(plans.back(), this->backend()));
    auto factor = Factor<T>::create(plans.back(), this->backend());
    ASSERT_TRUE(refactorize<T>(factor, value.back(), T(0.5)).ok()) << spec;
    expected.push_back(this->solution(factor));
  }
  constexpr std::size_t kThreads = 8;
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t round = 0; round < 12; ++round) {
        const std::size_t k = (t + round) % specs.size();
        auto factor = round % 2 == 0 ? Factor<T>::create(prepared[k])
                                     : Factor<T>::create(plans[k], this->backend());
        if (!refactorize<T>(factor, value[k], T(0.5)).ok() || this->solution(factor) != expected[k])
          ++wrong[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

/// Refactorisations, verdicts and solves allocate nothing. The memory that the driver takes for a
/// CUDA graph, which the second refactorisation makes, does not come from the allocator and is not
/// counted.
TYPED_TEST(DeviceMemories, OnlyCreateAllocates) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 10");
  const auto value = this->values(a);
  Hook hook;
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  auto factor = Factor<T>::create(this->plan(a.pattern()), backend);
  auto workspace = Workspace<T>::create(factor, 2);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 5);
  const auto there = DeviceValues<T>::copy_of(value, backend);
  const test::CallerStream stream;
  std::vector<T> b = this->random_rhs(a.n(), 5, 1);
  const test::CallerArray<T> array(b), rhs(b);
  const MatrixView<T> x{b.data(), a.n(), 5, a.n()};
  const DeviceMatrixView<T> device_b({rhs.data(), a.n(), 5, a.n()});
  const DeviceMatrixView<T> device_x({array.data(), a.n(), 5, a.n()});
  hook.fail_at(0);
  EXPECT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_TRUE(refactorize(factor, there).ok());
  EXPECT_TRUE(refactorize_shifted<T>(factor, value, T(2)).ok());
  enqueue_refactorize(factor, there, T(0), stream.get());
  const test::CallerGraph graph(
      stream, [&](cudaStream_t s) { enqueue_refactorize(factor, there, T(1), s); });
  graph.launch(stream);
  factor.enqueue_solve(device_x, workspace, stream.get());
  refiner.enqueue_values(there, stream.get());
  refiner.enqueue_refine(factor, device_b, device_x, workspace, stream.get());
  EXPECT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
  factor.solve(device_x, workspace);
  factor.solve(x, workspace);
  refiner.set_values(there);
  (void)refiner.refine(factor, device_b, device_x, workspace);
  EXPECT_FALSE(hook.failed());
  hook.fail_at(std::numeric_limits<long>::max());
}

TYPED_TEST(DeviceMemories, TooLittleIsSaidBeforeAnyWork) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 60");
  const auto plan = this->plan(a.pattern());
  const Offset bytes = this->factor_bytes(*plan);
  ASSERT_GT(bytes, Offset{96} << 20);  // more than the driver may keep of released memory
  const auto prepared = PreparedPlan::create(plan, this->backend());
  const Offset held = this->backend().bytes_in_use();
  std::size_t there = 0, all = 0;
  require(cudaMemGetInfo(&there, &all));
  void* rest = nullptr;
  require(cudaMalloc(&rest, there - (std::size_t{16} << 20)));
  const std::string text =
      error_text(ErrorKind::memory, [&] { (void)Factor<T>::create(plan, this->backend()); });
  const std::string own_text =
      error_text(ErrorKind::memory, [&] { (void)Factor<T>::create(prepared); });
  require(cudaFree(rest));
  const auto needed = [](Offset count) {
    return "not enough device memory: " + std::to_string(count) + " bytes needed, ";
  };
  EXPECT_EQ(text.find(needed(bytes)), 0u) << text;
  EXPECT_EQ(own_text.find(needed(bytes - plan->prepared_bytes())), 0u) << own_text;
  EXPECT_EQ(this->backend().bytes_in_use(), held);
  auto factor = Factor<T>::create(prepared);
  EXPECT_TRUE(refactorize<T>(factor, this->values(a)).ok());
}

/// The matrix has more values than the staging chunks hold together.
TYPED_TEST(DeviceMemories, TheSameBitsFromPageableFromPinnedAndFromDeviceMemory) {
  using T = typename TypeParam::T;
  const auto a = generate("blockdiag 1600000 4");
  std::vector<T> value = this->values(a);
  for (std::size_t k = 0; k < value.size(); ++k)
    value[k] *= T(1) + T(k % 1021) / T(4096);  // no two chunks are equal
  ASSERT_GT(value.size() * sizeof(T), std::size_t{15} << 20);
  auto factor =
      Factor<T>::create(this->plan(a.pattern(), OrderingMethod::natural), this->backend());
  ASSERT_TRUE(refactorize<T>(factor, value, T(3)).ok());
  const std::vector<T> expected = this->solution(factor);
  const auto there = DeviceValues<T>::copy_of(value, this->backend());
  ASSERT_TRUE(refactorize(factor, there, T(4)).ok());
  EXPECT_NE(this->solution(factor), expected);
  ASSERT_TRUE(refactorize(factor, there, T(3)).ok());
  EXPECT_EQ(this->solution(factor), expected);
  T* pinned = nullptr;
  require(cudaHostAlloc(reinterpret_cast<void**>(&pinned), value.size() * sizeof(T),
                        cudaHostAllocDefault));
  std::copy(value.begin(), value.end(), pinned);
  ASSERT_TRUE(refactorize(factor, there, T(4)).ok());
  ASSERT_TRUE(refactorize<T>(factor, std::span<const T>(pinned, value.size()), T(3)).ok());
  EXPECT_EQ(this->solution(factor), expected);
  require(cudaFreeHost(pinned));
  T* managed = nullptr;
  require(cudaMallocManaged(reinterpret_cast<void**>(&managed), value.size() * sizeof(T)));
  std::copy(value.begin(), value.end(), managed);
  ASSERT_TRUE(refactorize(factor, there, T(4)).ok());
  ASSERT_TRUE(refactorize<T>(factor, std::span<const T>(managed, value.size()), T(3)).ok());
  EXPECT_EQ(this->solution(factor), expected);
  require(cudaFree(managed));
  // The residual reads the same values from the same kind of memory.
  const std::vector<T> x(static_cast<std::size_t>(a.n()), T(1));
  std::vector<T> mine(x.size()), theirs(x.size());
  Backend cpu = cpu_backend(1);
  multiply<T>({a.pattern(), value}, column_view(std::span<const T>(x)),
              column_view(std::span<T>(mine)), this->backend());
  multiply<T>({a.pattern(), value}, column_view(std::span<const T>(x)),
              column_view(std::span<T>(theirs)), cpu);
  EXPECT_EQ(mine, theirs);
}

/// A retry does not read the values passed to it: the device has them.
TYPED_TEST(DeviceMemories, ARetryCopiesNothing) {
  using T = typename TypeParam::T;
  for (const char* spec : {"poisson3d 12", "elast3d 5", "poisson2d 70"}) {
    const auto a = generate(spec);
    const auto plan = this->plan(a.pattern());
    auto value = this->values(a);
    value[a.pattern().col_ptr[a.n() / 2]] = T(-1);
    const std::vector<T> not_read(value.size(), std::numeric_limits<T>::quiet_NaN());
    auto factor = Factor<T>::create(plan, this->backend()),
         fresh = Factor<T>::create(plan, this->backend());
    EXPECT_FALSE(refactorize_shifted<T>(factor, value, T(0.125))
                     .ok());  // the device holds no values yet, so it copies these
    ASSERT_FALSE(refactorize<T>(factor, value).ok());
    for (const T shift : {T(16), T(40), T(16)}) {
      ASSERT_TRUE(refactorize_shifted<T>(factor, not_read, shift).ok());
      auto shifted = value;
      for (Index j = 0; j < a.n(); ++j) shifted[a.pattern().col_ptr[j]] += shift;
      ASSERT_TRUE(refactorize<T>(fresh, shifted).ok());
      EXPECT_EQ(this->solution(factor), this->solution(fresh)) << spec << " " << shift;
      EXPECT_EQ(factor.verdict(), fresh.verdict());
    }
    ASSERT_FALSE(refactorize<T>(factor, value).ok());  // a new call reads the values passed to it
  }
}

TYPED_TEST(DeviceMemories, TheSolverRetriesOnTheDevice) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 12");
  auto value = this->values(a);
  value[a.pattern().col_ptr[a.n() / 2]] = T(-1);
  SolverOptions options;
  options.backend = BackendChoice::cuda;
  options.analyze.ordering.method = OrderingMethod::amd;
  Solver<T> solver(options), fresh(options);
  const SymmetricView<T> view{a.pattern(), value};
  ASSERT_FALSE(solver.compute(view).ok());
  ASSERT_FALSE(fresh.compute(view).ok());
  const std::vector<T> b(static_cast<std::size_t>(a.n()), T(1));
  for (const T shift : {T(16), T(40), T(16)}) {
    ASSERT_TRUE(solver.refactorize_shifted(shift).ok());
    ASSERT_TRUE(fresh.refactorize(value, shift).ok());
    EXPECT_EQ(solver.solve(b), fresh.solve(b));
    EXPECT_EQ(solver.report().smallest_pivot, fresh.report().smallest_pivot);
  }
}

}  // namespace
}  // namespace kauri
