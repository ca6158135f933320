// Rutherford-Boeing and Harwell-Boeing files, valid and invalid, and Fortran's fields.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/io/boeing/fortran_format.hpp"
#include "src/io/boeing/rutherford_boeing.hpp"
#include "src/io/parse.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

using Values = std::vector<double>;

const Values kBoeingThree = {2, -1, 0, -1, 3, 0.5, 0, 0.5, 4};

const std::string kTitle = "A matrix of order 3" + std::string(53, ' ') + "three   \n";
const std::string kCounts = "             3             1             1             1\n";
const std::string kSizes =
    "rsa                       3             3             5             0\n";
const std::string kFormats = "(4I4)           (5I3)           (3E10.2)            \n";
const std::string kPointers = "   1   3   5   6\n", kRows = "  1  2  2  3  3\n",
                  kValues = "  2.00E+00 -1.00E+00  3.00E+00\n  5.00E-01  4.00E+00\n";
const std::string kBoeingHead = kTitle + kCounts + kSizes + kFormats;

Values parse_boeing(const std::string& text) { return test::dense(io::parse_matrix(text, "a")); }

void expect_boeing_error(const std::string& text, const std::string& expected) {
  test::expect_input_error([&] { io::parse_matrix(text, "a.rb"); }, "a.rb: " + expected);
}

TEST(Boeing, ReadsRealMatrices) {
  EXPECT_EQ(parse_boeing(kBoeingHead + kPointers + kRows + kValues), kBoeingThree);
  EXPECT_EQ(parse_boeing(test::gzip(kBoeingHead + kPointers + kRows + kValues)), kBoeingThree);
  std::string windows;
  for (const char c : kBoeingHead + kPointers + kRows + kValues)
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_boeing(windows), kBoeingThree);
}

TEST(Boeing, ReadsFieldsThatTouchAndFortransExponents) {
  const std::string formats = "(3I1)           (2I2)           (1P,2D7.1)\n";
  EXPECT_EQ(
      parse_boeing(kTitle + kCounts + kSizes + formats +
                   "135\n6\n 1 2\n 2 3\n 3\n2.0D+00-1.D+00\n3.0+000     5\n  4.E+0"),
      (Values{2, -1, 0, -1, 3, 0.05, 0, 0.05, 4}));  // "     5" under 1P and one decimal: 0.5 / 10
}

TEST(Boeing, ReadsHarwellBoeingWithRightHandSides) {
  const std::string counts =
      "             4             1             1             1             1\n";
  const std::string sizes =
      "RSA                       3             3             5             0\n";
  const std::string formats =
      "(4I4)           (5I3)           (3E10.2)            (3E10.2)            \n";
  EXPECT_EQ(parse_boeing(kTitle + counts + sizes + formats +
                         "F                          1             0\n" + kPointers + kRows +
                         kValues + "  1.00E+00  1.00E+00  1.00E+00\n"),
            kBoeingThree);
}

TEST(Boeing, ReadsPatternsAndIntegers) {
  const std::string pattern =
      "psa                       3             3             5             0\n";
  EXPECT_EQ(parse_boeing(kTitle + "             2             1             1             0\n" +
                         pattern + "(4I4)           (5I3)\n" + kPointers + kRows),
            (Values{2, -1, 0, -1, 3, -1, 0, -1, 2}));
  const std::string integer =
      "isa                       3             3             5             0\n";
  EXPECT_EQ(parse_boeing(kTitle + kCounts + integer + "(4I4)           (5I3)           (5I4)\n" +
                         kPointers + kRows + "   2  -1   3   7  +4\n"),
            (Values{2, -1, 0, -1, 3, 7, 0, 7, 4}));
}

