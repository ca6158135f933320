// Finds the entry of a file that makes its matrix unsymmetric.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "base/matrix/symmetry.hpp"
#include "src/io/matrix/triplets.hpp"

namespace kauri::io {

/// Words for the entries of a file in error messages.
struct EntryNames {
  std::function<std::string(Offset)> words =
      {};           ///< place of entry k, such as "line 7"; may be empty
  Index first = 1;  ///< the number of the first row and column, 0 or 1
};

/// Returns in words the first entry in the order of the file whose partner is missing or has
/// another value, by the rule of SymmetricMatrix; an empty string if there is none. The triplets
/// lie in both halves; repeated ones are summed. O(m log m), for files already known to be wrong.
std::string find_asymmetry(const Triplets& t, const EntryNames& places,
                           const SymmetryRule<double>& rule);

}  // namespace kauri::io
