// Parses matrices and right-hand sides in Matrix Market files: banner, sizes, values.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/market/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "src/io/file/file.hpp"
#include "src/io/market/entries.hpp"
#include "src/io/matrix/assemble.hpp"
#include "src/io/matrix/asymmetry.hpp"
#include "src/io/matrix/pattern_values.hpp"

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
/// reserves no memory. bytes_each: the least number of bytes of a line with an entry.
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

namespace {

constexpr std::size_t kTripletBytes = 2 * sizeof(Index) + sizeof(double);

std::string line_words(std::string_view bytes, Offset k) {
  return "line " + std::to_string(market_line(bytes, k));
}

template <MarketField kField>
void read_array(TextCursor& text, std::vector<double>& value) {
  const char* expected = kField == MarketField::real ? "one value" : "one integer";
  const auto count = static_cast<Offset>(value.size());
  for (Offset k = 0; k < count; ++k) {
    if (!text.next_line(kMarketComment)) fail_short(text, count, k, "values");
    value[k] = read_market_value<kField>(text, expected);
    text.end_line(expected);
  }
  expect_no_more(text, count, "values");
}

std::vector<double> read_array(TextCursor& text, MarketField field, Offset count) {
  std::vector<double> value(static_cast<std::size_t>(count));
  switch (field) {
    case MarketField::integer:
      read_array<MarketField::integer>(text, value);
      break;
    case MarketField::unsigned_integer:
      read_array<MarketField::unsigned_integer>(text, value);
      break;
    case MarketField::real:
    case MarketField::pattern:
      read_array<MarketField::real>(text, value);
      break;
  }
  return value;
}

/// Returns a matrix with the file's pattern and values 0. If both.storage is full, throws
/// Error(input) naming the first entry without a partner in the other half; else takes the half
/// that both.storage names. Overwrites t.value.
SymmetricMatrix<double> full_pattern(TextCursor& text, Index n, Triplets& t, const BothHalves& both,
                                     const EntryNames& places) {
  const auto half = [&](Storage storage) { return assemble(text.name(), n, t, {storage}, places); };
  std::fill(t.value.begin(), t.value.end(),
            0);  // zero, so that the sum of repeated entries is finite
  if (both.storage != Storage::full) return half(both.storage);
  auto lower = half(Storage::lower_of_full);
  const auto upper = half(Storage::upper_of_full);
  const Pattern a = lower.pattern(), b = upper.pattern();
  if (std::equal(a.col_ptr.begin(), a.col_ptr.end(), b.col_ptr.begin()) &&
      std::equal(a.row.begin(), a.row.end(), b.row.begin(), b.row.end()))
    return lower;
  // Infinite, so that repeated entries have equal sums, which differ from an absent entry's zero.
  std::fill(t.value.begin(), t.value.end(), std::numeric_limits<double>::infinity());
  fail(text.name(),
       find_asymmetry(t, places, SymmetryRule<double>(both.symmetry)) + one_half_words(t));
}

/// Returns the half in which all entries of a file declared "symmetric" lie. Throws Error(input)
/// naming the first entry in the other half.
Storage market_half(std::string_view bytes, std::string_view name, const Triplets& t) {
  const Storage storage = halves_of(t, {}).storage;
  if (storage != Storage::full) return storage;
  Offset first = 0;
  while (t.row[first] == t.col[first]) ++first;
  const bool below = t.row[first] > t.col[first];
  Offset other = first + 1;
  while (below ? t.row[other] >= t.col[other] : t.row[other] <= t.col[other]) ++other;
  const auto entry = [&](Offset k) {
    return "(" + std::to_string(t.row[k] + 1) + ", " + std::to_string(t.col[k] + 1) + ")";
  };
  fail(name, line_words(bytes, other) + ": entry " + entry(other) + " is " +
                 (below ? "above" : "below") + " the diagonal, but " + entry(first) + " in " +
                 line_words(bytes, first) + " is " + (below ? "below" : "above") +
                 " it, expected one half alone of a symmetric matrix");
}

SymmetricMatrix<double> coordinate_matrix(std::string_view bytes, TextCursor& text,
                                          const MarketHeader& header, const MarketSizes& sizes,
                                          const BothHalves& both) {
  Triplets t = read_market_entries(text, header.field, sizes);
  const EntryNames places{[&](Offset k) { return line_words(bytes, k); }};
  const BothHalves halves = header.symmetry == MarketSymmetry::symmetric
                                ? BothHalves{market_half(bytes, text.name(), t)}
                                : both;
  if (header.field != MarketField::pattern)
    return assemble(text.name(), sizes.rows, t, halves, places);
  auto a = full_pattern(text, sizes.rows, t, halves, places);
  set_pattern_values(a);
  return a;
}

/// Returns the matrix of an array, which is stored column by column; a symmetric one holds the
/// lower half. Off-diagonal zeros are dropped.
SymmetricMatrix<double> array_matrix(std::string_view bytes, TextCursor& text,
                                     const MarketHeader& header, Index n, const BothHalves& both) {
  const bool half = header.symmetry == MarketSymmetry::symmetric;
  const std::vector<double> value =
      read_array(text, header.field, market_array_values(header, {n, n, 0}));
  const auto at = [&](Index i, Index j) { return Offset{j} * n + i; };  // index in a whole array
  const SymmetryRule<double> rule(both.symmetry);
  const auto root = [&](Index j) { return SymmetryRule<double>::root(value[at(j, j)]); };
  Triplets t;
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) {
      const Offset k = half ? at(i, j) - Offset{j} * (Offset{j} + 1) / 2
                       : both.storage == Storage::upper_of_full ? at(j, i)
                                                                : at(i, j);
      if (value[k] != 0 || i == j) t.add(i, j, value[k]);
      if (half || both.storage != Storage::full || value[k] == value[at(j, i)]) continue;
      if (rule.agree(value[k], value[at(j, i)], root(i), root(j))) continue;
      Triplets pair;
      pair.add(i, j, value[k]);
      pair.add(j, i, value[at(j, i)]);
      for (const Index d : {i, j}) pair.add(d, d, value[at(d, d)]);
      SeenHalves seen;
      for (Index c = 0; c < n; ++c)
        for (Index r = 0; r < n; ++r) seen.add(r, c, value[at(r, c)]);
      fail(text.name(), find_asymmetry(pair, {[&](Offset side) {
                                         return line_words(bytes, side == 0 ? k : at(j, i));
                                       }},
                                       rule) +
                            seen.words());
    }
  return assemble(text.name(), n, t, {Storage::lower}, {});
}

