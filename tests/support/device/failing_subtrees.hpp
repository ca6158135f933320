// Failing pivots in independent subtrees and above both: expected verdicts of each way on a device,
// and unaffected fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

template <class W>
class FailingSubtrees : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// A front w, and fronts u and v in two different subtrees below it.
  struct Fork {
    Index u, v, w;
  };
  struct System {
    Pattern pattern;
    std::vector<Value> value;
    std::shared_ptr<const Plan> plan, on_cpu;
  };

  System system(const Pattern& pattern, OrderingMethod method, bool amalgamate) {
    const auto made = this->plan(pattern, method, amalgamate);
    AnalyzeOptions options;
    options.permutation = made->perm;
    return {pattern, random_dominant<Value>(pattern, 5), made, analyze(pattern, options)};
  }

  /// Tries each way of failing at this many forks of the tree: columns fail in u, in v, in w, in
  /// two of them, in all. The entries below them leave finite numbers or overflow, so that
  /// infinities and NaN propagate upwards. `large`: most fronts are tiled.
  void check(const System& s, int forks, bool large) {
    auto good = Factor<Value>::create(s.plan, this->backend()),
         factor = Factor<Value>::create(s.plan, this->backend());
    ASSERT_TRUE(refactorize<Value>(good, s.value).ok());
    const std::vector<Value> solution = this->solution(good);
    std::mt19937_64 random(8);
    for (int round = 0; round < forks; ++round) {
      const Fork fork = any_fork(*s.plan, round % 2 == 0, random);
      for (unsigned who = 1; who < 8; ++who) {
        const bool wild = (who + static_cast<unsigned>(round)) % 2 == 0;
        SCOPED_TRACE("fork " + std::to_string(round) + ", failing " + std::to_string(who) +
                     (wild ? ", wild" : ""));
        std::vector<Index> failing;  // fronts
        if ((who & 1) != 0) failing.push_back(fork.u);
        if ((who & 2) != 0) failing.push_back(fork.v);
        if ((who & 4) != 0) failing.push_back(fork.w);
        const std::vector<Value> bad = broken(s, failing, wild, random);
        ASSERT_TRUE(refactorize<Value>(factor, s.value, Value(who))
                        .ok());  // other numbers than those of the next call
        expect_verdict(s, bad, refactorize<Value>(factor, bad), factor.verdict());
        expect_sound_fronts(*s.plan, failing, good, factor, random);
        if (this->HasFatalFailure()) return;
        if (wild && is_infected(s.plan->supernodes, fork.w, factor, random)) ++infected_;
      }
      ASSERT_TRUE(refactorize<Value>(factor, s.value).ok());
      ASSERT_EQ(this->solution(factor), solution);
      ASSERT_EQ(factor.verdict(), good.verdict());
    }
    EXPECT_GT(agreed_, 0);
    if (large) {
      EXPECT_EQ(infected_ > 0,
                !W::by_level);  // the level-by-level kernels leave fronts above a failing one
                                // unchanged
    }
  }

 private:
  static constexpr bool kDouble = sizeof(Value) == 8;

  /// Returns the first front of each front's subtree.
  static std::vector<Index> subtrees(const Supernodes& nodes) {
    std::vector<Index> first(static_cast<std::size_t>(nodes.count()));
    for (Index s = 0; s < nodes.count(); ++s) first[s] = s;
    for (Index s = 0; s < nodes.count(); ++s)
      if (const Index parent = nodes.parent[s]; parent != kNone)
        first[parent] = std::min(first[parent], first[s]);
    return first;
  }
  /// Returns a fork in which u and v are children of w, or arbitrary fronts below these.
  static Fork any_fork(const Plan& plan, bool children_fail, std::mt19937_64& random) {
    const std::vector<Index> first = subtrees(plan.supernodes);
    const auto below = [&](Index s) {
      return children_fail
                 ? s
                 : first[s] +
                       static_cast<Index>(random() % static_cast<std::uint64_t>(s - first[s] + 1));
    };
    for (;;) {
      const auto w =
          static_cast<Index>(random() % static_cast<std::uint64_t>(plan.supernodes.count()));
      const Index begin = plan.internals->assembly.child_ptr[w],
                  children = plan.internals->assembly.child_ptr[w + 1] - begin;
      if (children < 2) continue;
      const auto k = static_cast<Index>(random() % static_cast<std::uint64_t>(children - 1));
      const auto l =
          k + 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(children - k - 1));
      return {below(plan.internals->assembly.child[begin + k]),
              below(plan.internals->assembly.child[begin + l]), w};
    }
  }

  /// Returns the values with a failing pivot in each of these fronts. `wild`: with a pivot of 1 in
  /// place of the failing one, the rest of A would overflow.
  static std::vector<Value> broken(const System& s, const std::vector<Index>& failing, bool wild,
                                   std::mt19937_64& random) {
    const Supernodes& nodes = s.plan->supernodes;
    std::vector<Value> value = s.value;
    for (const Index front : failing) {
      const Index j =
          nodes.first[front] +
          static_cast<Index>(random() % static_cast<std::uint64_t>(nodes.pivots(front)));
      const Index column = s.plan->perm.old_of(j);
      value[s.pattern.col_ptr[column]] *= Value(-1);
      for (Index c = 0; wild && c < s.pattern.n; ++c)
        for (Offset k = s.pattern.col_ptr[c] + 1; k < s.pattern.col_ptr[c + 1]; ++k) {
          const Index other = c == column                  ? s.pattern.row[k]
                              : s.pattern.row[k] == column ? c
                                                           : kNone;
          if (other != kNone && s.plan->perm.new_of(other) > j)
            value[k] = Value(kDouble ? 1e200 : 1e30);
        }
    }
    return value;
  }

  /// Expects the verdict of a naive factorisation, and that of the CPU if its plan also eliminates
  /// that column before the others that fail.
  void expect_verdict(const System& s, const std::vector<Value>& bad,
                      const Result<void, Breakdown>& found, const DeviceVerdict& verdict) {
    const auto naive = sparse_breakdown<Value>({s.pattern, bad}, s.plan->perm);
    ASSERT_TRUE(naive);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().column, naive->column);
    EXPECT_NEAR(found.error().pivot, naive->pivot, kRounding * std::abs(naive->pivot));
    EXPECT_EQ(verdict,
              (DeviceVerdict{VerdictStatus::not_positive_definite, found.error().column,
                             found.error().pivot, found.error().pivot, found.error().column}));
    Backend cpu = cpu_backend(1);
    auto factor = Factor<Value>::create(s.on_cpu, cpu);
    const auto there = refactorize<Value>(factor, bad);
    ASSERT_FALSE(there.ok());
    const auto order = s.plan->perm.old_of(), order_there = s.on_cpu->perm.old_of();
    if (!std::equal(order.begin(), order.end(), order_there.begin()) &&
        sparse_breakdown<Value>({s.pattern, bad}, s.on_cpu->perm)->column != naive->column)
      return;
    ++agreed_;
    EXPECT_EQ(there.error().column, found.error().column);
    EXPECT_NEAR(there.error().pivot, found.error().pivot, kRounding * std::abs(naive->pivot));
  }

  /// Expects unchanged bits in fronts that are not above a failing one: samples the last column of
  /// some of them.
  static void expect_sound_fronts(const Plan& plan, const std::vector<Index>& failing,
                                  const Factor<Value>& good, const Factor<Value>& factor,
                                  std::mt19937_64& random) {
    const Supernodes& nodes = plan.supernodes;
    std::vector<bool> touched(static_cast<std::size_t>(nodes.count()), false);
    for (Index s : failing)
      for (; s != kNone; s = nodes.parent[s]) touched[s] = true;
    constexpr Index kSampled = 200;
    const Index stride = std::max(nodes.count() / kSampled, 1);
    for (Index s = static_cast<Index>(random() % static_cast<std::uint64_t>(stride));
         s < nodes.count(); s += stride) {
      if (touched[s]) continue;
      const auto rows = nodes.rows(s);
      const auto any = rows[static_cast<std::size_t>(random() % rows.size())];
      const Index last = nodes.first[s + 1] - 1;
      for (const Index row : {any, rows.back()})
        ASSERT_EQ(factor.entry(row, last), good.entry(row, last))
            << "front " << s << ", row " << row;
    }
  }

  /// Returns whether some sampled entry of the front is not finite.
  static bool is_infected(const Supernodes& nodes, Index s, const Factor<Value>& factor,
                          std::mt19937_64& random) {
    const auto rows = nodes.rows(s);
    for (int k = 0; k < 64; ++k) {
      const Index column =
          nodes.first[s] +
          static_cast<Index>(random() % static_cast<std::uint64_t>(nodes.pivots(s)));
      const Index row = rows[static_cast<std::size_t>(random() % rows.size())];
      if (!std::isfinite(factor.entry(std::max(row, column), std::min(row, column)))) return true;
    }
    return false;
  }

  static constexpr double kRounding = kDouble ? 1e-10 : 1e-4;
  int agreed_ = 0, infected_ = 0;
};

}  // namespace kauri::test
