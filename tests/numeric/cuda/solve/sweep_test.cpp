// Tests fast solves by sweeps, on a CUDA device and on the emulated one: against plain solves level
// by level, and by their backward errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "kauri/kauri.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/system.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/error_of_l.hpp"
#include "tests/support/systems/graph_families.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

using symbolic::kTile;

/// Returns the bits of an unset number.
template <class T>
T all_bits() {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(~std::uint64_t{0});
  else
    return std::bit_cast<T>(~std::uint32_t{0});
}

/// Kernels of sweeps: Hopper's where they run, or portable ones. L and the caller's vectors are in
/// T. Numbers of a sweep are in double, but by portable multiply-adds in T.
template <class Scalar, bool kPortable, CudaCompute kCompute = CudaCompute::automatic>
struct SingleKernels {
  using T = Scalar;
  static constexpr bool portable = kPortable;
  static constexpr CudaCompute compute = kCompute;
};

template <class K>
class Sweeps : public ::testing::Test {
 protected:
  using Value = typename K::T;
  using Values = std::vector<Value>;
  static constexpr Value kEpsilon = std::numeric_limits<Value>::epsilon();

  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    CudaOptions options;
    options.solves_together = 1, options.portable = K::portable, options.compute = K::compute;
    fast_.emplace(cuda_backend(options));
    options.fast_solve = false;
    plain_.emplace(cuda_backend(options));
  }
  std::shared_ptr<const Plan> plan(const Pattern& pattern,
                                   OrderingMethod method = OrderingMethod::amd,
                                   bool amalgamate = true) {
    AnalyzeOptions options;
    options.ordering.method = method;
    options.target = fast_->target();
    options.amalgamate = amalgamate;
    return analyze(pattern, options);
  }
  static Factor<Value> factor(const std::shared_ptr<const Plan>& plan, std::span<const Value> value,
                              Backend& backend) {
    auto out = Factor<Value>::create(plan, backend);
    EXPECT_TRUE(refactorize<Value>(out, value).ok());
    return out;
  }
  static Values values(const SymmetricMatrix<double>& a) { return cast<Value>(a.value()); }
  /// Returns L L^T exactly, where L has -1 below its unit diagonal in groups of 12 columns, whose
  /// inverses have entries of 2^10, and little further away, so that the inverse of L is in the
  /// range of floats. The pattern is that of L.
  static Values marked_tiles(const Pattern& a) {
    const auto n = static_cast<std::size_t>(a.n);
    std::vector<std::vector<double>> l(n, std::vector<double>(n, 0));
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) {
        const Index i = a.row[k];
        l[i][j] = i == j                   ? 1
                  : i / 12 == j / 12       ? -1
                  : i / kTile == j / kTile ? 0
                                           : ((i + 2 * j) % 3 - 1) / 64.0;
      }
    Values value(a.row.size());
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
        value[k] = static_cast<Value>(
            std::inner_product(l[j].begin(), l[j].begin() + j + 1, l[a.row[k]].begin(), 0.0));
    return value;
  }
  static Values random_rhs(Index n, Index columns) {
    Values b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    std::mt19937_64 random(7);
    for (Value& x : b)
      x = static_cast<Value>(std::uniform_real_distribution<double>(-1, 1)(random));
    return b;
  }
  static Values solve(const Factor<Value>& factor, const Values& b, Index columns, Index room) {
    auto workspace = Workspace<Value>::create(factor, room);
    Values x = b;
    factor.solve({x.data(), factor.plan().n, columns, factor.plan().n}, workspace);
    return x;
  }
  /// Expects a backward error like the plain solve's, its digits unless the condition is too large,
  /// and equal bits in a second solve.
  void check(const SymmetricView<Value>& a, const std::shared_ptr<const Plan>& plan,
             bool well_conditioned = true) {
    const Index n = a.pattern.n;
    const Values b = random_rhs(n, 1);
    const auto fast = factor(plan, a.value, *fast_), plain = factor(plan, a.value, *plain_);
    const Values x = solve(fast, b, 1, 1), expected = solve(plain, b, 1, 1);
    const auto error = [&](const Values& solution) {
      return backward_error<Value>(a, {solution.data(), n, 1, n}, {b.data(), n, 1, n}, cpu_)
          .componentwise;
    };
    EXPECT_LE(error(x), std::max(double{18 * kEpsilon}, 4 * error(expected)));
    EXPECT_LE(error_of_l<Value>(fast, b.data(), x.data()), 4);  // the largest seen is 2.3
    EXPECT_EQ(solve(fast, b, 1, 1), x);
    if (!well_conditioned) return;
    Value largest = 0, difference = 0;
    for (Index i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(x[i] - expected[i]));
    }
    EXPECT_LE(difference, (sizeof(Value) == 8 ? 1e-9 : 1e-4) * largest);
  }
  void check(Index n, EdgeList edges, OrderingMethod method, bool amalgamate) {
    SCOPED_TRACE(n);
    const OwnedPattern pattern = pattern_of(n, std::move(edges));
    const auto value = random_dominant<Value>(pattern.view(), 3);
    check({pattern.view(), value}, plan(pattern.view(), method, amalgamate));
  }
  /// Checks a path of 200 vertices with edges up to distance `reach`, and the path cut in two
  /// parts.
  void check_path(Index reach) {
    EdgeList path, apart;
    for (Index i = 0; i < 200; ++i)
      for (Index j = std::max(i - reach, Index{0}); j < i; ++j) {
        path.emplace_back(i, j);
        if (i < 100 || j >= 150) apart.emplace_back(i, j);
      }
    check(200, path, OrderingMethod::natural, false);
    check(200, apart, OrderingMethod::amd, true);
  }

  std::optional<Backend> plain_, fast_;
  Backend cpu_ = cpu_backend(1);
};
using EachKernel = ::testing::Types<SingleKernels<float, false>, SingleKernels<double, false>,
                                    SingleKernels<float, true>, SingleKernels<double, true>,
                                    SingleKernels<float, true, CudaCompute::fma>>;
