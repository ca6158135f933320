// Which entry of a file makes its matrix unsymmetric.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "base/matrix/symmetry.hpp"
#include "src/io/matrix/triplets.hpp"

namespace kauri::io {

/// How a file's errors name its entries.
struct Places {
  std::function<std::string(Offset)> words = {};  ///< where entry k stands, such as "line 7"; may be empty
  Index first = 1;                                ///< the number of the first row and column
};

/// Of triplets that lie in both halves, repeated ones summed: the first in the order of the file whose pair is missing or has another
/// value, by the rule of SymmetricMatrix, in words; empty if there is none. For files already known to be wrong: O(m log m).
std::string find_asymmetry(const Triplets& t, const Places& places, const SymmetryRule<double>& rule);

}  // namespace kauri::io
