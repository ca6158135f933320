// The band around a vertex separator: the vertices that a flow may move, as a graph with two
// terminals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

/// Graph for a flow: vertices numbered from 0, and two terminals.
class BandGraph {
 public:
  [[nodiscard]] Index size() const { return static_cast<Index>(terminal_.size()); }
  [[nodiscard]] Offset edges() const { return ptr_.back(); }  ///< directed, terminals not counted
  [[nodiscard]] std::span<const Index> neighbours(Index i) const {  ///< neighbours in the band
    return {adjacency_.data() + ptr_[i], static_cast<std::size_t>(ptr_[i + 1] - ptr_[i])};
  }
  [[nodiscard]] Offset first(Index i) const {
    return ptr_[i];
  }  ///< neighbours(i) are neighbour(first(i)) and on
  [[nodiscard]] Index neighbour(Offset e) const { return adjacency_[e]; }
  [[nodiscard]] bool at_source(Index i) const {
    return terminal_[i] & 1;
  }  ///< has a neighbour left of the band
  [[nodiscard]] bool at_sink(Index i) const {
    return terminal_[i] & 2;
  }  ///< has a neighbour right of the band

 protected:
  std::vector<Offset> ptr_{0};          // by vertex: beginning of its neighbours; then their end
  std::vector<Index> adjacency_;        // may be longer than edges()
  std::vector<std::uint8_t> terminal_;  // by vertex: bit 0 if at_source(), bit 1 if at_sink()
};

/// A graph of band vertices numbered breadth first from 0, the old separator first. All vertices
/// beyond the band on the left are one terminal, the source; on the right, the sink. The memory of
/// a band is reused for the next one, and grows only for a larger one.
class Band : public BandGraph {
 public:
  /// Collects the separator and the vertices within `width` layers of it, breadth first. Takes from
  /// each side at most the weight in `room` (left, right), and less than the whole side. side, by
  /// vertex of the graph: kLeft, kRight or kSeparator; no edge joins left and right. weight:
  /// weights of these three parts of the graph. O(band edges), plus reading n bytes of `side`.
  void collect(const GraphView& graph, std::span<const std::uint8_t> side,
               const PartWeights& weight, Index width, const std::array<Offset, 2>& room);

  [[nodiscard]] Index vertex(Index i) const { return vertex_[i]; }  ///< number of i in the graph
  [[nodiscard]] Index weight(Index i) const { return weight_[i]; }
  [[nodiscard]] bool uniform() const { return uniform_; }  ///< all weights are equal
  /// Weights of the band's vertices, by the part of the graph that they came from.
  [[nodiscard]] const PartWeights& weights() const { return taken_; }

 private:
  void forget();
  void ask_ahead(const GraphView& graph, Index i) const;
  void take(const GraphView& graph, Index v, std::uint8_t part);
  void take_separator(const GraphView& graph, std::span<const std::uint8_t> side);

  [[nodiscard]] Index met() const { return static_cast<Index>(vertex_.size()); }

  std::vector<Index> local_;   // by vertex of the graph: its number in the band, or kNone
  std::vector<Index> vertex_;  // by number in the band, as weight_: number in the graph; during
                               // collect(), of all vertices met so far
  std::vector<Index> weight_;
  PartWeights taken_{};
  bool uniform_ = true;
};

/// A band in which each vertex of weight w is replaced by w / unit copies with the same neighbours,
/// not adjacent to each other; unit is the greatest common divisor of the weights. Its minimum cuts
/// nearest to the terminals are those of the band, since copies lie on the same side of them.
class UnitBand : public BandGraph {
 public:
  /// Divides a band. Returns false, and leaves the content unusable, if there would be more than
  /// `most` times as many vertices or edges, or more than 2^30 vertices. O(edges of both).
  bool divide(const Band& band, double most);

  [[nodiscard]] Index unit() const { return unit_; }
  [[nodiscard]] Index first_part(Index i) const {
    return first_[i];
  }  ///< first copy of the band's vertex i

 private:
  Index unit_ = 1;
  std::vector<Index> first_;  // by vertex of the band: its first copy; then the number of copies
};

}  // namespace kauri::ordering::dissection