TYPED_TEST_SUITE(Sweeps, EachKernel);

TYPED_TEST(Sweeps, SolveAsThePlainOnesDo) {
  for (const char* spec : {"poisson2d 1", "poisson2d 20", "poisson3d 7", "tree 400 1",
                           "blockdiag 360 30", "blockdiag 260 130", "rgg3d 300 8 1"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto value = this->values(a);
    this->check({a.pattern(), value}, this->plan(a.pattern()));
  }
  for (const char* spec : {"poisson2d 7", "elast3d 4"}) {  // a path of fronts
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto value = this->values(a);
    this->check({a.pattern(), value}, this->plan(a.pattern(), OrderingMethod::natural, false));
  }
}

/// The fronts have more tiles of pivots than a task takes, so sums have parts in both directions,
/// in fronts without and with rows below.
TYPED_TEST(Sweeps, DividesLongSums) {
  const bool emulated = this->fast_->device() == "emulated";  // it is slow: scalars take turns
  for (const std::vector<Index>& parts : {std::vector<Index>{900}, std::vector<Index>{850, 130}}) {
    if (emulated && (parts.size() == 1) == (sizeof(typename TypeParam::T) == 8)) continue;
    const auto dense = near_singular({"", parts}, 1);
    const auto made = this->plan(dense.pattern(), OrderingMethod::natural, false);
    ASSERT_GT(made->internals->device.sweeps.forward_parts, 0);
    ASSERT_GT(made->internals->device.sweeps.backward_parts, 0);
    const auto value = random_dominant<typename TypeParam::T>(dense.pattern(), 3);
    this->check({dense.pattern(), value}, made);
  }
}

/// Tiled fronts with one to eight cells of pivots, odd and even, lie above one tile and a cell of
/// rows: this covers all edges of tiles, inverses of one to four rows of blocks, with corrections
/// and without.
TYPED_TEST(Sweeps, TakeFrontsOfEveryNumberOfCells) {
  for (const Index below : {70, 100}) {
    const auto a = near_singular({"", {3, 8, 9, 17, 25, 33, 41, 49, 57, 64, below}}, 1);
    const auto made = this->plan(a.pattern(), OrderingMethod::natural, false);
    ASSERT_EQ(made->internals->device.small_fronts, 0);
    for (const auto& value :
         {this->marked_tiles(a.pattern()), random_dominant<typename TypeParam::T>(a.pattern(), 3)})
      this->check({a.pattern(), value}, made, false);
  }
}

/// The hosts have so many children that separate tasks sum their update rows.
TYPED_TEST(Sweeps, GathersTheRowsOfManyChildren) {
  const auto pattern = hubs_and_cube(6000, 4, 5);
  const auto made = this->plan(pattern.view(), OrderingMethod::amd, false);
  const auto value = random_dominant<typename TypeParam::T>(pattern.view(), 3);
  this->check({pattern.view(), value}, made);
}

/// The inverses of these diagonal tiles alone would lose digits.
TYPED_TEST(Sweeps, CorrectsNearlySingularTiles) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const Index order : {70, 130, 200}) {
      const auto a = near_singular({"", {order, 90}}, seed);
      const auto made = this->plan(a.pattern(), OrderingMethod::natural, false);
      const auto value = this->marked_tiles(a.pattern());
      SCOPED_TRACE(order);
      this->check({a.pattern(), value}, made, false);
      if constexpr (sizeof(typename TypeParam::T) == 8)
        this->check(a.view(), made, false);  // too ill-conditioned for float
    }
}

