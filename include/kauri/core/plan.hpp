// The Plan, the result of the symbolic phase: elimination tree, supernodes, costs, and all sizes
// and places, fixed before any value is read.
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
#include <span>
#include <string>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Elimination tree of B. In a Plan every column comes after its descendants, and the supernodes
/// are in postorder. The columns need not be: the columns of a supernode that was amalgamated from
/// several may stand behind the subtrees of all of them.
struct EliminationTree {
  std::vector<Index> parent;  ///< length n; parent[j] > j, or kNone at a root
  std::vector<Index>
      column_count;  ///< length n; entries of L(:,j), the diagonal included: exact, without padding
};

/// Columns and rows of the supernodes, numbered in postorder of the assembly tree. Supernode s
/// holds the columns [first[s], first[s+1]). Its rows, ascending, which begin with its own columns,
/// are row[row_ptr[s] .. row_ptr[s+1]).
struct Supernodes {
  std::vector<Index> first;   ///< length count()+1
  std::vector<Index> parent;  ///< length count(): the supernode that holds the first row below the
                              ///< pivots, or kNone
  std::vector<Offset> row_ptr;  ///< length count()+1
  Array<Index> row;             ///< length row_ptr[count()]

  /// Returns the number of supernodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  [[nodiscard]] Index pivots(Index s) const {
    return first[at(s) + 1] - first[at(s)];
  }  ///< returns p
  [[nodiscard]] Index order(Index s) const {
    return static_cast<Index>(row_ptr[at(s) + 1] - row_ptr[at(s)]);
  }                                                                                 ///< returns m
  [[nodiscard]] Index contribution(Index s) const { return order(s) - pivots(s); }  ///< returns q
  /// Returns the rows of the front of s, ascending, pivots first; length order(s), in this object.
  [[nodiscard]] std::span<const Index> rows(Index s) const {
    return {row.data() + row_ptr[at(s)], static_cast<std::size_t>(order(s))};
  }

 private:
  static constexpr std::size_t at(Index s) { return static_cast<std::size_t>(s); }
};

/// Run of consecutive rows of a child's contribution block that are consecutive in the parent's
/// front: rows [child, child+length) of the block (0 = its first row below the pivots) are rows
/// [parent, parent+length) of the front (0 = its first pivot).
struct RowRun {
  Index child;   ///< first row in the child's contribution block
  Index parent;  ///< first row in the parent's front
  Index length;  ///< number of rows
};

/// Most stored entries of A in a plan. Their positions take 32 bits, which saves a third of the
/// memory and time of the map of A's entries (Assembly).
inline constexpr Offset kMostEntries = std::numeric_limits<std::uint32_t>::max();

/// Extend-add lists: the entries of A and the children's contributions that each front gathers, in
/// this fixed order.
struct Assembly {
  // Entries of A by column of B: column j adds value[entry_source[k]] to front row entry_row[k],
  // for k in [entry_ptr[j], entry_ptr[j+1]). The diagonal entry comes first; the order of the
  // others is unspecified.
  std::vector<Offset> entry_ptr;  ///< length n+1
  Array<std::uint32_t>
      entry_source;  ///< length nnz(A) <= kMostEntries: position in the caller's value array
  Array<Index>
      entry_row;  ///< length nnz(A): local row of the front of the supernode that owns column j
  std::vector<Index> child_ptr;  ///< length supernodes+1
  std::vector<Index> child;      ///< children of each supernode, ascending
  std::vector<Offset>
      run_ptr;  ///< length supernodes+1: the runs of supernode c in its parent (none for a root)
  Array<RowRun> run;  ///< length run_ptr[supernodes]
};

/// Most right-hand sides that are solved at once; more are solved in blocks of this size.
inline constexpr Index kSolveBlock = 32;

