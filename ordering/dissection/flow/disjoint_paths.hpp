// Minimum vertex cut of a band with equal weights: a maximum set of vertex-disjoint paths (Menger
// 1927).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/flow/band.hpp"

namespace kauri::ordering::dissection {

/// Vertex-disjoint paths from source to sink, stored as each vertex's predecessor and successor,
/// nothing per edge.
class DisjointPaths {
 public:
  /// Computes a maximum number of paths. bound: a known upper bound of that number, as the size of
  /// any separator; the search stops at `bound` paths. O(edges * sqrt(vertices)) in the worst case.
  void run(const BandGraph& band, Index bound);

  [[nodiscard]] Index count() const {
    return count_;
  }  ///< number of paths, and of vertices of a minimum cut
  [[nodiscard]] Index phases() const { return phases_; }  ///< breadth-first passes over the band

  /// Write the minimum cut nearest to the sink, or to the source, after run() with the same band:
  /// part[i] becomes kSeparator in the cut, kRight beyond the cut towards the sink, kLeft before
  /// it. kRight are the vertices that can still reach the sink in the residual graph (cut near the
  /// sink), or all outside the cut that the source cannot reach (cut near the source). part: length
  /// band.size(), output only.
  void cut_near_sink(const BandGraph& band, std::span<std::uint8_t> part);
  void cut_near_source(const BandGraph& band, std::span<std::uint8_t> part);

 private:
  bool label(const BandGraph& band);
  Index search(const BandGraph& band, Index root);
  bool advance(const BandGraph& band, Index& top, Index wanted);
  void enter(const BandGraph& band, Index& top, Index state, Index via);
  void add_path(Index length);

  Index terminal_ = 0;  // number of both terminals: band.size()
  std::vector<Index>
      before_;  // by vertex: predecessor on its path, or terminal_; itself if it is on no path
  std::vector<Index> behind_;  // by vertex: successor on its path, or terminal_; itself if it is on
                               // no path; entry terminal_ of before_ and behind_ has no meaning
  std::vector<Index> level_;   // by state, and for terminal_: steps to the sink, or kClosed
  std::vector<Index> queue_;   // states in the order of their levels, and one dummy entry
  std::vector<Index> root_;    // vertices where paths of this phase may begin, by the level of the
                               // state that they lead to
  std::vector<Index> stack_;   // states of the path being searched
  std::vector<Index> via_;     // by state of the path: vertex by which it was entered
  std::vector<Offset> at_;     // by state of the path: next edge that the search tries
  Index count_ = 0;
  Index phases_ = 0;
  bool labelled_ = false;  // level_ is valid for the current paths
};

}  // namespace kauri::ordering::dissection
