// Tests products C -= A B^T and triangular solves X L^T = C by Hopper's kernels alone: exact
// integers against naive loops bit for bit, triangles with nearly singular blocks. The file is also
// compiled for the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "numeric/cuda/factor/tiled/hopper/dense_kernels.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

namespace kernels = numeric::cuda::kernels;
using kernels::FrontView;
using symbolic::FrontCells;
using symbolic::FrontTask;
using symbolic::PanelSolve;

/// Holds a front's entries on the host.
struct HostFront {
  explicit HostFront(const FrontCells& shape)
      : cells(shape),
        panel(static_cast<std::size_t>(shape.panel().entries())),
        block(static_cast<std::size_t>(shape.block().entries())) {
    for (Index c = shape.p; c < shape.pivot_cells() * symbolic::kCell; ++c)
      panel[static_cast<std::size_t>(shape.panel().place(c, c))] = 1;
  }
  double& at(Index r, Index c) {
    return (c < cells.p ? panel : block)[static_cast<std::size_t>(cells.place(r, c))];
  }
  [[nodiscard]] double at(Index r, Index c) const {
    return (c < cells.p ? panel : block)[static_cast<std::size_t>(cells.place(r, c))];
  }

  FrontCells cells;
  std::vector<double> panel, block;
};

/// Holds a front's entries on the device; its inverses are not computed yet.
class DeviceFront {
 public:
  explicit DeviceFront(const HostFront& host)
      : cells_(host.cells),
        panel_(host.panel),
        block_(host.block),
        inverses_(std::vector<double>(static_cast<std::size_t>(host.cells.diagonal_entries()),
                                      std::numeric_limits<double>::quiet_NaN())) {}
  [[nodiscard]] FrontView view(bool loads_block) const {
    FrontView view;
    view.panel = panel_.data(), view.block = block_.data(), view.inverses = inverses_.data();
    view.loads_block = loads_block ? 1 : 0;
    view.cells = cells_;
    return view;
  }
  [[nodiscard]] HostFront fetch() const {
    HostFront host(cells_);
    host.panel = panel_.fetch(), host.block = block_.fetch();
    return host;
  }

 private:
  FrontCells cells_;
  CallerArray<double> panel_, block_, inverses_;
};

using DeviceFronts = std::vector<std::unique_ptr<DeviceFront>>;
DeviceFronts upload(const std::vector<HostFront>& fronts) {
  DeviceFronts device;
  for (const HostFront& front : fronts) device.push_back(std::make_unique<DeviceFront>(front));
  return device;
}

class DenseKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    resident_ = kernels::resident_teams();
    if (resident_ == 0) GTEST_SKIP() << "no CUDA device with these kernels";
    ASSERT_TRUE(kernels::prepare_dense_kernels());
  }
  int resident_ = 0;
};