/// Layout of a contribution block of order q in the CPU's memory: the lower triangle in block
/// columns of kTile columns. Block column J starts at row J*kTile; its columns are contiguous with
/// leading dimension ld. Entry (i,j), i >= j, is at column(q,j) + (i - j/kTile*kTile).
struct ContributionLayout {
  static constexpr Index kTile = 240;  ///< columns of a block column
  /// Returns the first row of column j's block column.
  static constexpr Index first_row(Index j) { return j / kTile * kTile; }
  /// Returns the leading dimension of column j's block column.
  static constexpr Offset ld(Index q, Index j) { return q - first_row(j); }
  /// Returns the position of row first_row(j) of column j.
  static constexpr Offset column(Index q, Index j) {
    const Offset block = j / kTile;
    return block * kTile * q - kTile * kTile * (block * (block - 1) / 2) +
           ld(q, j) * (j - first_row(j));
  }
  /// Returns the entries of the whole block.
  static constexpr Offset entries(Index q) { return q == 0 ? 0 : column(q, q - 1) + ld(q, q - 1); }
};

/// Scratch on the CPU of a front of order m with p pivots, beside its panel: a packed copy of part
/// of the panel. Smaller fronts are factorised in place and need none.
struct FrontScratch {
  static constexpr Index kColumns = 256;  ///< columns packed at a time
  static constexpr Index kPadding =
      48;  ///< rows added for the last slab of rows; the most that any target and scalar needs
  /// Returns true if the front is large enough for a packed copy.
  static constexpr bool packed(Index m, Index p) { return m > 400 && p > 32; }
  /// Returns the entries of the scratch, 0 without a packed copy.
  static constexpr Offset entries(Index m, Index p) {
    return packed(m, p) ? (static_cast<Offset>(m) + kPadding) * (p < kColumns ? p : kColumns) : 0;
  }
};

/// Edges of the task graph: a task waits for others whose data or memory it uses.
struct TaskEdges {
  std::vector<Index> dependencies;    ///< length tasks: number of edges that end at the task
  std::vector<Offset> successor_ptr;  ///< length tasks+1
  std::vector<Index> successor;  ///< tasks that wait for t, each once: successor[successor_ptr[t]
                                 ///< .. successor_ptr[t+1])
  friend bool operator==(const TaskEdges&, const TaskEdges&) = default;
};

/// Work and memory on the CPU, fixed by the pattern. A task is a whole subtree (or a run of small
/// siblings), a single front near the root, or a run of small fronts along a chain. Tasks are
/// numbered by *tickets* so that every edge upwards, which includes the edge from each task to its
/// parent, goes from a lower to a higher ticket. All fronts of a task whose parents lie outside it
/// have the same parent, or none. A front's children in other tasks are numbered below the task's
/// first front.
struct Schedule {
  /// Fronts that one thread does one after another.
  struct Task {
    Index
        first_front;  ///< fronts [first_front, last_front) are done by this task in ascending order
    Index last_front;  ///< one past the last front
    Index parent;      ///< task that holds the parent of front last_front-1, or kNone
    double flops;      ///< executed operations of its fronts
  };
  int workers = 1;           ///< tasks that may run at once without waiting for each other's memory
  std::vector<Task> task;    ///< tasks by ticket
  TaskEdges factor_edges;    ///< edges of a factorisation, upwards
  TaskEdges forward_edges;   ///< edges of the forward sweep of a solve, upwards; reuse of memory
                             ///< differs from the factorisation's
  TaskEdges backward_edges;  ///< edges of the backward sweep: forward_edges reversed
  // Places of the factorisation are offsets in entries into one array: the panels at
  // Plan::panel_ptr, then stack_entries more. Contribution blocks and scratch may lie in panels of
  // tasks with higher tickets than all their readers; edges keep these tasks from beginning too
  // early. The head of a block is its first columns, the tail all others. A head whose columns are
  // all pivots of the parent is dead once the parent's panel is assembled; the parent's own block
  // and scratch may lie there if the parent is the only front of its task.
  std::vector<Offset> scratch;              ///< length tasks: place of the scratch, the greatest
                                            ///< FrontScratch::entries of its fronts; -1 if 0
  std::vector<Index> fully_summed_columns;  ///< length supernodes: columns of the contribution
                                            ///< block in its head: q, or a multiple of kTile
  std::vector<Offset> head;  ///< length supernodes: place of the head; -1 if it has no columns
  std::vector<Offset> tail;  ///< length supernodes: place of the tail; -1 if it has no columns
  Offset stack_entries = 0;  ///< entries of the array beyond the panels
  // Update rows of a solve. In the forward sweep, update rows that are read in the task that made
  // them are in use while it runs, all others until the parent's task is done. In the backward
  // sweep a task uses its own update rows alone, as scratch while it runs. That is a part of the
  // forward use, so the same edges keep tasks apart.
  std::vector<Offset> update;  ///< length supernodes: place of each front's q update rows in the
                               ///< arena of a solve, in rows; -1 if q = 0
  Offset update_rows = 0;  ///< rows of that arena; each row has one number for each right-hand side

