// What many children add to a front, entry by entry: lists of the children's entries that meet each entry of the front, summed as trees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// A tiled front with more children than this takes those with few rows by lists.
inline constexpr Index kMostPulled = 32;
/// Rows of a contribution block that is taken by lists. A larger one is pulled tile by tile: its runs are long, and lists as long as
/// itself.
inline constexpr Index kMostListedRows = 192;
/// Terms of a sum: more are summed in parts first, those in parts again.
inline constexpr Index kFanIn = 32;

/// Sums that one warp adds up, a lane each: the sums of a stage are whole groups, filled up with empty sums, whose place is -1. On a device
/// the terms of a group lie in steps: two of each lane, lane by lane; kNoPlace where a lane has no more.
inline constexpr Index kSumGroup = 32, kSumPair = 2, kSumStep = kSumGroup * kSumPair;

/// True if a child with so many rows below its pivots is taken by lists, of a tiled front with so many children.
constexpr bool is_listed(Index children, Index rows) { return children > kMostPulled && rows <= kMostListedRows; }
/// The same of child c of s.
bool is_listed(const Supernodes& nodes, const Assembly& assembly, Index s, Index c);

/// Appends the sums of the tiled front s to out.sums, partial ones first: places in the array of a factor must be known. Scratch follows
/// out.entries, which grows. Returns the stages, whose sums need those of the stages before: stage i is [r[i], r[i+1]); the last adds to
/// the front. Empty if no child is listed. O(children's rows + terms). Throws Error(overflow).
std::vector<Index> list_sums(const Supernodes& nodes, const Assembly& assembly, Index s, DeviceSchedule& out);

/// Sums::step, from all else.
std::vector<Offset> sum_steps(const DeviceSchedule::Sums& sums);

/// Places on a device: std::uint32_t if has_short_places(), else Offset.
template <class Place>
inline constexpr Place kNoPlace = static_cast<Place>(-1);
/// True if all places fit into 32 bits, and none is kNoPlace.
inline bool has_short_places(const DeviceSchedule& schedule) { return schedule.entries <= schedule.sums.most_short; }
/// Places [begin, end) of the sums; kNoPlace for empty ones.
template <class Place>
void write_sum_places(const DeviceSchedule::Sums& sums, Offset begin, Offset end, Place* out);
/// The terms of steps [begin, end); sums.step is there.
template <class Place>
using SumStep = std::array<Place, kSumStep>;
template <class Place>
void write_sum_terms(const DeviceSchedule::Sums& sums, Offset begin, Offset end, SumStep<Place>* out);

}  // namespace kauri::symbolic
