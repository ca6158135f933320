// Reads the lines of entries of a Matrix Market file.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/market/entries.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/threads/blocks.hpp"
#include "kauri/core/error.hpp"

namespace kauri::io {
namespace {

const char* entry_form(MarketField field) {
  switch (field) {
    case MarketField::pattern:
      return "'row column'";
    case MarketField::integer:
    case MarketField::unsigned_integer:
      return "'row column integer'";
    case MarketField::real:
      break;
  }
  return "'row column value'";
}

Index index_up_to(TextCursor& text, const char* expected, const char* what, Index most) {
  const Offset value = text.integer(expected);
  if (value < 1 || value > most)
    text.fail_line(std::string(what) + " " + std::to_string(value) + ", expected 1 to " +
                   std::to_string(most));
  return static_cast<Index>(value - 1);
}

/// Reads the line at the cursor as entry k.
template <MarketField kField>
void read_entry(TextCursor& text, const MarketSizes& sizes, Offset k, Triplets& t) {
  const char* expected = entry_form(kField);
  t.row[k] = index_up_to(text, expected, "row", sizes.rows);
  t.col[k] = index_up_to(text, expected, "column", sizes.cols);
  t.value[k] = read_market_value<kField>(text, expected);
  text.end_line(expected);
}

/// Cuts the text into pieces of about `size` bytes, each ending at a line end.
std::vector<std::string_view> cut(std::string_view body, std::size_t size) {
  std::vector<std::string_view> pieces;
  while (!body.empty()) {
    std::size_t end = std::min(size, body.size());
    while (end < body.size() && body[end - 1] != '\n' && body[end - 1] != '\r') ++end;
    if (end < body.size() && body[end - 1] == '\r' && body[end] == '\n') ++end;
    pieces.push_back(body.substr(0, end));
    body.remove_prefix(end);
  }
  return pieces;
}

Offset count_entries(std::string_view piece) {
  TextCursor text(piece, "");
  Offset count = 0;
  for (; text.next_line(kMarketComment); ++count) text.rest_of_line();
  return count;
}

/// Reads the text `body` into t, in parallel by pieces. size: bytes of a piece. Returns false if
/// `body` does not hold exactly sizes.entries sound entries; t is then incomplete.
template <MarketField kField>
bool read_pieces(std::string_view body, std::size_t size, const MarketSizes& sizes, Triplets& t) {
  const std::vector<std::string_view> pieces = cut(body, size);
  if (pieces.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) return false;
  std::vector<Offset> first(pieces.size() + 1, 0);
  const Blocks blocks(static_cast<Index>(pieces.size()), 1);
  blocks.for_each([&](Index b, Index, Index) { first[b + 1] = count_entries(pieces[b]); });
  for (std::size_t b = 0; b < pieces.size(); ++b) first[b + 1] += first[b];
  if (first.back() != sizes.entries) return false;
  try {
    blocks.for_each([&](Index b, Index, Index) {
      TextCursor text(pieces[b], "");
      for (Offset k = first[b]; k < first[b + 1] && text.next_line(kMarketComment); ++k)
        read_entry<kField>(text, sizes, k, t);
    });
  } catch (const Error&) {
    return false;
  }
  return true;
}

template <MarketField kField>
Triplets read_all(TextCursor& text, const MarketSizes& sizes, std::size_t piece) {
  Triplets t;
  t.resize(static_cast<std::size_t>(sizes.entries));
  const std::string_view body = text.rest();
  if (body.size() > piece && read_pieces<kField>(body, piece, sizes, t)) return t;
  for (Offset k = 0; k < sizes.entries; ++k) {
    if (!text.next_line(kMarketComment)) fail_short(text, sizes.entries, k, "entries");
    read_entry<kField>(text, sizes, k, t);
  }
  expect_no_more(text, sizes.entries, "entries");
  return t;
}

}  // namespace

void expect_no_more(TextCursor& text, Offset promised, const char* what) {
  if (text.next_line(kMarketComment))
    text.fail_line("more than the " + std::to_string(promised) + " " + what + " promised");
}

void fail_short(const TextCursor& text, Offset promised, Offset found, const char* what) {
  text.fail_line("the file ends after " + std::to_string(found) + " of the " +
                 std::to_string(promised) + " " + what + " promised");
}

Triplets read_market_entries(TextCursor& text, MarketField field, const MarketSizes& sizes,
                             std::size_t piece) {
  switch (field) {
    case MarketField::pattern:
      return read_all<MarketField::pattern>(text, sizes, piece);
    case MarketField::integer:
      return read_all<MarketField::integer>(text, sizes, piece);
    case MarketField::unsigned_integer:
      return read_all<MarketField::unsigned_integer>(text, sizes, piece);
    case MarketField::real:
      break;
  }
  return read_all<MarketField::real>(text, sizes, piece);
}

Offset market_line(std::string_view bytes, Offset k) {
  TextCursor text(bytes, "");
  text.rest_of_line();  // the banner
  for (k += 1; text.next_line(kMarketComment) && k > 0; --k)
    text.rest_of_line();  // the line of sizes, then k entries
  return text.line();
}

}  // namespace kauri::io
