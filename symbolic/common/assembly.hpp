// Extend-add lists of a plan: what each front gathers from A and from its children.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// Run of consecutive rows of a child's contribution block that are consecutive in the parent's
/// front: rows [child, child+length) of the block (0 = its first row below the pivots) are rows
/// [parent, parent+length) of the front (0 = its first pivot).
struct RowRun {
  Index child;   ///< first row in the child's contribution block
  Index parent;  ///< first row in the parent's front
  Index length;  ///< number of rows
};

/// Extend-add lists: the entries of A, and the rows of its children's contribution blocks, that
/// each front gathers.
struct Assembly {
  // Entries of A by column of B: column j adds value[entry_source[k]] to front row entry_row[k],
  // for k in [entry_ptr[j], entry_ptr[j+1]). The diagonal entry comes first; the order of the
  // others is unspecified.
  std::vector<Offset> entry_ptr;  ///< length n+1
  Array<std::uint32_t>
      entry_source;  ///< length nnz(A) <= kMostEntries: position in the caller's value array
  Array<Index>
      entry_row;  ///< length nnz(A): local row of the front of the supernode that owns column j
  std::vector<Index> child_ptr;  ///< length supernodes+1: supernode s has the children child[k],
                                 ///< child_ptr[s] <= k < child_ptr[s+1]
  std::vector<Index> child;      ///< children of each supernode, ascending
  std::vector<Offset> run_ptr;   ///< length supernodes+1: the rows of supernode c's block in its
                                 ///< parent's front are run[run_ptr[c] .. run_ptr[c+1]), none for a
                                 ///< root
  Array<RowRun> run;             ///< runs of each block, by ascending rows
};

}  // namespace kauri::symbolic
