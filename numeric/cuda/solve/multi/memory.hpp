// The fast solve of several right-hand sides: sweeps as those of one (single/memory.hpp), whose numbers are rows of kWidth columns. FP64,
// Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

/// Numbers of one solve of a block of right-hand sides: places in `numbers` count rows of as many columns as a group solves, a group's
/// arrays after the other's, but those of b and out count numbers of their first columns. Columns behind the last right-hand side are
/// zeros.
///
/// What is read once, update rows and parts, is unset again by who reads it: so it is unset between solves, of whatever width, and lies
/// apart from all else. The rest is unset by the launch that brings b.
struct WideMemory {
  SweepMemory<double> numbers;
  double* rows;          ///< b by rows, in the order of L's; of a tile that is made already room for its correction
  const Index* b_row;    ///< row i of b is row b_row[i] of L; null: the same
  const Index* out_row;  ///< of out
  Offset b_column;       ///< from column to column of b
  Offset out_column;
  Offset kept;   ///< rows of update rows and parts
  Index groups;  ///< that solve some columns each
  Index n;
  Index columns;  ///< right-hand sides
};

/// Columns that a group of blocks solves together: 8 of up to 8, all of up to 32, or 16, where two groups solve them side by side, with
/// half of the blocks each: steps of a chain take half as long, and L, which both read, must come from the L2 cache for one of them. That
/// is better where A and L are small. Or 8, by four groups, where they are smaller still. asked: CudaOptions::group_columns.
Index group_width(const Plan& plan, Index width, Index asked);
/// Of the numbers of a workspace for `most` right-hand sides (symbolic::wide_numbers()) those of a solve of `columns` by groups of so many.
WideMemory wide_memory(const Plan& plan, const double* l, double* numbers, Index most, Index columns, Index group);
/// Those of a solve of one.
double* scratch_of(const Plan& plan, double* numbers, Index most);
/// Before the first solve of a workspace for several.
void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream);

/// Blocks that the current device holds at once, of the kernel of groups of so many columns; 0: it cannot run the kernel. Once per device,
/// before the first launch. kWidth: 8, 16 or 32.
template <int kWidth>
int wide_blocks();

/// L Y = B, L^T X = Y, or one after the other: launches on the stream. `memory` as wide_memory() has it, with b, out and verdict, for
/// groups of kWidth columns. blocks: of all groups, at least one each, at most wide_blocks(). Throws Error(device).
template <int kWidth>
void enqueue_wide_sweeps(const SweepView& view, const WideMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
