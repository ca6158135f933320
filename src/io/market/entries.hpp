// Reads the entries of a Matrix Market file in coordinate layout, in parallel if there are many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "base/common/digits.hpp"
#include "src/io/market/matrix_market.hpp"
#include "src/io/matrix/triplets.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {

/// Number of bytes of text that one task reads.
inline constexpr std::size_t kMarketPiece = std::size_t{1} << 20;

/// Returns the entries after the line of sizes, in the order of the file. The threads of the
/// calling arena cut the text at line ends into pieces of about `piece` bytes, count the entries of
/// each piece, then read each piece into its part of the arrays. Entries of patterns get the value
/// 1. If anything is wrong, one thread reads the text again: Error(input) so names the first wrong
/// line, whatever the number of threads.
Triplets read_market_entries(TextCursor& text, MarketField field, const MarketSizes& sizes,
                             std::size_t piece = kMarketPiece);

/// Reads one value of an array or an entry, of the given field type; for a pattern reads nothing
/// and returns 1.
template <MarketField kField>
double read_market_value(TextCursor& text, const char* expected) {
  if constexpr (kField == MarketField::pattern) return 1;
  if constexpr (kField == MarketField::real) return text.real(expected);
  const double value = text.whole_number(expected);
  if (kField == MarketField::unsigned_integer && value < 0)
    text.fail_line("value " + digits(value) + " of an unsigned-integer matrix, expected 0 or more");
  return value;
}

/// fail_short() throws Error(input) at the end of a file with fewer lines than promised;
/// expect_no_more() throws it at a line too many.
[[noreturn]] void fail_short(const TextCursor& text, Offset promised, Offset found,
                             const char* what);
void expect_no_more(TextCursor& text, Offset promised, const char* what);

/// Returns the line number of entry (or value) k, counted from 0, in a whole valid file.
Offset market_line(std::string_view bytes, Offset k);

}  // namespace kauri::io
