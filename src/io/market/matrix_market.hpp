// Parses Matrix Market files from memory: their first lines, and the matrix (Boisvert, Pozo &
// Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/matrix.hpp"
#include "kauri/extras/io.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"
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

/// Reads the line of sizes. Throws Error(input) for dimensions that are negative or beyond 2^31 -
/// 1, for a symmetric or skew-symmetric matrix that is not square, and for more entries than the
/// bytes left can hold.
MarketSizes read_market_sizes(TextCursor& text, const MarketHeader& header);

/// Returns a symmetric matrix, from coordinate layout or from a dense array (off-diagonal zeros are
/// dropped). A file declared "symmetric" holds one half, the lower one by the standard, or the
/// upper one; entries in both are an error. Comments and blank lines may stand anywhere after line
/// 1. Throws Error(input) with `name` and the line; for a general file whose halves differ, the
/// first line that does. The threads of the calling arena parse it. Memory is reserved only after
/// the header's claims are compared with the bytes given.
SymmetricMatrix<double> parse_market_matrix(std::string_view text, std::string_view name,
                                            const BothHalves& both = {}, Allowance allowance = {});

/// Returns a dense matrix from array layout, or from coordinate layout (absent entries are zero,
/// repeated ones are summed); general, symmetric or skew-symmetric. `rows`: required number of
/// rows, or kNone. Throws Error(input) as parse_market_matrix(), and for a coordinate file that is
/// too sparse (kSparsest).
DenseMatrix parse_market_dense(std::string_view text, std::string_view name, Index rows = kNone,
                               Allowance allowance = {});

}  // namespace kauri::io
