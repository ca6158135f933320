// The band round a vertex separator: the vertices that a flow may move, as a graph of its own with two terminals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

/// What a flow goes through: vertices numbered from 0, and beyond them two terminals.
class BandGraph {
 public:
  [[nodiscard]] Index size() const { return static_cast<Index>(terminal_.size()); }
  [[nodiscard]] Offset edges() const { return ptr_.back(); }        ///< directed, terminals not counted
  [[nodiscard]] std::span<const Index> neighbours(Index i) const {  ///< in the band
    return {adjacency_.data() + ptr_[i], static_cast<std::size_t>(ptr_[i + 1] - ptr_[i])};
  }
  [[nodiscard]] Offset first(Index i) const { return ptr_[i]; }  ///< neighbours(i) are neighbour(first(i)) and on
  [[nodiscard]] Index neighbour(Offset e) const { return adjacency_[e]; }
  [[nodiscard]] bool at_source(Index i) const { return terminal_[i] & 1; }  ///< has a neighbour beyond on the left
  [[nodiscard]] bool at_sink(Index i) const { return terminal_[i] & 2; }    ///< has a neighbour beyond on the right

 protected:
  std::vector<Offset> ptr_{0};          // by vertex; one more
  std::vector<Index> adjacency_;        // longer than it need be
  std::vector<std::uint8_t> terminal_;  // by vertex
};

/// A graph of band vertices numbered from 0 breadth first, the old separator first. What lies beyond the band on the left is one vertex,
/// the source; on the right, the sink. Kept from one band to the next, so that memory is asked for only where a band is larger than all
/// before it.
class Band : public BandGraph {
 public:
  /// The separator and what lies within `width` layers of it, breadth first, and of each side at most the weight in `room` (left, right)
  /// and less than all of it. side: length n, no edge joins left and right. weight: of the parts. O(band edges), and n bytes of `side`
  /// read.
  void collect(const GraphView& graph, std::span<const std::uint8_t> side, const PartWeights& weight, Index width,
               const std::array<Offset, 2>& room);

  [[nodiscard]] Index vertex(Index i) const { return vertex_[i]; }  ///< of the graph
  [[nodiscard]] Index weight(Index i) const { return weight_[i]; }
  [[nodiscard]] bool uniform() const { return uniform_; }  ///< all weights are equal
  /// Weight of the band's vertices by the side that they came from.
  [[nodiscard]] const PartWeights& weights() const { return taken_; }

 private:
  void forget();
  void ask_ahead(const GraphView& graph, Index i) const;
  void take(const GraphView& graph, Index v, std::uint8_t part);
  void take_separator(const GraphView& graph, std::span<const std::uint8_t> side);

  [[nodiscard]] Index met() const { return static_cast<Index>(vertex_.size()); }

  std::vector<Index> local_;   // by vertex of the graph: its number in the band, or kNone
  std::vector<Index> vertex_;  // by number in the band, as are weights; while it is collected, all met so far
  std::vector<Index> weight_;
  PartWeights taken_{};
  bool uniform_ = true;
};

/// A band each of whose vertices of weight w is w / unit vertices with the same neighbours, none of them each other's; unit is the greatest
/// common divisor of the weights. The minimum cuts nearest to either terminal are the band's: what is alike is on the same side of them.
class UnitBand : public BandGraph {
 public:
  /// False, with nothing of use in it, if there would be more than `most` times as many vertices or edges, or
  /// more than 2^30 vertices. O(edges of both).
  bool divide(const Band& band, double most);

  [[nodiscard]] Index unit() const { return unit_; }
  [[nodiscard]] Index first_part(Index i) const { return first_[i]; }  ///< of the band's vertex i

 private:
  Index unit_ = 1;
  std::vector<Index> first_;  // by vertex of the band; one more
};

}  // namespace kauri::ordering::dissection
