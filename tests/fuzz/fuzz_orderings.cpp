// Reads arbitrary bytes as a graph and options. Every method must return a permutation with the
// `last` rows in their places, which is the same with four threads as with one. Separator trees,
// orders within them and reorders after changes must keep their contracts. Every invalid argument
// must be an Error of its kind. Graphs have at most 6000 vertices, most of them some hundreds; the
// tests cover components of 20,000 vertices and more, which all threads order together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "kauri/core/ordering.hpp"
#include "kauri/extras/separators.hpp"
#include "tests/fuzz/graph_bytes.hpp"
#include "tests/fuzz/outcome.hpp"
#include "tests/fuzz/tree_checks.hpp"
#include "tests/support/process/many_threads.hpp"

namespace {

using namespace kauri;
using fuzz::Bytes;
using fuzz::is_forest_in_postorder;
using fuzz::NaiveTree;
using fuzz::require;
using Edges = std::vector<std::pair<Index, Index>>;

/// Names the kinds of errors that a call's arguments have.
struct Wrong {
  bool usage = false, input = false;
};

/// Returns f(). If `wrong` says that the arguments are invalid, f must throw an Error of a matching
/// kind instead, and the result is nullopt.
template <class F>
auto outcome_of(const Wrong& wrong, F&& f) -> std::optional<decltype(f())> {
  try {
    auto result = f();
    require(!wrong.usage && !wrong.input);
    return result;
  } catch (const Error& e) {
    require((wrong.usage && e.kind() == ErrorKind::usage) ||
            (wrong.input && e.kind() == ErrorKind::input));
    return std::nullopt;
  }
}

/// Decodes a number of any sign, mostly a small one, from a few bytes.
Index any_index(Bytes& bytes, Index n) {
  const std::uint8_t kind = bytes.next();
  if (kind < 16)
    return kind == 0   ? std::numeric_limits<Index>::max()
           : kind == 1 ? std::numeric_limits<Index>::min()
                       : kind - 9;
  return bytes.below(std::min(n + 2, 65536));
}

struct Input {
  Graph graph;
  OrderingOptions options;
  Wrong wrong;  // errors that order() must report
  Index leaf = 1;
  bool four_threads = true;
};

/// Calls f with one thread and, for one input in eight, with four threads, and requires equal
/// outcomes.
template <class F>
std::optional<Permutation> ordered(const Input& input, const Wrong& wrong, F&& f) {
  OrderingOptions options = input.options;
  if (options.threads >= 0) options.threads = 1;
  const auto alone = outcome_of(wrong, [&] { return f(options); });
  if (options.threads >= 0) options.threads = 4;
  if (input.four_threads) require(outcome_of(wrong, [&] { return f(options); }) == alone);
  return alone;
}

OrderingOptions options_of(Bytes& bytes) {
  constexpr OrderingMethod kMethods[] = {
      OrderingMethod::natural, OrderingMethod::rcm,          OrderingMethod::minimum_degree,
      OrderingMethod::amd,     OrderingMethod::parallel_amd, OrderingMethod::nested_dissection};
  constexpr Effort kEfforts[] = {Effort::fast, Effort::standard, Effort::best};
  constexpr TieBreak kTies[] = {TieBreak::first, TieBreak::last, TieBreak::pseudo_peripheral};
  constexpr double kDense[] = {10,
                               0,
                               -1,
                               0.01,
                               0.5,
                               2,
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
  OrderingOptions options;
  const std::uint8_t kind = bytes.next(), flags = bytes.next(), delta = bytes.next();
  options.method = kMethods[kind % 6];
  options.effort = kEfforts[kind / 6 % 3];
  options.seed = bytes.next();
  options.compress = (flags & 1) == 0;
  options.aggressive = (flags & 2) == 0;
  options.tie_break = kTies[flags / 4 % 3];
  options.dense = kDense[bytes.next() % 8];
  options.delta = delta < 240 ? delta % 8 : delta - 256;
  options.threads = flags < 240 ? 0 : flags - 256;
  return options;
}

/// Returns a graph in which each vertex is replaced by `copies` rows that are neighbours of one
/// another: they are indistinguishable, unless some of them are `last` rows.
Graph graph_of(Bytes& bytes, Index n, Index length, Index copies) {
  Edges edges;
  const auto join = [&](Index u, Index v) {
    for (Index i = 0; i < copies; ++i)
      for (Index j = 0; j < copies; ++j) edges.emplace_back(u * copies + i, v * copies + j);
  };
  for (const auto& [u, v] : fuzz::edges_of(bytes, n, length)) join(u, v);
  for (Index v = 0; v < n; ++v) join(v, v);
  fuzz::Lists lists = fuzz::lists_of(n * copies, std::move(edges));
  return {std::move(lists.ptr), std::move(lists.adjacency)};
}

/// Decodes options, leaf size, size, `last` rows, the bytes of changes, and the graph.
Input input_of(Bytes bytes, Bytes& changes) {
  const std::uint64_t hash = bytes.hash();
  Input input;
  input.four_threads = hash % 8 == 0;
  input.options = options_of(bytes);
  const std::uint8_t leaf = bytes.next(), size = bytes.next();
  input.leaf = leaf < 240 ? 1 + leaf : leaf - 256;
  // Large graphs exceed what parallel AMD leaves to one thread and what a dissection does in one
  // task; the others are small, except for one in 32.
  const bool large = size % 8 == 7 && hash % 64 == 0;
  const Index most = large ? 6000 : hash % 32 == 0 ? 400 : 100;
  const Index copies = large || size / 8 % 4 < 2 ? 1 : size / 8 % 4, base = bytes.below(most),
              n = base * copies;
  const std::uint8_t last = bytes.next();
  for (int k = last < 160 ? 0 : last % 16; k > 0; --k)
    input.options.last.push_back(any_index(bytes, n));
  changes = bytes.take(bytes.next() % 64);
  input.graph = graph_of(bytes, base, large ? 3 : 1, copies);
  std::vector<char> met(static_cast<std::size_t>(n), 0);
  for (const Index v : input.options.last) input.wrong.input |= v < 0 || v >= n || met[v]++ != 0;
  input.wrong.usage = input.options.delta < 0 || input.options.threads < 0;
  return input;
}

void require_permutation(const Permutation& perm, Index n) {
  require(perm.size() == n);
  std::vector<char> met(static_cast<std::size_t>(n), 0);
  for (Index k = 0; k < n; ++k) {
    const Index v = perm.old_of(k);
    require(v >= 0 && v < n && met[v]++ == 0 && perm.new_of(v) == k);
  }
}

/// Checks order(); returns the identity if order() rejects the arguments.
Permutation checked_order(const Input& input) {
  const Index n = input.graph.size();
  const auto found = ordered(input, input.wrong, [&](const OrderingOptions& options) {
    return order(input.graph, options);
  });
  if (!found) return Permutation::identity(n);
  require_permutation(*found, n);
  const std::vector<Index>& last = input.options.last;
  const auto rest = static_cast<std::size_t>(n) - last.size();
  require(std::equal(last.begin(), last.end(),
                     found->old_of().begin() + static_cast<std::ptrdiff_t>(rest)));
  if (input.options.method == OrderingMethod::natural)
    require(std::is_sorted(found->old_of().begin(),
                           found->old_of().begin() + static_cast<std::ptrdiff_t>(rest)));
  return *found;
}

/// Checks separator_tree(): each node has vertices, and has either no child or several children
/// with more than `leaf` vertices in its subtree.
SeparatorTree checked_tree(const Input& input, const Permutation& perm) {
  const auto tree = outcome_of({.usage = input.leaf < 1},
                               [&] { return separator_tree(input.graph, perm, input.leaf); });
  if (!tree) return separator_tree(input.graph, perm);
  require(is_forest_in_postorder(*tree, input.graph.size()));
  const NaiveTree naive(*tree, perm);
  require(naive.fits(input.graph));
  std::vector<Index> below(tree->parent.size(), 0);
  for (const Index up : tree->parent)
    if (up != kNone) ++below[up];
  for (Index k = 0; k < tree->count(); ++k) {
    require(naive.own_begin(k) < naive.end(k));
    require(below[k] == 0 || (below[k] > 1 && naive.end(k) - naive.begin(k) > input.leaf));
  }
  return *tree;
}

/// Requires that places [begin, end) of both hold the same rows; with in_sequence, in the same
/// sequence.
void require_same_rows(const Permutation& a, const Permutation& b, Index begin, Index end,
                       bool in_sequence) {
  const auto rows = [&](const Permutation& perm) {
    std::vector<Index> some(perm.old_of().begin() + begin, perm.old_of().begin() + end);
    if (!in_sequence) std::sort(some.begin(), some.end());
    return some;
  };
  require(rows(a) == rows(b));
}

/// Checks order_within(). The tree may be arbitrary.
void check_within(const Input& input, const Permutation& perm, const SeparatorTree& tree) {
  const bool forest = is_forest_in_postorder(tree, input.graph.size());
  const Wrong wrong{.usage = input.wrong.usage || !input.options.last.empty(),
                    .input = !forest || !NaiveTree(tree, perm).fits(input.graph)};
  const auto found = ordered(input, wrong, [&](const OrderingOptions& o) {
    return order_within(input.graph, perm, tree, o);
  });
  if (!found) return;
  require_permutation(*found, input.graph.size());
  const NaiveTree naive(tree, perm);
  for (Index k = 0; k < tree.count(); ++k)
    require_same_rows(perm, *found, naive.own_begin(k), naive.end(k), !naive.is_leaf(k));
}

/// Returns for each node the root of the subtree that the change joins, if the node lies in one,
/// else the node itself; kNone for all nodes if the change joins separate trees.
std::vector<Index> joined_subtrees(const Graph& graph, const NaiveTree& tree,
                                   const std::vector<Index>& changed) {
  std::vector<Index> top(static_cast<std::size_t>(tree.count()));
  std::iota(top.begin(), top.end(), 0);
  for (const Index v : changed)
    for (const Index u : graph.neighbours(v)) {
      if (tree.related(tree.of(u), tree.of(v))) continue;
      Index common = tree.of(u);
      while (common != kNone && !tree.is_above(common, tree.of(v))) common = tree.parent(common);
      if (common == kNone) return std::vector<Index>(top.size(), kNone);
      for (Index k = tree.lowest(common); k <= common; ++k) top[k] = std::max(top[k], common);
    }
  return top;
}

/// A tree after a change, in which each joined subtree is one node. anew: for each node, whether it
/// must be ordered anew.
struct Pieces {
  SeparatorTree tree;
  std::vector<char> anew;
};

Pieces pieces_of(const Graph& graph, const NaiveTree& tree, const std::vector<Index>& changed) {
  const std::vector<Index> top = joined_subtrees(graph, tree, changed);
  if (!top.empty() && top.front() == kNone) return {{{0, graph.size()}, {kNone}}, {1}};
  Pieces pieces;
  std::vector<Index> number(top.size(), kNone);
  for (Index k = 0; k < tree.count(); ++k)
    if (top[k] == k) {
      number[k] = pieces.tree.count();
      pieces.tree.first.push_back(tree.end(k));
      pieces.tree.parent.push_back(kNone);
      pieces.anew.push_back(!tree.is_leaf(k) && top[tree.lowest(k)] == k ? 1 : 0);
    }
  for (Index k = 0; k < tree.count(); ++k)
    if (number[k] != kNone && tree.parent(k) != kNone)
      pieces.tree.parent[number[k]] = number[tree.parent(k)];
  for (const Index v : changed)
    if (tree.is_leaf(tree.of(v))) pieces.anew[number[top[tree.of(v)]]] = 1;
  return pieces;
}

/// Checks reorder(): unchanged nodes keep their places and sequence, and the others are ordered as
/// by order_within(). fitted: the tree fitted the graph before the change; else it may be
/// arbitrary.
void check_reorder(const Input& input, const Graph& graph, const Permutation& perm,
                   const SeparatorTree& tree, const std::vector<Index>& changed, bool fitted) {
  const Index n = graph.size();
  const bool in_range =
      std::all_of(changed.begin(), changed.end(), [n](Index v) { return v >= 0 && v < n; });
  const Wrong wrong{.usage = input.wrong.usage || !input.options.last.empty(),
                    .input = !in_range || !is_forest_in_postorder(tree, n)};
  const auto found = ordered(input, wrong, [&](const OrderingOptions& o) {
    return reorder(graph, perm, tree, changed, o);
  });
  if (!found) return;
  require_permutation(*found, n);
  const Pieces pieces = pieces_of(graph, NaiveTree(tree, perm), changed);
  const Permutation all_anew =
      fitted ? order_within(graph, perm, pieces.tree, input.options) : perm;
  for (Index k = 0; k < pieces.tree.count(); ++k) {
    const Index begin = pieces.tree.first[k], end = pieces.tree.first[k + 1];
    require_same_rows(perm, *found, begin, end, pieces.anew[k] == 0);
    if (fitted && pieces.anew[k] != 0) require_same_rows(all_anew, *found, begin, end, true);
  }
}

/// Returns the graph after adding or removing some edges; `changed` gets their ends, in any
/// sequence.
Graph changed_graph(const Graph& graph, Bytes& bytes, std::vector<Index>& changed) {
  const Index n = graph.size();
  Edges edges;
  for (Index v = 0; v < n; ++v)
    for (const Index u : graph.neighbours(v)) edges.emplace_back(v, u);
  for (int k = 1 + bytes.next() % 4; k > 0 && n > 0; --k) {
    const Index u = bytes.below(n), step = bytes.next(),
                v = step < 128 ? (u + step) % n : bytes.below(n);
    const auto near = graph.neighbours(u);
    const std::pair<Index, Index> edge{
        u, step % 2 == 0 || near.empty() ? v : near[static_cast<std::size_t>(step) % near.size()]};
    const std::pair<Index, Index> back{edge.second, edge.first};
    if (const auto at = std::find(edges.begin(), edges.end(), edge); at == edges.end())
      edges.insert(edges.end(), {edge, back});
    else
      std::erase_if(edges, [&](const auto& e) { return e == edge || e == back; });
    changed.insert(changed.begin() + (k % 2 == 0 ? 0 : static_cast<std::ptrdiff_t>(changed.size())),
                   {edge.first, edge.second});
  }
  fuzz::Lists lists = fuzz::lists_of(n, std::move(edges));
  return {std::move(lists.ptr), std::move(lists.adjacency)};
}

/// Returns the tree with a few entries or lengths changed.
SeparatorTree spoilt(SeparatorTree tree, Bytes& bytes, Index n) {
  for (int k = bytes.next() % 8; k > 0; --k) {
    const std::uint8_t kind = bytes.next();
    std::vector<Index>& of = kind % 2 == 0 ? tree.first : tree.parent;
    if (kind < 8 && !of.empty())
      of.pop_back();
    else if (kind < 16)
      of.push_back(any_index(bytes, n));
    else if (kind < 32)
      tree = {{0, n}, {kNone}};
    else if (!of.empty()) {
      const Index at = bytes.below(static_cast<Index>(std::min<std::size_t>(of.size(), 65536)));
      of[at] = any_index(bytes, n);
    }
  }
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::ManyThreads many;
  Bytes changes{nullptr, 0};
  Input input = input_of({data, size}, changes);
  const Index n = input.graph.size();
  const Permutation perm = checked_order(input);
  const SeparatorTree tree = checked_tree(input, perm);
  check_within(input, perm, tree);
  input.options.last.clear();

  std::vector<Index> changed;
  const Graph after = changed_graph(input.graph, changes, changed);
  check_reorder(input, after, perm, tree, changed, true);
  check_reorder(input, input.graph, perm, tree, {}, true);

  const SeparatorTree other = spoilt(tree, changes, n);
  if (changes.next() >= 192) changed.push_back(any_index(changes, n));
  check_within(input, perm, other);
  check_reorder(input, after, perm, other, changed, other == tree);
  const Permutation longer = Permutation::identity(n + 1);
  outcome_of({.input = true}, [&] { return separator_tree(input.graph, longer); });
  outcome_of({.input = true}, [&] { return order_within(input.graph, longer, tree); });
  return 0;
}
