// First fit with fixed offsets, simulated in ticket order.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/arena.hpp"

#include <algorithm>

#include "symbolic/checked.hpp"

namespace kauri::symbolic {
namespace {

constexpr auto kLaterReader = [](const auto& a, const auto& b) { return a.reader != b.reader ? a.reader > b.reader : a.begin > b.begin; };

}  // namespace

void Arena::give(const Piece& piece) {
  const auto at = std::lower_bound(free_.begin(), free_.end(), piece, [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  free_.insert(at, piece);
}

void Arena::begin(Index ticket, Index least) {
  ticket_ = ticket;
  least_ = least;
  while (!pending_.empty() && pending_.front().reader < ticket) {
    give(pending_.front());
    std::pop_heap(pending_.begin(), pending_.end(), kLaterReader);
    pending_.pop_back();
  }
}

Offset Arena::take(Offset size, Index reader, std::vector<Index>& waits) {
  // The first run of touching open pieces that is long enough, or the one at the end of the arena, which may grow.
  std::size_t first = 0, last = 0;
  Offset found = kNone;
  for (std::size_t k = 0; k < free_.size() && found == kNone; ++k) {
    if (!open(free_[k])) continue;
    if (last != k || first == last || free_[k].begin != free_[k - 1].end) first = k;
    last = k + 1;
    if (free_[k].end - free_[first].begin >= size) found = free_[first].begin;
  }
  if (found == kNone) {
    if (first == last || free_[last - 1].end != size_) first = last = free_.size();
    found = first < last ? free_[first].begin : size_;
    size_ = checked_add(found, size, "entries of the stack arena");
  }
  for (std::size_t k = first; k < last; ++k) waits.push_back(free_[k].reader);
  const Offset end = found + size;
  if (first < last && free_[last - 1].end > end) free_[--last].begin = end;
  free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(first), free_.begin() + static_cast<std::ptrdiff_t>(last));
  pending_.push_back({found, end, reader});
  std::push_heap(pending_.begin(), pending_.end(), kLaterReader);
  return found;
}

}  // namespace kauri::symbolic
