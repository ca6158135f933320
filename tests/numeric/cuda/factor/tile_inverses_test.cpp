// Tests the inverses of diagonal tiles beside L, on a CUDA device and on the emulated one, against
// a naive substitution; also their padding and marks.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/factor/factor_memory.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

using symbolic::FrontCells;
using symbolic::kInverseOrder;
using symbolic::kTile;

using Square = std::vector<long double>;  // kTile x kTile by rows

Square product(const Square& a, const Square& b) {
  Square c(a.size(), 0);
  for (Index i = 0; i < kTile; ++i)
    for (Index k = 0; k <= i; ++k)
      for (Index j = 0; j <= k; ++j) c[i * kTile + j] += a[i * kTile + k] * b[k * kTile + j];
  return c;
}
Square magnitude(Square a) {
  for (long double& x : a) x = std::abs(x);
  return a;
}
long double largest_row(const Square& a) {
  long double largest = 0;
  for (Index i = 0; i < kTile; ++i) {
    long double sum = 0;
    for (Index j = 0; j < kTile; ++j) sum += std::abs(a[i * kTile + j]);
    if (!(sum <= largest)) largest = sum;  // also if sum is NaN
  }
  return largest;
}
/// Inverts T column by column.
Square inverse_by_substitution(const Square& t) {
  Square x(t.size(), 0);
  for (Index j = 0; j < kTile; ++j)
    for (Index i = j; i < kTile; ++i) {
      long double sum = i == j ? 1 : 0;
      for (Index k = j; k < i; ++k) sum -= t[i * kTile + k] * x[k * kTile + j];
      x[i * kTile + j] = sum / t[i * kTile + i];
    }
  return x;
}

/// A diagonal tile from the device: T and V, with an identity behind their pivots.
struct Tile {
  Index front, pivots;
  Square t, v;
  double mark;
};

