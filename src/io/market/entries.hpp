// The entries of a Matrix Market file in coordinate layout, read by all threads where there are many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "base/common/digits.hpp"
#include "src/io/market/header.hpp"
#include "src/io/matrix/triplets.hpp"
#include "src/io/text/text.hpp"

namespace kauri::io {

/// Text that is worth a task.
inline constexpr std::size_t kMarketPiece = std::size_t{1} << 20;

/// The entries behind the line of sizes, in the order of the file, by the threads of the calling arena: the text is cut behind line ends
/// into pieces of so many bytes, the entries of each piece are counted, then read to their places. Patterns get ones. Whatever is wrong is
/// told by a second reading on one thread: Error(input) names the first line that is wrong, by any number of threads.
Triplets read_market_entries(TextCursor& text, MarketField field, const MarketSizes& sizes, std::size_t piece = kMarketPiece);

/// One value of an array or an entry, as the field asks for.
template <MarketField kField>
double read_market_value(TextCursor& text, const char* expected) {
  if constexpr (kField == MarketField::pattern) return 1;
  if constexpr (kField == MarketField::real) return text.real(expected);
  const double value = text.whole_number(expected);
  if (kField == MarketField::unsigned_integer && value < 0)
    text.fail_line("value " + digits(value) + " of an unsigned-integer matrix, expected 0 or more");
  return value;
}

/// Throws Error(input) at the end of a file that holds fewer lines than promised, or at a line too many.
[[noreturn]] void fail_short(const TextCursor& text, Offset promised, Offset found, const char* what);
void expect_no_more(TextCursor& text, Offset promised, const char* what);

/// The number of the line of entry (or value) k, counted from 0, of a whole file that is sound.
Offset market_line(std::string_view bytes, Offset k);

}  // namespace kauri::io
