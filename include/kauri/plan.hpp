// The symbolic phase: elimination tree, supernodes and the Plan that presizes everything before any number is touched.
//
// Glossary. With B = P A P^T = L L^T: the *elimination tree* has parent(j) = min { i > j : L(i,j) != 0 }. A *supernode* is a run of columns
// treated as one dense block. Its *front* is the dense matrix of order m whose rows are the rows of the supernode: its p *pivots* (own
// columns) come first. The m x p *panel* of the front becomes part of L; the q = m - p trailing rows form the *contribution block*, handed
// to the parent front. Rows and columns mean those of B in this file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kauri/message.hpp"
#include "kauri/ordering.hpp"
#include "kauri/permutation.hpp"

namespace kauri {

/// Elimination tree of B. Inside a Plan every column comes after its descendants, and the supernodes are in postorder; columns of one
/// supernode that was amalgamated from several may stand behind the subtrees of all of them, so columns alone need not be in postorder.
struct EliminationTree {
  std::vector<Index> parent;        ///< length n; parent[j] > j, or kNone at a root
  std::vector<Index> column_count;  ///< length n; entries of L(:,j), the diagonal included: exact, no padding
};

/// Supernode s holds the columns [first[s], first[s+1]); its rows, ascending, own columns first, are row[row_ptr[s] .. row_ptr[s+1]).
/// Supernodes are numbered in postorder of the assembly tree.
struct Supernodes {
  std::vector<Index> first;     ///< length count()+1
  std::vector<Index> parent;    ///< length count(): the supernode that holds the first row below the pivots, or kNone
  std::vector<Offset> row_ptr;  ///< length count()+1
  Array<Index> row;             ///< length row_ptr[count()]

  /// Supernodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  [[nodiscard]] Index pivots(Index s) const { return first[at(s) + 1] - first[at(s)]; }                         ///< p
  [[nodiscard]] Index order(Index s) const { return static_cast<Index>(row_ptr[at(s) + 1] - row_ptr[at(s)]); }  ///< m
  [[nodiscard]] Index contribution(Index s) const { return order(s) - pivots(s); }                              ///< q
  /// Ascending, the pivots first, length order(s), in this object.
  [[nodiscard]] std::span<const Index> rows(Index s) const { return {row.data() + row_ptr[at(s)], static_cast<std::size_t>(order(s))}; }