  /// Returns the place of row ContributionLayout::first_row(j) of column j < q of the contribution
  /// block of s, whose order is q. The columns of a block column are contiguous.
  [[nodiscard]] Offset block_column(Index s, Index q, Index j) const {
    const Offset at = ContributionLayout::column(q, j);
    const auto k = static_cast<std::size_t>(s);
    return j < fully_summed_columns[k]
               ? head[k] + at
               : tail[k] + (at - ContributionLayout::column(q, fully_summed_columns[k]));
  }
};

/// Piece of the work on a tiled front that one warp team of a device does: see
/// symbolic/device/front_tasks.hpp.
struct DeviceTask {
  /// Kind of work.
  enum class Kind : Index {
    fill,  ///< writes zeros and A's entries to tiles of L, or zeros to tiles of a block whose front
           ///< takes children by lists
    sum,  ///< adds up DeviceSchedule::sums [row, row + rows), after the first `column` fill and sum
          ///< tasks of the front
    chain,    ///< factorises all diagonal tiles of the front, each with the tile below it, in
              ///< sequence (row, column unused)
    prepare,  ///< computes all products but the last of a diagonal tile and the tile below; the
              ///< chain continues from there
    panel,    ///< computes tiles of L: all products, then the triangular solve
    contribution,  ///< computes tiles of the contribution block: all products
  };
  Index front;   ///< position of the front in a list of fronts
  Kind kind;     ///< kind of work
  Index row;     ///< first tile row, or first sum
  Index column;  ///< tile column; of sums see Kind::sum
  Index rows;  ///< number of tiles (row, column), (row + 1, column), ...: 1 or 2, more for fill; or
               ///< number of sums

  bool operator==(const DeviceTask&) const = default;
};

/// Work of a factorisation on a device, from which its seconds are predicted
/// (symbolic/device/cost.hpp): sums by kind and level of fronts. A tile has 64 x 64 entries. Bytes
/// are those of doubles: panels and contribution blocks as they lie in memory, and blocks once more
/// for the parent that reads them.
struct DeviceWork {
  /// Narrow fronts, or small fronts.
  struct Small {
    Index fronts = 0;  ///< number of fronts
    Index levels = 0;  ///< number of levels that hold them
    double bytes = 0;  ///< bytes moved
  };
  /// Tiled fronts of a level.
  struct Level {
    Index fronts = 0;  ///< number of fronts
    Index chain = 0;   ///< most tiles on the diagonal of a front, which are factorised in sequence
    double panel_tiles = 0;    ///< tiles of L, each with a triangular solve
    double products = 0;       ///< products of two tiles
    double bytes = 0;          ///< bytes moved
    double largest_panel = 0;  ///< bytes of the largest panel
  };
  Small narrow;              ///< work on narrow fronts
  Small small;               ///< work on small fronts
  std::vector<Level> tiled;  ///< work on tiled fronts, by level
  /// Bytes that PreparedPlan uploads, estimated from counts alone: about DeviceSchedule's
  /// plan_bytes + shared_bytes, and the places of update rows for sweeps.
  double upload_bytes = 0;
};

/// Work and memory on a device, which takes fronts in the order of their levels. Levels ascend over
/// three kinds of fronts:
/// - Narrow fronts have at most kNarrow rows, and only narrow fronts below them. A leaf has level
///   0, any other one more than the highest of its children.
/// - Small fronts have at most kSmall rows, and only narrow and small fronts below them. Their
///   levels follow, again by height.
/// - Tiled fronts are all others. Their levels rise from children to parents, and large subtrees
///   may come one after another (symbolic/device/levels.hpp).
///
/// Narrow and small fronts have at most kMostChildren children. The layouts of panels and blocks
/// are symbolic::SmallLayout and symbolic::FrontCells.
struct DeviceSchedule {
  static constexpr Index kNarrow = 32;  ///< most rows of a narrow front
  static constexpr Index kSmall = 64;   ///< most rows of a small front

