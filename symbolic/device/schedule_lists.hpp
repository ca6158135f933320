// Lists of a plan for a device: levels, tasks, sums of children, and places of memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/common/device_work.hpp"
#include "symbolic/common/test_hooks.hpp"

namespace kauri::symbolic {

/// Piece of the work on a tiled front that one warp team of a device does: see
/// symbolic/device/front_tasks.hpp.
struct DeviceTask {
  /// Kind of work.
  enum class Kind : Index {
    fill,  ///< writes zeros and A's entries to tiles of L, or zeros to tiles of the contribution
           ///< block of a front that adds children by lists of sums
    sum,  ///< adds up DeviceSchedule::sums [row, row + rows), after the first `column` fill and sum
          ///< tasks of the front
    chain,    ///< factorises all diagonal tiles of the front, each with the tile below it, in
              ///< sequence (row, column unused)
    prepare,  ///< computes all products but the last of a diagonal tile and the tile below; the
              ///< chain continues from there
    panel,    ///< computes tiles of L: all products, then the triangular solve
    contribution,  ///< computes tiles of the contribution block: all products
  };
  Index front;   ///< position of the front among tiled_fronts() of the schedule
  Kind kind;     ///< kind of work
  Index row;     ///< first tile row, or first sum
  Index column;  ///< tile column; of sums see Kind::sum
  Index rows;  ///< number of tiles (row, column), (row + 1, column), ...: 1 or 2, more for fill; or
               ///< number of sums

  bool operator==(const DeviceTask&) const = default;
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
  /// Least length of a part, in pivots: products over more pivots than this are added up in two to
  /// four parts. All parts but the last, which takes the rest, have the same length, at least this
  /// one. A multiple of 16. The bits of L depend on it.
  static constexpr Index kLeastPart = 2048;
  /// Most entries of an array whose places in Sums take 32 bits on the device; places of a larger
  /// one take 64.
  static constexpr Offset kMostShort = std::numeric_limits<std::uint32_t>::max();
  DeviceTestHooks hooks{kLeastPart, kMostShort};  ///< set by tests alone
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
    Index small16 = 0;        ///< number of narrow or small fronts of order at most 16; these come
                              ///< first
    Index small32 = 0;        ///< number of narrow or small fronts of order at most 32, including
                              ///< small16
    Index small = 0;          ///< number of narrow or small fronts: count, or 0 on a level of tiled
                              ///< fronts
    TileList tiles;           ///< all tiles of the tiled fronts, contribution blocks included
    std::vector<Step> steps;  ///< steps of the tiled fronts, k ascending
  };

  std::vector<Level> level;     ///< levels in the order in which they are done
  Index narrow_levels = 0;      ///< number of levels of narrow fronts, which come first
  Index small_levels = 0;       ///< number of levels of narrow and small fronts; the others hold
                                ///< tiled fronts
  Index narrow_fronts = 0;      ///< number of narrow fronts, the first of `front`
  Index small_fronts = 0;       ///< number of narrow and small fronts, the first of `front`
  TileList pivot_tiles;         ///< diagonal tiles of L of all tiled fronts
  std::vector<Index> tile_ptr;  ///< prefix sums of tiles, see TileList
  std::vector<Index> front;     ///< length supernodes: by level, narrow and small fronts by order,
                                ///< tiled ones by most pivot tiles
  std::vector<Index>
      tiled;  ///< length supernodes: position among the tiled fronts in `front`, or -1
  // Places are offsets, in entries, into one array. Panels fill it from its beginning, level by
  // level. Contribution blocks fill it from its end, and may use memory in which panels of higher
  // levels are written later. With segments everything lies where allocate_offsets() puts it.
  std::vector<Offset> panel;  ///< length supernodes: place of the panel, with the inverses of its
                              ///< 16 x 16 diagonal blocks if tiled; while it is factorised, if
                              ///< it leaves the device later; -1 if it is narrow or small and
                              ///< written to host memory at once
  std::vector<Offset>
      block;  ///< length supernodes: place of the contribution block; -1 if there is none
  /// Length supernodes: place of the matrices by which a solve multiplies beside L, which are the
  /// inverses of the diagonal tiles of a tiled front, and products with them; -1 for other fronts.
  /// They are made at the end of a factorisation, in memory where contribution blocks were.
  std::vector<Offset> inverses;
  Offset entries = 0;         ///< entries of the array
  Offset factor_entries = 0;  ///< entries of all panels, those in host memory included