 private:
  static constexpr std::size_t at(Index s) { return static_cast<std::size_t>(s); }
};

/// Rows [child, child+length) of a child's contribution block (0 = its first row below the pivots) meet rows
/// [parent, parent+length) of the parent's front (0 = its first pivot).
struct RowRun {
  Index child;   ///< first row in the child's contribution block
  Index parent;  ///< first row in the parent's front
  Index length;  ///< rows
};

/// Most stored entries of A: their positions are kept in 32 bits, a third less memory and time for the map of a matrix (Assembly).
inline constexpr Offset kMostEntries = std::numeric_limits<std::uint32_t>::max();

/// What each front gathers: entries of A and contributions of its children, in this fixed order.
struct Assembly {
  // Entries of A by column of B: column j takes value[entry_source[k]] to front row entry_row[k], k in [entry_ptr[j], entry_ptr[j+1]). The
  // diagonal comes first, the others in no order to rely on.
  std::vector<Offset> entry_ptr;      ///< length n+1
  Array<std::uint32_t> entry_source;  ///< length nnz(A) <= kMostEntries: position in the caller's value array
  Array<Index> entry_row;             ///< length nnz(A): local row of the front of the supernode that owns column j
  std::vector<Index> child_ptr;       ///< length supernodes+1
  std::vector<Index> child;           ///< children of each supernode, ascending
  std::vector<Offset> run_ptr;        ///< length supernodes+1: the runs of supernode c towards its parent (none for roots)
  Array<RowRun> run;                  ///< length run_ptr[supernodes]
};

/// Most right-hand sides solved at once.
inline constexpr Index kSolveBlock = 32;

/// How a contribution block of order q lies in memory: the lower triangle in block columns of kTile columns. Block column J starts at row
/// J*kTile; inside, columns are contiguous with leading dimension ld. Entry (i,j), i >= j, is at column(q,j) + (i - j/kTile*kTile).
struct ContributionLayout {
  static constexpr Index kTile = 240;  ///< columns of a block column
  /// The first row of column j's block column.
  static constexpr Index first_row(Index j) { return j / kTile * kTile; }
  /// Leading dimension inside column j's block column.
  static constexpr Offset ld(Index q, Index j) { return q - first_row(j); }
  /// Position of row first_row(j) of column j.
  static constexpr Offset column(Index q, Index j) {
    const Offset block = j / kTile;
    return block * kTile * q - kTile * kTile * (block * (block - 1) / 2) + ld(q, j) * (j - first_row(j));
  }
  /// Entries of the whole block.
  static constexpr Offset entries(Index q) { return q == 0 ? 0 : column(q, q - 1) + ld(q, q - 1); }
};

/// Scratch of a front of order m with p pivots beside its panel: a packed copy of part of the panel. Fronts up to a size work in place.
struct FrontScratch {
  static constexpr Index kColumns = 256;  ///< columns packed at a time
  static constexpr Index kPadding = 48;   ///< rows added for the last slab; the most that any target and scalar needs
  /// True if the front is large enough for a packed copy.
  static constexpr bool packed(Index m, Index p) { return m > 400 && p > 32; }
  /// Entries of the scratch, 0 without a packed copy.
  static constexpr Offset entries(Index m, Index p) {
    return packed(m, p) ? (static_cast<Offset>(m) + kPadding) * (p < kColumns ? p : kColumns) : 0;
  }
};

/// Which tasks wait for which, by data or by reuse of memory.
struct TaskEdges {
  std::vector<Index> dependencies;    ///< length tasks: number of edges that end here
  std::vector<Offset> successor_ptr;  ///< length tasks+1
  std::vector<Index> successor;       ///< those that wait for task t are successor[successor_ptr[t] .. successor_ptr[t+1]); no repeats
  friend bool operator==(const TaskEdges&, const TaskEdges&) = default;
};

/// The order of work on the CPU, fixed by the pattern: tasks are whole subtrees (or runs of small siblings), single fronts near the root,
/// or runs of small fronts along a chain, numbered ("tickets") so that every edge upwards goes from a lower to a higher ticket, the one
/// from each task to its parent among them. All fronts of a task whose parent lies outside it have the same parent, or none. A front's
/// children in other tasks are numbered below the task's first front.
struct Schedule {
  /// Fronts done one after another.
  struct Task {
    Index first_front;  ///< fronts [first_front, last_front) are done by this task in ascending order
    Index last_front;   ///< one behind the last
    Index parent;       ///< the task that holds the parent of front last_front-1, or kNone
    double flops;       ///< executed flops of its fronts
  };
  int workers = 1;           ///< tasks that may run at once without waiting for memory
  std::vector<Task> task;    ///< by ticket
  TaskEdges factor_edges;    ///< upwards
  TaskEdges forward_edges;   ///< upwards, for the forward sweep of a solve: memory is reused elsewhere than in a factorisation
  TaskEdges backward_edges;  ///< forward_edges reversed, for the backward sweep
  // Places of the factorisation are offsets in entries into one array: the panels at Plan::panel_ptr, then stack_entries more. Contribution
  // blocks and scratch may lie in panels of tasks with higher tickets than all who read them: edges keep these from beginning too early.
  // The head of a block is its first columns, the tail all others. A head whose columns all meet pivots of the parent is dead once the
  // parent's panel is assembled: the parent's own block and scratch may lie there if the parent is the only front of its task.
  std::vector<Offset> scratch;              ///< length tasks: place of FrontScratch::entries of the task's fronts (their greatest); -1 if 0
  std::vector<Index> fully_summed_columns;  ///< length supernodes: columns of the contribution block in its head: q, or a multiple of kTile
  std::vector<Offset> head;                 ///< length supernodes: place of the head; -1 if it has no columns
  std::vector<Offset> tail;                 ///< length supernodes: place of the tail; -1 if it has no columns
  Offset stack_entries = 0;                 ///< entries of the array beyond the panels
  // Update rows of a solve. In the forward sweep those read in the task that made them are in use while it runs, all others until the
  // parent's task is done. In the backward sweep a task uses its own alone, as scratch while it runs: part of that, so the same edges keep
  // tasks apart.
  std::vector<Offset> update;  ///< length supernodes: place of each front's q update rows in the arena of a solve, in rows; -1 if q = 0
  Offset update_rows = 0;      ///< size of that arena in rows (times right-hand sides)