/// The systems have no edges, are stars, or have no row or one.
TYPED_TEST(Sweeps, HardCases) {
  for (const Index n : {0, 1, 100}) this->check(n, {}, OrderingMethod::amd, true);
  EdgeList arrow;
  for (Index i = 0; i < 150; ++i)
    for (const Index hub : {150, 151}) arrow.emplace_back(hub, i);
  this->check(152, arrow, OrderingMethod::amd, true);
  this->check_path(20);
}

/// Paths with narrow fronts, and with some tiled ones.
TYPED_TEST(Sweeps, HardPaths) {
  this->check_path(1);
  this->check_path(70);
}

/// Each column is solved alone (multi_test.cpp solves several together).
TYPED_TEST(Sweeps, ColumnsAreSolvedAsEachAlone) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 8");
  const Index n = a.n(), columns = 5;
  const auto made = this->factor(this->plan(a.pattern()), this->values(a), *this->fast_);
  const std::vector<T> b = this->random_rhs(n, columns), x = this->solve(made, b, columns, 2);
  for (Index c = 0; c < columns; ++c) {
    const std::vector<T> one(b.begin() + c * n, b.begin() + (c + 1) * n);
    EXPECT_EQ(this->solve(made, one, 1, 1),
              std::vector<T>(x.begin() + c * n, x.begin() + (c + 1) * n))
        << c;
  }
}

