// Matrix Market: entries.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/matrix_market.hpp"

#include <cmath>
#include <vector>

#include "src/io/assemble.hpp"
#include "src/io/file.hpp"
#include "src/io/matrix_market_header.hpp"

namespace kauri::io {
namespace {

struct Triplets {
  std::vector<Index> row, col;
  std::vector<double> value;
};

const char* entry_form(MarketField field) {
  switch (field) {
    case MarketField::pattern:
      return "'row column'";
    case MarketField::integer:
      return "'row column integer'";
    case MarketField::real:
      break;
  }
  return "'row column value'";
}

Index index_up_to(TextCursor& text, const char* expected, const char* what, Index most) {
  const Offset value = text.integer(expected);
  if (value < 1 || value > most)
    text.fail_line(std::string(what) + " " + std::to_string(value) + ", expected 1 to " + std::to_string(most));
  return static_cast<Index>(value - 1);
}

template <MarketField kField>
double read_value(TextCursor& text, const char* expected) {
  if constexpr (kField == MarketField::pattern) return 1;
  if constexpr (kField == MarketField::integer) return static_cast<double>(text.integer(expected));
  return text.real(expected);
}

void no_more_lines(TextCursor& text, Offset entries, const char* what) {
  if (text.next_line(kMarketComment)) text.fail_line("more than the " + std::to_string(entries) + " " + what + " promised");
}

[[noreturn]] void fail_short(const TextCursor& text, Offset promised, Offset found, const char* what) {
  text.fail_line("the file ends after " + std::to_string(found) + " of the " + std::to_string(promised) + " " + what + " promised");
}

template <MarketField kField>
Triplets read_entries(TextCursor& text, const MarketSizes& sizes, bool lower_only) {
  const char* expected = entry_form(kField);
  Triplets t;
  t.row.resize(static_cast<std::size_t>(sizes.entries));
  t.col.resize(t.row.size());
  t.value.resize(t.row.size());
  for (Offset k = 0; k < sizes.entries; ++k) {
    if (!text.next_line(kMarketComment)) fail_short(text, sizes.entries, k, "entries");
    const Index i = index_up_to(text, expected, "row", sizes.rows), j = index_up_to(text, expected, "column", sizes.cols);
    if (lower_only && i < j)
      text.fail_line("entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                     ") is above the diagonal; a symmetric file holds the lower half only");
    t.row[k] = i;
    t.col[k] = j;
    t.value[k] = read_value<kField>(text, expected);
    text.end_line(expected);
  }
  no_more_lines(text, sizes.entries, "entries");
  return t;
}

Triplets read_entries(TextCursor& text, const MarketHeader& header, const MarketSizes& sizes) {
  const bool lower_only = header.symmetry == MarketSymmetry::symmetric;
  switch (header.field) {
    case MarketField::pattern:
      return read_entries<MarketField::pattern>(text, sizes, lower_only);
    case MarketField::integer:
      return read_entries<MarketField::integer>(text, sizes, lower_only);
    case MarketField::real:
      break;
  }
  return read_entries<MarketField::real>(text, sizes, lower_only);
}

/// Values of a matrix given by its pattern: -1 off the diagonal, 1 + (entries off the diagonal of the row) on it.
void set_pattern_values(SymmetricMatrix<double>& a) {
  const Pattern p = a.pattern();
  const auto value = a.value();
  for (Index j = 0; j < p.n; ++j) value[p.col_ptr[j]] = 1;
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j] + 1; k < p.col_ptr[j + 1]; ++k) {
      value[k] = -1;
      value[p.col_ptr[j]] += 1;
      value[p.col_ptr[p.row[k]]] += 1;
    }
}

template <MarketField kField>
void read_array(TextCursor& text, DenseMatrix& x) {
  const char* expected = kField == MarketField::integer ? "one integer" : "one value";
  const auto count = static_cast<Offset>(x.value.size());
  for (Offset k = 0; k < count; ++k) {
    if (!text.next_line(kMarketComment)) fail_short(text, count, k, "values");
    x.value[k] = read_value<kField>(text, expected);
    text.end_line(expected);
  }
  no_more_lines(text, count, "values");
}

}  // namespace

SymmetricMatrix<double> parse_market_matrix(std::string_view bytes, std::string_view name) {
  TextCursor text(bytes, name);
  const MarketHeader header = read_market_header(text);
  if (header.layout == MarketLayout::array) text.fail_line("the matrix is a dense array, expected coordinate");
  const MarketSizes sizes = read_market_sizes(text, header);
  if (sizes.rows != sizes.cols)
    text.fail_line("the matrix has " + std::to_string(sizes.rows) + " rows and " + std::to_string(sizes.cols) +
                   " columns, expected a square one");
  if (too_many_empty_rows(sizes.rows, sizes.entries))
    text.fail_line(std::to_string(sizes.rows) + " rows with " + std::to_string(sizes.entries) + " entries: most rows would be empty");
  const Triplets t = read_entries(text, header, sizes);
  const Storage storage = header.symmetry == MarketSymmetry::symmetric ? Storage::lower : Storage::full;
  auto a = assemble(name, [&] { return SymmetricMatrix<double>::from_triplets(sizes.rows, t.row, t.col, t.value, storage); });
  if (header.field == MarketField::pattern) set_pattern_values(a);
  return a;
}

DenseMatrix parse_market_dense(std::string_view bytes, std::string_view name) {
  TextCursor text(bytes, name);
  const MarketHeader header = read_market_header(text);
  if (header.symmetry != MarketSymmetry::general) text.fail_line("right-hand sides cannot be symmetric, expected general");
  const MarketSizes sizes = read_market_sizes(text, header);
  DenseMatrix x{sizes.rows, sizes.cols, {}};
  if (header.layout == MarketLayout::array) {
    x.value.resize(static_cast<std::size_t>(sizes.rows) * static_cast<std::size_t>(sizes.cols));
    header.field == MarketField::integer ? read_array<MarketField::integer>(text, x) : read_array<MarketField::real>(text, x);
    return x;
  }
  const Offset places = Offset{sizes.rows} * sizes.cols;
  if (places > kFreeRows && places / kSparsest > sizes.entries)
    text.fail_line(std::to_string(sizes.rows) + " x " + std::to_string(sizes.cols) + " with " + std::to_string(sizes.entries) +
                   " entries is too sparse to be read as right-hand sides");
  const Triplets t = read_entries(text, header, sizes);
  x.value.resize(static_cast<std::size_t>(places));
  for (std::size_t k = 0; k < t.row.size(); ++k) x.value[t.row[k] + static_cast<std::size_t>(t.col[k]) * sizes.rows] += t.value[k];
  for (std::size_t k = 0; k < x.value.size(); ++k)
    if (!std::isfinite(x.value[k])) fail(name, "a sum of repeated entries is too large for double precision");
  return x;
}

}  // namespace kauri::io