TEST(Boeing, ReadsSkipsAndGroups) {
  // Formats of files from the nineties; the second line of the rows' format continues from its
  // group, without the three columns in front of the first line.
  const std::string formats = "(1X,8I4)        (3X,2(I3))      (3(1P,E10.2))       \n";
  const std::string numbers = "    1   3   5   6\n     1  2\n  2  3\n  3\n" + kValues;
  EXPECT_EQ(parse_boeing(kTitle + kCounts + kSizes + formats + numbers), kBoeingThree);
  expect_boeing_error(
      kTitle + kCounts + kSizes + formats + "    1   3   5   6\n     1  2\n  2  x\n  3\n" + kValues,
      "line 7: columns 4 to 6 (rows of the lower half): expected an integer, found '  x'");
  expect_boeing_error(kTitle + kCounts + kSizes + formats + "    1   3   x   6\n",
                      "line 5: columns 10 to 13 (pointers): expected an integer, found '   x'");
}

TEST(Boeing, ReadsBothHalvesThatAgree) {
  const std::string sizes =
      "rua                       3             3             7             0\n";
  const std::string lists = "   1   3   6   8\n  1  2  1  2  3\n  2  3\n";
  const auto file = [&](const char* half) {
    return kTitle + kCounts + sizes + kFormats + lists + "  2.00E+00 -1.00E+00" + half +
           "\n  3.00E+00  5.00E-01  5.00E-01\n  4.00E+00\n";
  };
  EXPECT_EQ(parse_boeing(file(" -1.00E+00")), kBoeingThree);
  expect_boeing_error(file(" -1.50E+00"),
                      "line 8: columns 11 to 20 (values): entry (2, 1) is -1, but (1, 2) in line "
                      "8: columns 21 to 30 (values) is -1.5" +
                          test::kHalvesWords);
  const std::string pattern =
      "pua                       3             3             7             0\n";
  EXPECT_EQ(parse_boeing(kTitle + kCounts + pattern + kFormats + lists),
            (Values{2, -1, 0, -1, 3, -1, 0, -1, 2}));
  expect_boeing_error(
      kTitle + kCounts + pattern + kFormats + "   1   3   6   8\n  1  2  1  2  3\n  1  3\n",
      "line 6: columns 13 to 15 (rows): entry (3, 2) has no partner (2, 3)" + test::kHalvesWords);
  expect_boeing_error(
      kTitle + kCounts + sizes + kFormats + "   1   3   6   8\n  1  2  1  2  3\n  2  4\n",
      "line 7: columns 4 to 6 (rows): expected 1 to 3, found '  4'");
}

TEST(Boeing, ReadsEmptyMatrices) {
  EXPECT_EQ(io::parse_matrix(
                kTitle + kCounts +
                    "rsa                       0             0             0             0\n" +
                    kFormats + "   1\n",
                "a")
                .n(),
            0);
}

TEST(Boeing, NamesWhatIsWrongInTheHeader) {
  expect_boeing_error("one line", "line 2: the file ends, expected the numbers of lines");
  expect_boeing_error(kTitle + "three\n",
                      "line 2: expected four or five numbers of lines, found 'three'");
  expect_boeing_error(kTitle + kCounts,
                      "line 3: the file ends, expected 'type rows columns entries'");
  const auto sizes = [](const std::string& line, const std::string& text) {
    expect_boeing_error(kTitle + kCounts + line + "\n" + kFormats, text);
  };
  sizes("xyz  3 3 5 0",
        "line 3: the type is 'xyz', expected rsa, psa or isa, or rua, pua or iua of halves that "
        "agree");
  sizes("csa  3 3 5 0",
        "line 3: the type is 'csa', complex, expected rsa, psa or isa, or rua, pua or iua of "
        "halves that agree");
  sizes("rra  3 3 5 0",
        "line 3: the type is 'rra', rectangular, expected rsa, psa or isa, or rua, pua or iua of "
        "halves that agree");
  sizes("rza  3 3 5 0",
        "line 3: the type is 'rza', not symmetric, expected rsa, psa or isa, or rua, pua or iua of "
        "halves that agree");
  sizes("rse  3 3 5 0",
        "line 3: the type is 'rse', not assembled, expected rsa, psa or isa, or rua, pua or iua of "
        "halves that agree");
  sizes("rsa  3 3", "line 3: expected 'type rows columns entries', found 'rsa  3 3'");
  sizes("rsa  3 4 5 0", "line 3: the matrix has 3 rows and 4 columns, expected a square one");
  sizes("rsa  -3 -3 5 0", "line 3: dimension -3, expected 0 to 2147483647");
  sizes("rsa  2147483648 2147483648 5 0", "line 3: dimension 2147483648, expected 0 to 2147483647");
  sizes("rsa  3 3 -5 0", "line 3: -5 entries, expected a count");
  sizes("rsa  3 3 99999999999999999999 0",
        "line 3: expected 'type rows columns entries', found 'rsa  3 3 99999999999999999999 0'");
  sizes("rsa  2147483647 2147483647 5 0",
        "line 4: 2147483648 pointers are promised, but 0 bytes follow");
  const auto formats = [](const std::string& line, const std::string& text) {
    expect_boeing_error(kTitle + kCounts + kSizes + line + "\n", "line 4: " + text);
  };
  formats("(4X4)           (5I3)           (3E10.2)",
          "the format of the pointers is '(4X4)           ', expected for example (16I5)");
  formats("(4I4)           (5E9.1)         (3E10.2)",
          "the format of the rows is '(5E9.1)         ', expected for example (16I5)");
  formats("(4I4)           (5I3)           (3E0.2)",
          "the format of the values is '(3E0.2)', expected for example (4E20.12)");
  formats("(4I4)           (5I3)",
          "the format of the values is '', expected for example (4E20.12)");
}

