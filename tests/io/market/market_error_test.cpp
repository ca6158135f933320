// Invalid Matrix Market files: the exact error.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "src/io/parse.hpp"
#include "tests/io/io_support.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

const std::string kHead = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kForm =
    "'%%MatrixMarket matrix coordinate|array real|integer|unsigned-integer|pattern "
    "general|symmetric'";

void expect_market_error(const std::string& text, const std::string& expected) {
  test::expect_input_error([&] { io::parse_matrix(text, "a.mtx"); }, "a.mtx: " + expected);
}

TEST(MarketError, Banner) {
  expect_market_error("", "is empty");
  expect_market_error("hello",
                      "is not in a known format: expected Matrix Market or Rutherford-Boeing "
                      "(plain, gzipped, or in a .tar.gz) or SciPy "
                      ".npz; it starts with 'hello'");
  expect_market_error(std::string("\0\x01\x02", 3),
                      "is not in a known format: expected Matrix Market or Rutherford-Boeing "
                      "(plain, gzipped, or in a .tar.gz) or SciPy "
                      ".npz; it starts with '?\?\?'");
  expect_market_error("%%", "line 1: expected " + kForm);
  expect_market_error("%%MatrixMarkt matrix coordinate real general\n",
                      "line 1: expected " + kForm);
  expect_market_error("%%MatrixMarket matrix coordinate real\n",
                      "line 1: expected the five words " + kForm + ", found 4");
  expect_market_error("%%MatrixMarket vector coordinate real general\n",
                      "line 1: object 'vector', expected matrix");
  expect_market_error("%%MatrixMarket matrix dense real general\n",
                      "line 1: unknown layout 'dense', expected coordinate or array");
  expect_market_error(
      "%%MatrixMarket matrix coordinate complex hermitian\n",
      "line 1: the matrix is complex, expected real, integer, unsigned-integer or pattern");
  expect_market_error(
      "%%MatrixMarket matrix coordinate quaternion general\n",
      "line 1: unknown field 'quaternion', expected real, integer, unsigned-integer or pattern");
  expect_market_error("%%MatrixMarket matrix coordinate real hermitian\n",
                      "line 1: the matrix is hermitian, expected symmetric or general");
  expect_market_error("%%MatrixMarket matrix coordinate real skew-symmetric\n",
                      "line 1: the matrix is skew-symmetric, expected symmetric or general");
  expect_market_error("%%MatrixMarket matrix coordinate real round\n",
                      "line 1: unknown symmetry 'round', expected general or symmetric");
  expect_market_error("%%MatrixMarket matrix array pattern symmetric\n",
                      "line 1: an array cannot be a pattern, expected real or integer");
}

TEST(MarketError, Sizes) {
  expect_market_error(kHead, "line 2: expected 'rows columns entries', found the end of the file");
  expect_market_error(kHead + "% only\n%comments\n",
                      "line 4: expected 'rows columns entries', found the end of the file");
  expect_market_error(kHead + "3 3\n",
                      "line 2: expected 'rows columns entries', found the end of the line");
  expect_market_error(kHead + "3 3 1 1\n",
                      "line 2: expected 'rows columns entries', found '1' behind it");
  expect_market_error(kHead + "3.5 3 1\n", "line 2: expected 'rows columns entries', found '3.5'");
  expect_market_error(kHead + "x\n", "line 2: expected 'rows columns entries', found 'x'");
  expect_market_error(kHead + "-1 -1 0\n", "line 2: dimension -1, expected 0 to 2147483647");
  expect_market_error(kHead + "2147483648 2147483648 1\n",
                      "line 2: dimension 2147483648, expected 0 to 2147483647");
  expect_market_error(kHead + "99999999999999999999 3 1\n",
                      "line 2: expected 'rows columns entries', found '99999999999999999999', "
                      "which does not fit 63 bits");
  expect_market_error(kHead + "3 4 1\n1 1 1\n",
                      "line 2: the matrix has 3 rows and 4 columns, expected a square one");
  expect_market_error(kHead + "3 3 -1\n", "line 2: -1 entries, expected a count");
  expect_market_error(kHead + "3 3 9223372036854775807\n1 1 1\n",
                      "line 2: 9223372036854775807 entries are promised, but the 7 bytes that "
                      "follow hold at most 1");
  expect_market_error(kHead + "3 3 9223372036854775808\n1 1 1\n",
                      "line 2: expected 'rows columns entries', found '9223372036854775808', which "
                      "does not fit 63 bits");
  expect_market_error(kHead + "2147483647 2147483647 1\n1 1 1\n",
                      "line 2: 2147483647 rows with 1 entries: most rows would be empty, expected "
                      "536870911 entries or more, or a bound of bytes "
                      "(max_bytes, --max-gb)");
}