/// Returns a dense n x n matrix, column by column, from the lower half of a symmetric or
/// skew-symmetric array.
std::vector<double> both_halves(const std::vector<double>& lower, Index n,
                                MarketSymmetry symmetry) {
  const bool skew = symmetry == MarketSymmetry::skew;
  std::vector<double> value(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  Offset k = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = skew ? j + 1 : j; i < n; ++i, ++k) {
      value[Offset{i} * n + j] = skew ? -lower[k] : lower[k];
      value[Offset{j} * n + i] = lower[k];
    }
  return value;
}

/// Throws Error(input) unless all entries lie in one half and, for a skew-symmetric file, none on
/// the diagonal; names the first entry at fault.
void expect_one_half(std::string_view bytes, std::string_view name, const Triplets& t,
                     MarketSymmetry symmetry) {
  (void)market_half(bytes, name, t);
  for (std::size_t k = 0; symmetry == MarketSymmetry::skew && k < t.row.size(); ++k)
    if (t.row[k] == t.col[k])
      fail(name, line_words(bytes, static_cast<Offset>(k)) + ": entry (" +
                     std::to_string(t.row[k] + 1) + ", " + std::to_string(t.col[k] + 1) +
                     ") is on the diagonal of a skew-symmetric file, expected none there");
}