TEST(Boeing, NamesLineAndColumnsOfWhatIsWrongInTheNumbers) {
  expect_boeing_error(kBoeingHead + "   1   3   x   6\n" + kRows + kValues,
                      "line 5: columns 9 to 12 (pointers): expected an integer, found '   x'");
  expect_boeing_error(kBoeingHead + "   0   3   5   6\n" + kRows + kValues,
                      "line 5: columns 1 to 4 (pointers): expected 1 to 1, found '   0'");
  expect_boeing_error(kBoeingHead + "   1   3   2   6\n" + kRows + kValues,
                      "line 5: columns 9 to 12 (pointers): expected 3 to 6, found '   2'");
  expect_boeing_error(kBoeingHead + "   1   3   5   9\n" + kRows + kValues,
                      "line 5: columns 13 to 16 (pointers): expected 6 to 6, found '   9'");
  expect_boeing_error(kBoeingHead + "   1   3   5\n" + kRows + kValues,
                      "line 5: columns 13 to 16 (pointers): expected an integer, found blanks");
  expect_boeing_error(
      kBoeingHead + kPointers + "  1  2  2  3  4\n" + kValues,
      "line 6: columns 13 to 15 (rows of the lower half): expected 3 to 3, found '  4'");
  expect_boeing_error(
      kBoeingHead + kPointers + "  1  2  1  3  3\n" + kValues,
      "line 6: columns 7 to 9 (rows of the lower half): expected 2 to 3, found '  1'");
  expect_boeing_error(kBoeingHead + kPointers + kRows + "  2.00E+00       nan\n",
                      "line 7: columns 11 to 20 (values): expected a finite number in double "
                      "precision, found '       nan'");
  expect_boeing_error(kBoeingHead + kPointers + kRows + "  2.00E+00-1.00E+999\n",
                      "line 7: columns 11 to 20 (values): expected a finite number in double "
                      "precision, found '-1.00E+999'");
  expect_boeing_error(kBoeingHead + kPointers + kRows + "  2.00E+00 1.0 E+00 \n",
                      "line 7: columns 11 to 20 (values): expected a number, found ' 1.0 E+00 '");
  expect_boeing_error(kBoeingHead + kPointers + kRows + "  2.00E+00 -1.00E+00  3.00E+00\n",
                      "line 8: the file ends, expected values");
  expect_boeing_error(kBoeingHead + kPointers + kRows + "  2.00E+00 -1.00E+0",
                      "line 7: columns 11 to 20 (values): expected all of the field before the "
                      "file ends, found ' -1.00E+0'");
  expect_boeing_error(
      kTitle + kCounts + "rsa 3 3 4000000000 0\n" + kFormats + "   1   3   5   6\n",
      "line 5: columns 13 to 16 (pointers): expected 4000000001 to 4000000001, found '   6'");
}

