// Column counts by leaves of row subtrees and their least common ancestors (Gilbert, Ng & Peyton
// 1994).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/column_counts.hpp"

#include <algorithm>
#include <cstdint>

#include "base/common/disjoint_sets.hpp"
#include "base/threads/per_thread.hpp"
#include "base/threads/stopping.hpp"
#include "symbolic/common/independent_ranges.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kNodeBlock = 65536;  // nodes in a block of a parallel loop

/// The subtrees of some parts: the root of each, and the places of the supervariables above its
/// part whose rows have entries in the columns of the subtree.
struct CountedSubtrees {
  std::vector<Index> root;
  std::vector<Offset> end;  // per subtree: end of its rows
  std::vector<Index> row;
};

class Counting {
 public:
  Counting(const PermutedAdjacency& adjacency, std::span<const Index> position,
           std::span<const Index> parent)
      : adjacency_(adjacency),
        position_(position),
        parent_(parent),
        count_(position.size(), 0),
        first_(position.size()),
        up_(position.size()),
        place_(position.size()) {
    Blocks(adjacency.size(), kNodeBlock).for_each([this](Index, Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        first_[j] = up_[j] = j;
        place_[position_[j]] = j;
      }
    });
  }

  std::vector<Index> run(Index size) {
    const std::vector<TreePart> parts = cut_into_subtrees(parent_, size);
    const Blocks blocks = batches(parts.size());
    std::vector<CountedSubtrees> subtrees(static_cast<std::size_t>(blocks.count()));
    {
      PerThread<Leaves> leaves(position_.size(), kNone);
      blocks.for_each([&](Index b, Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          if (parts[k].whole) count_part(parts[k], *leaves.use(), subtrees[b]);
      });
    }
    Leaves leaf(position_.size(), kNone);
    for_each_in_turn(
        parts, subtrees, [&](const CountedSubtrees& of, std::size_t t) { join(of, t, leaf); },
        [&](Index j) { count_above(j, leaf); });
    for_each_in_turn(
        parts, subtrees, [&](const CountedSubtrees& of, std::size_t t) { hand_up(of.root[t]); },
        [&](Index j) { hand_up(j); });
    return std::move(count_);
  }

 private:
  /// Adds modulo 2^32. A count fits an Index, but intermediate sums need not, from some 2^31 pairs
  /// on.
  static void add(Index& count, Index more) {
    count =
        static_cast<Index>(static_cast<std::uint32_t>(count) + static_cast<std::uint32_t>(more));
  }

  /// The last leaf found so far of each row subtree, by place of the row. A column is a leaf if no
  /// earlier leaf lies in the subtree of the column.
  using Leaves = std::vector<Index>;

  /// Calls subtree(list, t) for each subtree of the whole parts, and above(j) for each node of the
  /// other parts, in ascending order.
  template <class Subtree, class Above>
  static void for_each_in_turn(const std::vector<TreePart>& parts,
                               const std::vector<CountedSubtrees>& subtrees, const Subtree& subtree,
                               const Above& above) {
    const Blocks blocks = batches(parts.size());
    const StopCheck check_stop;
    for (Index b = 0; b < blocks.count(); ++b) {
      check_stop();
      std::size_t t = 0;
      for (Index k = blocks.begin(b); k < blocks.end(b); ++k)
        if (parts[k].whole)
          for (; t < subtrees[b].root.size() && subtrees[b].root[t] < parts[k].end; ++t)
            subtree(subtrees[b], t);
        else
          for (Index j = parts[k].begin; j < parts[k].end; ++j) above(j);
    }
  }

  // count_[j] is a difference: its sum over the subtree of j is the count of column j. The weight
  // of each row is added at each leaf of its row subtree, subtracted where two branches of the row
  // subtree meet, and subtracted at the parent of its root.
  void count_part(const TreePart& part, Leaves& leaf, CountedSubtrees& out) {
    // First node of the current subtree. A leaf before it, or after j, was found in another
    // subtree.
    Index begin = part.begin;
    const StopCheck check_stop;
    for (Index j = begin; j < part.end; ++j) {
      check_stop.at(j);
      const Index k = place_[j], least = first_[j];
      Index sum = diagonal(j);
      for (const Index i : adjacency_.higher(k)) {
        const Index last = leaf[i];
        if (last >= least && last < j) continue;
        const Index row = adjacency_.weight(i);
        sum += row;
        if (last >= begin && last < j)
          add(count_[root_of(up_, last)], -row);
        else if (position_[i] >= part.end)
          out.row.push_back(i);
        leaf[i] = j;
      }
      add(count_[j], sum);
      if (const Index p = parent_[j]; p != kNone && p < part.end) {
        link(j, p);
      } else {
        out.root.push_back(j);
        out.end.push_back(static_cast<Offset>(out.row.size()));
        begin = j + 1;
      }
    }
    for (Index j = part.begin; j < part.end; ++j)
      if (const Index p = parent_[j]; p != kNone && p < part.end) add(count_[p], count_[j]);
  }

  /// Adds what a counted subtree contributes to rows above it: its root acts as a leaf of each such
  /// row's subtree.
  void join(const CountedSubtrees& subtrees, std::size_t t, Leaves& leaf) {
    const Index root = subtrees.root[t];
    for (Offset e = t == 0 ? 0 : subtrees.end[t - 1]; e < subtrees.end[t]; ++e) {
      const Index i = subtrees.row[static_cast<std::size_t>(e)];
      if (leaf[i] != kNone) add(count_[root_of(up_, leaf[i])], -adjacency_.weight(i));
      leaf[i] = root;
    }
    if (parent_[root] != kNone) link(root, parent_[root]);
  }

  void count_above(Index j, Leaves& leaf) {
    Index sum = diagonal(j);
    for (const Index i : adjacency_.higher(place_[j])) {
      if (leaf[i] >= first_[j]) continue;
      const Index row = adjacency_.weight(i);
      sum += row;
      if (leaf[i] != kNone) add(count_[root_of(up_, leaf[i])], -row);
      leaf[i] = j;
    }
    add(count_[j], sum);
    if (parent_[j] != kNone) link(j, parent_[j]);
  }

  /// Returns the weight of row j if node j is a leaf of its row subtree, which it is only if it is
  /// a leaf of the tree; otherwise the weight comes up from leaves below.
  [[nodiscard]] Index diagonal(Index j) const {
    return first_[j] == j ? adjacency_.weight(place_[j]) : 0;
  }
  void link(Index j, Index p) {
    add(count_[p], -adjacency_.weight(place_[j]));
    up_[j] = p;
    first_[p] = std::min(first_[p], first_[j]);
  }
  void hand_up(Index j) {
    if (parent_[j] != kNone) add(count_[parent_[j]], count_[j]);
  }

  const PermutedAdjacency& adjacency_;
  const std::span<const Index> position_, parent_;
  std::vector<Index> count_;
  std::vector<Index> first_;  // per node: least node of its subtree, as far as nodes are linked
  std::vector<Index> up_;     // links towards the root, as far as nodes are linked
  std::vector<Index> place_;  // by position: place of the supervariable
};

}  // namespace

std::vector<Index> column_counts(const PermutedAdjacency& adjacency,
                                 std::span<const Index> position, std::span<const Index> parent,
                                 Index part) {
  return Counting(adjacency, position, parent).run(part_size(adjacency.size(), part));
}

}  // namespace kauri::symbolic
