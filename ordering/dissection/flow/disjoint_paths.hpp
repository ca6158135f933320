// Minimum vertex cut of a band whose vertices weigh the same: as many vertex-disjoint paths as there are (Menger 1927).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/flow/band.hpp"

namespace kauri::ordering::dissection {

/// Paths from source to sink that share no vertex, kept as the vertex before and the vertex behind each one, and nothing per edge.
class DisjointPaths {
 public:
  /// Finds the most paths there are. bound: no more than this can be (the old separator); the search for more ends there.
  /// O(edges * sqrt(vertices)) at worst.
  void run(const BandGraph& band, Index bound);

  [[nodiscard]] Index count() const { return count_; }    ///< of paths, and of the vertices of a minimum cut
  [[nodiscard]] Index phases() const { return phases_; }  ///< breadth-first passes over the band

  /// The minimum cut closest to the sink, or to the source, after run(): part[i] becomes kSeparator in the cut, kRight for what the sink
  /// reaches (or, of the cut at the source, all that the source does not reach), kLeft for the rest. part: length band.size().
  void cut_near_sink(const BandGraph& band, std::span<std::uint8_t> part);
  void cut_near_source(const BandGraph& band, std::span<std::uint8_t> part);

 private:
  bool label(const BandGraph& band);
  Index search(const BandGraph& band, Index root);
  bool advance(const BandGraph& band, Index& top, Index wanted);
  void enter(const BandGraph& band, Index& top, Index state, Index via);
  void add_path(Index length);

  Index terminal_ = 0;         // number that stands for source and sink: band.size()
  std::vector<Index> before_;  // by vertex: the one before it on its path, or terminal_; itself where it is on no path
  std::vector<Index> behind_;  // likewise; both have one entry for terminal_, never used
  std::vector<Index> level_;   // by state and for terminal_: steps to the sink, or kClosed
  std::vector<Index> queue_;   // states in the order of their levels, and a place to write in vain
  std::vector<Index> root_;    // vertices where paths of this phase may begin, by the level of the state that they lead to
  std::vector<Index> stack_;   // states of the path that is searched
  std::vector<Index> via_;     // the vertex by which each of them was entered
  std::vector<Offset> at_;     // the edge that the search stands at in each of them
  Index count_ = 0;
  Index phases_ = 0;
  bool labelled_ = false;  // level_ tells from where the sink is reached now
};

}  // namespace kauri::ordering::dissection
