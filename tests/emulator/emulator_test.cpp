// The CUDA backend on the emulated device, in many orders of its threads: tests the logic of
// kernels without a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/emulator/machine/machine.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/backward_sums.hpp"
#include "tests/support/oracles/lower_factor_oracle.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/systems/block_tree.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/near_singular.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

// KAURI_ORDERS: number of orders that are tried; small in the quick test.

/// A system with a strictly dominant diagonal and random other entries.
struct System {
  std::string name;
  OwnedPattern pattern;
  OrderingMethod method = OrderingMethod::natural;
};

template <class W>
class Emulated : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  using OnCuda<W>::plan;

  /// Expects that factorising an exact system returns its factor bit for bit.
  void expect_exact(IntegerRows l, bool amalgamate, Index teams, const std::string& what,
                    bool long_places = false) {
    const auto n = static_cast<Index>(l.size());
    const auto system =
        exact_system(std::move(l), Permutation::identity(n), sizeof(Value) == 8 ? 53 : 24);
    AnalyzeOptions options;
    options.permutation = system.perm;
    options.target = this->backend().target();
    options.amalgamate = amalgamate;
    auto made = run_by(*plan(system.a.pattern(), options), teams);
    if (long_places) made = std::make_shared<Plan>(with_long_places(*made));
    auto factor = Factor<Value>::create(made, this->backend());
    EXPECT_EQ(this->backend().bytes_in_use(), this->factor_bytes(*made)) << what;
    ASSERT_TRUE(refactorize<Value>(factor, this->values(system.a)).ok()) << what;
    for (Index i = 0; i < system.a.n(); ++i)
      for (const auto& [j, v] : system.l[i])
        ASSERT_EQ(factor.entry(made->perm.new_of(i), made->perm.new_of(j)), static_cast<Value>(v))
            << what << ": " << i << " " << j;
    EXPECT_EQ(flaw_of_lower_factor(factor), "") << what;
  }

  static constexpr double kBound = sizeof(Value) == 8 ? 1e-14 : 5e-6;
  /// Returns the componentwise backward error of x, the solution() of a system.
  static double error_of(const Pattern& pattern, const std::vector<Value>& value,
                         const std::vector<Value>& x) {
    const Index n = pattern.n;
    const std::vector<Value> b = OnCuda<W>::random_rhs(n, 1, 3);
    Backend cpu = cpu_backend(1);
    return backward_error<Value>({pattern, value}, {x.data(), n, 1, n}, {b.data(), n, 1, n}, cpu)
        .componentwise;
  }

  void SetUp() override {
    OnCuda<W>::SetUp();
    emulator::set_seed(1);
  }
};
TYPED_TEST_SUITE(Emulated, Ways, WayNumbers);

/// Names of the kernel families.
TYPED_TEST(Emulated, TheBackendTellsItsLoops) {
  const auto expected = [](CudaCompute compute) -> std::pair<std::string, std::string> {
    switch (compute) {
      case CudaCompute::automatic:
        return {"hopper", "tf32x3"};
      case CudaCompute::hopper:
        return {"hopper", "none"};
      case CudaCompute::tensor:
        return {"tensor", "none"};
      case CudaCompute::tf32x3:
        return {"hopper", "tf32x3"};
      case CudaCompute::tf32:
        return {"hopper", "tf32"};
      case CudaCompute::fp16x3:
        return {"hopper", "fp16x3"};
      case CudaCompute::fma:
        break;
    }
    return {"fma", "fma"};
  };
  EXPECT_EQ(std::pair(this->backend().kernels(8), this->backend().kernels(4)),
            expected(TypeParam::compute));
  EXPECT_EQ(this->backend().target(), "sm_90");
}

/// Returns rows that meet many columns: `many` leaves, each with entries in `below` of the `hubs`
/// groups of `size` rows.
IntegerRows hub_rows(Index many, Index hubs, Index size, unsigned below, std::mt19937_64& random) {
  std::vector<std::map<Index, std::int64_t>> row(static_cast<std::size_t>(many + hubs * size));
  for (Index k = 0; k < many; ++k)
    for (unsigned i = 0; i < below; ++i) {
      const Index first = many + static_cast<Index>(random() % static_cast<unsigned>(hubs)) * size;
      for (Index j = 0; j < size; ++j)
        row[first + j][k] = static_cast<std::int64_t>(random() % 5) - 2;
    }
  IntegerRows l(row.size());
  for (std::size_t i = 0; i < l.size(); ++i) {
    l[i].assign(row[i].begin(), row[i].end());
    l[i].emplace_back(static_cast<Index>(i), std::int64_t{1} << (random() % 2));
  }
  return l;
}