  /// Place of row ContributionLayout::first_row(j) of column j < q of the contribution block of s, whose order is q. Inside a block column
  /// the columns are contiguous.
  [[nodiscard]] Offset block_column(Index s, Index q, Index j) const {
    const Offset at = ContributionLayout::column(q, j);
    const auto k = static_cast<std::size_t>(s);
    return j < fully_summed_columns[k] ? head[k] + at : tail[k] + (at - ContributionLayout::column(q, fully_summed_columns[k]));
  }
};

/// A piece of the work on a large front that one team of a device does: see symbolic/device/front_tasks.hpp.
struct DeviceTask {
  /// What is done.
  enum class Kind : Index {
    fill,          ///< tiles of L: zeros, and A's entries; of the contribution block, if children are taken by lists: zeros
    sum,           ///< DeviceSchedule::sums [row, row + rows), once `column` tasks that fill or sum are done
    chain,         ///< all diagonal tiles of the front, each with the tile below it, one after another (row, column unused)
    prepare,       ///< a diagonal tile and the one below: all products but the last; the chain goes on from there
    panel,         ///< tiles of L: all products, then the triangular solve
    contribution,  ///< tiles right of the pivots: all products
  };
  Index front;   ///< position in a list of fronts
  Kind kind;     ///< what is done
  Index row;     ///< of tiles, or the first sum
  Index column;  ///< of tiles
  Index rows;    ///< tiles (row, column), (row + 1, column), ...: 1 or 2, more to fill

  bool operator==(const DeviceTask&) const = default;
};

/// The work of a factorisation on a device as predictions see it (symbolic/device/cost.hpp): a few sums by kind and level of fronts. A tile
/// is 64 x 64; bytes are those of doubles: panels and contribution blocks as they lie in memory, blocks once more where the parent pulls
/// them.
struct DeviceWork {
  /// Fronts that kernels of their own do, level by level.
  struct Small {
    Index fronts = 0;  ///< how many
    Index levels = 0;  ///< on how many levels
    double bytes = 0;  ///< moved
  };
  /// Tiled fronts of a level.
  struct Level {
    Index fronts = 0;          ///< how many
    Index chain = 0;           ///< most tiles on a front's diagonal: they wait for one another
    double panel_tiles = 0;    ///< of L, each with a triangular solve
    double products = 0;       ///< of two tiles
    double bytes = 0;          ///< moved
    double largest_panel = 0;  ///< bytes
  };
  Small narrow;              ///< narrow fronts
  Small small;               ///< small ones
  std::vector<Level> tiled;  ///< by level
  double upload_bytes = 0;   ///< of what is uploaded by PreparedPlan, from counts alone: about DeviceSchedule's plan_bytes + shared_bytes
};

/// Work and memory on a device. Narrow fronts, of at most kNarrow rows with only such fronts below them, come first, level by level: a
/// leaf's level is 0, any other's one more than the highest of its children's. Levels go on with the other small fronts, of at most kSmall
/// rows with only narrow and small ones below them, again by height, and then with all others, the tiled fronts: theirs rise from children
/// to parents, and large subtrees may come one after another (symbolic/device/levels.hpp). Narrow and small fronts have at most
/// kMostChildren children. How panels and blocks lie inside their places: symbolic::SmallLayout and symbolic::FrontCells.
struct DeviceSchedule {
  static constexpr Index kNarrow = 32;  ///< rows of a narrow front at most
  static constexpr Index kSmall = 64;   ///< rows of a small front at most

