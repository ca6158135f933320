// Base of tests on a CUDA device: kernel families, the backend, plans. Without a device a test is
// reported as skipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri::test {

/// Returns true if a device was available when this process first asked. A device that is lost
/// later makes tests fail instead of skipping them.
inline bool has_device() {
  static const bool there = cuda_available();
  return there;
}

/// A way to factorise fronts: large ones as tasks with these kernels, or all level by level; with
/// the kernels that all devices run if kPortable.
template <class Scalar, CudaCompute kCompute, bool kPortable = false>
struct Way {
  using T = Scalar;
  static constexpr CudaCompute compute = kCompute;
  static constexpr bool portable = kPortable;
  static constexpr bool by_level = kCompute == CudaCompute::automatic;
};
template <class Scalar>
using LevelByLevel = Way<Scalar, CudaCompute::automatic>;
using AllWays =
    ::testing::Types<LevelByLevel<float>, Way<float, CudaCompute::fma>, LevelByLevel<double>,
                     Way<double, CudaCompute::hopper>, Way<double, CudaCompute::tensor>,
                     Way<double, CudaCompute::fma>, Way<float, CudaCompute::tf32x3>>;

/// All ways; portable multiply-adds of floats, whose sweeps are in float, too; and portable tensor
/// cores, with the sweeps in double of an A100.
using AllBodyWays =
    ::testing::Types<LevelByLevel<float>, Way<float, CudaCompute::fma>, LevelByLevel<double>,
                     Way<double, CudaCompute::hopper>, Way<double, CudaCompute::tensor>,
                     Way<double, CudaCompute::fma>, Way<float, CudaCompute::tf32x3>,
                     Way<float, CudaCompute::fma, true>, Way<double, CudaCompute::tensor, true>>;

/// Ways that run large fronts as tasks; the last one solves by portable sweeps.
using AllTaskWays =
    ::testing::Types<Way<double, CudaCompute::hopper>, Way<double, CudaCompute::tensor>,
                     Way<double, CudaCompute::fma>, Way<float, CudaCompute::fma>,
                     Way<float, CudaCompute::tf32x3>, Way<float, CudaCompute::tf32>,
                     Way<double, CudaCompute::tensor, true>>;

/// Selects the types of a list with these numbers.
template <class List, std::size_t... kNumbers>
struct ChosenOf;
template <class... W, std::size_t... kNumbers>
struct ChosenOf<::testing::Types<W...>, kNumbers...> {
  using type = ::testing::Types<std::tuple_element_t<kNumbers, std::tuple<W...>>...>;
};

// A build without long tests compiles only the ways of its quick tests (tests/emulator).
#ifdef KAURI_WAYS
using Ways = ChosenOf<AllWays, KAURI_WAYS>::type;
using BodyWays = ChosenOf<AllBodyWays, KAURI_WAYS>::type;
#else
using Ways = AllWays;
using BodyWays = AllBodyWays;
#endif
#ifdef KAURI_TASK_WAYS
using TaskWays = ChosenOf<AllTaskWays, KAURI_TASK_WAYS>::type;
#else
using TaskWays = AllTaskWays;
#endif

/// Names the tests by the number of their way in the whole list.
template <class List>
struct NumbersOf;
template <class... W>
struct NumbersOf<::testing::Types<W...>> {
  template <class One>
  static std::string GetName(int) {
    std::size_t number = 0, at = 0;
    ((std::is_same_v<One, W> ? void(number = at) : void(), ++at), ...);
    return std::to_string(number);
  }
};
using WayNumbers = NumbersOf<AllWays>;
using BodyWayNumbers = NumbersOf<AllBodyWays>;
using TaskWayNumbers = NumbersOf<AllTaskWays>;

template <class W>
class OnCuda : public ::testing::Test {
 protected:
  using Value = typename W::T;
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    try {
      backend_.emplace(cuda_backend(CudaOptions{
          .device = 0, .allocator = {}, .compute = W::compute, .portable = W::portable}));
    } catch (const Error& error) {  // Hopper's kernels on another device
      if (error.kind() != ErrorKind::usage || W::compute != CudaCompute::hopper) throw;
      GTEST_SKIP() << error.what();
    }
  }
  Backend& backend() { return *backend_; }
  /// Returns true if factors hold products of diagonal tiles with their neighbours, for sweeps:
  /// with tasks.
  static constexpr bool has_products() { return !W::by_level; }
  /// Returns the bytes of a factor.
  static Offset factor_bytes(const Plan& plan) { return plan.peak_bytes(sizeof(Value)); }
  std::shared_ptr<const Plan> plan(const Pattern& pattern,
                                   OrderingMethod method = OrderingMethod::amd,
                                   bool amalgamate = true) {
    AnalyzeOptions options;
    options.ordering.method = method;
    options.target = backend().target();
    options.amalgamate = amalgamate;
    return plan(pattern, options);
  }
  std::shared_ptr<const Plan> plan(const Pattern& pattern, const AnalyzeOptions& options) {
    return in_this_way(analyze(pattern, options));
  }
  static std::shared_ptr<const Plan> in_this_way(const std::shared_ptr<const Plan>& made) {
    if (!W::by_level) return made;
    auto by_level = std::make_shared<Plan>(*made);
    DeviceHooks::by_level(*by_level) = true;
    return by_level;
  }
  static std::vector<Value> values(const SymmetricMatrix<double>& a) {
    return cast<Value>(a.value());
  }
  /// Returns b with entries in (-1, 1), n x cols with leading dimension ld.
  static std::vector<Value> random_rhs(Offset ld, Index cols, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Value> b(static_cast<std::size_t>(ld * cols));
    for (Value& v : b)
      v = static_cast<Value>(std::uniform_real_distribution<double>(-1, 1)(random));
    return b;
  }
  /// Returns the solutions of so many right-hand sides, n x columns without gaps.
  static std::vector<Value> solved(const Factor<Value>& factor, Index columns) {
    const Index n = factor.plan().n;
    std::vector<Value> x = random_rhs(n, columns, 3);
    auto workspace = Workspace<Value>::create(factor, columns);
    factor.solve({x.data(), n, columns, n}, workspace);
    return x;
  }
  /// Returns the solution of one system, whose bits stand for those of L.
  static std::vector<Value> solution(const Factor<Value>& factor) { return solved(factor, 1); }

 private:
  std::optional<Backend> backend_;
};

}  // namespace kauri::test
