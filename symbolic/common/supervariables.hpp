// How an ordering treats the supervariables of a graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kauri/permutation.hpp"
#include "ordering/graph/compress.hpp"

namespace kauri::symbolic {

/// The supervariables in the order of their elimination, if perm takes the members of each one right after the other (in any order); else
/// nothing. O(n).
std::optional<std::vector<Index>> elimination_order(const ordering::CompressedGraph& graph, const Permutation& perm);

/// True if the members of each supervariable are a block: they follow each other in the caller's numbering and, in the same order, in perm.
/// O(n).
bool in_blocks(const ordering::CompressedGraph& graph, const Permutation& perm);

/// What to work on in place of graph: null where graph itself will do. Supervariables whose members are not in blocks are divided into
/// blocks, or, if that leaves too little, only where perm takes members apart; where hardly any rows are merged, none are: looking after a
/// few costs more than they spare. O(n + edges).
std::unique_ptr<const ordering::CompressedGraph> other_supervariables(const ordering::CompressedGraph& graph, const Permutation& perm);

}  // namespace kauri::symbolic