template <class W>
class TileInverses : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  void SetUp() override {
    OnCuda<W>::SetUp();
    if (!this->IsSkipped())
      own_.emplace(cuda_backend(
          CudaOptions{.device = 0, .allocator = memory_.allocator(), .compute = W::compute}));
  }
  Factor<Value> make(const std::shared_ptr<const Plan>& plan) {
    return Factor<Value>::create(plan, *own_);
  }
  std::shared_ptr<Plan> plan_in_order(const Pattern& pattern, Index teams = 4,
                                      unsigned pauses = 0) {
    AnalyzeOptions options = natural_order(pattern.n);
    options.target = this->backend().target();
    options.amalgamate = false;
    return run_by(*this->plan(pattern, options), teams, pauses);
  }
  /// Returns two fronts with the given pivots above a third of 80, dense, so that all have more
  /// than 64 rows.
  static SymmetricMatrix<double> three_fronts(Index first, Index second) {
    return near_singular({"", {first, second, 80}}, 1);
  }

  /// Returns random values of a size that keeps the matrix definite, but not so dominant that T is
  /// nearly diagonal.
  static std::vector<Value> random_definite(const Pattern& a, std::uint64_t seed) {
    std::vector<double> value(a.row.size()), square(static_cast<std::size_t>(a.n), 0);
    std::mt19937_64 random(seed);
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j] + 1; k < a.col_ptr[j + 1]; ++k) {
        value[k] = std::uniform_real_distribution<double>(-1, 1)(random);
        square[j] += value[k] * value[k], square[a.row[k]] += value[k] * value[k];
      }
    for (Index j = 0; j < a.n; ++j) value[a.col_ptr[j]] = 1 + 4 * std::sqrt(square[j]);
    return cast<Value>(value);
  }
  /// Returns L L^T, where L has -1 everywhere below its unit diagonal, so its inverse has entries
  /// 2^(i - j - 1).
  static std::vector<Value> growing(const Pattern& a) {
    std::vector<Value> value(a.row.size());
    std::vector<std::vector<char>> l(static_cast<std::size_t>(a.n),
                                     std::vector<char>(static_cast<std::size_t>(a.n), 0));
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
        l[a.row[k]][j] = a.row[k] == j ? 1 : -1;
    for (Index j = 0; j < a.n; ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) {
        int sum = 0;
        for (Index c = 0; c <= j; ++c) sum += l[a.row[k]][c] * l[j][c];
        value[k] = static_cast<Value>(sum);
      }
    return value;
  }

  /// Returns all diagonal tiles of a factor, front by front. Expects that entries above the
  /// diagonal of their blocks are zero, except the mark.
  std::vector<Tile> tiles(const Factor<Value>& factor) {
    const Plan& plan = factor.plan();
    const std::vector<Value> entries = array_of(factor);
    std::vector<Tile> out;
    for (Index s = 0; s < plan.supernodes.count(); ++s) {
      const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
      const Value* panel = entries.data() + plan.internals->device.panel[s];
      for (Index k = 0; plan.internals->device.tiled[s] != kNone && k < cells.pivot_tiles(); ++k)
        out.push_back(
            read_tile(panel, entries.data() + plan.internals->device.inverses[s], cells, k, s));
    }
    return out;
  }
  std::vector<Value> array_of(const Factor<Value>& factor) {
    std::vector<StoredNumber> all(
        static_cast<std::size_t>(factor.plan().internals->device.entries));
    for (std::size_t k = 0; k < all.size(); ++k) all[k].place = static_cast<Offset>(k);
    return FactorReader<Value>(memory_).read(factor, all);
  }
  /// Checks the products of a front's inverses with the tiles of L between two pivot tiles; where
  /// the inverses are marked, these tiles themselves are stored. Expects zeros behind the last
  /// pivot. Returns the number of products.
  Index expect_products(const Factor<Value>& factor) {
    const Plan& plan = factor.plan();
    const std::vector<Value> entries = array_of(factor);
    const std::vector<Tile> tile = tiles(factor);
    Index found = 0;
    std::size_t first = 0;
    for (Index s = 0; s < plan.supernodes.count(); ++s) {
      if (plan.internals->device.tiled[s] == kNone) continue;
      const FrontCells cells{plan.supernodes.order(s), plan.supernodes.pivots(s)};
      const Value *panel = entries.data() + plan.internals->device.panel[s],
                  *inverses = entries.data() + plan.internals->device.inverses[s];
      for (Index k = 1; k < cells.pivot_tiles(); ++k, ++found) {
        Square l(kTile * kTile, 0);
        for (Index i = 0; i < cells.rows_of(k); ++i)
          for (Index j = 0; j < kTile; ++j)
            l[i * kTile + j] = panel[cells.place(k * kTile + i, (k - 1) * kTile + j)];
        const Tile &before = tile[first + static_cast<std::size_t>(k) - 1],
                   &own = tile[first + static_cast<std::size_t>(k)];
        const Value *forward = inverses + cells.forward_product(k),
                    *backward = inverses + cells.backward_product(k - 1);
        for (Index i = 0; i < kTile; ++i)
          for (Index j = 0; j < kTile; ++j) {
            long double left = 0, left_size = 0, right = 0, right_size = 0;
            for (Index m = 0; m < kTile; ++m) {
              left += own.v[i * kTile + m] * l[m * kTile + j],
                  left_size += std::abs(own.v[i * kTile + m] * l[m * kTile + j]);
              right += l[i * kTile + m] * before.v[m * kTile + j],
                  right_size += std::abs(l[i * kTile + m] * before.v[m * kTile + j]);
            }
            if (own.mark != 0) left = l[i * kTile + j], left_size = 0;
            if (before.mark != 0) right = l[i * kTile + j], right_size = 0;
            const long double eps = std::numeric_limits<Value>::epsilon();
            EXPECT_LE(std::abs(forward[FrontCells::forward_product_place(i, j)] - left),
                      kTile * eps * left_size)
                << i << " " << j;
            EXPECT_LE(std::abs(backward[FrontCells::backward_product_place(i, j)] - right),
                      kTile * eps * right_size)
                << i << " " << j;
          }
      }
      first += static_cast<std::size_t>(cells.pivot_tiles());
    }
    return found;
  }
  /// Returns the bits that solves read.
  std::vector<Value> stored(const Factor<Value>& factor) {
    return FactorReader<Value>(memory_).read(factor,
                                             stored_numbers(factor.plan(), this->has_products()));
  }

  static Tile read_tile(const Value* panel, const Value* inverses, const FrontCells& cells, Index k,
                        Index front) {
    const Index begin = k * kTile, pivots = cells.rows_of(k),
                padded = (pivots + kInverseOrder - 1) / kInverseOrder * kInverseOrder;
    Tile tile{front, pivots, Square(kTile * kTile, 0), Square(kTile * kTile, 0), 0};
    for (Index i = 0; i < kTile; ++i) {
      if (i >= pivots) tile.t[i * kTile + i] = 1;
      if (i >= padded) tile.v[i * kTile + i] = 1;
      for (Index j = 0; i < pivots && j <= i; ++j)
        tile.t[i * kTile + j] = panel[cells.place(begin + i, begin + j)];
      for (Index j = 0; i < padded && j <= i; ++j)
        tile.v[i * kTile + j] = inverses[FrontCells::inverse_place(begin + i, begin + j)];
      const Index block_end = std::min(padded, (i / kInverseOrder + 1) * kInverseOrder);
      for (Index j = i + 1; j < block_end; ++j) {
        const Value above = inverses[FrontCells::inverse_place(begin + i, begin + j)];
        if (i == 0 && j == 1)
          tile.mark = above;
        else
          EXPECT_EQ(above, Value(0))
              << "front " << front << ", tile " << k << ": " << i << " " << j;
      }
    }
    return tile;
  }

  /// Expects that V is the inverse of T to the accuracy of products of blocks, that its padding is
  /// that of an identity, and that the mark is right.
  static void expect_inverse(const Tile& tile) {
    const Square size = product(magnitude(tile.v), magnitude(tile.t));
    const long double condition = largest_row(size), eps = std::numeric_limits<Value>::epsilon();
    ASSERT_TRUE(tile.mark == 0 || tile.mark == 1) << tile.mark;
    if (std::abs(condition - 256) > 1) {
      EXPECT_EQ(tile.mark, condition > 256 ? 1 : 0) << "|V| |T| = " << condition;
    }
    const Square left = product(tile.v, tile.t), exact = inverse_by_substitution(tile.t);
    const Square bound = product(product(size, size), magnitude(exact));
    for (Index i = 0; i < kTile; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Index at = i * kTile + j;
        ASSERT_LE(std::abs(left[at] - (i == j ? 1 : 0)), 2 * kTile * eps * condition * condition)
            << i << " " << j;
        if (condition < 100) {
          ASSERT_LE(std::abs(tile.v[at] - exact[at]), 2 * kTile * eps * bound[at]) << i << " " << j;
        }
        if (i >= tile.pivots) {
          ASSERT_EQ(tile.v[at], i == j ? 1 : 0) << i << " " << j;
        }
      }
  }
  static std::ptrdiff_t marked(const std::vector<Tile>& tiles) {
    return std::count_if(tiles.begin(), tiles.end(),
                         [](const Tile& tile) { return tile.mark != 0; });
  }

 private:
  RecycledMemory memory_;
  std::optional<Backend> own_;
};
TYPED_TEST_SUITE(TileInverses, Ways, WayNumbers);