TYPED_TEST(Sweeps, PartsOfSolvesAreThoseOfTheWhole) {
  for (const char* spec : {"poisson2d 12 --shuffle 3", "blockdiag 160 80"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    check_system_parts(this->factor(this->plan(a.pattern()), this->values(a), *this->fast_));
    check_system_parts(this->factor(this->plan(a.pattern()), this->values(a), *this->plain_));
  }
}

TYPED_TEST(Sweeps, TakeTheBytesThatAreSaid) {
  using T = typename TypeParam::T;
  constexpr int size = sizeof(T);
  const bool gathers = numeric::cuda::select_kernels(
                           {.compute = TypeParam::compute, .portable = TypeParam::portable})
                           .template of<T>()
                           .gathers();
  for (const char* spec : {"poisson2d 1", "poisson2d 40", "elast3d 5"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const auto made = this->plan(a.pattern());
    const symbolic::DeviceSchedule& device = made->internals->device;
    const Offset factor_bytes =
        made->peak_bytes(size) - (size == 4 || gathers ? 0 : device.fast_bytes - device.task_bytes);
    const Offset before = this->fast_->bytes_in_use();
    const auto out = this->factor(made, this->values(a), *this->fast_);
    EXPECT_EQ(this->fast_->bytes_in_use() - before, factor_bytes);
    ASSERT_GT(device.sweeps.bytes, 0);
    const Offset with_factor = this->fast_->bytes_in_use();
    for (const Index nrhs : {1, 3, 40}) {
      const auto workspace = Workspace<T>::create(out, nrhs);
      EXPECT_EQ(this->fast_->bytes_in_use() - with_factor, made->workspace_bytes(size, nrhs, 1));
      EXPECT_EQ(made->workspace_bytes(size, nrhs, 1),
                aligned_bytes(made->n, size * std::min(nrhs, kSolveBlock)) +
                    aligned_bytes(device.sweeps.numbers, 8));
    }
    const Offset plain_before = this->plain_->bytes_in_use(),
                 expected = factor_bytes - device.sweeps.bytes;
    const auto other = this->factor(made, this->values(a), *this->plain_);
    EXPECT_EQ(this->plain_->bytes_in_use() - plain_before, expected);
    const auto other_workspace = Workspace<T>::create(other, 3);
    EXPECT_EQ(this->plain_->bytes_in_use() - plain_before,
              expected + 2 * aligned_bytes(made->n, 3 * size) +
                  aligned_bytes(device.update_rows, 3 * size));
  }
}

/// A right-hand side with the bits of an unset number gives NaN, and the sweep still ends.
TYPED_TEST(Sweeps, NumbersOfEveryKindComeThrough) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  const auto made = this->factor(this->plan(a.pattern()), this->values(a), *this->fast_);
  using Limits = std::numeric_limits<T>;
  for (const T odd :
       {all_bits<T>(), Limits::infinity(), T(0), Limits::max() / T(1e8), Limits::denorm_min()}) {
    std::vector<T> b = this->random_rhs(a.n(), 1);
    b[17] = odd;
    const std::vector<T> x = this->solve(made, b, 1, 1);
    EXPECT_EQ(std::all_of(x.begin(), x.end(), [](T v) { return std::isfinite(v); }),
              std::isfinite(odd))
        << odd;
  }
}

/// The backward sweep alone reads the caller's vector in place of its own numbers; unset bits give
/// NaN there, too.
TYPED_TEST(Sweeps, NumbersOfEveryKindComeThroughTheBackwardSweepAlone) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 12");
  const auto made = this->factor(this->plan(a.pattern()), this->values(a), *this->fast_);
  auto workspace = Workspace<T>::create(made, 1);
  for (const System system : {System::L, System::Lt}) {
    std::vector<T> x = this->random_rhs(a.n(), 1);
    x[17] = x[143] = all_bits<T>();
    const std::vector<T> b = x;
    made.solve(system, {b.data(), a.n(), 1, a.n()}, {x.data(), a.n(), 1, a.n()}, workspace);
    EXPECT_TRUE(std::isnan(x[17]));
  }
}

TYPED_TEST(Sweeps, GiveNoNumbersWithoutAVerdict) {
  using T = typename TypeParam::T;
  for (const char* spec : {"poisson2d 9", "blockdiag 160 80"}) {  // small fronts, and tiled ones
    const auto a = generate(spec);
    std::vector<T> value = this->values(a);
    const auto made = this->plan(a.pattern());
    auto out = Factor<T>::create(made, *this->fast_);
    auto workspace = Workspace<T>::create(out, 1);
    const std::vector<T> b = this->random_rhs(a.n(), 1);
    const CallerArray<T> there(b), x(b);
    const CallerStream stream;
    const auto good = DeviceValues<T>::copy_of(value, *this->fast_);
    value[0] = -1;
    const auto bad = DeviceValues<T>::copy_of(value, *this->fast_);
    const auto solve_with = [&](const DeviceValues<T>& from) {
      enqueue_refactorize(out, from, T(0), stream.get());
      out.enqueue_solve(DeviceMatrixView<const T>({there.data(), a.n(), 1, a.n()}),
                        DeviceMatrixView<T>({x.data(), a.n(), 1, a.n()}), workspace, stream.get());
      out.fetch_verdict(stream.get());
      return x.fetch();
    };
    const std::vector<T> expected =
        this->solve(this->factor(made, this->values(a), *this->fast_), b, 1, 1);
    for (int turn = 0; turn < 2; ++turn) {
      for (const T v : solve_with(bad)) EXPECT_TRUE(std::isnan(v));
      EXPECT_EQ(out.verdict().status, VerdictStatus::not_positive_definite);
      EXPECT_EQ(solve_with(good), expected);
    }
  }
}

}  // namespace
}  // namespace kauri::test
