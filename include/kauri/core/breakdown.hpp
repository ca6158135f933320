// A failed factorisation in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "kauri/core/error.hpp"

namespace kauri {

/// Returns the breakdown in words: "not positive definite: column 3 met the pivot -2". base: 0 or
/// 1, from which the reader of the text counts columns; without one the column counts from 0 and
/// the text says so: "column 3 (counted from 0)". A column of kNone is "a column". The pivot is
/// rounded to six digits.
std::string describe(const Breakdown& breakdown, std::optional<Index> base = std::nullopt);

}  // namespace kauri
