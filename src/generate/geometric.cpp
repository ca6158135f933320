// Random geometric graphs in the unit cube: k nearest neighbours by buckets (Bentley, Weide & Yao,
// ACM TOMS 6, 1980).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "src/generate/kinds.hpp"
#include "src/generate/rng.hpp"

namespace kauri::gen {
namespace {

using Point = std::array<double, 3>;

struct Near {
  double squared;  ///< squared distance to the point searched for
  Index slot;
  friend bool operator<(const Near& a, const Near& b) {
    return a.squared != b.squared ? a.squared < b.squared : a.slot < b.slot;
  }
};

/// Points sorted into side^3 equal buckets, about four in each. A "slot" is a point's index in that
/// order.
class Buckets {
 public:
  explicit Buckets(const std::vector<Point>& points)
      : side_(std::max<Offset>(
            1, static_cast<Offset>(std::cbrt(static_cast<double>(points.size()) / 4)))),
        start_(static_cast<std::size_t>(side_ * side_ * side_) + 1, 0),
        point_(points.size()),
        index_(points.size()) {
    for (const Point& p : points) ++start_[bucket(p) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<Offset> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Offset slot = next[bucket(points[i])]++;
      point_[slot] = points[i];
      index_[slot] = static_cast<Index>(i);
    }
  }

  [[nodiscard]] Index index(Index slot) const { return index_[slot]; }

  /// Sets `found` to the k nearest points of a slot, except itself, in no particular order; there
  /// must be more than k points. Searches buckets in growing cubic shells until the k-th nearest is
  /// closer than any point not yet seen.
  void nearest(Index slot, std::size_t k, std::vector<Near>& found) const {
    found.clear();
    const std::array<Offset, 3> home = {cell(point_[slot][0]), cell(point_[slot][1]),
                                        cell(point_[slot][2])};
    for (Offset radius = 0; radius <= side_; ++radius) {
      if (found.size() >= k) {
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k) - 1,
                         found.end());
        found.resize(k);
        const double safe = static_cast<double>(radius - 1) / static_cast<double>(side_);
        if (radius > 1 && found.back().squared <= safe * safe) return;
      }
      add_shell(slot, home, radius, found);
    }
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k) - 1,
                     found.end());
    found.resize(k);
  }

 private:
  [[nodiscard]] Offset cell(double c) const {
    return std::min(side_ - 1, static_cast<Offset>(c * static_cast<double>(side_)));
  }
  [[nodiscard]] Offset bucket(const Point& p) const {
    return (cell(p[2]) * side_ + cell(p[1])) * side_ + cell(p[0]);
  }

  /// Adds all points but `slot` in buckets whose largest coordinate distance from bucket `home` is
  /// `radius`.
  void add_shell(Index slot, const std::array<Offset, 3>& home, Offset radius,
                 std::vector<Near>& found) const {
    const auto low = [&](int axis) { return std::max<Offset>(0, home[axis] - radius); };
    const auto high = [&](int axis) { return std::min(side_ - 1, home[axis] + radius); };
    for (Offset z = low(2); z <= high(2); ++z)
      for (Offset y = low(1); y <= high(1); ++y) {
        const bool whole_line = std::abs(z - home[2]) == radius || std::abs(y - home[1]) == radius;
        if (whole_line) {
          for (Offset x = low(0); x <= high(0); ++x)
            add_bucket(slot, (z * side_ + y) * side_ + x, found);
          continue;
        }
        if (home[0] - radius >= 0)
          add_bucket(slot, (z * side_ + y) * side_ + home[0] - radius, found);
        if (home[0] + radius < side_)
          add_bucket(slot, (z * side_ + y) * side_ + home[0] + radius, found);
      }
  }

  void add_bucket(Index slot, Offset bucket, std::vector<Near>& found) const {
    for (auto other = static_cast<Index>(start_[bucket]); other < start_[bucket + 1]; ++other) {
      if (other == slot) continue;
      const double dx = point_[other][0] - point_[slot][0], dy = point_[other][1] - point_[slot][1],
                   dz = point_[other][2] - point_[slot][2];
      found.push_back({dx * dx + dy * dy + dz * dz, other});
    }
  }

  Offset side_;
  std::vector<Offset> start_;  // length side^3 + 1: first slot of each bucket
  std::vector<Point> point_;   // points by slot
  std::vector<Index> index_;   // by slot: the point's number in the input
};

}  // namespace

Columns rgg3d(Index n, Index k, std::uint64_t seed, double shift) {
  Rng rng(seed);
  std::vector<Point> points(static_cast<std::size_t>(n));
  for (Point& p : points)
    for (double& c : p) c = rng.uniform();
  const Buckets buckets(points);
  std::vector<Point>().swap(points);
  const double scale = std::cbrt(static_cast<double>(n));
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) * k);
  std::vector<Near> found;
  for (Index slot = 0; slot < n; ++slot) {
    buckets.nearest(slot, static_cast<std::size_t>(k), found);
    for (const Near& near : found)
      edges.push_back({buckets.index(slot), buckets.index(near.slot),
                       1.0 / (0.1 + std::sqrt(near.squared) * scale)});
  }
  return laplacian(n, edges, shift);
}

}  // namespace kauri::gen
