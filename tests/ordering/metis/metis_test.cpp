// Nested dissection by METIS: its results pass through unchanged, and inputs that crash it never
// reach it.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/metis/metis.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/ordering.hpp"
#include "support/systems/graphs.hpp"

#ifdef KAURI_TEST_METIS
#include <metis.h>
#endif

namespace kauri::ordering {
namespace {

using namespace kauri::test;

#ifdef KAURI_TEST_METIS
std::vector<Index> metis_itself(const Graph& graph) {
  idx_t n = graph.size();
  std::vector<idx_t> ptr(graph.ptr().begin(), graph.ptr().end()),
      adjacency(graph.adjacency().begin(), graph.adjacency().end());
  std::vector<idx_t> old_of(static_cast<std::size_t>(n)), new_of(static_cast<std::size_t>(n));
  METIS_NodeND(&n, ptr.data(), adjacency.data(), nullptr, nullptr, old_of.data(), new_of.data());
  return old_of;
}

TEST(Metis, SeedOneIsItsDefault) {
  std::mt19937_64 random(1);
  for (const Graph& graph : {grid(40, 50), shuffled(grid(60, 30), random)}) {
    const Permutation p = order(graph, {.method = OrderingMethod::metis});
    EXPECT_EQ(std::vector<Index>(p.old_of().begin(), p.old_of().end()), metis_itself(graph));
  }
}
#endif

TEST(Metis, SeedsDifferAndRepeat) {
  const Graph graph = grid(40, 50);
  const auto with_seed = [&](std::uint64_t seed) {
    return order(graph, {.method = OrderingMethod::metis, .seed = seed});
  };
  EXPECT_NE(with_seed(1), with_seed(2));
  EXPECT_NE(with_seed(2), with_seed(3));
  EXPECT_NE(with_seed(2), with_seed(2 + (std::uint64_t{1} << 32)));
  EXPECT_EQ(with_seed(0), with_seed(0));
  EXPECT_EQ(with_seed(~std::uint64_t{0}), with_seed(~std::uint64_t{0}));
}

TEST(Metis, ThreadsDoNotMix) {
  const Graph a = grid(40, 50), b = grid(70, 20);
  const OrderingOptions options{.method = OrderingMethod::metis, .seed = 5};
  const Permutation pa = order(a, options), pb = order(b, options);
  std::vector<Permutation> got(8);
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 8; ++k)
      threads.emplace_back([&, k] { got[k] = order(k % 2 == 0 ? a : b, options); });
  }
  for (int k = 0; k < 8; ++k) EXPECT_EQ(got[k], k % 2 == 0 ? pa : pb);
}

TEST(Metis, SurvivesGraphsWithoutEdgesAndTinyOnes) {
  MetisWorkspace workspace;
  std::mt19937_64 random(2);
  const auto identity = [&](const Graph& graph) {
    std::vector<Index> order(static_cast<std::size_t>(graph.size()), kNone);
    metis_nested_dissection(view_of(graph), 1, workspace, order);
    for (Index v = 0; v < graph.size(); ++v) EXPECT_EQ(order[v], v);
  };
  identity(Graph());
  identity(path(1));
  identity(path(2));
  identity(random_graph(300, 0, random));
}

TEST(Metis, RefusesWhatItsIndicesCannotNumber) {
  constexpr Offset limit = 2147483647;
  EXPECT_NO_THROW(require_metis_size(limit, limit));
  for (const auto& [n, edges] :
       std::vector<std::pair<Offset, Offset>>{{limit + 1, 0}, {10, limit + 1}})
    try {
      require_metis_size(n, edges);
      ADD_FAILURE() << n << " vertices, " << edges << " edges accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::overflow);
    }
}

}  // namespace
}  // namespace kauri::ordering