/// Adds the entries to x and, unless the file is general, their partners in the other half. Calls
/// infinite(k) if entry k makes a sum that is not finite.
template <class Infinite>
void add_entries(DenseMatrix& x, const Triplets& t, MarketSymmetry symmetry,
                 const Infinite& infinite) {
  const auto add = [&](Index i, Index j, double value, std::size_t k) {
    double& sum = x.value[i + static_cast<std::size_t>(j) * x.rows];
    sum += value;
    if (!std::isfinite(sum)) infinite(static_cast<Offset>(k));
  };
  for (std::size_t k = 0; k < t.row.size(); ++k) {
    add(t.row[k], t.col[k], t.value[k], k);
    if (symmetry != MarketSymmetry::general && t.row[k] != t.col[k])
      add(t.col[k], t.row[k], symmetry == MarketSymmetry::skew ? -t.value[k] : t.value[k], k);
  }
}

}  // namespace

SymmetricMatrix<double> parse_market_matrix(std::string_view bytes, std::string_view name,
                                            const BothHalves& both, Allowance allowance) {
  TextCursor text(bytes, name);
  const MarketHeader header = read_market_header(text);
  const MarketSizes sizes = read_market_sizes(text, header);
  if (sizes.rows != sizes.cols)
    text.fail_line("the matrix has " + std::to_string(sizes.rows) + " rows and " +
                   std::to_string(sizes.cols) + " columns, expected a square one");
  const bool array = header.layout == MarketLayout::array;
  if (const std::string why = too_many_empty_rows(sizes.rows, sizes.entries, allowance);
      !array && !why.empty())
    text.fail_line(why);
  const Offset entries = array ? market_array_values(header, sizes) : sizes.entries;
  allowance.take(name, static_cast<std::size_t>(entries),
                 kTripletBytes + (array ? sizeof(double) : 0), "entries");
  take_matrix(name, sizes.rows, entries, allowance);
  if (array) return array_matrix(bytes, text, header, sizes.rows, both);
  return coordinate_matrix(bytes, text, header, sizes, both);
}

DenseMatrix parse_market_dense(std::string_view bytes, std::string_view name, Index rows,
                               Allowance allowance) {
  TextCursor text(bytes, name);
  const MarketHeader header = read_market_header(text, true);
  const MarketSizes sizes = read_market_sizes(text, header);
  if (rows != kNone && sizes.rows != rows)
    text.fail_line(std::to_string(sizes.rows) + " rows, expected " + std::to_string(rows));
  expect_some_columns(name, sizes.rows, sizes.cols);
  DenseMatrix x{sizes.rows, sizes.cols, {}};
  const Offset places = Offset{sizes.rows} * sizes.cols;
  const bool half = header.symmetry != MarketSymmetry::general;
  if (header.layout == MarketLayout::array) {
    const Offset values = market_array_values(header, sizes);
    allowance.take(name, static_cast<std::size_t>(half ? values + places : places), sizeof(double),
                   "values");
    x.value = read_array(text, header.field, values);
    if (half) x.value = both_halves(x.value, sizes.rows, header.symmetry);
    return x;
  }
  const Offset free = std::max(
      kFreePlaces, Offset{rows});  // a column takes less than the caller's matrix with as many rows
  const Offset least = places / kSparsest / (half ? 2 : 1);
  if (places > free && least > sizes.entries)
    text.fail_line(std::to_string(sizes.rows) + " x " + std::to_string(sizes.cols) + " with " +
                   std::to_string(sizes.entries) +
                   " entries is too sparse to be read as right-hand sides, expected " +
                   std::to_string(least) + " entries or more");
  allowance.take(name, static_cast<std::size_t>(places), sizeof(double), "values");
  allowance.take(name, static_cast<std::size_t>(sizes.entries), kTripletBytes, "entries");
  const Triplets t = read_market_entries(text, header.field, sizes);
  if (half) expect_one_half(bytes, name, t, header.symmetry);
  x.value.resize(static_cast<std::size_t>(places));
  add_entries(x, t, header.symmetry, [&](Offset k) {
    fail(name, line_words(bytes, k) + ": the sum of the repeated entries (" +
                   std::to_string(t.row[k] + 1) + ", " + std::to_string(t.col[k] + 1) +
                   ") is too large for double precision, expected a finite number");
  });
  return x;
}

}  // namespace kauri::io