/// The fronts have one tile or several, with whole and partial blocks and cells. Other teams,
/// pauses, and memory that holds the inverses of another matrix give the same bits.
TYPED_TEST(TileInverses, AreThoseOfASubstitution) {
  using T = typename TypeParam::T;
  for (const auto& [first, second] :
       std::vector<std::pair<Index, Index>>{{1, 8}, {15, 16}, {17, 63}, {64, 65}, {100, 200}}) {
    SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second) + " pivots");
    const auto a = this->three_fronts(first, second);
    const auto plan = this->plan_in_order(a.pattern());
    const std::vector<T> value = this->random_definite(a.pattern(), 7),
                         other = this->random_definite(a.pattern(), 8);
    auto factor = this->make(plan);
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    std::multiset<Index> pivots;
    for (const Tile& tile : this->tiles(factor)) {
      SCOPED_TRACE("front " + std::to_string(tile.front) + " with " + std::to_string(tile.pivots) +
                   " pivots in a tile");
      pivots.insert(tile.pivots);
      this->expect_inverse(tile);
      EXPECT_EQ(tile.mark, 0);
    }
    std::multiset<Index> expected;
    for (const Index p : {first, second, Index{80}})
      for (Index begin = 0; begin < p; begin += kTile) expected.insert(std::min(kTile, p - begin));
    EXPECT_EQ(pivots, expected);
    if (this->has_products()) {
      EXPECT_EQ(this->expect_products(factor), static_cast<Index>(expected.size()) - 3);
    }
    const std::vector<T> bits = this->stored(factor);
    auto paused = this->make(this->plan_in_order(a.pattern(), 6, 3));
    ASSERT_TRUE(refactorize<T>(paused, other).ok());
    ASSERT_NE(std::memcmp(this->stored(paused).data(), bits.data(), bits.size() * sizeof(T)), 0);
    ASSERT_TRUE(refactorize<T>(paused, value).ok());
    ASSERT_EQ(std::memcmp(this->stored(paused).data(), bits.data(), bits.size() * sizeof(T)), 0);
  }
}