/// Rows without entries are accepted up to a limit of memory; those of a pattern get a diagonal and
/// are solvable.
TEST(MarketError, RowsWithoutEntries) {
  const auto pattern = [](const std::string& n) {
    return "%%MatrixMarket matrix coordinate pattern symmetric\n" + n + " " + n + " 2\n2 1\n" + n +
           " 1\n";
  };
  const auto a = io::parse_matrix(pattern("2097152"), "a");
  EXPECT_EQ(a.n(), 2097152);
  EXPECT_EQ(a.pattern().nnz(), 2097152 + 2);
  EXPECT_EQ(a.value().front(), 3);
  EXPECT_EQ(a.value().back(), 2);
  EXPECT_EQ(a.value()[4], 1);  // diagonal of row 2, which has no entry
  test::expect_input_error([&] { io::parse_matrix(pattern("16777217"), "a"); },
                           "a: line 2: 16777217 rows with 2 entries: most rows would be empty, "
                           "expected 4194304 entries or more, or a bound "
                           "of bytes (max_bytes, --max-gb)");
  const auto bounded = [&](const std::string& n, std::size_t most) {
    return test::error_text(
        ErrorKind::memory, [&] { io::parse_matrix(pattern(n), "a", {}, {}, io::Allowance(most)); });
  };
  EXPECT_NE(bounded("2147483647", 1'000'000'000)
                .find("a: 2147483648 columns of the matrix, 24 bytes each, but of max_bytes, "),
            std::string::npos);
  EXPECT_NE(bounded("2097152", 50'000'000).find(" of max_bytes, "), std::string::npos);
  EXPECT_EQ(bounded("2097152", 110'000'000), "no Error");
}

TEST(MarketError, Entries) {
  expect_market_error(kHead + "2 2 2\n1 1 1\n0 1 1\n", "line 4: row 0, expected 1 to 2");
  expect_market_error(kHead + "2 2 2\n1 1 1\n2 0 1\n", "line 4: column 0, expected 1 to 2");
  expect_market_error(kHead + "2 2 2\n1 1 1\n3 1 1\n", "line 4: row 3, expected 1 to 2");
  expect_market_error(kHead + "2 2 2\r\n1 1 1\r\n% c\r\n\r\n2 -3 1\r\n",
                      "line 6: column -3, expected 1 to 2");
  expect_market_error(kHead + "2 2 1\n4294967297 1 1\n", "line 3: row 4294967297, expected 1 to 2");
  expect_market_error(kHead + "2 2 1\n18446744073709551617 1 1\n",
                      "line 3: expected 'row column value', found '18446744073709551617', which "
                      "does not fit 63 bits");
  expect_market_error(kHead + "3 3 4\n1 1 1\n% c\n2 1 1\n3 2 1\n1 3 1\n",
                      "line 7: entry (1, 3) is above the diagonal, but (2, 1) in line 5 is below "
                      "it, expected one half alone of a symmetric "
                      "matrix");
  expect_market_error(kHead + "3 3 3\n1 3 1\n3 3 1\n3 1 1\n",
                      "line 5: entry (3, 1) is below the diagonal, but (1, 3) in line 3 is above "
                      "it, expected one half alone of a symmetric "
                      "matrix");
  expect_market_error(kHead + "2 2 1\n1 1       \n",
                      "line 3: expected 'row column value', found the end of the line");
  expect_market_error(kHead + "2 2 1\n1 1 one\n",
                      "line 3: expected 'row column value', found 'one'");
  expect_market_error(kHead + "2 2 1\n1 1 1.5x\n",
                      "line 3: expected 'row column value', found '1.5x'");
  expect_market_error(kHead + "2 2 1\n1 1 1.5 7\n",
                      "line 3: expected 'row column value', found '7' behind it");
  expect_market_error(kHead + "2 2 1\n1;1;1.5\n",
                      "line 3: expected 'row column value', found '1;1;1.5'");
  expect_market_error(kHead + "2 2 1\n1 1 --5\n",
                      "line 3: expected 'row column value', found '--5'");
  expect_market_error(kHead + "2 2 1\n1 1 +-5\n",
                      "line 3: expected 'row column value', found '+-5'");
  expect_market_error(
      kHead + "2 2 1\n1 1 " + std::string(100, '\x01') + "\n",
      "line 3: expected 'row column value', found '????????????????????????????????????????...'");
  expect_market_error("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 1 1.5\n",
                      "line 3: expected 'row column integer', found '1.5'");
  expect_market_error(
      "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 1\n1 1 "
      "18446744073709551616\n",
      "line 3: expected 'row column integer', found '18446744073709551616', which does not fit 63 "
      "bits");
  expect_market_error(
      "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 1\n1 1 "
      "-9223372036854775809\n",
      "line 3: expected 'row column integer', found '-9223372036854775809', which does not fit 63 "
      "bits");
  for (const std::string half : {"symmetric", "general"}) {
    expect_market_error(
        "%%MatrixMarket matrix coordinate unsigned-integer " + half + "\n2 2 2\n1 1 4\n2 2 -5\n",
        "line 4: value -5 of an unsigned-integer matrix, expected 0 or more");
    expect_market_error(
        "%%MatrixMarket matrix array unsigned-integer " + half +
            "\n1 1\n% c\n-9223372036854775808\n",
        "line 4: value -9223372036854775808 of an unsigned-integer matrix, expected 0 or more");
  }
  expect_market_error("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 1 1.5\n",
                      "line 3: expected 'row column', found '1.5' behind it");
}

TEST(MarketError, Values) {
  for (const std::string value : {"nan", "-NaN", "inf", "-inf", "Infinity", "nan(1)"})
    expect_market_error(kHead + "1 1 1\n% c\n1 1 " + value + "\n",
                        "line 4: value '" + value + "', expected a finite number");
  expect_market_error(
      kHead + "1 1 1\n1 1 1e309\n",
      "line 3: value '1e309' is too large for double precision, expected a finite number");
  expect_market_error(
      kHead + "1 1 1\n1 1 -1D+400\n",
      "line 3: value '-1D+400' is too large for double precision, expected a finite number");
  expect_market_error(kHead + "1 1 1\n1 1 1e99999999999999999999999\n",
                      "line 3: value '1e99999999999999999999999' is too large for double "
                      "precision, expected a finite number");
  expect_market_error(kHead + "1 1 2\n1 1 1e308\n1 1 1e308\n",
                      "line 4: the sum of the repeated entries (1, 1), counted from 1, is too "
                      "large for double precision, expected a finite number");
  expect_market_error(kHead + "2 2 5\n2 1 1e308\n% c\n1 1 1\n2 1 1e308\n2 2 1\n1 1 1\n",
                      "line 6: the sum of the repeated entries (2, 1), counted from 1, is too "
                      "large for double precision, expected a finite number");
}

TEST(MarketError, Counts) {
  expect_market_error(kHead + "2 2 3\n1 1 1.000000\n2 2 1.000000\n",
                      "line 5: the file ends after 2 of the 3 entries promised");
  expect_market_error(kHead + "2 2 1\n1 1 1\n\n% c\n2 2 1\n",
                      "line 6: more than the 1 entries promised");
  expect_market_error(kHead + "0 0 0\n1 1 1\n", "line 3: more than the 0 entries promised");
}

TEST(MarketError, EveryTruncationIsAnErrorOrTheWholeMatrix) {
  const std::string text = kHead + "% c\n3 3 4\n1 1 2.5\n2 1 -1.5\n2 2 30\n3 3 47";
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_THROW(io::parse_matrix(text.substr(0, length), "a"), Error) << length;
  const std::string packed = test::gzip(text);
  for (std::size_t length = 0; length < packed.size(); ++length)
    EXPECT_THROW(io::parse_matrix(packed.substr(0, length), "a"), Error) << length;
}

TEST(MarketError, Asymmetry) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  expect_market_error(
      general + "2 2 3\n1 1 1\n2 1 5\n2 2 1\n",
      "line 4: entry (2, 1) has no partner (1, 2)" + test::kHalvesWords + test::one_half("lower"));
  expect_market_error(
      general + "2 2 3\n% c\n\n1 1 1\n1 2 5\n2 2 1\n",
      "line 6: entry (1, 2) has no partner (2, 1)" + test::kHalvesWords + test::one_half("upper"));
  expect_market_error(general + "2 2 2\n1 2 5\n2 1 4\n",
                      "line 3: entry (1, 2) is 5, but (2, 1) in line 4 is 4: the matrix is not "
                      "symmetric, expected halves that differ by "
                      "at most 2.22e-13 sqrt(|a_ii a_jj|)");
  // The first of several in the file is named; sums of repeated entries are compared.
  expect_market_error(general + "3 3 6\n2 1 1\n3 2 7\n1 3 2\n2 3 7\n1 2 1\n3 2 1\n",
                      "line 4: entry (3, 2) is 8, but (2, 3) in line 6 is 7: the matrix is not "
                      "symmetric, expected halves that differ by "
                      "at most 2.22e-13 sqrt(|a_ii a_jj|)");
  expect_market_error(
      "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
      "line 3: entry (1, 2) has no partner (2, 1)" + test::kHalvesWords + test::one_half("upper"));
  expect_market_error("%%MatrixMarket matrix array real general\n2 2\n1\n0.5\n% c\n0.25\n1\n",
                      "line 4: entry (2, 1) is 0.5, but (1, 2) in line 6 is 0.25: the matrix is "
                      "not symmetric, expected halves that differ "
                      "by at most 2.22e-13 sqrt(|a_ii a_jj|)");
}

