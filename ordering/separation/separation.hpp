// A vertex separator with the two sides that it separates, and the measure by which separations are
// compared.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::ordering::dissection {

using Side = std::uint8_t;
inline constexpr Side kLeft = 0, kRight = 1, kSeparator = 2;

/// Weights of the left part, the right part and the separator, indexed by kLeft, kRight and
/// kSeparator.
using PartWeights = std::array<Offset, 3>;

/// A separation: no edge joins left and right.
struct Separation {
  std::vector<Side> side;  ///< side of each vertex
  PartWeights weight{};
};

inline Offset heavier_side(const PartWeights& weight) {
  return std::max(weight[kLeft], weight[kRight]);
}
inline Offset most_side(Offset total, double share) {
  return static_cast<Offset>(share * static_cast<double>(total));
}

/// Factors of the sides' term in predicted_work(): kSides to compare separations; kSidesWhileMoving
/// during a refinement, where a larger factor would keep the refinement from passing through worse
/// separations.
inline constexpr double kSides = 4, kSidesWhileMoving = 1;

/// Returns true for a separator of weight s > 0 that costs at most kThin operations per vertex of
/// the graph (s^3 / n, vertices counted by weight). A graph with a separator this thin has hardly
/// any fill: minimum degree does better, except that its elimination tree may be high
/// (SeparatorSearch::is_across).
inline bool is_thin(const PartWeights& weight) {
  constexpr double kThin = 4;
  const auto s = static_cast<double>(weight[kSeparator]);
  return s > 0 && s * s * s <= kThin * static_cast<double>(weight[kLeft] + weight[kRight] +
                                                           weight[kSeparator]);
}

/// Returns the predicted operations of a separation, up to a factor: s^3 for a separator of weight
/// s plus sides * reference^3 for sides of equal weight; for others the second term grows with the
/// sum of the squares of their weights, as in a dissection of a three-dimensional mesh (George
/// 1973). On such meshes the first separator's front takes a twentieth of all operations, which
/// suggests sides = 20. kSides is less, since a lighter separator also makes the fronts below
/// smaller, which have rows in it. reference: weight of a typical separator of the graph; compare
/// only separations of one graph with one reference.
inline double predicted_work(const PartWeights& weight, double reference, double sides = kSides) {
  const auto s = static_cast<double>(weight[kSeparator]), left = static_cast<double>(weight[kLeft]),
             right = static_cast<double>(weight[kRight]);
  const double both = std::max(left + right, 1.0);
  return s * s * s + sides * reference * reference * reference * 2 * (left * left + right * right) /
                         (both * both);
}

/// Returns the reference of predicted_work() by one separation: its separator's weight, at least 1.
inline double reference_of(const PartWeights& weight) {
  return static_cast<double>(std::max<Offset>(1, weight[kSeparator]));
}

/// Returns true if a is predicted to cost less than b, with the lighter separator as reference.
inline bool costs_less(const PartWeights& a, const PartWeights& b) {
  const double reference = std::min(reference_of(a), reference_of(b));
  return predicted_work(a, reference) < predicted_work(b, reference);
}

}  // namespace kauri::ordering::dissection
