// The fast solve of several right-hand sides: sweeps as those of one (sweep.hpp), whose numbers are rows of kWidth columns. FP64, Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/sweep.hpp"

namespace kauri::numeric::cuda {

/// Numbers of one solve of a block of right-hand sides: of `numbers`, places count rows of kWidth, but those of b and out count numbers of
/// their first columns. Columns of a row behind the last right-hand side are zeros.
///
/// What is read once, update rows and parts, is unset again by who reads it: so it is unset between solves, of whatever width, and lies
/// apart from all else. The rest is unset by the launch that brings b.
struct WideMemory {
  SweepMemory numbers;
  double* rows;           ///< b by rows, in the order of L's
  const Index* b_place;   ///< new_of: row i of b is row b_place[i] of L; null: the same
  const Index* out_place; ///< of out
  Offset b_ld, out_ld;    ///< leading dimensions of b and out
  Offset kept;            ///< rows of update rows and parts
  Index teams;            ///< that solve some columns each
  Index n, columns;       ///< right-hand sides, at most kWidth
};

/// Where numbers lie in a workspace for `most` columns (8 or 32): update rows and parts first; then `scratch`: x, y and rows, or all numbers
/// of a solve of one; tickets; new_of.
struct WideRoom {
  double* kept;
  Offset kept_count;
  double* scratch;
  int* ticket;
  Index* new_of;
};
WideRoom wide_room(const Plan& plan, double* numbers, Index most);
/// Of 9 to 32 columns so many are solved together, by an equal share of the blocks: a step of a chain is shorter with fewer, and L, which
/// all shares read, comes from the L2 cache for all but one.
#ifndef KAURI_TEAM_WIDTH
#define KAURI_TEAM_WIDTH 16
#endif
inline constexpr Index kTeamWidth = KAURI_TEAM_WIDTH;
WideMemory wide_memory(const Plan& plan, const double* l, const WideRoom& room, Index width, Index columns);

/// Blocks that the current device holds at once, of the kernel of so many columns; 0: it cannot run the kernel. Once per device, before the
/// first launch. kWidth: 8 or 32, of symbolic::solve_width().
template <int kWidth>
int wide_blocks();

/// L Y = B (of rows in the order of view.old_of), L^T X = Y (view.back_of), or one after the other: launches on the stream. `memory` as
/// sweep_memory() has it, unset, and with b, out and verdict. Throws Error(device).
template <int kWidth>
void enqueue_wide_sweeps(const SweepView& view, const WideMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