  /// A front with more children is tiled, whatever its size: tiled fronts take many children by lists of entries.
  static constexpr Index kMostChildren = 64;

  bool on = false;        ///< the plan is for a device
  bool by_level = false;  ///< all fronts are done level by level, by the simple kernels
  /// For tests of `task`: how many teams run it (0: all that the device holds; else an even number, no fewer than the list was made for).
  /// Reaches no bit of L.
  Index teams = 0;
  unsigned pauses = 0;  ///< for tests: seeds a pause of each task and warp (0: none); reaches no bit of L either
  /// Products of more pivots than this are added up in up to four parts, of at least so many pivots: a multiple of 16. Here for tests,
  /// which lower it; what it is reaches the bits of L.
  static constexpr Index kLeastPart = 2048;
  Index least_part = kLeastPart;  ///< see kLeastPart
  Index task_teams = 0;           ///< those that `task` was made for: fewer could all wait for tasks that none is left to do

  /// Tiles of some fronts: that of front[first + k] are [tile_ptr[at + k], tile_ptr[at + k + 1]) of `tiles`.
  struct TileList {
    Index first = 0;  ///< position in `front`
    Index count = 0;  ///< of fronts
    Index tiles = 0;  ///< of all of them
    Offset at = 0;    ///< position in tile_ptr
  };
  /// Step k of the large fronts of a level: those with more than k tile columns of pivots.
  struct Step {
    Index k = 0;      ///< tile column
    TileList panel;   ///< tiles (i,k), i > k
    TileList update;  ///< tiles (i,j), i >= j > k
  };
  /// front[first .. first + count).
  struct Level {
    Index first = 0;          ///< position in `front`
    Index count = 0;          ///< of fronts
    Index small16 = 0;        ///< how many of order at most 16: these come first
    Index small32 = 0;        ///< of order at most 32, those among them
    Index small = 0;          ///< of order at most kSmall, those among them
    TileList tiles;           ///< all tiles of the large ones, contribution blocks included
    std::vector<Step> steps;  ///< of the large ones, ascending
  };

  std::vector<Level> level;     ///< in the order they are done
  Index narrow_levels = 0;      ///< the first so many levels hold narrow fronts
  Index small_levels = 0;       ///< the first so many levels hold narrow and small fronts; the others tiled ones
  Index narrow_fronts = 0;      ///< the first so many of `front` are narrow
  Index small_fronts = 0;       ///< the first so many of `front` are narrow or small
  TileList pivot_tiles;         ///< diagonal tiles of L, of all tiled fronts
  std::vector<Index> tile_ptr;  ///< see TileList
  std::vector<Index> front;     ///< length supernodes: by level; small ones by order, tiled ones most pivots first
  std::vector<Index> tiled;     ///< length supernodes: position among the tiled fronts in `front`, or -1
  // Places are offsets in entries into one array. Panels fill it from its beginning, level by level; blocks, from its end, lie where panels
  // of higher levels come later.
  std::vector<Offset> panel;  ///< length supernodes: L, and of tiled fronts the inverses of its diagonal blocks of 16 x 16
  std::vector<Offset> block;  ///< length supernodes: the contribution block; -1 if it has none
  /// Length supernodes: what a solve multiplies by beside L, made when all blocks are gone, where they were: inverses of the diagonal tiles
  /// of a tiled front, and products with them; -1 of others.
  std::vector<Offset> inverses;
  Offset entries = 0;         ///< size of the array
  Offset factor_entries = 0;  ///< of all panels
  /// Sum k: term[ptr[k]], ..., term[ptr[k + 1] - 1], places in the array, are added up in this order, to be added to what is at place[k],
  /// or to be put there if that is scratch: the part of the array behind scratch_begin. Empty sums, whose place is -1, fill up groups
  /// of them (symbolic/device/child_sums.hpp).
  struct Sums {
    std::vector<Offset> ptr{0};  ///< length sums+1
    std::vector<Offset> place;   ///< length sums
    Array<Offset> term;          ///< length ptr[sums]
    /// Where the steps begin in which a device has the terms of each group of sums; one more: their number. Empty without sums.
    std::vector<Offset> step;
    Offset scratch_begin = 0;  ///< place
    /// On the device places take 32 bits where the array has at most so many entries, else 64. Here for tests, which lower it; the bytes
    /// change with it, no bit of L.
    static constexpr Offset kMostShort = std::numeric_limits<std::uint32_t>::max();
    Offset most_short = kMostShort;  ///< see kMostShort
  };

