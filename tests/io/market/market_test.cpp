// Valid Matrix Market files.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/market/matrix_market.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/packed/zip.hpp"
#include "src/io/parse.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

using test::dense;
using Values = std::vector<double>;

const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

Values parse(const std::string& text) { return dense(io::parse_matrix(text, "f")); }

const Values kThree = {2, -1, 0, -1, 3, 0.5, 0, 0.5, 4};

TEST(Market, ReadsTheLowerHalf) {
  EXPECT_EQ(parse(kSymmetric + "3 3 5\n1 1 2\n2 1 -1\n2 2 3\n3 2 0.5\n3 3 4\n"), kThree);
}

TEST(Market, ReadsUnsortedEntriesCommentsBlankLinesAndOddBlanks) {
  EXPECT_EQ(parse(kSymmetric + "% a comment\n\n  \t\n%another\n 3\t3  5 \n\n3 3 +4.0e0\n% "
                               "between\n\t2 2 3.\n2 1 -1E+0\n   3 2 .5\n1 1 2.000   \n\n%end\n"),
            kThree);
}

TEST(Market, ReadsAllLineEnds) {
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate real symmetric\r\n%c\r\n3 3 5\r\n1 1 2\r\n2 1 "
                  "-1\r\n\r\n2 2 3\r\n3 2 0.5\r\n3 3 4"),
            kThree);
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate real symmetric\r3 3 5\r1 1 2\r2 1 -1\r2 2 3\r3 "
                  "2 0.5\r3 3 4\r"),
            kThree);
}

TEST(Market, ReadsWordsInAnyCase) {
  EXPECT_EQ(parse("%%matrixmarket MATRIX Coordinate REAL Symmetric\n1 1 1\n1 1 9\n"), Values{9});
}

TEST(Market, ReadsGeneralFilesThatAreSymmetric) {
  EXPECT_EQ(parse(kGeneral + "3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 3\n2 3 0.5\n3 2 0.5\n3 3 4\n"),
            kThree);
}

TEST(Market, SumsRepeatedEntriesAndStoresMissingDiagonals) {
  const auto a = io::parse_matrix(kSymmetric + "2 2 3\n2 1 1\n1 1 5\n2 1 0.25\n", "f");
  EXPECT_EQ(dense(a), (Values{5, 1.25, 1.25, 0}));
  EXPECT_EQ(a.nnz(), 3);
}

TEST(Market, ReadsIntegers) {
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 +7\n2 1 -3\n2 2 "
                  "9007199254740993\n"),
            (Values{7, -3, -3, 9007199254740992.0}));
}

TEST(Market, GivesPatternsALaplacianPlusOne) {
  const std::string lines = "3 3 3\n1 1\n2 1\n3 2\n";
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate pattern symmetric\n" + lines),
            (Values{2, -1, 0, -1, 3, -1, 0, -1, 2}));
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n2 1\n1 1"),
            (Values{2, -1, -1, 2}));  // repeats count once
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n"),
            (Values{2, -1, -1, 2}));
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n2 1\n1 2\n2 1\n"),
            (Values{2, -1, -1, 2}));
}

TEST(Market, ReadsArrays) {
  EXPECT_EQ(parse("%%MatrixMarket matrix array real symmetric\n3 3\n2\n-1\n0\n3\n% c\n0.5\n4\n"),
            kThree);
  EXPECT_EQ(
      parse("%%MatrixMarket matrix array real general\n3 3\n2\n-1\n0\n-1\n3\n0.5\n0\n0.5\n4\n"),
      kThree);
  EXPECT_EQ(
      io::parse_matrix("%%MatrixMarket matrix array integer symmetric\n2 2\n0\n0\n7\n", "f").nnz(),
      2);
  EXPECT_EQ(io::parse_matrix("%%MatrixMarket matrix array real general\n0 0\n", "f").n(), 0);
}

TEST(Market, ReadsEmptyAndLargeEmptyMatrices) {
  EXPECT_EQ(io::parse_matrix(kSymmetric + "0 0 0\n", "f").n(), 0);
  const auto a = io::parse_matrix(kSymmetric + "1000000 1000000 0", "f");
  EXPECT_EQ(a.n(), 1000000);
  EXPECT_EQ(a.nnz(), 1000000);
}

