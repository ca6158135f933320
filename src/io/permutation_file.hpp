// Parses text files of permutations from memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "kauri/core/types.hpp"
#include "src/io/file/allowance.hpp"

namespace kauri::io {

/// Returns old_of from a text with one zero-based row number per line: the k-th number is the row
/// of A that is eliminated k-th. Lines that start with % or # are comments. Throws Error(input)
/// naming the line of a number that is out of range or repeated.
std::vector<Index> parse_permutation(std::string_view text, std::string_view name,
                                     Allowance allowance = {});

}  // namespace kauri::io
