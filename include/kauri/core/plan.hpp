// The Plan, the result of the symbolic phase: elimination tree, supernodes, costs, and all sizes
// and memory offsets, fixed before any value is read.
//
// Glossary. Let B = P A P^T = L L^T; rows and columns in this file are those of B. The *elimination
// tree* has parent(j) = min { i > j : L(i,j) != 0 }. A *supernode* is a run of columns treated as
// one dense block. Its *front* is the dense matrix of order m on the rows of the supernode; its p
// *pivots* (the supernode's own columns) come first. The m x p *panel* of the front becomes part of
// L. The q = m - p trailing rows form the *contribution block*, which is added to the parent front.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

namespace symbolic {
struct PlanInternals;
}

/// Elimination tree of B. In a Plan every column comes after its descendants, and the supernodes
/// are in postorder. The columns need not be in postorder: if several supernodes were amalgamated
/// into one, all of its columns may come after the subtrees below each of the several.
struct EliminationTree {
  std::vector<Index> parent;  ///< length n; parent[j] > j, or kNone at a root
  std::vector<Index>
      column_count;  ///< length n; entries of L(:,j), the diagonal included: exact, without padding
};

/// Columns and rows of the supernodes, numbered in postorder of the assembly tree. Supernode s
/// holds the columns [first[s], first[s+1]). Its rows, ascending, which begin with its own columns,
/// are row[row_ptr[s] .. row_ptr[s+1]).
struct Supernodes {
  std::vector<Index> first;   ///< first column of each supernode, then n; length count()+1
  std::vector<Index> parent;  ///< length count(): the supernode that holds the first row below the
                              ///< pivots, or kNone
  std::vector<Offset> row_ptr;  ///< begin of the rows of each supernode in `row`, then the end of
                                ///< `row`; length count()+1
  Array<Index> row;  ///< rows of B of all fronts, front by front; length row_ptr[count()]

  /// Returns the number of supernodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  [[nodiscard]] Index pivots(Index s) const {
    return first[at(s) + 1] - first[at(s)];
  }  ///< returns p, the number of columns of supernode s
  [[nodiscard]] Index order(Index s) const {
    return static_cast<Index>(row_ptr[at(s) + 1] - row_ptr[at(s)]);
  }  ///< returns m, the number of rows of the front of s
  /// Returns q = m - p, the number of rows of the front of s below its pivots.
  [[nodiscard]] Index contribution(Index s) const { return order(s) - pivots(s); }
  /// Returns the rows of B of the front of s, ascending, pivots first: a view into this object of
  /// length order(s).
  [[nodiscard]] std::span<const Index> rows(Index s) const {
    return {row.data() + row_ptr[at(s)], static_cast<std::size_t>(order(s))};
  }

 private:
  static constexpr std::size_t at(Index s) { return static_cast<std::size_t>(s); }
};

/// Most entries of A's lower triangle that a plan can have, 2^32 - 1: their positions take 32 bits,
/// which saves a third of the memory and time of the map from A's entries to the fronts.
inline constexpr Offset kMostEntries = std::numeric_limits<std::uint32_t>::max();

/// Most right-hand sides that are solved at once; more are solved in blocks of this size.
inline constexpr Index kSolveBlock = 32;

/// Cost of a factorisation and of its solves, known before any value is read. nnz_l and flops are
/// exact and simplicial: the sums of c_j and c_j^2 over the column counts c_j, without padding (one
/// multiply-add = 2 operations).
struct Cost {
  /// Fronts whose order is in [least_order, 2*least_order).
  struct FrontBin {
    Index least_order;  ///< lower bound of the orders m in the bin, a power of two
    Index count;        ///< number of fronts of the bin
    double flops;       ///< operations of these fronts, padding included
  };

  Offset nnz_l = 0;  ///< entries of L, the diagonal included, without padding
  double flops = 0;  ///< operations of a factorisation without padding, exact up to 2^53
  Offset stored_entries =
      0;  ///< entries of all panels, padding and the upper half of the pivot blocks included
  double executed_flops = 0;      ///< operations of a factorisation with padding: sum of c_j^2 over
                                  ///< the columns of the amalgamated supernodes
  Index tree_height = 0;          ///< columns on the longest path of the elimination tree
  Index largest_front = 0;        ///< greatest order m of a front
  Index largest_supernode = 0;    ///< greatest number p of pivots of a supernode
  std::vector<FrontBin> fronts;   ///< bins by ascending order, without empty ones
  double predicted_factor_s = 0;  ///< seconds of a factorisation in double on the plan's target, by
                                  ///< AnalyzeOptions::workers tasks at once on the CPU
  double predicted_solve_s = 0;   ///< seconds of a solve with one right-hand side, in double
  double predicted_create_s = 0;  ///< seconds of PreparedPlan::create and Factor::create, in
                                  ///< double: uploads to a device, first use of memory on the CPU
};