/// All tiles with large inverses are marked; the next factorisation leaves no mark of them, and
/// none of its bits changes.
TYPED_TEST(TileInverses, MarksComeAndGo) {
  using T = typename TypeParam::T;
  const auto a = this->three_fronts(20, 90);
  const auto plan = this->plan_in_order(a.pattern());
  auto factor = this->make(plan), fresh = this->make(plan);
  const std::vector<T> sound = this->random_definite(a.pattern(), 7),
                       growing = this->growing(a.pattern());
  ASSERT_TRUE(refactorize<T>(fresh, sound).ok());
  ASSERT_TRUE(refactorize<T>(factor, growing).ok());
  const auto found = this->tiles(factor);
  EXPECT_EQ(this->marked(found), 5);
  for (const Tile& tile : found)
    EXPECT_EQ(tile.v[16 * kTile], tile.pivots > 16 ? std::ldexp(1.0L, 15) : 0) << tile.pivots;
  if (this->has_products()) {
    EXPECT_EQ(this->expect_products(factor), 2);
  }
  ASSERT_TRUE(refactorize<T>(factor, sound).ok());
  EXPECT_EQ(this->marked(this->tiles(factor)), 0);
  if (this->has_products()) {
    EXPECT_EQ(this->expect_products(factor), 2);
  }
  const std::vector<T> bits = this->stored(factor), expected = this->stored(fresh);
  ASSERT_EQ(std::memcmp(bits.data(), expected.data(), bits.size() * sizeof(T)), 0);
}

/// A tile of growing() with 8 pivots has a largest row sum of |V| |T| of 255, one with 9 pivots
/// 511.
TYPED_TEST(TileInverses, MarksBeginAbove256) {
  using T = typename TypeParam::T;
  const auto a = this->three_fronts(8, 9);
  auto factor = this->make(this->plan_in_order(a.pattern()));
  ASSERT_TRUE(refactorize<T>(factor, this->growing(a.pattern())).ok());
  const auto found = this->tiles(factor);
  ASSERT_EQ(found.size(), 4U);
  for (const Tile& tile : found) EXPECT_EQ(tile.mark, tile.pivots > 8 ? 1 : 0) << tile.pivots;
}

/// The systems are clusters of points under a kernel, and meshes.
TYPED_TEST(TileInverses, NearlySingularTilesAreMarkedAndThoseOfMeshesAreNot) {
  using T = typename TypeParam::T;
  if (sizeof(T) == 8) {
    for (const NearSingularCase& what : near_singular_cases()) {
      if (what.name != "tiled, 88 pivots" && what.name != "dense 128") continue;
      const auto a = near_singular(what, 1);
      auto factor = this->make(this->plan_in_order(a.pattern()));
      ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
      const auto found = this->tiles(factor);
      for (const Tile& tile : found) this->expect_inverse(tile);
      EXPECT_GT(this->marked(found), 0) << what.name;
    }
  }
  const auto mesh = generate("poisson3d 8");
  auto factor = this->make(run_by(*this->plan(mesh.pattern()), 4));
  ASSERT_TRUE(refactorize<T>(factor, this->values(mesh)).ok());
  const auto found = this->tiles(factor);
  EXPECT_FALSE(found.empty());
  for (const Tile& tile : found) this->expect_inverse(tile);
  EXPECT_EQ(this->marked(found), 0);
}

}  // namespace
}  // namespace kauri::test
