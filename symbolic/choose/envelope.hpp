// What a quick look at pattern or graph says of banded orderings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/matrix.hpp"
#include "kauri/permutation.hpp"
#include "ordering/graph/compress.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::symbolic {

/// About the least entries of L that a banded ordering (reverse Cuthill-McKee) can have: half the sum of squares of the widths of the
/// levels in rows, from a vertex far from the first of each component. O(n + edges).
double banded_entries(const ordering::GraphView& graph);

/// Entries of the envelope of P A P^T, the diagonal included: L of that ordering has no more. O(n + edges between supervariables).
double envelope_entries(const ordering::CompressedGraph& graph, const Permutation& perm);
/// The same without the graph, O(n + nnz).
double envelope_entries(const Pattern& lower, const Permutation& perm);
/// The same for A as it is, in half the time; or, with a step, in about so much less time, what columns 0, step, 2 step, ... tell of it:
/// the same or less. O(n + nnz / step).
double envelope_entries(const Pattern& lower, Index step = 1);

}  // namespace kauri::symbolic