  std::vector<DeviceTask> task;     ///< of the tiled fronts, in order; empty: they are done level by level
  Sums sums;                        ///< for `task`: what children that are taken by lists add to their parents
  std::vector<Index> block_reuses;  ///< per tiled front: its block's place is free once so many levels of tiled fronts are done
  std::vector<Index> panel_reuses;  ///< the same of its panel's place
  Offset row_maps = 0;              ///< words of the children's row maps that `task` needs
  Offset shared_bytes = 0;          ///< on the device, of what `task` needs beyond plan_bytes and factors share
  Offset task_bytes = 0;            ///< shared_bytes, and of what `task` needs in each factor
  Offset fast_bytes = 0;       ///< task_bytes, and of what Hopper's kernels of small fronts need in each factor, on sm_90 in double alone
  std::vector<Offset> update;  ///< length supernodes: place of the q update rows in the arena of a solve, in rows; -1 if q = 0
  Offset update_rows = 0;      ///< size of that arena in rows (times right-hand sides)
  /// Lists of a fast solve (symbolic/device/sweep_lists.hpp): tasks and vectors of parts of sums. On sm_90 alone.
  struct Sweeps {
    Index forward_tasks = 0;   ///< of the forward sweep
    Index backward_tasks = 0;  ///< of the backward sweep
    Index forward_parts = 0;   ///< vectors, in the forward sweep
    Index backward_parts = 0;  ///< vectors, in the backward sweep
    Offset bytes = 0;          ///< of the lists, in each PreparedPlan; 0: there are none
    Offset numbers = 0;        ///< those of one solve with one right-hand side, 8 bytes each; Plan::workspace_bytes() counts them
    bool operator==(const Sweeps&) const = default;
  };
  Sweeps sweeps;          ///< of a fast solve
  Offset plan_bytes = 0;  ///< of the plan's own arrays on the device
  DeviceWork work;        ///< for predictions
};

/// Fronts of order in [least_order, 2*least_order).
struct FrontBin {
  Index least_order;  ///< a power of two
  Index count;        ///< of these fronts
  double flops;       ///< executed, of all of them
};

/// All that can be said of cost before any number is touched. Counts named nnz_l and flops are exact and simplicial: sums over the column
/// counts c_j of c_j and c_j^2 (one multiply-add = 2 operations), no padding.
struct Cost {
  Offset nnz_l = 0;               ///< entries of L
  double flops = 0;               ///< exact up to 2^53
  Offset stored_entries = 0;      ///< entries of all panels, padding and the upper half of the pivot blocks included
  double executed_flops = 0;      ///< sum of c_j^2 over the columns as amalgamated
  Index tree_height = 0;          ///< columns on the longest path of the elimination tree
  Index largest_front = 0;        ///< greatest m
  Index largest_supernode = 0;    ///< greatest p
  std::vector<FrontBin> fronts;   ///< ascending, without empty ones
  double predicted_factor_s = 0;  ///< on the plan's target with its number of workers, in double, as the others
  double predicted_solve_s = 0;   ///< one right-hand side
  double predicted_create_s = 0;  ///< PreparedPlan::create and Factor::create: uploads to a device, fresh memory on the CPU
};

/// Everything the numeric phases need, and no number of A. Immutable, shared by factors, threads and devices.
struct Plan {
  Index n = 0;          ///< rows and columns of A
  Offset nnz = 0;       ///< entries of A's lower triangle
  PatternCopy pattern;  ///< that was analysed; calls that get a matrix with its pattern (refactorize, refine) refuse another one
  std::string target;   ///< cost table and kernels: "cpu-avx512" ...
  OrderingMethod ordering = OrderingMethod::natural;  ///< what was run; `given` below tells of a caller's permutation
  bool given = false;                                 ///< the permutation is the caller's
  Permutation perm;                                   ///< of the ordering, postordered
  EliminationTree tree;                               ///< of B, as perm orders it
  Supernodes supernodes;                              ///< fronts and their rows
  std::vector<Offset>
      panel_ptr;          ///< length supernodes+1: panel of s is column-major at [panel_ptr[s], panel_ptr[s+1]) of L, leading dimension m
  Assembly assembly;      ///< what each front gathers
  Schedule schedule;      ///< on the CPU
  DeviceSchedule device;  ///< on a device; empty for the targets of CPUs
  Cost cost;              ///< of a factorisation and its solves