  /// Most children of a narrow or small front. A front with more is tiled, whatever its size, since
  /// tiled fronts take many children by lists of sums.
  static constexpr Index kMostChildren = 64;

  bool on = false;  ///< the plan is for a device
  bool by_level =
      false;  ///< all fronts are done level by level, by the simple kernels, and solves too
  /// Number of warp teams that run `task`, for tests: 0 takes all that the device holds; else an
  /// even number, at least task_teams. No bit of L depends on it.
  Index teams = 0;
  unsigned pauses = 0;  ///< for tests: seed of pauses in each task and warp, 0 for none; no bit of
                        ///< L depends on it
  /// Least pivots of a part: products over more pivots are added up in up to four parts of at least
  /// this many pivots. A multiple of 16. The bits of L depend on it. Tests lower it by least_part.
  static constexpr Index kLeastPart = 2048;
  Index least_part = kLeastPart;  ///< least pivots of a part, see kLeastPart
  Index task_teams = 0;  ///< teams that `task` was made for; with fewer, all could wait for tasks
                         ///< that no team is left to do

  /// Tiles of consecutive fronts, numbered from 0 to `tiles`: those of front[first + k] are
  /// [tile_ptr[at + k], tile_ptr[at + k + 1]).
  struct TileList {
    Index first = 0;  ///< position of the first front in `front`
    Index count = 0;  ///< number of fronts
    Index tiles = 0;  ///< tiles of all these fronts
    Offset at = 0;    ///< position of the first front's number in tile_ptr
  };
  /// Step k of the tiled fronts of a level, which takes the fronts with more than k tile columns of
  /// pivots.
  struct Step {
    Index k = 0;      ///< tile column
    TileList panel;   ///< tiles (i,k), i > k
    TileList update;  ///< tiles (i,j), i >= j > k
  };
  /// A level, which holds front[first .. first + count).
  struct Level {
    Index first = 0;          ///< position of the first front in `front`
    Index count = 0;          ///< number of fronts
    Index small16 = 0;        ///< narrow or small fronts of order at most 16; these come first
    Index small32 = 0;        ///< narrow or small fronts of order at most 32, including small16
    Index small = 0;          ///< narrow or small fronts: count, or 0 on a level of tiled fronts
    TileList tiles;           ///< all tiles of the tiled fronts, contribution blocks included
    std::vector<Step> steps;  ///< steps of the tiled fronts, k ascending
  };

  std::vector<Level> level;     ///< levels in the order in which they are done
  Index narrow_levels = 0;      ///< levels of narrow fronts, which come first
  Index small_levels = 0;       ///< levels of narrow and small fronts; the others hold tiled fronts
  Index narrow_fronts = 0;      ///< narrow fronts, the first of `front`
  Index small_fronts = 0;       ///< narrow and small fronts, the first of `front`
  TileList pivot_tiles;         ///< diagonal tiles of L of all tiled fronts
  std::vector<Index> tile_ptr;  ///< prefix sums of tiles, see TileList
  std::vector<Index> front;     ///< length supernodes: by level, narrow and small fronts by order,
                                ///< tiled ones by most pivot tiles
  std::vector<Index>
      tiled;  ///< length supernodes: position among the tiled fronts in `front`, or -1
  // Places are offsets in entries into one array. Panels fill it from its beginning, level by
  // level. Contribution blocks lie from its end, also where panels of higher levels come later.
  std::vector<Offset> panel;  ///< length supernodes: place of the panel, with the inverses of its
                              ///< 16 x 16 diagonal blocks if tiled
  std::vector<Offset>
      block;  ///< length supernodes: place of the contribution block; -1 if there is none
  /// Length supernodes: place of the matrices by which a solve multiplies beside L, which are the
  /// inverses of the diagonal tiles of a tiled front, and products with them; -1 for other fronts.
  /// They are made at the end, in memory where contribution blocks were.
  std::vector<Offset> inverses;
  Offset entries = 0;         ///< entries of the array
  Offset factor_entries = 0;  ///< entries of all panels
  /// Lists of sums of children's entries. Sum k adds up the entries at places term[ptr[k]], ...,
  /// term[ptr[k+1]-1] of the array in this order. The sum is added to the entry at place[k], or
  /// written there if place[k] is in the scratch, which is the part of the array from scratch_begin
  /// on. Empty sums, whose place is -1, complete groups of sums (symbolic/device/child_sums.hpp).
  struct Sums {
    std::vector<Offset> ptr{0};  ///< length sums+1
    std::vector<Offset> place;   ///< length sums: place of the result; -1 of an empty sum
    Array<Offset> term;          ///< length ptr[sums]: places of the terms
    /// First step of each group of sums, then the number of steps: a device keeps the terms of a
    /// group in steps. Empty without sums.
    std::vector<Offset> step;
    Offset scratch_begin = 0;  ///< first place of the scratch
    /// Most entries of an array whose places take 32 bits on the device; places of a larger one
    /// take 64. Tests lower it by most_short, which changes bytes and no bit of L.
    static constexpr Offset kMostShort = std::numeric_limits<std::uint32_t>::max();
    Offset most_short = kMostShort;  ///< most entries for places of 32 bits, see kMostShort
  };