TEST(Boeing, ExponentsBeyondAnyNumberAreRefused) {
  // Exponents down to the least of 63 bits, which has no absolute value.
  const std::string head = kTitle + kCounts + "rsa  1 1 1 0\n" +
                           "(4I4)           (5I3)           (1E30.2)            \n   1   2\n  1\n";
  for (const char* number :
       {"1E-9223372036854775808", "1E9223372036854775807", "1-9223372036854775808",
        "1D+9223372036854775807", "1.5E-9223372036854775808", "1E-9223372036854775809", "1E-100001",
        "1E100001"}) {
    const std::string field = std::string(30 - std::string_view(number).size(), ' ') + number;
    expect_boeing_error(
        head + field + "\n",
        "line 7: columns 1 to 30 (values): expected a number, found '" + field + "'");
  }
  EXPECT_EQ(parse_boeing(head + "                     1000.E-2 \n"), Values{10});
}

TEST(Boeing, NamesTheLineOfASumThatIsTooLarge) {
  // Entry (2, 2) occurs twice: as the fourth value and as the fifth, in the second field of line 9.
  const std::string values = "  2.00E+00 -1.00E+00  3.00E+00\n 1.00E+308 1.00E+308  4.00E+00\n";
  expect_boeing_error(
      kTitle + kCounts + "rsa                       3             3             6             0\n" +
          kFormats + "   1   3   6   7\n" + "  1  2  3  2  2\n  3\n" + values,
      "line 9: columns 11 to 20 (values): the sum of the repeated entries (2, 2), counted from 1, "
      "is too large for double "
      "precision, expected a finite number");
}

TEST(Boeing, NothingButRightHandSidesFollowsTheValues) {
  const std::string whole = kBoeingHead + kPointers + kRows + kValues;
  EXPECT_EQ(parse_boeing(whole + "\n  \n"), kBoeingThree);
  expect_boeing_error(
      whole + "\ngarbage at the end\n",
      "line 10: expected the end of the file behind 5 values, found 'garbage at the end'");
  const std::string pattern =
      "psa                       3             3             5             0\n";
  expect_boeing_error(
      kTitle + kCounts + pattern + kFormats + kPointers + kRows + kValues,
      "line 7: expected the end of the file behind 5 rows, found '  2.00E+00 -1.00E+00  3.00E+00'");
}

TEST(Boeing, EveryTruncationIsAnErrorOrTheWholeMatrix) {
  const std::string text = kBoeingHead + kPointers + kRows + kValues;
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_THROW(io::parse_matrix(text.substr(0, length), "a.rb"), Error) << length;
}

TEST(Fortran, Formats) {
  const auto expect = [](const char* text, int repeat, int width, int decimals, int scale) {
    const auto format = io::parse_fortran_format(text);
    ASSERT_TRUE(format) << text;
    EXPECT_EQ((std::vector<int>{format->repeat, format->width, format->decimals, format->scale}),
              (std::vector<int>{repeat, width, decimals, scale}))
        << text;
  };
  expect("(16I5)", 16, 5, 0, 0);
  expect("(i8)  ", 1, 8, 0, 0);
  expect("(1P,4E20.12)", 4, 20, 12, 1);
  expect("(1P5D16.8)", 5, 16, 8, 1);
  expect(" ( 3 E 26.16 E3 )", 3, 26, 16, 0);
  expect("(-2PF10.4)", 1, 10, 4, -2);
  expect("(4ES20.12)", 4, 20, 12, 0);
  for (const char* text : {"",
                           "(",
                           "()",
                           "16I5",
                           "(16I5",
                           "(16I)",
                           "(0I5)",
                           "(16I5) x",
                           "(E20.12,E3)",
                           "(99999I5)",
                           "(-3I5)",
                           "(A16)",
                           "(X)",
                           "(1P)",
                           "()I5",
                           "(0(I5))",
                           "(8I9/8I9)",
                           "(E9.2,1P,E9.2)",
                           "(I5,E5.1)",
                           "(2(I5)",
                           "(I5))",
                           "(9999(9999(1X)),I5)",
                           "((((((((((((I1))))))))))))",
                           "(9999I5,2I5)",
                           "(P,I5)",
                           "(-1X,I5)",
                           "(I5,,I5)",
                           "(1X,(2X))"})
    EXPECT_FALSE(io::parse_fortran_format(text)) << text;
}

