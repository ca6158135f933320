// Dense kernels of the CPU backend: serial, no allocation, one table per instruction set, chosen
// when a factor is made.
//
// All matrices are column-major, but for X and U of solves. "Packed" means slabs of slab_rows rows:
// entry (i,k) of a packed matrix with K columns is at (i / slab_rows) * slab_rows * K + k *
// slab_rows + i % slab_rows; missing rows of the last slab are zero. One packed copy serves as the
// left and the right operand of C -= A B^T, since col_tile divides slab_rows. Blocking after Goto &
// van de Geijn 2008 and Van Zee & van de Geijn 2015; recursive panels after Gustavson 1997.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/types.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/common/contribution_layout.hpp"

namespace kauri::numeric::cpu {

/// Largest number of columns of a panel that is factorised without packing.
inline constexpr Index kBasePanel = 64;
/// Rows and columns of a task's tile inside a large front; a multiple of every slab_rows.
inline constexpr Index kFrontTile = symbolic::ContributionLayout::kTile;

/// The kernels of one instruction set for T.
template <class T>
struct DenseKernels {
  std::string_view target;  ///< target of plans whose factors use these kernels: "cpu-avx512" ...
  Index slab_rows;          ///< rows of a slab of packed operands, and of a register tile
  Index col_tile;           ///< columns of a register tile

  /// Computes the Cholesky factor of the lower n x n block a (n <= kBasePanel) in place. Returns n,
  /// or the first column whose pivot is not positive and finite, with that pivot in *pivot. The
  /// strict upper triangle does not influence the result and is not preserved.
  Index (*potrf)(Index n, T* a, Offset lda, T* pivot);
  /// Computes X (m x n) <- X L^-T with L the lower triangle of l, n x n (n <= kBasePanel).
  void (*trsm)(Index m, Index n, const T* l, Offset ldl, T* x, Offset ldx);
  /// Computes C (m x n) = [C] - A B^T with A m x k, B n x k, on operands in place. `lower`: only
  /// tiles that meet i >= j are required; other entries of the m x n array may be overwritten by
  /// unspecified values. `keep`: subtracts from C; otherwise C is not read.
  void (*update)(Index m, Index n, Index k, const T* a, Offset lda, const T* b, Offset ldb, T* c,
                 Offset ldc, bool lower, bool keep);
  /// Packs A (m x k) into slabs; `packed` has room for m, rounded up to whole slabs, times k.
  void (*pack)(Index m, Index k, const T* a, Offset lda, T* packed);
  /// Computes C = [C] - A B^T on packed operands with k columns each, for the entries (i, j) of C
  /// with i >= j + diagonal; other entries may be overwritten. So `diagonal` is j0 - i0 for a C
  /// that begins at entry (i0, j0) of a lower triangle; if it is at most 1 - n, all of C is
  /// computed. Row 0 of A and row 0 of B begin slabs. `keep`: subtracts from C; otherwise C is not
  /// read.
  void (*update_packed)(Index m, Index n, Index k, const T* a, const T* b, T* c, Offset ldc,
                        Index diagonal, bool keep);

  /// Adds one column of a child's block to a column of its parent: to[parent row] += from[child
  /// row] for the child rows >= from_row of the runs [run, end); from_row lies in *run.
  void (*add_rows)(const symbolic::RowRun* run, const symbolic::RowRun* end, Index from_row,
                   const T* from, T* to);

  // Solves with r right-hand sides. X and U are row-major with r columns (leading dimension r):
  // x(k,c) is at x[k*r + c].
  /// Computes X (p x r) <- L^-1 X with L the p x p lower triangle.
  void (*forward)(Index p, Index r, const T* l, Offset ldl, T* x);
  /// Computes U (q x r) -= L21 X, with L21 q x p.
  void (*forward_update)(Index q, Index p, Index r, const T* l21, Offset ldl, const T* x, T* u);
  /// Computes X (p x r) <- L^-T X.
  void (*backward)(Index p, Index r, const T* l, Offset ldl, T* x);
  /// Computes X (p x r) -= L21^T U.
  void (*backward_update)(Index q, Index p, Index r, const T* l21, Offset ldl, const T* u, T* x);
  /// Adds the update rows of a child (`from`, r numbers each) to the rows of its parent that they
  /// meet, as the runs [run, end) tell: parent row i is x(i,:) for i < p, else u(i-p,:).
  void (*pull_rows)(const symbolic::RowRun* run, const symbolic::RowRun* end, Index p, Index r,
                    const T* from, T* x, T* u);
  /// Computes u(i,:) = x(row[i],:) for i < q.
  void (*gather_rows)(Index q, const Index* row, Index r, const T* x, T* u);

  // Rooflines.
  /// Computes chains y <- factor y + addend in all lanes of several registers, chain i starting
  /// from y = i, with `rounds` steps each. Returns the sum of all lanes, and in *flops the number
  /// of operations of all chains, two a step and lane.
  T (*multiply_adds)(Index rounds, T factor, T addend, double* flops);
  /// Returns the sum of `count` numbers, in unspecified order.
  T (*read_all)(const T* from, Offset count);
};

/// Returns the kernels of a target ("cpu-avx512", "cpu-avx2", "cpu-generic"). Throws Error(usage)
/// for an unknown target, and for one that this machine cannot run.
template <Scalar T>
const DenseKernels<T>& dense_kernels(std::string_view target);

}  // namespace kauri::numeric::cpu