  /// True if the target is a device: `device` is then what runs, and the bytes below are those of the device.
  [[nodiscard]] bool on_device() const { return device.on; }

  // Bytes for a scalar of `scalar_bytes` (4 or 8). Error(overflow) where they are beyond 2^63 - 1.
  /// Bytes of L.
  [[nodiscard]] Offset factor_bytes(int scalar_bytes) const;
  /// Bytes of the counters of one run over the tasks: held by each factor and each workspace.
  [[nodiscard]] Offset counter_bytes() const { return static_cast<Offset>(schedule.task.size()) * 2 * Offset{sizeof(Index)}; }
  /// Bytes that Factor::create takes of a plan: L, contribution blocks beyond it, counters; on a device also A's values, and the
  /// prepared_bytes, which factors of one PreparedPlan share. Each array is in whole units of 256 bytes there. Equal to what is allocated,
  /// byte for byte; what Hopper's kernels of small fronts need beyond DeviceSchedule::task_bytes is less on a Hopper device that is told
  /// not to run them, and more where it runs them with a plan for sm_80; where a device can run no loops, what `task` needs is not taken,
  /// nor what sweeps need where it has no kernels for them (Hopper's, CudaOptions::fast_solve).
  [[nodiscard]] Offset peak_bytes(int scalar_bytes) const;
  /// Of these, the bytes that PreparedPlan::create takes: the plan's arrays on a device; none on the CPU.
  [[nodiscard]] Offset prepared_bytes() const;
  /// Bytes that Workspace::create takes for `nrhs` right-hand sides; more than kSolveBlock are solved in blocks of that many. `together`:
  /// CudaOptions::solves_together as it is by default; room for 2 is as large as for 8. Of float columns go one after the other.
  [[nodiscard]] Offset workspace_bytes(int scalar_bytes, Index nrhs, Index together = 32) const;
  /// Bytes of the plan's own arrays.
  [[nodiscard]] Offset plan_bytes() const;
};

/// A device that may do the job in place of AnalyzeOptions::target.
struct DeviceOffer {
  std::string target;                 ///< its cost table, "sm_90", "sm_80"; empty: there is none
  Offset free_bytes = 0;              ///< of its memory
  bool started = false;               ///< its context is there; otherwise the job pays for that too
  Index nrhs = 1;                     ///< right-hand sides of a solve that its memory must hold room for
  int scalar_bytes = sizeof(double);  ///< of the job's scalar, 4 or 8
};

/// How analyze() orders and plans, and what for.
struct AnalyzeOptions {
  OrderingOptions ordering{};                ///< method `automatic`: by the predicted seconds of the whole job
  std::optional<Permutation> permutation{};  ///< the caller's; used in place of ordering.method; it ends with ordering.last
  std::string target{};                      ///< cost table; empty: host_target()
  /// Tasks at once that memory is planned for; 0: a backend's default threads, at most 16. Reaches no bit of L, but where a device is
  /// offered: there the CPU's predicted seconds, and with them the choice of the target, depend on it.
  int workers = 0;
  bool amalgamate = true;  ///< relaxed supernodes by the target's cost table; false: fundamental supernodes
  int solves = 1;          ///< solves expected per factorisation: weighs in the choice of `automatic`, which no number of workers does
  int factorizations = 1;  ///< factorisations expected: the same
  /// Cores that the ordering of a large mesh is chosen for where no device is offered: of many dissection is sooner done, of few minimum
  /// degree, which one thread runs. At least 1; stated, not counted, so that the ordering is the same on any machine.
  int cores = 8;
  /// The ordering is chosen for `target`, but that large graphs are dissected at once, or not, and minimum degree is run in rounds, or not,
  /// as is best if the device wins, whether it then does or not; then the plan is made for the one of the two that is predicted to be done
  /// with the whole job first, its bytes allowing: the CPU in a tie, and for jobs that take no time. Seconds that were scaled count twice.
  DeviceOffer device{};  // kauri::Solver makes the offer itself, whatever is here
  /// Told which ordering is run, what it promises, and which one the plan is made of. Threads of an analysis wait meanwhile.
  MessageHandler on_message{};
};

/// One candidate of an ordering selection.
struct Candidate {
  OrderingMethod method;             ///< what was run, or would have been
  bool given = false;                ///< the caller's permutation
  double order_s = 0;                ///< measured, for reports only
  double symbolic_s = 0;             ///< measured, for reports only
  double predicted_order_s = 0;      ///< by the constants that `automatic` weighs orderings with; 0 if it was not run
  std::shared_ptr<const Plan> plan;  ///< null if it was not tried, or lost by its counts alone
  std::string note;                  ///< why there is no plan, or empty
  bool chosen = false;               ///< the best of them
};

/// What a target is predicted to take for a job: start + create + factorizations (values + factor + solves * solve) seconds, in the scalar
/// that DeviceOffer tells of. In float the CPU is taken to need half of what it needs in double, which is the least that it does; and
/// where more than two threads share its cores and memory, more than Cost says.
struct Forecast {
  std::string target;   ///< cost table
  double start_s = 0;   ///< until the device can be used; 0 if it can be
  double create_s = 0;  ///< Cost::predicted_create_s, this one and the others in double
  double values_s = 0;  ///< to bring values of A to the device
  double factor_s = 0;  ///< Cost::predicted_factor_s
  double solve_s = 0;   ///< Cost::predicted_solve_s
  double job_s = 0;     ///< all of it
  Offset bytes = 0;     ///< of memory; of a device estimated, a few percent off
  bool scaled = false;  ///< by constants that were not measured in this scalar on such a device, but scaled from another's
};

/// A plan, how long its making took, and the candidates of the ordering selection.
struct Analysis {
  std::shared_ptr<const Plan> plan;   ///< that of the ordering and the target that were chosen
  double order_s = 0;                 ///< seconds of all orderings run
  double symbolic_s = 0;              ///< seconds of all symbolic phases run
  std::vector<Candidate> candidates;  ///< all orderings that were weighed
  std::string reason;                 ///< one sentence: what decided, with the figure
  std::vector<Forecast> forecasts;    ///< where a device was offered: of AnalyzeOptions::target, then of the device
  std::string target_reason;          ///< one sentence: why the one or the other
};

/// Orders and analyses. Throws Error: input (pattern, permutation of another size or end, rows to come last), usage (options as order()
/// refuses them, a method that this build lacks), overflow (a count beyond 2^63, more than kMostEntries stored entries), memory.
std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options = {});
/// The same, with the report.
Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options = {});
/// Runs every ordering that is available (and the caller's, if given), each to its plan. Chosen is what `automatic` takes, for the same
/// reason: the others (minimum_degree and the caller's among them) are there to be compared.
Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options = {});

}  // namespace kauri
