// A vertex separator and the two sides that it leaves, as the steps of nested dissection hand it on; what makes one better than another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::ordering::dissection {

using Side = std::uint8_t;
inline constexpr Side kLeft = 0, kRight = 1, kSeparator = 2;

/// Weights of the left part, of the right part and of the separator, by the codes of sides.
using PartWeights = std::array<Offset, 3>;

/// No edge joins left and right.
struct Separation {
  std::vector<Side> side;  ///< of each vertex
  PartWeights weight{};
};

/// Share of the weight that either side may reach. Loose, since predicted_work() knows what it costs; 0.6 left separators of irregular
/// meshes 2 to 10 % heavier, 0.8 too many lopsided ones.
inline constexpr double kMostSide = 0.7;

inline Offset heavier_side(const PartWeights& weight) { return std::max(weight[kLeft], weight[kRight]); }
inline Offset most_side(Offset total, double share = kMostSide) { return static_cast<Offset>(share * static_cast<double>(total)); }

/// What a separation is taken to cost in operations, up to a factor: s^3 for the separator and as much again, were they halves, for the
/// sides, growing with the squares of their weights: what dissection of a regular mesh of three dimensions leaves to its halves (George
/// 1973), fronts without the part that they share with separators further up. Compares separations of one graph with one reference: the
/// weight of a typical separator.
inline double predicted_work(const PartWeights& weight, double reference) {
  const auto s = static_cast<double>(weight[kSeparator]), left = static_cast<double>(weight[kLeft]),
             right = static_cast<double>(weight[kRight]);
  const double both = std::max(left + right, 1.0);
  return s * s * s + reference * reference * reference * 2 * (left * left + right * right) / (both * both);
}

/// The weight of a separator as a reference.
inline double reference_of(const PartWeights& weight) { return static_cast<double>(std::max<Offset>(1, weight[kSeparator])); }

}  // namespace kauri::ordering::dissection
