// Tests factors with more entries than 31 bits count: panels and blocks beyond that place are
// reached and hold the right values.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

constexpr Offset kBeyond = Offset{1} << 31;

/// Returns a plan in natural order, made once for all kernels of a target.
std::shared_ptr<const Plan> natural_plan(const Pattern& pattern, const std::string& target,
                                         bool amalgamate) {
  static std::map<std::pair<std::string, Index>, std::shared_ptr<const Plan>> made;
  std::shared_ptr<const Plan>& plan = made[{target, pattern.n}];
  if (plan) return plan;
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.target = target;
  options.amalgamate = amalgamate;
  return plan = analyze(pattern, options);
}

/// Returns nothing if the device has too little memory.
template <class T>
std::optional<Factor<T>> factor_that_fits(const std::shared_ptr<const Plan>& plan, Backend& backend,
                                          std::string& why) {
  try {
    return Factor<T>::create(plan, backend);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
    why = error.what();
    return {};
  }
}

/// Returns `copies` copies of one system, one after another: two subtrees of p pivots, each with
/// the q rows of their parent below. Only the first column of a subtree is full in A; L fills all
/// others.
OwnedPattern copies_of_two_subtrees(Index copies, Index p, Index q) {
  OwnedPattern a;
  const auto end_column = [&] { a.col_ptr.push_back(static_cast<Offset>(a.row.size())); };
  for (Index copy = 0; copy < copies; ++copy) {
    const Index first = copy * (2 * p + q), parent = first + 2 * p;
    for (const Index subtree : {first, first + p})
      for (Index j = 0; j < p; ++j) {
        a.row.push_back(subtree + j);
        for (Index i = 1; j == 0 && i < p; ++i) a.row.push_back(subtree + i);
        for (Index i = 0; j == 0 && i < q; ++i) a.row.push_back(parent + i);
        end_column();
      }
    for (Index j = 0; j < q; ++j) {
      a.row.push_back(parent + j);
      end_column();
    }
  }
  return a;
}

template <class T>
std::vector<T> repeated(const std::vector<T>& one, Index times) {
  std::vector<T> all;
  for (Index k = 0; k < times; ++k) all.insert(all.end(), one.begin(), one.end());
  return all;
}

template <class W>
class LargeFactors : public OnCuda<W> {};
TYPED_TEST_SUITE(LargeFactors, Ways);

/// All copies have the same bits, wherever they lie. The system takes little work for its entries,
/// little enough for simple kernels.
TYPED_TEST(LargeFactors, CopiesOfASystemHaveTheSameBits) {
  using T = typename TypeParam::T;
  constexpr Index kCopies = 1400, kPivots = 1024, kShared = 256, n = 2 * kPivots + kShared;
  const auto one = copies_of_two_subtrees(1, kPivots, kShared),
             all = copies_of_two_subtrees(kCopies, kPivots, kShared);
  const std::vector<T> value = random_dominant<T>(one.view(), 1), b = this->random_rhs(n, 1, 3);
  auto plan = natural_plan(all.view(), this->backend().target(), false);
  ASSERT_GT(plan->cost.nnz_l, kBeyond);
  ASSERT_GT(
      *std::max_element(plan->internals->device.panel.begin(), plan->internals->device.panel.end()),
      kBeyond);
  ASSERT_GT(
      *std::max_element(plan->internals->device.block.begin(), plan->internals->device.block.end()),
      kBeyond);
  plan = this->in_this_way(plan);
  std::string why;
  auto factor = factor_that_fits<T>(plan, this->backend(), why);
  if (!factor) GTEST_SKIP() << why;
  ASSERT_TRUE(refactorize<T>(*factor, repeated(value, kCopies)).ok());
  auto workspace = Workspace<T>::create(*factor, 1);
  std::vector<T> x = repeated(b, kCopies);
  factor->solve(column_view(std::span<T>(x)), workspace);
  for (Index copy = 1; copy < kCopies; ++copy)
    ASSERT_TRUE(std::equal(x.begin(), x.begin() + n, x.begin() + Offset{copy} * n))
        << "copy " << copy;
  x.resize(static_cast<std::size_t>(n));
  Backend cpu = cpu_backend(1);
  const auto error = backward_error<T>({one.view(), value}, column_view(std::span<const T>(x)),
                                       column_view(std::span<const T>(b)), cpu);
  EXPECT_LE(error.componentwise, sizeof(T) == 8 ? 1e-14 : 5e-6);
}

template <class W>
class LargeFronts : public OnCuda<W> {};
using WaysOfDouble =
    ::testing::Types<Way<double, CudaCompute::hopper>, Way<double, CudaCompute::tensor>,
                     Way<double, CudaCompute::fma>>;
TYPED_TEST_SUITE(LargeFronts, WaysOfDouble);

/// The tree is a path of fronts of 16,000 rows.
TYPED_TEST(LargeFronts, ABand) {
  constexpr Index n = 152000, width = 16000;
  OwnedPattern a;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j) {
    for (const Index row : {j, j + 1, j + width})
      if (row < n) a.row.push_back(row), value.push_back(row == j ? 4.25 : j % 7 / 8.0 - 1.0);
    a.col_ptr.push_back(static_cast<Offset>(a.row.size()));
  }
  const auto plan = natural_plan(a.view(), this->backend().target(), true);
  ASSERT_GT(plan->cost.nnz_l, kBeyond);
  std::string why;
  auto factor = factor_that_fits<double>(plan, this->backend(), why);
  if (!factor) GTEST_SKIP() << why;
  ASSERT_TRUE(refactorize<double>(*factor, value).ok());
  const std::vector<double> b = this->random_rhs(n, 1, 1);
  std::vector<double> x = b;
  auto workspace = Workspace<double>::create(*factor, 1);
  factor->solve({x.data(), n, 1, n}, workspace);
  const SymmetricView<double> view{a.view(), value};
  EXPECT_LE(backward_error<double>(view, {x.data(), n, 1, n}, {b.data(), n, 1, n}, this->backend())
                .componentwise,
            1e-14);
}

}  // namespace
}  // namespace kauri::test
