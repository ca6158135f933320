// Reads the banner and the sizes of a Matrix Market file.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/market/header.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace kauri::io {
namespace {

std::vector<std::string> lower_case_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    std::string& word = words.emplace_back(line.substr(at, end - at));
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    at = end;
  }
  return words;
}

constexpr const char* kBanner =
    "'%%MatrixMarket matrix coordinate|array real|integer|unsigned-integer|pattern "
    "general|symmetric'";

MarketField field_of(const std::string& word, const TextCursor& text) {
  if (word == "real" || word == "double") return MarketField::real;
  if (word == "integer") return MarketField::integer;
  if (word == "unsigned-integer")
    return MarketField::unsigned_integer;  // as SciPy writes uint32 and uint64
  if (word == "pattern") return MarketField::pattern;
  if (word == "complex")
    text.fail_line("the matrix is complex, expected real, integer, unsigned-integer or pattern");
  text.fail_line("unknown field '" + printable(word) +
                 "', expected real, integer, unsigned-integer or pattern");
}

MarketSymmetry symmetry_of(const std::string& word, const TextCursor& text, bool skew) {
  if (word == "general") return MarketSymmetry::general;
  if (word == "symmetric") return MarketSymmetry::symmetric;
  if (word == "skew-symmetric" && skew) return MarketSymmetry::skew;
  if (word == "hermitian" || word == "skew-symmetric")
    text.fail_line("the matrix is " + word + ", expected symmetric or general");
  text.fail_line("unknown symmetry '" + printable(word) + "', expected general or symmetric");
}

Index dimension(TextCursor& text, const char* expected) {
  const Offset value = text.integer(expected);
  if (value < 0 || value > std::numeric_limits<Index>::max())
    text.fail_line("dimension " + std::to_string(value) + ", expected 0 to " +
                   std::to_string(std::numeric_limits<Index>::max()));
  return static_cast<Index>(value);
}

/// Throws Error(input) if the bytes left cannot hold the claimed entries, so that a claim alone
/// reserves no memory.
void check_entries(const TextCursor& text, Offset entries, Offset bytes_each) {
  if (entries < 0) text.fail_line(std::to_string(entries) + " entries, expected a count");
  const Offset most = (static_cast<Offset>(text.bytes_left()) + 1) /
                      bytes_each;  // the last line may lack its line end
  if (entries > most)
    text.fail_line(std::to_string(entries) + " entries are promised, but the " +
                   std::to_string(text.bytes_left()) + " bytes that follow hold at most " +
                   std::to_string(most));
}

}  // namespace

Offset market_array_values(const MarketHeader& header, const MarketSizes& sizes) {
  const Offset n = sizes.rows;
  if (header.symmetry == MarketSymmetry::skew) return n * (n - 1) / 2;
  return header.symmetry == MarketSymmetry::symmetric ? n * (n + 1) / 2 : n * sizes.cols;
}

MarketHeader read_market_header(TextCursor& text, bool skew) {
  const std::vector<std::string> words = lower_case_words(text.rest_of_line());
  if (words.empty() || words[0] != "%%matrixmarket")
    text.fail_line(std::string("expected ") + kBanner);
  if (words.size() != 5)
    text.fail_line("expected the five words " + std::string(kBanner) + ", found " +
                   std::to_string(words.size()));
  if (words[1] != "matrix") text.fail_line("object '" + printable(words[1]) + "', expected matrix");
  MarketHeader header{};
  if (words[2] == "coordinate") {
    header.layout = MarketLayout::coordinate;
  } else if (words[2] == "array") {
    header.layout = MarketLayout::array;
  } else {
    text.fail_line("unknown layout '" + printable(words[2]) + "', expected coordinate or array");
  }
  header.field = field_of(words[3], text);
  header.symmetry = symmetry_of(words[4], text, skew);
  if (header.layout == MarketLayout::array && header.field == MarketField::pattern)
    text.fail_line("an array cannot be a pattern, expected real or integer");
  return header;
}

MarketSizes read_market_sizes(TextCursor& text, const MarketHeader& header) {
  const bool coordinate = header.layout == MarketLayout::coordinate;
  const char* expected = coordinate ? "'rows columns entries'" : "'rows columns'";
  if (!text.next_line(kMarketComment))
    text.fail_line(std::string("expected ") + expected + ", found the end of the file");
  MarketSizes sizes;
  sizes.rows = dimension(text, expected);
  sizes.cols = dimension(text, expected);
  if (coordinate) sizes.entries = text.integer(expected);
  text.end_line(expected);
  if (header.symmetry != MarketSymmetry::general && sizes.rows != sizes.cols)
    text.fail_line("the matrix has " + std::to_string(sizes.rows) + " rows and " +
                   std::to_string(sizes.cols) + " columns, expected a square one");
  if (coordinate)
    check_entries(text, sizes.entries,
                  header.field == MarketField::pattern ? 4 : 6);  // "1 1\n", "1 1 1\n"
  else
    check_entries(text, market_array_values(header, sizes), 2);  // "1\n"
  return sizes;
}

}  // namespace kauri::io
