// Matrix Market files read piece by piece give the matrix and the errors of a sequential reading,
// for any pieces and threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/threads/allowed_threads.hpp"
#include "kauri/extras/generate.hpp"
#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/market/entries.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

const std::string kPiecesHead = "%%MatrixMarket matrix coordinate real symmetric\n";
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

/// Returns the entries, or the error, as text.
std::string outcome(const std::string& bytes, std::size_t piece, int threads) {
  std::string words;
  with_threads(threads, [&] {
    try {
      io::TextCursor text(bytes, "f");
      const auto header = io::read_market_header(text);
      const auto t =
          io::read_market_entries(text, header.field, io::read_market_sizes(text, header), piece);
      for (std::size_t k = 0; k < t.row.size(); ++k)
        words += std::to_string(t.row[k]) + " " + std::to_string(t.col[k]) + " " +
                 std::to_string(t.value[k]) + "\n";
    } catch (const Error& e) {
      words = e.what();
    }
  });
  return words;
}

TEST(MarketPieces, GiveWhatTheWholeTextGives) {
  const std::string body =
      "5 5 7\n1 1 2.5\n% comment 1 2 3\n\n2 1 -1\r\n2 2 30\r\n\r\n  3 2 1e-3\r3 3 47\n%\n4 4 1\n5 "
      "5 9\n% end";
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = body;
    return kPiecesHead + text.replace(text.find(from), from.size(), to);
  };
  const std::string texts[] = {
      kPiecesHead + body,         kPiecesHead + body + "\n\n",
      replaced("5 5 7", "5 5 8"), replaced("5 5 7", "5 5 6"),
      replaced("-1", "nan"),      replaced("1e-3", "x"),
      replaced("4 4", "4 6"),     replaced("3 3 47", "3 4 47"),
      replaced("4 4 1", "4 4"),   replaced("2 1 -1\r\n2 2 30", "2 1 nan\r\n2 2 inf")};
  for (const std::string& text : texts) {
    const std::string whole = outcome(text, kWhole, 1);
    for (std::size_t piece = 1; piece < text.size(); piece += piece < 40 ? 1 : 7)
      for (const int threads : {1, 3})
        EXPECT_EQ(outcome(text, piece, threads), whole) << piece << "\n" << text;
  }
  EXPECT_EQ(outcome(texts[9], 8, 3), "f: line 6: value 'nan', expected a finite number");
}

TEST(MarketPieces, LargeFilesAreTheSameByAnyThreads) {
  const auto a = generate("poisson2d 220");  // more than two pieces
  const test::TempFile file(".mtx");
  write_matrix(file.path(), a.view());
  ASSERT_GT(io::read_file(file.path()).size(), 2 * io::kMarketPiece);
  for (const int threads : {1, 2, 5, 0}) {
    const auto b = read_matrix(file.path(), threads);
    EXPECT_TRUE(std::equal(a.pattern().row.begin(), a.pattern().row.end(), b.pattern().row.begin(),
                           b.pattern().row.end()))
        << threads;
    EXPECT_TRUE(std::equal(a.value().begin(), a.value().end(), b.value().begin(), b.value().end()))
        << threads;
  }
}

}  // namespace
}  // namespace kauri