/// Orders up to 330 give small fronts, single tiled fronts with whole and partial tiles, and fronts
/// with children.
TYPED_TEST(Emulated, ExactFactors) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 4 + 2 * KAURI_ORDERS; ++round) {
    const Index n = round < 4 ? round : 1 + static_cast<Index>(random() % 330),
                band = round % 3 == 0 ? 0 : 1 + round % 40;
    this->expect_exact(random_factor(n, 1 + round % 6, band, random), round % 5 != 0,
                       4 + 2 * (round % 3), std::to_string(round));
  }
}

/// Chains of three tiles and more whose last tile has any number of cells, with rows below. Shared
/// memory beside the tile's columns is NaN when a launch begins, and must not enter any result.
TYPED_TEST(Emulated, LastTilesOfChains) {
  for (Index last = 1; last <= 64; last += 8) {
    const auto system = dense_exact_system(BlockTree({70, 128 + last}, 1).rows());
    auto made = run_by(*this->plan(system.a.pattern(), OrderingMethod::natural, false), 4);
    auto factor = Factor<typename TestFixture::Value>::create(made, this->backend());
    ASSERT_TRUE(refactorize<typename TestFixture::Value>(factor, this->values(system.a)).ok())
        << last;
    for (Index i = 0; i < system.a.n(); i += 3)
      for (const auto& [j, v] : system.l[i])
        ASSERT_EQ(factor.entry(made->perm.new_of(i), made->perm.new_of(j)),
                  static_cast<typename TestFixture::Value>(v))
            << last;
  }
}

/// Fronts with many children have listed sums beside pulled entries.
TYPED_TEST(Emulated, ManyChildrenExactly) {
  std::mt19937_64 random(2);
  for (const bool amalgamate : {true, false}) {
    this->expect_exact(hub_rows(60, 1, 3, 1, random), amalgamate, 4, "60 leaves");
    this->expect_exact(hub_rows(90, 3, 9, 2, random), amalgamate, 6, "90 leaves");
    this->expect_exact(hub_rows(90, 3, 9, 2, random), amalgamate, 6, "90 leaves, long places",
                       true);
    this->expect_exact(hub_rows(12, 2, 70, 2, random), amalgamate, 4, "12 leaves below tiles");
    this->expect_exact(hub_rows(50, 1, 80, 1, random), amalgamate, 6,
                       "50 leaves of one tiled host");
  }
}

/// Every order of threads and every number of teams gives the same bits, and x solves the system.
/// Includes several levels and reused memory.
TYPED_TEST(Emulated, TheSameBitsInEveryOrder) {
  using T = typename TypeParam::T;
  const System systems[] = {
      {"dense 70", dense_pattern(70)},
      {"dense 230", dense_pattern(230)},
      {"grid 7 x 7 x 7", grid_pattern(7, 7, 7, true), OrderingMethod::amd},
      {"grid 20 x 20", grid_pattern(20, 20, 1), OrderingMethod::amd},
      {"random 300", random_pattern(300, 5, 3), OrderingMethod::minimum_degree}};
  for (const System& s : systems) {
    const Pattern pattern = s.pattern.view();
    const std::vector<T> value = random_dominant<T>(pattern, 5);
    const auto made = this->plan(pattern, s.method);
    std::vector<T> first;
    for (std::uint64_t seed = 0; seed < std::max(KAURI_ORDERS, 2);
         ++seed) {  // a single order would be compared with itself
      SCOPED_TRACE(s.name + ", seed " + std::to_string(seed));
      emulator::set_seed(seed);
      auto factor = Factor<T>::create(
          run_by(*made, 4 + 2 * static_cast<Index>(seed % 3), static_cast<unsigned>(seed % 4)),
          this->backend());
      ASSERT_TRUE(refactorize<T>(factor, value).ok());
      const std::vector<T> x = this->solution(factor);
      if (first.empty()) first = x;
      ASSERT_EQ(x, first);
    }
    EXPECT_LE(this->error_of(pattern, value, first), this->kBound) << s.name;
  }
}