  /// Panels that leave the device for host memory: `entries` entries from place `from` of the
  /// array, to place `to` of the array in host memory.
  struct Leaving {
    Offset from, to, entries;
  };
  /// Consecutive levels of tiled fronts, after whose tasks panels leave the device. Their places
  /// are used again from the segment on that is `held_segments` later, so that they are copied
  /// while those between run. The inverses of a segment's fronts are made when its tasks have
  /// ended.
  struct Segment {
    Index level_end = 0;           ///< number of levels of tiled fronts before its end
    TileList pivot_tiles;          ///< diagonal tiles of L of its fronts
    std::vector<Leaving> leaving;  ///< its panels, if they leave
  };
  std::vector<Segment> segment;  ///< segments in their order; empty if all of L stays on the device
  Index held_segments = 0;       ///< number of segments that hold a panel, at least 2 if any leave
  std::vector<Offset> host_panel;  ///< length supernodes if there are segments: place of the panel
                                   ///< in the array in host memory; -1 if it stays at `panel`
  Offset host_entries = 0;         ///< entries of that array
  /// Lists of sums of children's entries. Sum k adds up the entries at places term[ptr[k]], ...,
  /// term[ptr[k+1]-1] of the array in this order. The sum is added to the entry at place[k], or
  /// written there if place[k] is in the scratch, which is the part of the array from scratch_begin
  /// on. Empty sums, whose place is -1, complete groups of sums (symbolic/device/child_sums.hpp).
  struct Sums {
    std::vector<Offset> ptr{0};  ///< length sums+1: beginning of each sum's terms
    std::vector<Offset> place;   ///< length sums: place of the result; -1 of an empty sum
    Array<Offset> term;          ///< length ptr[sums]: places of the terms
    /// First step of each group of sums, then the number of steps: a device keeps the terms of a
    /// group in steps. Empty without sums.
    std::vector<Offset> step;
    Offset scratch_begin = 0;  ///< first place of the scratch
  };

  std::vector<DeviceTask> task;  ///< tasks of the tiled fronts by ticket; if empty, tiled fronts
                                 ///< are done level by level
  /// Per level of tiled fronts: end of its tasks in `task`. No task before such an end waits for
  /// one after it, so a launch may end there and the next one begin (symbolic/launch/launches.hpp).
  /// The ends do not depend on task_teams. Empty if `task` is.
  std::vector<Index> level_end;
  Sums sums;  ///< sums for `task`: contributions of children that are taken by lists
  std::vector<Index> block_reuses;  ///< per tiled front: number of levels of tiled fronts, from the
                                    ///< first, that must be done before its block's place is free
  std::vector<Index> panel_reuses;  ///< per tiled front: number of levels of tiled fronts, from the
                                    ///< first, that must be done before its panel's place is free
  Offset row_maps = 0;              ///< words of the row maps of children that `task` needs
  Offset shared_bytes =
      0;  ///< bytes on the device that `task` needs beyond plan_bytes and that factors share
  Offset task_bytes = 0;       ///< shared_bytes, and the bytes that `task` needs in each factor
  Offset fast_bytes = 0;       ///< task_bytes, and the bytes that small fronts which gather their
                               ///< entries need in each factor
  std::vector<Offset> update;  ///< length supernodes: place of the q update rows in the arena of a
                               ///< solve, in rows; -1 if q = 0
  Offset update_rows = 0;  ///< rows of that arena; each row has one number for each right-hand side
  /// Sizes of the lists of a solve by sweeps (symbolic/device/sweep_lists.hpp). A vector of parts
  /// has one number for each row of a tile.
  struct Sweeps {
    Index forward_tasks = 0;   ///< number of tasks of the forward sweep
    Index backward_tasks = 0;  ///< number of tasks of the backward sweep
    Index forward_parts = 0;   ///< number of vectors that hold parts of sums in the forward sweep
    Index backward_parts = 0;  ///< number of vectors that hold parts of sums in the backward sweep
    Offset bytes = 0;          ///< bytes of the lists in each PreparedPlan; 0 if there are no lists
    Offset numbers = 0;  ///< numbers of 8 bytes that a solve with one right-hand side needs in
                         ///< its workspace; Plan::workspace_bytes() counts them
    bool operator==(const Sweeps&) const = default;
  };
  Sweeps sweeps;          ///< sizes of the lists of solves by sweeps
  Offset plan_bytes = 0;  ///< bytes of the plan's arrays on the device, without the arrays that
                          ///< only `task` or sweeps need
  DeviceWork work;        ///< work from which seconds are predicted
  /// Warp teams for a factorisation, and thread blocks for a solve by sweeps, beyond which both
  /// become hardly faster (symbolic/launch/useful_teams.hpp). 0: as many as a device has.
  Index useful_teams = 0, useful_blocks = 0;
};

}  // namespace kauri::symbolic
