// A vertex separator and the two sides that it leaves, as the steps of nested dissection hand it on; what makes one better than another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::ordering::dissection {

inline double tune[16] = {4, 0.7, 6, 200, 120, 0.65, 0.9, 0.7, 1, 1, 0, 0, 0, 5, 1, 0};
using Side = std::uint8_t;
inline constexpr Side kLeft = 0, kRight = 1, kSeparator = 2;

/// Weights of the left part, of the right part and of the separator, by the codes of sides.
using PartWeights = std::array<Offset, 3>;

/// No edge joins left and right.
struct Separation {
  std::vector<Side> side;          ///< of each vertex
  PartWeights weight{};
};

/// What a separation is taken to cost in operations, up to a factor: s^3 for the separator and, for the sides, what they would cost were
/// they halves with separators like `reference` (George 1973: in three dimensions half of all work is done below the top separator),
/// growing with the square of their weight. Compares separations of one graph with one reference: a typical separator's weight.
inline double predicted_work(const PartWeights& weight, double reference) {
  const auto s = static_cast<double>(weight[kSeparator]), left = static_cast<double>(weight[kLeft]),
             right = static_cast<double>(weight[kRight]), both = std::max(left + right, 1.0);
  return s * s * s + tune[14] * reference * reference * reference * 2 * (left * left + right * right) / (both * both);
}

}  // namespace kauri::ordering::dissection