/// The verdict equals that of a naive factorisation, all other fronts go on, and the next
/// factorisation is good.
TYPED_TEST(Emulated, FailingPivots) {
  using T = typename TypeParam::T;
  std::mt19937_64 random(4);
  for (const auto& [pattern, method] : {std::pair{dense_pattern(40), OrderingMethod::natural},
                                        {dense_pattern(130), OrderingMethod::natural},
                                        {grid_pattern(7, 7, 7, true), OrderingMethod::amd},
                                        {random_pattern(200, 4, 5), OrderingMethod::amd}}) {
    const Pattern view = pattern.view();
    const std::vector<T> good = random_dominant<T>(view, 6);
    const auto made = run_by(*this->plan(view, method), 6);
    auto factor = Factor<T>::create(made, this->backend());
    for (int round = 0; round < 3; ++round) {
      std::vector<T> bad = good;
      for (int k = 0; k <= round % 3; ++k)
        bad[view.col_ptr[random() % static_cast<std::uint64_t>(view.n)]] *=
            round % 2 == 0 ? T(-1) : T(0.001);
      const auto expected = sparse_breakdown<T>({view, bad}, made->perm);
      const auto seen = refactorize<T>(factor, bad);
      ASSERT_EQ(seen.ok(), !expected.has_value()) << view.n << ", round " << round;
      if (expected) {
        ASSERT_EQ(seen.error().column, expected->column) << view.n << ", round " << round;
      }
    }
    ASSERT_TRUE(refactorize<T>(factor, good).ok());
    EXPECT_LE(this->error_of(view, good, this->solution(factor)), this->kBound) << view.n;
  }
}

/// A plan for a device without Hopper's kernels counts no bytes for them, and a Hopper device runs
/// it all the same.
TYPED_TEST(Emulated, PlansForOtherDevices) {
  using T = typename TypeParam::T;
  const OwnedPattern pattern = grid_pattern(12, 12, 1);
  const Pattern view = pattern.view();
  const std::vector<T> value = random_dominant<T>(view, 5);
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  options.target = "sm_80";
  auto factor = Factor<T>::create(run_by(*this->plan(view, options), 4), this->backend());
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  EXPECT_LE(this->error_of(view, value, this->solution(factor)), this->kBound);
}

/// In the plain solve, sums over the rows below do not lose accuracy; sums of the sweeps through
/// tiles lose a few units (sweep_test.cpp).
TYPED_TEST(Emulated, BackwardSums) {
  using T = typename TypeParam::T;
  CudaOptions plain;
  plain.compute = TypeParam::compute, plain.fast_solve = false;
  Backend backend = cuda_backend(plain);
  for (const auto& [pattern, method] :
       {std::pair{grid_pattern(20, 20, 1), OrderingMethod::amd},
        {grid_pattern(7, 7, 7, true), OrderingMethod::amd},
        {random_pattern(300, 5, 3), OrderingMethod::minimum_degree}}) {
    const Pattern view = pattern.view();
    auto factor = Factor<T>::create(run_by(*this->plan(view, method), 4), backend);
    ASSERT_TRUE(refactorize<T>(factor, random_dominant<T>(view, 7)).ok());
    const double error = worst_backward_row(factor);
    EXPECT_GT(error, 0) << view.n;
    EXPECT_LE(error, 1.001) << view.n;
  }
}

/// Blocks whose inverses need correction (tests/numeric/cuda/factor/near_singular_test.cpp).
TYPED_TEST(Emulated, NearlySingularBlocks) {
  if constexpr (sizeof(typename TypeParam::T) == 8) {
    Backend cpu = cpu_backend(1);
    for (const NearSingularCase& what : near_singular_cases()) {
      SCOPED_TRACE(what.name);
      if (KAURI_ORDERS < 10 && what.parts[0] > 128) continue;
      const auto a = near_singular(what, 1);
      AnalyzeOptions options = natural_order(a.n());
      const NearSingularErrors there = near_singular_errors(a, analyze(a.pattern(), options), cpu);
      options.target = this->backend().target();
      const NearSingularErrors here =
          near_singular_errors(a, run_by(*this->plan(a.pattern(), options), 4), this->backend());
      EXPECT_LE(here.factor, factor_error_bound(there.factor));
      EXPECT_LE(here.solve, factor_error_bound(there.solve));
    }
  } else {
    GTEST_SKIP() << "bounds are those of double";
  }
}

}  // namespace
}  // namespace kauri::test
