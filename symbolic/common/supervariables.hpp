// Supervariables of a graph with respect to an ordering: their sequence, and whether the ordering
// takes them apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kauri/core/permutation.hpp"
#include "ordering/graph/compress.hpp"

namespace kauri::symbolic {

/// Returns the supervariables in the order of their elimination if perm takes the members of each
/// one right after the other (in any order); else nullopt. O(n).
std::optional<std::vector<Index>> elimination_order(const ordering::CompressedGraph& graph,
                                                    const Permutation& perm);

/// Returns true if the members of each supervariable form a block: they are consecutive in the
/// caller's numbering and, in the same order, in perm. O(n).
bool in_blocks(const ordering::CompressedGraph& graph, const Permutation& perm);

/// Returns the graph whose supervariables are to be used in place of those of `graph`, or null if
/// those of `graph` fit perm. Supervariables whose members do not form blocks are divided into
/// blocks, or, if blocks merge at most a tenth of the rows, only at the places at which perm takes
/// members apart. If this too merges at most a tenth of the rows, no rows are merged: handling a
/// few costs more than it saves. O(n + edges).
std::unique_ptr<const ordering::CompressedGraph> other_supervariables(
    const ordering::CompressedGraph& graph, const Permutation& perm);

}  // namespace kauri::symbolic
