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

inline Offset heavier_side(const PartWeights& weight) { return std::max(weight[kLeft], weight[kRight]); }
inline Offset most_side(Offset total, double share) { return static_cast<Offset>(share * static_cast<double>(total)); }

/// What the sides weigh in predicted_work(): when separations are compared, and while one is being refined, where more would keep it from
/// passing over what is worse for a while.
inline constexpr double kSides = 4, kSidesWhileMoving = 1;

/// What a separator divides that costs less than so many operations a vertex (s^3 / n) has no fill to speak of: minimum degree does better,
/// but for the height of its tree (Search::is_across).
inline bool is_thin(const PartWeights& weight) {
  constexpr double kThin = 4;
  const auto s = static_cast<double>(weight[kSeparator]);
  return s > 0 && s * s * s <= kThin * static_cast<double>(weight[kLeft] + weight[kRight] + weight[kSeparator]);
}

/// What a separation is taken to cost in operations, up to a factor: s^3 for the separator and, for the sides, `sides` times as much were
/// they halves, growing with the squares of their weights as dissection of a mesh of three dimensions does (George 1973). On such meshes
/// the first separator does a twentieth of all work, but it surrounds fronts of all levels below, which a lighter one makes smaller: hence
/// not 20. Compares separations of one graph with one reference: the weight of a typical separator.
inline double predicted_work(const PartWeights& weight, double reference, double sides = kSides) {
  const auto s = static_cast<double>(weight[kSeparator]), left = static_cast<double>(weight[kLeft]),
             right = static_cast<double>(weight[kRight]);
  const double both = std::max(left + right, 1.0);
  return s * s * s + sides * reference * reference * reference * 2 * (left * left + right * right) / (both * both);
}

/// The weight of a separator as a reference.
inline double reference_of(const PartWeights& weight) { return static_cast<double>(std::max<Offset>(1, weight[kSeparator])); }

/// True if a is predicted to cost less than b, by the lighter one of their separators.
inline bool costs_less(const PartWeights& a, const PartWeights& b) {
  const double reference = std::min(reference_of(a), reference_of(b));
  return predicted_work(a, reference) < predicted_work(b, reference);
}

}  // namespace kauri::ordering::dissection
