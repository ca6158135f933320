// Fronts of doubles and floats in cells (symbolic/device/front_cells.hpp) on the device, as kernels
// read them: panels, contribution blocks, children, counters, and the values of A that fill panels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "symbolic/device/front_tasks.hpp"

namespace kauri::numeric::cuda::kernels {

/// A contribution block that a front pulls: its lower triangle, in cells or packed.
template <class T>
struct ChildViewOf {
  const T* block;                   ///< first entry of the contribution block
  const symbolic::RowMapWord* map;  ///< row map, one word per cell row of the parent: which rows of
                                    ///< the block meet that cell row
  int cell_rows;  ///< cell rows of the block, if it is a FrontCells::block(); 0: the block is a
                  ///< packed lower triangle (SmallLayout)
  int order;      ///< rows of the block
};
using ChildView = ChildViewOf<double>;

/// A front on the device. Device memory holds an array of them, one per front.
template <class T>
struct FrontViewOf {
  T* panel = nullptr;  ///< cells.panel(); in: A's entries, unless tasks of kind `fill` write them;
                       ///< out: L
  T* block = nullptr;  ///< cells.block(); in: values to start from, if loads_block is not 0; out:
                       ///< the contribution block
  T* inverses =
      nullptr;  ///< cells.diagonal_entries(); out: the inverses of L's 16 x 16 diagonal blocks
  int* counters = nullptr;  ///< symbolic::counter_count(cells) ints, zero at the start; see kFailed
  double* failed_pivot = nullptr;  ///< out: value of the first pivot that is not positive and
                                   ///< finite, if counters[kFailed], 1 + its column, is not 0
  const ChildViewOf<T>* child = nullptr;
  int child_count = 0;
  int awaited = 0;  ///< number of tasks of the launch that write the children's blocks
  int* parent_counters = nullptr;  ///< counters of the parent, if this launch factorises it, which
                                   ///< waits for `block`; else null
  int level = 0;                   ///< index of the front's level in the arrays of Levels
  int block_reuses =
      0;  ///< the block's memory is free once all tasks of the first block_reuses levels are done
  int panel_reuses =
      0;  ///< levels, as block_reuses, for the panel's memory; tasks of kind `fill` wait for it
  int fills = 0;  ///< number of the front's tasks of kinds `fill` and `sum`
  int first = 0;  ///< column of L of the first pivot, an index into Values::column
  int loads_block =
      0;  ///< not 0: contribution tasks start from the values in `block`; 0: from zero
  symbolic::FrontCells cells{0, 0};
};
using FrontView = FrontViewOf<double>;

/// Progress of the levels of tiled fronts: done[l] counts the finished tasks of level l (zero at
/// the start), tasks[l] all its tasks; all levels below *passed are known to be done (zero at the
/// start). The pointers are null if no front reuses memory.
struct Levels {
  int* done = nullptr;
  const int* tasks = nullptr;
  int* passed = nullptr;
};

/// Lower triangle of B = P A P^T by columns, for the tasks that fill panels: entry e of column j,
/// column[j] <= e < column[j + 1], is value[source[e]], in row row[e] of its front. The pointers
/// are null if the launch has no tasks of kind `fill`.
template <class T>
struct ValuesOf {
  const std::uint32_t* column = nullptr;  ///< first entry of each column, and one more
  const Index* row = nullptr;
  const std::uint32_t* source = nullptr;
  const T* value = nullptr;
  const T* shift = nullptr;  ///< one number, added to the diagonal
};
using Values = ValuesOf<double>;

/// Lists of children's entries to add up, for tasks of kind `sum`: DeviceSchedule::Sums by groups.
/// A place is an index into `entries`, from scratch_begin on one in the scratch of sums. The
/// pointers are null if there are no sums.
template <class T>
struct SumsOf {
  const Offset* step = nullptr;  ///< DeviceSchedule::Sums::step
  const void* place = nullptr;   ///< array of symbolic::write_sum_places(): std::uint32_t if
                                 ///< short_places, else Offset
  const void* term = nullptr;    ///< array of symbolic::write_sum_terms(), with places of that type
  bool short_places = true;
  Offset scratch_begin = 0;
  T* entries = nullptr;
};
using Sums = SumsOf<double>;

/// The first pivot of a block of 16 columns that is not positive and finite: its column (16: none),
/// and its value.
template <class T>
struct FailedPivot {
  int column = 16;
  T value = 0;
};

/// Indices into FrontView::counters. From kRows on, one counter per tile row follows (finished
/// slabs of L, of 16 columns each), then one per pivot tile (its state).
inline constexpr int kFailed =
    0;  ///< 1 + first padded column without a positive finite pivot, or 0
inline constexpr int kChildren = 1;  ///< tasks that have written children's blocks: see awaited
inline constexpr int kFilled = 2;    ///< finished tasks of kinds `fill` and `sum`: see fills
inline constexpr int kRows = symbolic::kCounters;

/// States of a pivot tile. The lowest kProgressBits bits hold its progress. Above them bit s is set
/// if the inverse of its 16 x 16 block s exists and is to be corrected.
inline constexpr int kProgressBits = 3;
inline constexpr int kPrepared = 1;  ///< all products but the last are subtracted from the tile
inline constexpr int kFirstBlock =
    2;  ///< + s: L's columns of the blocks up to s, and their inverses, are finished
/// All blocks of the tile are finished, even if it has fewer than four. In a chain of hopper/ such
/// a tile ends in the lower state kFirstBlock + (its number of blocks) - 1 instead.
inline constexpr int kFinished = kFirstBlock + symbolic::kTile / 16 - 1;
static_assert(kFinished < 1 << kProgressBits,
              "states of a pivot tile: raise kProgressBits, so that its bits hold kFinished");

}  // namespace kauri::numeric::cuda::kernels