  std::vector<DeviceTask> task;  ///< tasks of the tiled fronts by ticket; if empty, tiled fronts
                                 ///< are done level by level
  Sums sums;  ///< sums for `task`: contributions of children that are taken by lists
  std::vector<Index> block_reuses;  ///< per tiled front: levels of tiled fronts that must be done
                                    ///< before its block's place is free
  std::vector<Index> panel_reuses;  ///< per tiled front: levels of tiled fronts that must be done
                                    ///< before its panel's place is free
  Offset row_maps = 0;              ///< words of the row maps of children that `task` needs
  Offset shared_bytes =
      0;  ///< bytes on the device that `task` needs beyond plan_bytes and that factors share
  Offset task_bytes = 0;       ///< shared_bytes, and the bytes that `task` needs in each factor
  Offset fast_bytes = 0;       ///< task_bytes, and on sm_90 the bytes of Hopper's kernels of small
                               ///< fronts in each factor in double
  std::vector<Offset> update;  ///< length supernodes: place of the q update rows in the arena of a
                               ///< solve, in rows; -1 if q = 0
  Offset update_rows = 0;  ///< rows of that arena; each row has one number for each right-hand side
  /// Sizes of the lists of a solve by sweeps (symbolic/device/sweep_lists.hpp), on sm_90 alone. A
  /// vector of parts has one number for each row of a tile.
  struct Sweeps {
    Index forward_tasks = 0;   ///< tasks of the forward sweep
    Index backward_tasks = 0;  ///< tasks of the backward sweep
    Index forward_parts = 0;   ///< vectors of parts of sums in the forward sweep
    Index backward_parts = 0;  ///< vectors of parts of sums in the backward sweep
    Offset bytes = 0;          ///< bytes of the lists in each PreparedPlan; 0 if there are no lists
    Offset numbers = 0;        ///< numbers of 8 bytes of a solve with one right-hand side;
                               ///< Plan::workspace_bytes() counts them
    bool operator==(const Sweeps&) const = default;
  };
  Sweeps sweeps;          ///< sizes of the lists of solves by sweeps
  Offset plan_bytes = 0;  ///< bytes of the plan's arrays on the device
  DeviceWork work;        ///< work from which seconds are predicted
};

/// Fronts whose order is in [least_order, 2*least_order).
struct FrontBin {
  Index least_order;  ///< a power of two
  Index count;        ///< number of these fronts
  double flops;       ///< executed operations of all these fronts
};

/// Cost of a factorisation and of its solves, known before any value is read. nnz_l and flops are
/// exact and simplicial: the sums of c_j and c_j^2 over the column counts c_j, without padding (one
/// multiply-add = 2 operations).
struct Cost {
  Offset nnz_l = 0;  ///< entries of L
  double flops = 0;  ///< operations of a factorisation, exact up to 2^53
  Offset stored_entries =
      0;  ///< entries of all panels, padding and the upper half of the pivot blocks included
  double executed_flops = 0;      ///< sum of c_j^2 over the columns of the amalgamated supernodes
  Index tree_height = 0;          ///< columns on the longest path of the elimination tree
  Index largest_front = 0;        ///< greatest order m of a front
  Index largest_supernode = 0;    ///< greatest number p of pivots of a supernode
  std::vector<FrontBin> fronts;   ///< bins by ascending order, without empty ones
  double predicted_factor_s = 0;  ///< seconds of a factorisation; all three are for the plan's
                                  ///< target and workers, in double
  double predicted_solve_s = 0;   ///< seconds of a solve with one right-hand side
  double predicted_create_s = 0;  ///< seconds of PreparedPlan::create and Factor::create: uploads
                                  ///< to a device, fresh memory on the CPU
};