TEST(Fortran, SkipsAndGroups) {
  using Columns = std::vector<int>;
  const auto expect = [](const char* text, const Columns& first, const Columns& later, int scale) {
    const auto format = io::parse_fortran_format(text);
    ASSERT_TRUE(format) << text;
    EXPECT_EQ(format->first, first) << text;
    EXPECT_EQ(format->later, later) << text;
    EXPECT_EQ(format->repeat, static_cast<int>(later.size())) << text;
    EXPECT_EQ(format->scale, scale) << text;
  };
  expect("(3I4)", {0, 4, 8}, {0, 4, 8}, 0);
  expect("(1X,3I4)", {1, 5, 9}, {1, 5, 9}, 0);
  expect("(X,2I4,3X,I4,2X)", {1, 5, 12}, {1, 5, 12}, 0);
  expect("(3(1P,E24.16))", {0, 24, 48}, {0, 24, 48}, 1);
  expect("(1P,3(1X,E9.2))", {1, 11, 21}, {1, 11, 21}, 1);
  expect("(2(1X,2(I3,1X)))", {1, 5, 10, 14}, {1, 5, 10, 14}, 0);
  // A further line continues from the last group.
  expect("(1X,3(E9.2))", {1, 10, 19}, {0, 9, 18}, 0);
  expect("(2I3,4X,2(1X,I3))", {0, 3, 11, 15}, {1, 5}, 0);
  expect("(2(I3),5X,I3)", {0, 3, 11}, {0, 3, 11}, 0);
}

TEST(Fortran, PlacesOfFields) {
  const auto format = io::parse_fortran_format("(2I3,4X,2(1X,I3))").value();
  std::vector<std::pair<Offset, int>> places;
  for (Offset k = 0; k < 8; ++k) places.emplace_back(format.place(k).line, format.place(k).column);
  EXPECT_EQ(places, (std::vector<std::pair<Offset, int>>{
                        {0, 0}, {0, 3}, {0, 11}, {0, 15}, {1, 1}, {1, 5}, {2, 1}, {2, 5}}));
}

TEST(Fortran, Numbers) {
  const io::FortranFormat plain{1, 20, 0, 0, false}, implied{1, 20, 3, 0, false},
      scaled{1, 20, 3, 2, false};
  const auto value = [](const char* text, const io::FortranFormat& format) {
    return io::fortran_real(text, format).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  EXPECT_EQ(value("  1.5D+03 ", plain), 1500);
  EXPECT_EQ(value("+1.5d3", plain), 1500);
  EXPECT_EQ(value("-1.5+3", plain), -1500);
  EXPECT_EQ(value(".5-300", plain), 0.5e-300);
  EXPECT_EQ(value("12345", implied), 12.345);
  EXPECT_EQ(value("1E5", implied), 100);
  EXPECT_EQ(value("12.5", scaled), 0.125);
  EXPECT_EQ(value("12.5E0", scaled), 12.5);
  EXPECT_EQ(value("1e-400", plain), 0);
  EXPECT_TRUE(std::isinf(value("1D400", plain)));
  for (const char* text : {"", "  ", "x", "1.5 D3", "1.5D", "1.5D+-3", "--1", "1.5D3.5", "D3", ".",
                           "1 2", "1.5D9999999"})
    EXPECT_TRUE(std::isnan(value(text, plain))) << text;
}

}  // namespace
}  // namespace kauri