/// Runs the tests with few teams, with some, and with as many as the device can hold.
class DenseKernelTeams : public DenseKernels, public ::testing::WithParamInterface<int> {
 protected:
  [[nodiscard]] int teams() const {
    return std::array{2, 6, resident_}.at(static_cast<std::size_t>(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Teams, DenseKernelTeams, ::testing::Range(0, 3));

int small_integer(std::mt19937_64& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
}

struct ProductCase {
  Index rows, columns, inner;
};
constexpr ProductCase kProductCases[] = {
    {1, 1, 1},     {64, 64, 64}, {130, 70, 40},  {200, 129, 17}, {65, 200, 9},
    {300, 10, 72}, {8, 8, 8},    {9, 63, 129},   {128, 128, 0},  {33, 20, 100},
    {0, 5, 5},     {5, 0, 5},    {129, 193, 56}, {70, 66, 2100}};

/// Returns a front with A, B, and a whole contribution block, of which only C may change.
HostFront product_input(const symbolic::ProductFront& shape, const ProductCase& what,
                        std::mt19937_64& random) {
  HostFront front(shape.cells);
  for (Index k = 0; k < what.inner; ++k) {
    for (Index r = 0; r < what.columns; ++r) front.at(what.inner + r, k) = small_integer(random, 9);
    for (Index r = 0; r < what.rows; ++r)
      front.at(shape.first_row + r, k) = small_integer(random, 9);
  }
  for (Index c = what.inner; c < shape.cells.m; ++c)
    for (Index r = c; r < shape.cells.m; ++r) front.at(r, c) = small_integer(random, 1000);
  return front;
}

/// Computes C -= A B^T, or C = -A B^T, in all tiles of C.
void multiply(HostFront& front, const symbolic::ProductFront& shape, bool loads_block) {
  for (Index c = shape.cells.p; c < shape.first_row; ++c)
    for (Index r = shape.first_row; r < shape.cells.m; ++r) {
      double sum = 0;
      for (Index k = 0; k < shape.cells.p; ++k) sum += front.at(r, k) * front.at(c, k);
      front.at(r, c) = (loads_block ? front.at(r, c) : 0.0) - sum;
    }
}

TEST_P(DenseKernelTeams, ProductsOfIntegersAreExact) {
  for (const bool loads_block : {true, false}) {
    std::mt19937_64 random(7);
    std::vector<HostFront> fronts;
    std::vector<symbolic::ProductFront> shapes;
    std::vector<symbolic::TileRectangle> tiles;
    for (const ProductCase& what : kProductCases) {
      shapes.push_back(symbolic::product_front(what.rows, what.columns, what.inner));
      tiles.push_back(shapes.back().tiles);
      fronts.push_back(product_input(shapes.back(), what, random));
    }
    const DeviceFronts device = upload(fronts);
    std::vector<FrontView> host_views;
    for (const auto& front : device) host_views.push_back(front->view(loads_block));
    const std::vector<FrontTask> host_tasks = symbolic::product_tasks(tiles);
    const CallerArray<FrontView> views(host_views);
    const CallerArray<FrontTask> tasks(host_tasks);
    const CallerArray<int> ticket(std::vector<int>{0});
    require(kernels::enqueue_update(views.data(), tasks.data(), static_cast<int>(host_tasks.size()),
                                    ticket.data(), teams(), nullptr));
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      SCOPED_TRACE(std::to_string(kProductCases[f].rows) + " x " +
                   std::to_string(kProductCases[f].columns) + ", inner " +
                   std::to_string(kProductCases[f].inner));
      const HostFront found = device[f]->fetch();
      multiply(fronts[f], shapes[f], loads_block);
      EXPECT_EQ(found.panel, fronts[f].panel);
      EXPECT_EQ(found.block, fronts[f].block);
    }
  }
}

/// Solves X L^T = C for all fronts in one call, by blocks of `block` pivots; X overwrites C.
void solve_panels(std::vector<HostFront>& fronts, Index block, int teams, unsigned pauses = 0) {
  const DeviceFronts device = upload(fronts);
  std::vector<FrontCells> cells;
  for (const HostFront& front : fronts) cells.push_back(front.cells);
  const PanelSolve solve = symbolic::panel_solve(cells, block);
  Offset count = 0;
  for (const PanelSolve::Block& b : solve.block) count += symbolic::counter_count(b.cells);
  const CallerArray<int> counters(
      std::vector<int>(static_cast<std::size_t>(count), 77));  // the kernel must overwrite these
  const CallerArray<int> tickets(std::vector<int>(solve.end.size(), 77));
  std::vector<FrontView> host_blocks;
  count = 0;
  for (const PanelSolve::Block& b : solve.block) {
    host_blocks.push_back(kernels::block_view(device[static_cast<std::size_t>(b.front)]->view(true),
                                              b, counters.data() + count));
    count += symbolic::counter_count(b.cells);
  }
  const CallerArray<FrontView> blocks(host_blocks);
  const CallerArray<FrontTask> tasks(solve.task);
  require(kernels::enqueue_panel_solve(solve, blocks.data(), tasks.data(), tickets.data(), teams,
                                       pauses, nullptr));
  for (std::size_t f = 0; f < fronts.size(); ++f) fronts[f] = device[f]->fetch();
}

/// Returns fronts with X and an L of small integers, whose diagonal entries are 1 and 2. One in
/// `sparse` entries of a diagonal block is not zero.
std::vector<HostFront> integer_solutions(const std::vector<FrontCells>& shapes, unsigned sparse,
                                         std::mt19937_64& random) {
  std::vector<HostFront> fronts;
  for (const FrontCells& cells : shapes) {
    HostFront& front = fronts.emplace_back(cells);
    for (Index c = 0; c < cells.p; ++c) {
      front.at(c, c) = 1 + static_cast<int>(random() % 2);
      for (Index r = c + 1; r < cells.p; ++r)
        front.at(r, c) = r / 16 == c / 16
                             ? (random() % sparse == 0 ? (random() % 2 == 0 ? 1 : -1) : 0)
                             : small_integer(random, 2);
      for (Index r = cells.p; r < cells.m; ++r) front.at(r, c) = small_integer(random, 2);
    }
  }
  return fronts;
}

/// Returns C = X L^T in the place of X.
HostFront right_hand_sides(const HostFront& x) {
  HostFront c = x;
  for (Index j = 0; j < x.cells.p; ++j)
    for (Index r = x.cells.p; r < x.cells.m; ++r) {
      double sum = 0;
      for (Index k = 0; k <= j; ++k) sum += x.at(r, k) * x.at(j, k);
      c.at(r, j) = sum;
    }
  return c;
}

/// Rows and pivots of fronts: partial tiles, a last column of cells alone, a single one, padded
/// pivots, no rows below.
const std::vector<FrontCells> kSolveCases{
    {70, 70},   {100, 37}, {300, 130}, {200, 64},  {330, 192}, {150, 8}, {97, 96}, {129, 128},
    {250, 190}, {9, 3},    {280, 201}, {400, 272}, {165, 100}, {65, 64}, {64, 1}};

TEST_P(DenseKernelTeams, SolvesWithIntegersAreExact) {
  const Index block = Index{64} << GetParam();
  for (const unsigned sparse : {1U, 6U}) {
    SCOPED_TRACE("blocks of " + std::to_string(block) + ", one entry in " + std::to_string(sparse));
    std::mt19937_64 random(11);
    const std::vector<HostFront> expected = integer_solutions(kSolveCases, sparse, random);
    std::vector<HostFront> fronts;
    for (const HostFront& x : expected) fronts.push_back(right_hand_sides(x));
    solve_panels(fronts, block, teams());
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      EXPECT_EQ(fronts[f].panel, expected[f].panel)
          << kSolveCases[f].m << " rows, " << kSolveCases[f].p << " pivots";
      EXPECT_EQ(fronts[f].block, expected[f].block);
    }
  }
}

/// Returns L of a matrix of clusters of points, and right-hand sides.
HostFront near_singular_front(const FrontCells& cells, std::uint64_t seed) {
  const auto a = near_singular({"", {cells.p}}, seed);
  std::vector<double> l = dense(a.view(), Permutation::identity(a.n()), 0.0);
  const auto p = static_cast<std::size_t>(cells.p);
  HostFront front(cells);
  std::mt19937_64 random(seed);
  for (std::size_t c = 0; c < p; ++c)
    for (std::size_t r = c; r < p; ++r) {
      double sum = l[r * p + c];
      for (std::size_t k = 0; k < c; ++k) sum -= l[r * p + k] * l[c * p + k];
      l[r * p + c] = r == c ? std::sqrt(sum) : sum / l[c * p + c];
      front.at(static_cast<Index>(r), static_cast<Index>(c)) = l[r * p + c];
    }
  for (Index c = 0; c < cells.p; ++c)
    for (Index r = cells.p; r < cells.m; ++r)
      front.at(r, c) = std::uniform_real_distribution<double>(-1, 1)(random);
  return front;
}

/// Overwrites C by X, computed by substitution.
void substitute(HostFront& front) {
  for (Index r = front.cells.p; r < front.cells.m; ++r)
    for (Index c = 0; c < front.cells.p; ++c) {
      double sum = front.at(r, c);
      for (Index k = 0; k < c; ++k) sum -= front.at(r, k) * front.at(c, k);
      front.at(r, c) = sum / front.at(c, c);
    }
}

/// Returns the largest entry of |C - X L^T| for rows of X and of L of norm one.
double residual(const HostFront& c, const HostFront& x) {
  const Index m = c.cells.m, p = c.cells.p;
  std::vector<double> norm;
  for (Index r = 0; r < m; ++r) {
    double sum = 0;
    for (Index k = 0; k < (r < p ? r + 1 : p); ++k) sum += x.at(r, k) * x.at(r, k);
    norm.push_back(std::sqrt(sum));
  }
  double largest = 0;
  for (Index r = p; r < m; ++r)
    for (Index j = 0; j < p; ++j) {
      long double rest = c.at(r, j);
      for (Index k = 0; k <= j; ++k) rest -= static_cast<long double>(x.at(r, k)) * x.at(j, k);
      const double error = std::abs(static_cast<double>(rest)) / (norm[r] * norm[j]);
      if (!(error <= largest)) largest = error;  // also if error is NaN
    }
  return largest;
}

/// Inverses alone, without the correction, would leave residuals of 10^-12.
TEST_F(DenseKernels, NearlySingularTrianglesAreSolvedAccurately) {
  const std::vector<FrontCells> shapes{{40, 30},   {100, 64},  {170, 88},
                                       {230, 130}, {330, 200}, {300, 272}};
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    for (const Index block : {64, 256}) {
      std::vector<HostFront> given, fronts;
      for (const FrontCells& cells : shapes) given.push_back(near_singular_front(cells, seed));
      fronts = given;
      solve_panels(fronts, block, 6);
      for (std::size_t f = 0; f < shapes.size(); ++f) {
        HostFront substituted = given[f];
        substitute(substituted);
        EXPECT_LE(residual(given[f], fronts[f]),
                  factor_error_bound(residual(given[f], substituted)))
            << shapes[f].m << " rows, " << shapes[f].p << " pivots, seed " << seed << ", blocks of "
            << block;
      }
    }
}

/// The bits do not depend on the number of teams or on their pauses.
TEST_P(DenseKernelTeams, SolvesGiveTheSameBits) {
  std::vector<HostFront> given;
  for (const FrontCells& cells : kSolveCases) given.push_back(near_singular_front(cells, 3));
  std::vector<HostFront> first = given;
  solve_panels(first, 128, 2);
  for (const unsigned pauses : {0U, 1U, 2U}) {
    std::vector<HostFront> fronts = given;
    solve_panels(fronts, 128, teams(), pauses);
    for (std::size_t f = 0; f < fronts.size(); ++f) EXPECT_EQ(fronts[f].panel, first[f].panel);
  }
}

}  // namespace
}  // namespace kauri::test