TEST(Market, ReadsEveryDoubleBack) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    EXPECT_EQ(parse(kSymmetric + "1 1 1\n1 1 " + digits + "\n"), Values{x}) << digits;
  }
}

TEST(Market, ReadsUnusualNumbers) {
  const auto one = [](const std::string& number) {
    return parse(kSymmetric + "1 1 1\n1 1 " + number + "\n").at(0);
  };
  EXPECT_EQ(one("1D3"), 1000);
  EXPECT_EQ(one("-2.5d-1"), -0.25);
  EXPECT_EQ(one("+1.5D+02"), 150);
  EXPECT_EQ(one("1e-400"), 0);
  EXPECT_EQ(one("-0.00000001e-999999999999999999999"), 0);
  EXPECT_TRUE(std::signbit(one("-1e-400")));
  EXPECT_EQ(one("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(one(std::string(400, '0') + "1"), 1);
  EXPECT_EQ(one("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(one("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(Market, ReadsGzippedFiles) {
  const std::string text = kSymmetric + "3 3 5\n1 1 2\n2 1 -1\n2 2 3\n3 2 0.5\n3 3 4\n";
  EXPECT_EQ(parse(test::gzip(text)), kThree);
  EXPECT_EQ(
      parse(test::gzip(text.substr(0, 60)) + test::gzip(text.substr(60)) + std::string(512, '\0')),
      kThree);  // members, padding
  EXPECT_EQ(dense(read_matrix(test::test_file("two_members.mtx.gz"))), (Values{2, -1, -1, 3}));
}

TEST(Market, WriteThenReadGivesTheSameBits) {
  for (const char* ending : {".mtx", ".mtx.gz", ".npz"})
    for (const char* spec : {"poisson2d 1", "elast3d 3", "rgg3d 200 5 1", "tree 100 1 --dof 2",
                             "blockdiag 40 7 --shuffle 2"}) {
      const auto a = generate(spec);
      const test::TempFile file(ending);
      write_matrix(file.path(), a.view());
      const auto b = read_matrix(file.path());
      ASSERT_EQ(a.nnz(), b.nnz()) << spec;
      EXPECT_TRUE(
          std::equal(a.pattern().row.begin(), a.pattern().row.end(), b.pattern().row.begin()))
          << spec;
      EXPECT_EQ(std::memcmp(a.value().data(), b.value().data(), a.value().size_bytes()), 0) << spec;
    }
}

TEST(Market, WritesWhatItsEndingSays) {
  const auto a = generate("poisson2d 3");
  const test::TempFile plain(".mtx"), packed(".mtx.gz"), archive(".npz");
  for (const auto* file : {&plain, &packed, &archive}) write_matrix(file->path(), a.view());
  const std::string text = io::read_file(plain.path()), gzipped = io::read_file(packed.path());
  EXPECT_TRUE(io::is_gzip(gzipped));
  EXPECT_EQ(io::gunzip(gzipped, "a"), text);
  EXPECT_TRUE(io::is_zip(io::read_file(archive.path())));
}

TEST(Market, WritesAndReadsAMatrixWithoutRows) {
  for (const char* ending : {".mtx", ".mtx.gz", ".npz"}) {
    const test::TempFile file(ending);
    write_matrix(file.path(), SymmetricMatrix<double>().view());
    const auto a = read_matrix(file.path());
    EXPECT_EQ(a.n(), 0) << ending;
    EXPECT_EQ(a.nnz(), 0) << ending;
  }
}

TEST(Market, WritesNoMatrixThatCannotBeReadBack) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const std::vector<Offset> ptr = {0, 2, 3}, falling = {0, 4, 3}, few = {0, 3};
  const std::vector<Index> row = {0, 1, 1}, wild = {0, 1'000'000, 1};
  const auto expect = [&](const std::vector<Offset>& p, const std::vector<Index>& r,
                          const Values& v, const std::string& text) {
    for (const char* ending : {".mtx", ".npz"}) {
      const test::TempFile file(ending);
      const std::string name = text.starts_with(":") ? file.path() : "";
      test::expect_input_error([&] { write_matrix(file.path(), {{2, p, r}, v}); }, name + text);
      EXPECT_FALSE(std::filesystem::exists(file.path()));
    }
  };
  expect(falling, row, {1, 2, 3},
         "matrix: col_ptr descends at column 1, expected ascending offsets");
  expect(few, row, {1, 2, 3}, "matrix: col_ptr has 2 entries, expected n+1 = 3");
  expect(ptr, wild, {1, 2, 3},
         "matrix: column 0: row 1000000 is out of range or not above row 0, expected ascending "
         "rows up to 1");
  expect(ptr, row, {1, nan, 3},
         ": entry (1, 0) of A (row, column, from 0) is nan, expected a finite number");
  expect(ptr, row, {1, 2, -inf},
         ": entry (1, 1) of A (row, column, from 0) is -inf, expected a finite number");
  EXPECT_THROW(write_matrix("a.mtx", {{-1, ptr, row}, {}}), Error);
  EXPECT_THROW(write_matrix("a.mtx", {{2, ptr, row}, {}}), Error);
}

TEST(Market, ReadsShuffledTripletsOfAGeneralFileLikeTheMatrixItself) {
  const auto a = generate("rgg3d 300 7 3");
  std::vector<std::string> lines;
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      char value[40];
      std::snprintf(value, sizeof value, "%.17g", a.value()[k]);
      const std::string i = std::to_string(a.pattern().row[k] + 1), c = std::to_string(j + 1);
      lines.push_back(i + " " + c + " " + value + "\n");
      if (i != c) lines.push_back(c + " " + i + " " + value + "\n");
    }
  std::mt19937 random(5);
  std::shuffle(lines.begin(), lines.end(), random);
  std::string text = kGeneral + "300 300 " + std::to_string(lines.size()) + "\n";
  for (const auto& line : lines) text += line;
  EXPECT_EQ(parse(text), dense(a));
}

TEST(Market, ReadsTheUpperHalfAlone) {
  const std::string lower = kSymmetric + "3 3 4\n1 1 4\n2 1 -1\n2 2 5\n3 3 6\n",
                    upper = kSymmetric + "3 3 4\n1 1 4\n1 2 -1\n2 2 5\n3 3 6\n";
  EXPECT_EQ(parse(upper), parse(lower));
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n"),
            parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"));
  // Repeated entries of either half are summed alike.
  EXPECT_EQ(parse(kSymmetric + "2 2 4\n1 1 4\n1 2 1\n1 2 2\n2 2 9\n"), (Values{4, 3, 3, 9}));
}

TEST(Market, ReadsUnsignedIntegers) {
  const std::string head = "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n";
  EXPECT_EQ(parse(head + "2 2 3\n1 1 4\n2 1 1\n2 2 18446744073709551615\n"),
            (Values{4, 1, 1, 0x1p64}));
  EXPECT_EQ(parse(head + "2 2 3\n1 1 4\n2 1 -0\n2 2 0\n"), (Values{4, 0, 0, 0}));
  EXPECT_EQ(parse(head + "2 2 3\n1 1 +9223372036854775808\n2 1 0001\n2 2 9223372036854775807\n"),
            (Values{0x1p63, 1, 1, 0x1p63}));
  EXPECT_EQ(
      io::parse_dense(
          "%%MatrixMarket matrix array unsigned-integer general\n3 1\n1\n2\n9223372036854777856\n",
          "b")
          .value,
      (Values{1, 2, 0x1p63 + 2048}));
}

TEST(Market, SkipsWhatWindowsPutsAroundText) {
  const std::string text = kSymmetric + "2 2 2\r\n1 1 4\r\n2 2 5\r\n", mark = "\xef\xbb\xbf";
  const Values expected = {4, 0, 0, 5};
  EXPECT_EQ(parse(mark + text), expected);
  EXPECT_EQ(parse(text + "\x1a"), expected);
  EXPECT_EQ(parse(mark + text + "\x1a\x1a\r\n\x1a\n"), expected);
  EXPECT_EQ(parse(test::gzip(mark + text + "\x1a")), expected);
  EXPECT_EQ(
      io::parse_dense(mark + "%%MatrixMarket matrix array real general\n1 1\n7\n\x1a", "b").value,
      Values{7});
  test::expect_input_error(
      [&] { parse(kSymmetric + "1 1 1\n\x1a\n1 1 1\n"); },
      "f: line 3: expected 'row column value', found '?'");  // in the middle it does not end the
                                                             // file
  test::expect_input_error(
      [&] { parse(std::string("\xff\xfe%\0%\0", 6)); },
      "f: is text in UTF-16 (by its byte order mark), expected ASCII or UTF-8");
}

}  // namespace
}  // namespace kauri
