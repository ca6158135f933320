// Contributions of many children to a front, entry by entry: lists of the children's entries that
// meet each entry of the front, summed as trees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

/// A tiled front with more children than this adds those with few rows (kMostListedRows) by lists
/// of sums; it pulls all others.
inline constexpr Index kMostPulled = 32;
/// Most rows of a contribution block that the parent adds by lists of sums. A larger block is
/// pulled tile by tile: its runs are long, and its lists would be as long as the block.
inline constexpr Index kMostListedRows = 192;
/// Most terms of a sum. If an entry has more terms, they are first summed in runs of kFanIn, and so
/// are these partial sums if there are more than kFanIn of them.
inline constexpr Index kFanIn = 32;

/// One warp adds up a group of kSumGroup sums, one a lane. The sums of a stage are whole groups,
/// filled up with empty sums, whose place is -1. On a device the terms of a group lie in steps of
/// kSumStep: kSumPair terms of each lane, lane by lane; kNoPlace if a lane has no more terms.
inline constexpr Index kSumGroup = 32, kSumPair = 2, kSumStep = kSumGroup * kSumPair;

/// Returns true if a tiled front with `children` children adds the contribution block of a child
/// with `rows` rows below its pivots by lists of sums; else it pulls the block.
constexpr bool is_listed(Index children, Index rows) {
  return children > kMostPulled && rows <= kMostListedRows;
}
/// Returns true if the tiled front s adds the contribution block of its child c by lists of sums.
bool is_listed(const Supernodes& nodes, const Assembly& assembly, Index s, Index c);

/// Appends the sums of the tiled front s to out.sums, partial sums first. Requires the places of
/// panels and blocks in out. Places scratch for partial sums at out.entries, which grows by it.
/// Returns r such that stage i is the sums [r[i], r[i+1]), which need those of the stages before;
/// the last stage adds to the front. Empty if no child is listed. O(children's rows + terms).
/// Throws Error(overflow) if entries exceed an Offset or sums an Index.
std::vector<Index> list_sums(const Supernodes& nodes, const Assembly& assembly, Index s,
                             DeviceSchedule& out);

/// Returns Sums::step, computed from the other members.
std::vector<Offset> sum_steps(const DeviceSchedule::Sums& sums);

/// Value that means "no place" in lists of places on a device. Place is std::uint32_t if
/// has_short_places(), else Offset.
template <class Place>
inline constexpr Place kNoPlace = static_cast<Place>(-1);
/// Returns true if all places fit into 32 bits and none equals kNoPlace.
inline bool has_short_places(const DeviceSchedule& schedule) {
  return schedule.entries <= schedule.hooks.most_short();
}
/// Writes the places of the results of sums [begin, end); kNoPlace for empty sums.
template <class Place>
void write_sum_places(const DeviceSchedule::Sums& sums, Offset begin, Offset end, Place* out);
/// SumStep: places of the terms of one step. write_sum_terms() writes those of steps [begin, end);
/// it requires sums.step.
template <class Place>
using SumStep = std::array<Place, kSumStep>;
template <class Place>
void write_sum_terms(const DeviceSchedule::Sums& sums, Offset begin, Offset end,
                     SumStep<Place>* out);

}  // namespace kauri::symbolic
