// Solves of several right-hand sides by sweeps: as the sweeps of one (single/memory.hpp), with a
// row of kWidth numbers, one for each column of a group, in place of each number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "numeric/cuda/solve/single/memory.hpp"
#include "numeric/solve_impl.hpp"

namespace kauri::numeric::cuda {

/// Device memory of one solve of a block of right-hand sides, which groups of thread blocks divide
/// by columns. Each array in `numbers`, and `rows`, holds rows of one group's columns, group after
/// group; b and out are the caller's, at their first columns. Columns behind the last right-hand
/// side are zeros.
///
/// Update rows and parts are read once, and the reader sets them back to unset (all bits 1): so
/// they are unset between solves, of any width, and lie apart from x and y, which the kernel that
/// copies b unsets.
/// S: scalar of L and of the caller's vectors. N: scalar of numbers, double or S.
template <class S, class N>
struct MultiMemory {
  SweepMemory<S, N> numbers;
  N* rows;             ///< b by rows, kWidth numbers each, in the order of L's rows; the rows of a
                       ///< finished tile are scratch of its correction
  const Index* b_row;  ///< row i of b is row b_row[i] of L; null: row i of L
  const Index* out_row;  ///< row i of out is row out_row[i] of L; null: row i of L
  Offset b_column;       ///< distance in numbers from one column of b to the next; out_column: the
                         ///< same of out
  Offset out_column;
  Offset kept;   ///< number of update rows and rows of parts of one group, kWidth numbers each
  Index groups;  ///< number of groups, each of which solves kWidth of the columns
  Index n;
  Index columns;  ///< number of right-hand sides
};

/// A solve of several right-hand sides by sweeps. b and x lie on the device and have 2 to
/// KernelSet::together columns.
template <class T>
struct SeveralSolve {
  const Plan& plan;
  const SweepView& sweeps;
  const T* entries;  ///< DeviceSchedule::entries numbers
  double* numbers;   ///< CudaWorkspace::numbers() of a workspace for `most` right-hand sides
  Index most;
  MatrixView<const T> b;
  MatrixView<T> x;
  const DeviceVerdict* verdict;
  const SolveSteps& steps;
};

/// Returns the number of columns that a group of blocks solves together, for a solve of `width`
/// columns, 8 or 32 (symbolic::solve_width()): 8 if width is 8; else 32; or 16, by two groups side
/// by side with half of the blocks each; or 8, by four. More groups take less time for a step from
/// tile to tile of a chain, but each reads all of L, all but the first from the L2 cache: two are
/// better if A and L are small, and four if they are smaller still. asked:
/// CudaOptions::group_columns, or 0 to choose.
Index group_width(const Plan& plan, Index width, Index asked);
/// Returns the memory of a solve of `columns` right-hand sides, by groups of `group` columns: l,
/// and addresses in the `numbers` of a workspace for `most` right-hand sides
/// (symbolic::multi_numbers()), of which numbers in float use the beginning of each part. The
/// caller sets b, out, their rows and distances, verdict and run_flag.
template <class S, class N>
MultiMemory<S, N> multi_memory(const Plan& plan, const S* l, double* numbers, Index most,
                               Index columns, Index group);
/// Returns the address of the scratch of a solve of one right-hand side (sweep_memory()) in the
/// `numbers` of a workspace for `most` right-hand sides.
double* scratch_of(const Plan& plan, double* numbers, Index most);
/// Enqueues a fill with all bits 1, which marks update rows and parts as unset, before the first
/// solve of a workspace for `most` > 1 right-hand sides. Throws Error(device).
void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream);

/// Arithmetic by which a kernel multiplies tiles: by mma.m16n8k16 of Hopper, where bulk copies
/// bring L; by any_mma() or by fused multiply-adds on every device, where asynchronous copies do.
/// Sums of the first two have the same order up to that inside one instruction. Tensor cores
/// multiply in double; multiply-adds in the scalar of L, as FP64 may be slow where there are no
/// tensor cores for it.
enum class SweepProducts { hopper, tensor, fma };
/// The scalar of numbers and of all arithmetic.
template <class S, SweepProducts kProducts>
using NumberOf = std::conditional_t<kProducts == SweepProducts::fma, S, double>;

/// Returns the number of blocks that the current device holds at once of the kernel for groups of
/// kWidth columns, 8, 16 or 32; 0 if it cannot run the kernel. Called once for each device, before
/// the first launch, since it prepares the kernels.
template <class S, int kWidth, SweepProducts kProducts>
int multi_blocks();

/// Enqueues launches that solve L Y = B, L^T X = Y, or one after the other, and write X (Y after a
/// forward sweep alone) to out, NaN if the verdict is not good; with neither, out is a permutation
/// of b. `memory` is as returned by multi_memory(), with b, out and verdict, for groups of kWidth
/// columns. blocks: of all groups together, at least one for each (else throws std::logic_error),
/// at most multi_blocks(). Throws Error(device).
template <class S, int kWidth, SweepProducts kProducts>
void enqueue_multi_sweeps(const SweepView& view,
                          const MultiMemory<S, NumberOf<S, kProducts>>& memory, bool forward,
                          bool backward, int blocks, cudaStream_t stream);

/// Returns the kernel as a member of a KernelSet, for `blocks` blocks.
template <class S, int kWidth, SweepProducts kProducts>
GroupKernel<S> multi_kernel(int blocks) {
  GroupKernel<S> out{kWidth, blocks};
  if constexpr (std::is_same_v<NumberOf<S, kProducts>, double>)
    out.enqueue = enqueue_multi_sweeps<S, kWidth, kProducts>;
  else
    out.enqueue_in_float = enqueue_multi_sweeps<S, kWidth, kProducts>;
  return out;
}

/// Enqueues the solve, by the kernel for groups of group_width() columns:
/// KernelSet::solve_several. Throws Error(device).
template <class S>
void enqueue_several(const KernelSet<S>& kernels, const SeveralSolve<S>& solve,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
