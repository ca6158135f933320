// First lines of a Matrix Market file (Boisvert, Pozo & Remington, "The Matrix Market Exchange
// Formats", NISTIR 5935, 1996).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "src/io/text/text.hpp"

namespace kauri::io {

enum class MarketLayout { coordinate, array };
enum class MarketField { real, integer, unsigned_integer, pattern };
enum class MarketSymmetry { general, symmetric, skew };

struct MarketHeader {
  MarketLayout layout;
  MarketField field;
  MarketSymmetry symmetry;
};

struct MarketSizes {
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;  ///< entries of the coordinate layout, as the file claims
};

/// Returns the number of values of an array: a symmetric one holds the lower half, a skew-symmetric
/// one the lower half without the diagonal.
Offset market_array_values(const MarketHeader& header, const MarketSizes& sizes);

/// Characters with which a comment line begins.
inline constexpr std::string_view kMarketComment = "%";

inline bool is_matrix_market(std::string_view bytes) { return bytes.starts_with("%%"); }

/// Reads the first line. Throws Error(input) for what kauri does not read: complex, hermitian,
/// vectors, unknown words; skew-symmetric unless `skew`.
MarketHeader read_market_header(TextCursor& text, bool skew = false);

/// Reads the line of sizes. Throws Error(input) for dimensions beyond 2^31 - 1, and for more
/// entries than the bytes left can hold.
MarketSizes read_market_sizes(TextCursor& text, const MarketHeader& header);

}  // namespace kauri::io
