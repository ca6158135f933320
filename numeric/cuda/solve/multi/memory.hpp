// The solve of several right-hand sides by sweeps: as that of one (single/memory.hpp), with rows of
// kWidth columns in the place of numbers. FP64, Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

/// Memory of one solve of a block of right-hand sides. Places in `numbers` count rows of as many
/// columns as a group solves, the arrays of one group after those of the other; those of b and out
/// count numbers of their first columns. Columns behind the last right-hand side are zeros.
///
/// Update rows and parts are read once, and the reader unsets them again: so they are unset between
/// solves, of any width, and lie apart from all else. The launch that brings b unsets the rest.
struct MultiMemory {
  SweepMemory<double> numbers;
  double* rows;  ///< b by rows, in the order of L's rows; the rows of a finished tile are scratch
                 ///< of its correction
  const Index* b_row;    ///< row i of b is row b_row[i] of L; null: row i
  const Index* out_row;  ///< rows of L for out, as b_row for b
  Offset b_column;       ///< numbers from one column of b to the next
  Offset out_column;
  Offset kept;   ///< number of rows of update rows and parts
  Index groups;  ///< number of groups, each of which solves some of the columns
  Index n;
  Index columns;  ///< number of right-hand sides
};

/// Returns the number of columns that a group of blocks solves together: 8 for up to 8 columns; for
/// up to 32 columns all of them, or 16, solved by two groups side by side with half of the blocks
/// each, or 8, by four groups. With two groups the steps of a chain take half as long, and one of
/// the groups must get L, which both read, from the L2 cache: that is better if A and L are small,
/// and four groups if they are smaller still. asked: CudaOptions::group_columns.
Index group_width(const Plan& plan, Index width, Index asked);
/// Returns the places of a solve of `columns` right-hand sides, by groups of `group` columns, in
/// the numbers of a workspace for `most` right-hand sides (symbolic::multi_numbers()).
MultiMemory multi_memory(const Plan& plan, const double* l, double* numbers, Index most,
                         Index columns, Index group);
/// Returns the numbers of a solve of one right-hand side in a workspace for `most`.
double* scratch_of(const Plan& plan, double* numbers, Index most);
/// Enqueues the unsetting of update rows and parts, before the first solve of a workspace for
/// several right-hand sides.
void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream);

/// Returns the number of blocks that the current device holds at once of the kernel for groups of
/// kWidth columns, 8, 16 or 32; 0 if it cannot run the kernel. Called once for each device, before
/// the first launch.
template <int kWidth>
int multi_blocks();

/// Solves L Y = B, L^T X = Y, or one after the other, by launches on the stream. `memory` is as
/// returned by multi_memory(), with b, out and verdict, for groups of kWidth columns. blocks: of
/// all groups together, at least one for each, at most multi_blocks(). Throws Error(device).
template <int kWidth>
void enqueue_multi_sweeps(const SweepView& view, const MultiMemory& memory, bool forward,
                          bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
