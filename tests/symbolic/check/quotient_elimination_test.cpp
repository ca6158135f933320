// Tests quotient-graph symbolic elimination against the elimination game, and its storage against
// the bound.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/quotient_elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

#include "kauri/core/error.hpp"
#include "support/oracles/elimination_game.hpp"
#include "support/systems/graph_families.hpp"

namespace {

// Counts the bytes that this program holds through operator new, now and at most, for one thread.
std::size_t held_now = 0, held_most = 0;
constexpr std::size_t kHeader = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t bytes) {
  auto* block = static_cast<std::size_t*>(std::malloc(bytes + kHeader));
  if (block == nullptr) throw std::bad_alloc();
  *block = bytes;
  held_now += bytes;
  held_most = std::max(held_most, held_now);
  return reinterpret_cast<char*>(block) + kHeader;
}
void operator delete(void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto* block = reinterpret_cast<std::size_t*>(static_cast<char*>(pointer) - kHeader);
  held_now -= *block;
  std::free(block);
}
void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }

namespace kauri {
namespace {

using namespace kauri::test;
using symbolic::quotient_column_counts;
using symbolic::quotient_structures;
using symbolic::QuotientElimination;

void expect_naive(const Graph& graph, const Permutation& permutation) {
  const auto naive = naive_structures(graph, permutation);
  const std::vector<Index> count = quotient_column_counts(graph, permutation);
  ASSERT_EQ(count.size(), naive.size());
  Index next = 0;
  quotient_structures(graph, permutation, [&](Index column, std::span<const Index> rows) {
    EXPECT_EQ(column, next++);
    EXPECT_EQ(std::vector<Index>(rows.begin(), rows.end()), naive[column]);
    EXPECT_EQ(count[column], static_cast<Index>(naive[column].size()));
  });
  EXPECT_EQ(next, graph.size());
}

TEST(QuotientElimination, StructuresAreThoseOfTheEliminationGame) {
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = random_graph(seed, seed % 3 == 0 ? 60 : 20);
    std::mt19937 random(seed + 17);
    expect_naive(graph, seed % 4 == 0
                            ? Permutation::identity(graph.size())
                            : Permutation::from_old_of(random_permutation(graph.size(), random)));
    if (HasFailure()) return;
  }
}

TEST(QuotientElimination, SmallAndRegularShapes) {
  expect_naive(Graph(), Permutation());
  expect_naive(path(1), Permutation::identity(1));
  expect_naive(graph_of(50, {}), Permutation::identity(50));
  expect_naive(clique(40), Permutation::identity(40));
  expect_naive(star(61), Permutation::identity(61));  // the centre first: L is full
  expect_naive(grid(8, 8, 1), Permutation::identity(64));
}

TEST(QuotientElimination, CountsOfLargeShapesHaveClosedForms) {
  const auto sum = [](const std::vector<Index>& count) {
    return std::accumulate(count.begin(), count.end(), Offset{0});
  };
  EXPECT_EQ(sum(quotient_column_counts(path(1000000), Permutation::identity(1000000))), 1999999);
  EXPECT_EQ(sum(quotient_column_counts(clique(1500), Permutation::identity(1500))),
            1500 * 1501 / 2);
  std::vector<Index> centre_last(100001);
  for (Index k = 0; k < 100001; ++k) centre_last[k] = (k + 1) % 100001;
  EXPECT_EQ(sum(quotient_column_counts(star(100001), Permutation::from_old_of(centre_last))),
            200001);
  EXPECT_EQ(sum(quotient_column_counts(star(3001), Permutation::identity(3001))),
            Offset{3001} * 3002 / 2);
  // In row order a grid of width w is a band that fills: w+1 entries in a column, fewer at the end.
  const Index w = 30, n = w * w;
  const auto count = quotient_column_counts(grid(w, w, 1), Permutation::identity(n));
  for (Index k = w; k < n; ++k) EXPECT_EQ(count[k], std::min(w + 1, n - k)) << k;
}

TEST(QuotientElimination, LiveListsStayWithinHalfTheEdges) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Graph graph = random_graph(seed, 60);
    std::mt19937 random(seed);
    QuotientElimination elimination(
        graph, Permutation::from_old_of(random_permutation(graph.size(), random)));
    EXPECT_EQ(elimination.capacity(), graph.edges() / 2);
    for (Index k = 0; k < graph.size(); ++k) (void)elimination.eliminate_next();
    EXPECT_LE(elimination.peak(), elimination.capacity());
  }
}

TEST(QuotientElimination, MemoryIsThatOfTheGraphWhateverTheFill) {
  const Index w = 120, n = w * w;
  const Graph graph = grid(w, w, 1);
  std::mt19937 random(5);
  const Permutation permutation = Permutation::from_old_of(random_permutation(n, random));
  const std::size_t before = held_now;
  held_most = held_now;
  QuotientElimination elimination(graph, permutation);
  const std::size_t built = held_now - before;
  Offset fill = 0;
  for (Index k = 0; k < n; ++k) fill += static_cast<Offset>(elimination.eliminate_next().size());
  EXPECT_EQ(held_most, before + held_now - before) << "elimination allocates nothing";
  EXPECT_LE(built, static_cast<std::size_t>(graph.edges() / 2 * 4 + 11 * 4 * (n + 1)));
  EXPECT_GT(fill, 20 * graph.edges()) << "the bound says something only where there is much fill";
}

TEST(QuotientElimination, SizesMustAgree) {
  EXPECT_THROW((void)quotient_column_counts(path(3), Permutation::identity(4)), Error);
}

}  // namespace
}  // namespace kauri
