// Where the rows of contribution blocks go in the parents' fronts, as flat arrays of which any range can be written by itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/plan.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri::symbolic {

/// The rows below the pivots of front after front, each as its place in the parent's front: entries [begin, end) of that array, which has
/// nodes.row.size() - n. Those of front s begin at nodes.row_ptr[s] - nodes.first[s]. O(log fronts + end - begin + runs).
void list_parent_rows(const Supernodes& nodes, const Assembly& assembly, Offset begin, Offset end, Index* out);

/// Words [begin, end) of the child's row map. O(end - begin + rows of the block).
void write_row_map(const Assembly& assembly, Index child, const FrontCells& parent, Offset begin, Offset end, RowMapWord* out);

}  // namespace kauri::symbolic