/// Symbolic factorisation: everything that the numeric phases need, and no value of A. Immutable;
/// factors, threads and devices share it.
struct Plan {
  /// Work lists and memory offsets of a Plan, which the numeric phases follow. Their types are not
  /// part of the public interface. A copy is deep, and a const object gives const access. An object
  /// that was moved from may only be assigned to or destroyed.
  class Internals {
   public:
    Internals();  ///< makes empty lists
    Internals(const Internals& other);
    Internals(Internals&& other) noexcept;
    Internals& operator=(const Internals& other);
    Internals& operator=(Internals&& other) noexcept;
    ~Internals();

    /// The operators -> and * return the lists, which live as long as this object.
    symbolic::PlanInternals* operator->() { return lists_.get(); }
    const symbolic::PlanInternals* operator->() const { return lists_.get(); }
    symbolic::PlanInternals& operator*() { return *lists_; }
    const symbolic::PlanInternals& operator*() const { return *lists_; }

   private:
    std::unique_ptr<symbolic::PlanInternals> lists_;
  };

  Index n = 0;         ///< rows and columns of A
  Offset nnz = 0;      ///< entries of A's lower triangle, the diagonal included
  std::string target;  ///< name of the cost table and, on the CPU, of the kernels: "cpu-avx512",
                       ///< "sm_90" ...
  OrderingMethod ordering =
      OrderingMethod::natural;  ///< the ordering that was run; `natural` if `given`
  bool given = false;           ///< true if the ordering is AnalyzeOptions::permutation
  Permutation perm;       ///< P: row perm.old_of(k) of A is row k of B. It is the ordering that
                          ///< was run or given, renumbered in postorder of the supernodes
  EliminationTree tree;   ///< elimination tree of B = P A P^T, with P that of perm
  Supernodes supernodes;  ///< columns of L in supernodes, and the rows of their fronts
  Cost cost;              ///< cost of a factorisation and its solves
  Internals internals;    ///< work lists and memory offsets

  /// Returns the analysed pattern, a view into this object. refactorize() and refine() of a matrix
  /// with another pattern throw Error(usage).
  [[nodiscard]] Pattern pattern() const;

  /// Returns true if the target is a device. factor_bytes(), peak_bytes(), prepared_bytes() and
  /// workspace_bytes() are then bytes of device memory.
  [[nodiscard]] bool on_device() const;

  // The calls below throw Error(overflow) if their result exceeds 2^63 - 1. scalar_bytes: bytes of
  // a scalar, 4 or 8.
  /// Returns the bytes of L.
  [[nodiscard]] Offset factor_bytes(int scalar_bytes) const;
  /// Returns the bytes of the counters by which CPU tasks wait for each other. Each factor and each
  /// workspace on the CPU holds one set of them.
  [[nodiscard]] Offset counter_bytes() const;
  /// Returns the bytes that Factor::create takes for this plan: L, the contribution blocks that do
  /// not fit into memory of L that is unused at the time, and counters; on a device also A's values
  /// and prepared_bytes(), which factors of one PreparedPlan share, each array rounded up to a
  /// multiple of 256 bytes.
  ///
  /// The figure equals the bytes allocated, with these exceptions on a device. A device that runs
  /// none of the tiled kernels does not allocate the lists of their tasks. A device that cannot run
  /// the kernels of small fronts (all from compute capability 8.0 on can) does not allocate the
  /// descriptions of these fronts. A device whose solves do not run as sweeps (as with
  /// CudaOptions::fast_solve = false, or if there are no sweeps for it) does not allocate the lists
  /// of sweeps.
  [[nodiscard]] Offset peak_bytes(int scalar_bytes) const;
  /// Returns the bytes of page-locked host memory that Factor::create takes beside peak_bytes():
  /// the panels of L that leave the device because of AnalyzeOptions::device_bytes; 0 without a
  /// limit, and on the CPU.
  [[nodiscard]] Offset host_bytes(int scalar_bytes) const;
  /// Returns the bytes that PreparedPlan::create takes, a part of peak_bytes(): the plan's arrays
  /// on a device; 0 on the CPU.
  [[nodiscard]] Offset prepared_bytes() const;
  /// Returns the bytes that Workspace::create takes for `nrhs` right-hand sides; more than
  /// kSolveBlock are solved in blocks of that many. together: the backend's
  /// CudaOptions::solves_together, 32 by default; sweeps have room for 1, 8 or 32 columns, so 2
  /// take as much as 8. There is room for numbers of sweeps in double, for factors in float too.
  [[nodiscard]] Offset workspace_bytes(int scalar_bytes, Index nrhs, Index together = 32) const;
  /// Returns the bytes of the plan's arrays in the host's memory.
  [[nodiscard]] Offset plan_bytes() const;
};

}  // namespace kauri