TEST(MarketError, Arrays) {
  const std::string array = "%%MatrixMarket matrix array real symmetric\n";
  expect_market_error(array + "2 2\n1\n",
                      "line 2: 3 entries are promised, but the 3 bytes that follow hold at most 2");
  expect_market_error(array + "2 2\n1.00\n2.00\n",
                      "line 5: the file ends after 2 of the 3 values promised");
  expect_market_error(array + "2 2\n1\n2\n3\n4\n", "line 6: more than the 3 values promised");
  expect_market_error(array + "2 3\n1\n2\n3\n",
                      "line 2: the matrix has 2 rows and 3 columns, expected a square one");
  expect_market_error("%%MatrixMarket matrix array real general\n1 2\n1\n2\n",
                      "line 2: the matrix has 1 rows and 2 columns, expected a square one");
  expect_market_error(array + "2147483647 2147483647\n1\n",
                      "line 2: 2305843008139952128 entries are promised, but the 3 bytes that "
                      "follow hold at most 2");
}

TEST(MarketError, Gzip) {
  const std::string packed = test::gzip(kHead + "1 1 1\n1 1 1\n");
  expect_market_error(packed.substr(0, packed.size() - 9),
                      "the compressed data are cut short after " +
                          std::to_string(packed.size() - 9) +
                          " bytes; write or copy the file again");
  expect_market_error(packed + "rubbish", "7 bytes follow the end of the gzip data at byte " +
                                              std::to_string(packed.size()) + ", expected none");
  expect_market_error(test::gzip(""), "is empty inside its gzip wrapping");
  std::string damaged = packed;
  damaged[packed.size() - 6] =
      static_cast<char>(damaged[packed.size() - 6] ^ 1);  // in the checksum
  expect_market_error(damaged, "the compressed data are damaged near byte " +
                                   std::to_string(packed.size() - 4) +
                                   " (incorrect data check); write or copy the file again");
}

}  // namespace
}  // namespace kauri
