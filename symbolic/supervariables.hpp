// How an ordering treats the supervariables of a graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kauri/permutation.hpp"
#include "ordering/compress.hpp"

namespace kauri::symbolic {

/// The supervariables in the order of their elimination, if perm takes the members of each one right after the other (in any order); else
/// nothing. O(n).
std::optional<std::vector<Index>> elimination_order(const ordering::CompressedGraph& graph, const Permutation& perm);

/// True if classes of rows, so many of n rows, spare enough to be looked after.
inline bool worth_merging(Index classes, Index n) { return classes < 0.9 * n; }

/// What to work on in place of graph: null where graph itself will do. Where perm takes the members of a supervariable apart they are
/// divided into those that follow each other in perm; where hardly any rows are merged, none are: looking after a few costs more than they
/// spare. O(n + edges).
std::unique_ptr<const ordering::CompressedGraph> other_supervariables(const ordering::CompressedGraph& graph, const Permutation& perm);

}  // namespace kauri::symbolic
