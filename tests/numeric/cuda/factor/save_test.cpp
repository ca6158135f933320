// Tests factors saved on a device and loaded there or on the CPU, and the reverse: L bit for bit,
// solves bit for bit if the same kernels run.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/oracles/same_plan.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

template <class T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class W>
class SavedOnCuda : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// Returns systems with small fronts and tiled ones, with pivots that fill no tile and no block
  /// of 16 or 8.
  static std::vector<std::pair<std::string, OwnedPattern>> systems() {
    std::vector<std::pair<std::string, OwnedPattern>> all;
    all.emplace_back("none", diagonal_pattern(0));
    all.emplace_back("one", diagonal_pattern(1));
    all.emplace_back("chain", chain_pattern(40));
    all.emplace_back("dense 65", dense_pattern(65));
    all.emplace_back("dense 139", dense_pattern(139));
#ifdef KAURI_ORDERS  // on the emulated device, where a step takes as long as a front on a real
                     // device
    all.emplace_back("cube", grid_pattern(5, 5, 5, true));
#else
    all.emplace_back("long chain", chain_pattern(30000));
    all.emplace_back("arrow", star_pattern(700, 0));
    all.emplace_back("cube", grid_pattern(25, 25, 25, true));
#endif
    return all;
  }
  /// Returns numbers of right-hand sides: one, a few, as many as are solved together. Level by
  /// level, and in float, all numbers take the same path, so one is enough.
  static std::vector<Index> widths() {
    if (sizeof(Value) == 8 && !W::by_level) return {1, 3, 12};
    return {2};
  }

  static std::vector<Value> numbers(const OwnedPattern& a) {
    return random_dominant<Value>(a.view(), 5);
  }

  /// The matrices are dominant, with condition numbers below 100.
  static void expect_near(const std::vector<Value>& x, const std::vector<Value>& y) {
    Value most = 0;
    for (const Value v : x) most = std::max(most, std::abs(v));
    for (std::size_t k = 0; k < x.size(); ++k)
      ASSERT_NEAR(x[k], y[k], (sizeof(Value) == 8 ? 1e-12 : 1e-4) * most) << k;
  }

  Factor<Value> on_device(const OwnedPattern& a) {
    auto factor = Factor<Value>::create(this->plan(a.view()), this->backend());
    EXPECT_TRUE(refactorize<Value>(factor, numbers(a)).ok());
    return factor;
  }
};
TYPED_TEST_SUITE(SavedOnCuda, Ways, WayNumbers);

TYPED_TEST(SavedOnCuda, ThereAgain) {
  using T = typename TypeParam::T;
  for (const auto& [name, a] : this->systems()) {
    SCOPED_TRACE(name);
    auto factor = this->on_device(a);
    const std::vector<std::byte> bytes = save_factor(factor);
    auto loaded = load_factor<T>(bytes, this->backend());
    ASSERT_EQ(PlanDifference(factor.plan(), loaded.plan()).name(), "");
    ASSERT_EQ(loaded.verdict(), factor.verdict());
    ASSERT_TRUE(equal_bits(lower_factor(loaded).value, lower_factor(factor).value));
    ASSERT_TRUE(equal_bits(lower_diagonal(loaded), lower_diagonal(factor)));
    ASSERT_EQ(log_determinant(loaded), log_determinant(factor));
    ASSERT_EQ(save_factor(loaded), bytes);
    for (const Index columns : this->widths()) {
      if (TypeParam::by_level) {  // a loaded factor runs tasks, and solves by sweeps if the plan
                                  // has any
        this->expect_near(this->solved(factor, columns), this->solved(loaded, columns));
      } else {
        ASSERT_TRUE(equal_bits(this->solved(factor, columns), this->solved(loaded, columns)))
            << columns;
      }
    }
    if (this->HasFatalFailure()) return;
    // A loaded factor holds no values, so refactorize_shifted() takes the given ones.
    auto again = load_factor<T>(bytes, this->backend());
    ASSERT_TRUE(refactorize_shifted<T>(loaded, this->numbers(a), T(1)).ok());
    ASSERT_TRUE(refactorize<T>(again, this->numbers(a), T(1)).ok());
    ASSERT_TRUE(equal_bits(lower_factor(loaded).value, lower_factor(again).value));
  }
}

TYPED_TEST(SavedOnCuda, ToTheCpuAndBack) {
  using T = typename TypeParam::T;
  Backend cpu = cpu_backend(1);
  for (const auto& [name, a] : this->systems()) {
    SCOPED_TRACE(name);
    const auto factor = this->on_device(a);
    const auto host = load_factor<T>(save_factor(factor), cpu);
    EXPECT_EQ(host.plan().target, host_target());
    ASSERT_EQ(find_flaw(host.plan()), "");
    ASSERT_TRUE(equal_bits(lower_factor(host).value, lower_factor(factor).value));
    ASSERT_EQ(host.verdict(), factor.verdict());
    this->expect_near(this->solved(factor, 1), this->solved(host, 1));
    const auto back =
        load_factor<T>(save_factor(host), this->backend());  // loading computes its inverses
    ASSERT_EQ(PlanDifference(factor.plan(), back.plan()).name(), "");
    ASSERT_TRUE(equal_bits(lower_factor(back).value, lower_factor(factor).value));
    ASSERT_EQ(back.verdict(), factor.verdict());
    for (const Index columns : this->widths())
      this->expect_near(this->solved(factor, columns), this->solved(back, columns));
    if (this->HasFatalFailure()) return;
  }
}

/// A refused load leaves the backend unchanged.
TYPED_TEST(SavedOnCuda, DamagedL) {
  using T = typename TypeParam::T;
  const auto factor = this->on_device(dense_pattern(70));
  std::vector<std::byte> bytes = save_factor(factor);
  bytes[bytes.size() - 100] ^= std::byte{1};
  const Offset before = this->backend().bytes_in_use();
  EXPECT_THROW(load_factor<T>(bytes, this->backend()), Error);
  EXPECT_EQ(this->backend().bytes_in_use(), before);
}

}  // namespace
}  // namespace kauri::test
