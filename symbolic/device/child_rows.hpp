// Flat arrays that map rows of contribution blocks to rows of the parents' fronts. Any range of an
// array can be written by itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/plan.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri::symbolic {

/// Writes elements [begin, end) of the array of parent rows, which has nodes.row.size() - n
/// elements, to out[0 .. end - begin): for each row below the pivots, front after front, its local
/// row in the parent's front. The elements of front s begin at nodes.row_ptr[s] - nodes.first[s].
/// O(log fronts + end - begin + runs).
void list_parent_rows(const Supernodes& nodes, const Assembly& assembly, Offset begin, Offset end,
                      Index* out);

/// Writes words [begin, end) of the row map of supernode `child`, which has row_map_words(parent)
/// words, to out[0 .. end - begin). O(end - begin + rows of the child's block).
void write_row_map(const Assembly& assembly, Index child, const FrontCells& parent, Offset begin,
                   Offset end, RowMapWord* out);

}  // namespace kauri::symbolic