/// Symbolic factorisation: everything that the numeric phases need, and no value of A. Immutable;
/// factors, threads and devices share it.
struct Plan {
  Index n = 0;          ///< rows and columns of A
  Offset nnz = 0;       ///< entries of A's lower triangle
  PatternCopy pattern;  ///< the analysed pattern; calls that take a matrix with its pattern
                        ///< (refactorize, refine) refuse another one
  std::string target;   ///< name of the cost table and, on the CPU, of the kernels: "cpu-avx512",
                        ///< "sm_90" ...
  OrderingMethod ordering =
      OrderingMethod::natural;  ///< the ordering that was run; `natural` if `given`
  bool given = false;           ///< the permutation is the caller's
  Permutation perm;             ///< the ordering, postordered
  EliminationTree tree;         ///< elimination tree of B, as perm orders it
  Supernodes supernodes;        ///< fronts and their rows
  /// Length supernodes+1: on the CPU the panel of s is column-major at [panel_ptr[s],
  /// panel_ptr[s+1]) of L, leading dimension m.
  std::vector<Offset> panel_ptr;
  Assembly assembly;      ///< entries and contributions that each front gathers
  Schedule schedule;      ///< work and memory on the CPU; plans for a device have it too
  DeviceSchedule device;  ///< work and memory on a device; empty for the targets of CPUs
  Cost cost;              ///< cost of a factorisation and its solves

  /// Returns true if the target is a device. Factors then follow `device`, and the bytes below are
  /// bytes of device memory.
  [[nodiscard]] bool on_device() const { return device.on; }

  // Bytes for a scalar of `scalar_bytes` (4 or 8). The calls throw Error(overflow) if they exceed
  // 2^63 - 1.
  /// Returns the bytes of L.
  [[nodiscard]] Offset factor_bytes(int scalar_bytes) const;
  /// Returns the bytes of the counters of one run over the CPU's tasks, which each factor and each
  /// workspace on the CPU holds.
  [[nodiscard]] Offset counter_bytes() const {
    return static_cast<Offset>(schedule.task.size()) * 2 * Offset{sizeof(Index)};
  }
  /// Returns the bytes that Factor::create takes for this plan: L, contribution blocks beyond it,
  /// and counters; on a device also A's values and prepared_bytes(), which factors of one
  /// PreparedPlan share. On a device each array takes whole units of 256 bytes.
  ///
  /// The figure equals the bytes allocated, with these exceptions on a device. The bytes of
  /// Hopper's kernels of small fronts, those beyond DeviceSchedule::task_bytes, are not taken by a
  /// Hopper device that is told not to run these kernels, and are taken in addition by one that
  /// runs them with a plan for sm_80. A device that runs none of the tiled kernels does not take
  /// the bytes of `task`, and one without sweep kernels (which are Hopper's, see
  /// CudaOptions::fast_solve) does not take those of sweeps.
  [[nodiscard]] Offset peak_bytes(int scalar_bytes) const;
  /// Returns the bytes that PreparedPlan::create takes, a part of peak_bytes(): the plan's arrays
  /// on a device; 0 on the CPU.
  [[nodiscard]] Offset prepared_bytes() const;
  /// Returns the bytes that Workspace::create takes for `nrhs` right-hand sides; more than
  /// kSolveBlock are solved in blocks of that many. together: the backend's
  /// CudaOptions::solves_together, 32 by default; sweeps have room for 1, 8 or 32 columns, so 2
  /// take as much as 8. In float, sweeps take one column at a time.
  [[nodiscard]] Offset workspace_bytes(int scalar_bytes, Index nrhs, Index together = 32) const;
  /// Returns the bytes of the plan's arrays in the host's memory.
  [[nodiscard]] Offset plan_bytes() const;
};

}  // namespace kauri
