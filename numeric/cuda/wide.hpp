// The fast solve of several right-hand sides: sweeps as those of one (sweep.hpp), whose numbers are rows of kWidth columns. FP64, Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/sweep.hpp"

namespace kauri::numeric::cuda {

/// Numbers of one solve of a block of right-hand sides: of `numbers`, places count rows of kWidth, but those of b and out count numbers of
/// their first columns. Columns of a row behind the last right-hand side are zeros.
struct WideMemory {
  SweepMemory numbers;
  Offset b_ld, out_ld;  ///< leading dimensions of b and out
  Index columns;        ///< right-hand sides, at most kWidth
};

/// Blocks that the current device holds at once, of the kernel of so many columns; 0: it cannot run the kernel. Once per device, before the
/// first launch. kWidth: 8 or 32, of symbolic::solve_width().
template <int kWidth>
int wide_blocks();

/// L Y = B (of rows in the order of view.old_of), L^T X = Y (view.back_of), or one after the other: launches on the stream. `memory` as
/// sweep_memory() has it, unset, and with b, out and verdict. Throws Error(device).
template <int kWidth>
void enqueue_wide_sweeps(const SweepView& view, const WideMemory& memory, bool forward, bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
