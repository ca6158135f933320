// Bounds and estimates of the fill of banded orderings, from a pattern or a graph alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"
#include "ordering/graph/compress.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::symbolic {

/// Returns an estimate of the least number of entries of L in a banded ordering (reverse
/// Cuthill-McKee): half the sum of the squared widths, in rows, of the levels of a breadth-first
/// search in each component, from a vertex far from the component's first. O(n + edges).
double banded_entries(const ordering::GraphView& graph);

/// Returns the number of entries of the envelope of P A P^T, the diagonal included: L of that
/// ordering has no more. graph: of A. O(n + edges between supervariables).
double envelope_entries(const ordering::CompressedGraph& graph, const Permutation& perm);
/// Returns the number of entries of the envelope of P A P^T, from the pattern of A alone. O(n +
/// nnz).
double envelope_entries(const Pattern& lower, const Permutation& perm);
/// Returns the number of entries of the envelope of A in the caller's numbering, in half the time
/// of the function above. With step > 1 it reads only columns 0, step, 2 step, ..., in about 1 /
/// step of the time, and returns a lower bound. step >= 1. O(n + nnz / step).
double envelope_entries(const Pattern& lower, Index step = 1);

}  // namespace kauri::symbolic
