// Right-hand sides: Matrix Market arrays and .npy, read and written.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/numpy/npy_header.hpp"
#include "src/io/parse.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

using Values = std::vector<double>;

const std::string kArray = "%%MatrixMarket matrix array real general\n";

void expect_dense_error(const std::string& bytes, const std::string& text) {
  test::expect_input_error([&] { io::parse_dense(bytes, "b"); }, "b: " + text);
}

TEST(Dense, ReadsNumPyArrays) {
  for (const char* file : {"f8_c.npy", "f8_fortran.npy", "f4.npy", "big_endian.npy"}) {
    const auto x = read_dense(test::test_file(file));
    EXPECT_EQ(x.rows, 3) << file;
    EXPECT_EQ(x.cols, 2) << file;
    EXPECT_EQ(x.value, (Values{1, 3, 5, 2, 4, 6.5})) << file;
  }
  EXPECT_EQ(read_dense(test::test_file("i8.npy")).value, (Values{1, 3, 5, 2, 4, 6}));
  const auto column = read_dense(test::test_file("vector.npy"));
  EXPECT_EQ(column.cols, 1);
  EXPECT_EQ(column.value, (Values{1, 3, 5}));
  EXPECT_EQ(read_dense(test::test_file("no_rows.npy")).cols, 3);
}

TEST(Dense, RefusesNumPyArraysThatAreNoRightHandSides) {
  const auto expect = [](const char* file, const std::string& text) {
    expect_dense_error(io::read_file(test::test_file(file)), text);
  };
  expect("cube.npy", "has 3 dimensions, expected 1 or 2");
  expect("scalar.npy", "has 0 dimensions, expected 1 or 2");
  expect("complex.npy", "the values are complex, expected real ones");
  expect("nan.npy", "entry 4 is inf, expected finite numbers");
  expect("full_csr.npz", "is a zip archive, expected Matrix Market or a single .npy array");
  test::expect_input_error(
      [] { io::parse_matrix(io::read_file(test::test_file("f8_c.npy")), "a"); },
      "a: is a dense .npy array, expected a sparse matrix");
}

TEST(Dense, ReadsMatrixMarket) {
  const auto x = io::parse_dense(kArray + "%c\n2 2\n1\n 2.5 \n\n-3\n4e1", "b");
  EXPECT_EQ(x.rows, 2);
  EXPECT_EQ(x.value, (Values{1, 2.5, -3, 40}));
  EXPECT_EQ(io::parse_dense("%%MatrixMarket matrix array integer general\n2 1\n1\n-2\n", "b").value,
            (Values{1, -2}));
  EXPECT_EQ(io::parse_dense(
                "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 2 5\n3 1 2\n1 2 1\n", "b")
                .value,
            (Values{0, 0, 2, 6, 0, 0}));
  EXPECT_EQ(io::parse_dense(test::gzip(kArray + "1 1\n7\n"), "b").value, Values{7});
  EXPECT_EQ(io::parse_dense(kArray + "0 1\n", "b").rows, 0);
}

// SciPy's mmwrite marks matrices as symmetric or skew-symmetric that are so by chance: any 1 x 1,
// an identity.
TEST(Dense, FillsBothHalves) {
  const auto read = [](const std::string& words, const std::string& rest) {
    return io::parse_dense("%%MatrixMarket matrix " + words + "\n" + rest, "b").value;
  };
  EXPECT_EQ(read("array real symmetric", "1 1\n7\n"), Values{7});
  EXPECT_EQ(read("array integer symmetric", "3 3\n1\n0\n0\n1\n0\n1\n"),
            (Values{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(read("array real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n"),
            (Values{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(read("array real symmetric", "0 0\n"), Values{});
  EXPECT_EQ(read("array real skew-symmetric", "3 3\n1\n2\n3\n"),
            (Values{0, 1, 2, -1, 0, 3, -2, -3, 0}));
  EXPECT_EQ(read("array real skew-symmetric", "1 1\n"), Values{0});
  EXPECT_EQ(read("coordinate real symmetric", "1 1 1\n1 1 7\n"), Values{7});
  for (const char* entries : {"1 1 1\n2 1 2\n3 3 6\n2 1 1\n", "1 2 1\n1 1 1\n3 3 6\n1 2 2\n"})
    EXPECT_EQ(read("coordinate real symmetric", std::string("3 3 4\n") + entries),
              (Values{1, 3, 0, 3, 0, 0, 0, 0, 6}));
  EXPECT_EQ(read("coordinate pattern symmetric", "2 2 1\n2 1\n"), (Values{0, 1, 1, 0}));
  EXPECT_EQ(read("coordinate real skew-symmetric", "2 2 1\n1 2 3\n"), (Values{0, -3, 3, 0}));
  const std::string bytes = "%%MatrixMarket matrix array real symmetric\n3 3\n1\n0\n0\n1\n0\n1\n";
  const auto error = [&](std::size_t most) {
    try {
      const test::TempFile file(".mtx", bytes);
      (void)read_dense(file.path(), {.max_bytes = most});
    } catch (const Error& e) {
      return e.kind();
    }
    return ErrorKind::cancelled;
  };
  EXPECT_EQ(error(bytes.size() + (6 + 9) * sizeof(double)), ErrorKind::cancelled);
  EXPECT_EQ(error(bytes.size() + (6 + 9) * sizeof(double) - 1), ErrorKind::memory);
}

TEST(Dense, RefusesWrongMatrixMarket) {
  expect_dense_error(kArray + "2 2\n1.00\n2\n3\n",
                     "line 6: the file ends after 3 of the 4 values promised");
  expect_dense_error(kArray + "2 1\n1\n2\n3\n", "line 5: more than the 2 values promised");
  expect_dense_error(kArray + "2 1\n1 2\n", "line 3: expected one value, found '2' behind it");
  expect_dense_error(kArray + "2 1\n1\nnan\n", "line 4: value 'nan', expected a finite number");
  expect_dense_error(kArray + "2147483647 2147483647\n1\n",
                     "line 2: 4611686014132420609 entries are promised, but the 3 bytes that "
                     "follow hold at most 2");
  expect_dense_error("%%MatrixMarket matrix array real symmetric\n2 1\n1\n2\n",
                     "line 2: the matrix has 2 rows and 1 columns, expected a square one");
  expect_dense_error("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n",
                     "line 5: the file ends after 2 of the 3 values promised");
  expect_dense_error("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n",
                     "line 6: more than the 3 values promised");
  expect_dense_error("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n",
                     "line 4: entry (1, 2) is above the diagonal, but (2, 1) in line 3 is below "
                     "it, expected one half alone of a symmetric "
                     "matrix");
  expect_dense_error(
      "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 2 1\n",
      "line 4: entry (2, 2) is on the diagonal of a skew-symmetric file, expected none there");
  expect_dense_error("%%MatrixMarket matrix array real hermitian\n1 1\n1\n",
                     "line 1: the matrix is hermitian, expected symmetric or general");
  expect_dense_error("%%MatrixMarket matrix array pattern general\n2 2\n",
                     "line 1: an array cannot be a pattern, expected real or integer");
  expect_dense_error(
      "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 1\n1 1 1\n",
      "line 2: 2147483647 x 2147483647 with 1 entries is too sparse to be read as right-hand "
      "sides, expected "
      "288230375883276288 entries or more");
  expect_dense_error("1\n2\n3\n",
                     "is not in a known format: expected Matrix Market (plain, gzipped, or in a "
                     ".tar.gz) or .npy; it starts with '1?2?3?'");
}

TEST(Dense, SparseColumnsTakeNoMoreMemoryThanTheirEntriesOrAColumnOfTheMatrix) {
  const auto unit = [](const std::string& sizes) {
    return "%%MatrixMarket matrix coordinate pattern general\n" + sizes + " 1\n1 1\n";
  };
  EXPECT_EQ(io::parse_dense(unit("1000000 1"), "b").rows, 1'000'000);
  expect_dense_error(unit("100000 1000"),
                     "line 2: 100000 x 1000 with 1 entries is too sparse to be read as right-hand "
                     "sides, expected 6250000 entries or more");
  std::string many = "%%MatrixMarket matrix coordinate pattern general\n100000 1000 100000\n";
  for (int k = 0; k < 100000; ++k) many += "1 1\n";
  expect_dense_error(many,
                     "line 2: 100000 x 1000 with 100000 entries is too sparse to be read as "
                     "right-hand sides, expected 6250000 entries or more");
  // A right-hand side of a known matrix may be sparser.
  test::expect_input_error([&] { io::parse_dense(unit("3000000 1"), "b"); },
                           "b: line 2: 3000000 x 1 with 1 entries is too sparse to be read as "
                           "right-hand sides, expected 187500 entries or more");
  EXPECT_EQ(io::parse_dense(unit("3000000 1"), "b", {}, 3'000'000).value.size(), 3'000'000U);
  EXPECT_THROW(io::parse_dense(unit("3000000 2"), "b", {}, 3'000'000), Error);
}

TEST(Dense, ColumnsWithoutRowsAreFew) {
  EXPECT_EQ(io::parse_dense(kArray + "0 1048576\n", "b").cols, 1 << 20);
  expect_dense_error(kArray + "0 1048577\n",
                     "has 1048577 columns without rows, expected at most 1048576");
  expect_dense_error("%%MatrixMarket matrix coordinate real general\n0 2147483647 0\n",
                     "has 2147483647 columns without rows, expected at most 1048576");
  const auto npy = [](const std::string& shape) {
    return io::to_bytes(io::NpyHeader{"<f8", false, {0, std::stoll(shape)}, 0});
  };
  EXPECT_EQ(io::parse_dense(npy("1048576"), "b").cols, 1 << 20);
  expect_dense_error(npy("2147483647"),
                     "has 2147483647 columns without rows, expected at most 1048576");
}

TEST(Dense, ExpectsTheRowsThatTheCallerHas) {
  EXPECT_EQ(io::parse_dense(kArray + "2 1\n1\n2\n", "b", {}, 2).rows, 2);
  test::expect_input_error([] { io::parse_dense(kArray + "2 1\n1\n2\n", "b", {}, 3); },
                           "b: line 2: 2 rows, expected 3");
  test::expect_input_error([] { io::parse_dense(kArray + "0 1\n", "b", {}, 3); },
                           "b: line 2: 0 rows, expected 3");
  const std::string file = test::test_file("f8_c.npy");
  EXPECT_EQ(read_dense(file, 1, 3).rows, 3);
  test::expect_input_error([&] { read_dense(file, 1, 4); }, file + ": has 3 rows, expected 4");
}

TEST(Dense, WritesAndReadsBackTheSameBits) {
  // A view into a larger array: 3 rows of 5.
  const Values store = {1.0 / 3, -0.0, 1e-310, 99, 99, 1e308, 5e-324, -2.5, 99, 99};
  const MatrixView<const double> view{store.data(), 3, 2, 5};
  for (const char* ending : {".mtx", ".npy"}) {
    const test::TempFile file(ending);
    write_dense(file.path(), view);
    const auto x = read_dense(file.path());
    ASSERT_EQ(x.rows, 3);
    ASSERT_EQ(x.cols, 2);
    for (Index j = 0; j < 2; ++j)
      EXPECT_EQ(std::memcmp(x.value.data() + 3 * j, store.data() + 5 * j, 24), 0) << ending;
  }
}

TEST(Dense, WritesWhatNumPyAsksFor) {
  const test::TempFile file(".npy");
  write_dense(file.path(), {nullptr, 0, 1, 0});
  const std::string bytes = io::read_file(file.path());
  EXPECT_EQ(bytes.size() % 64, 0U);
  EXPECT_NE(bytes.find("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 1), }"),
            std::string::npos);
  EXPECT_EQ(bytes.back(), '\n');
}

TEST(Dense, WritingFailsWithAReason) {
  const double one = 1;
  const MatrixView<const double> x{&one, 1, 1, 1};
  try {
    write_dense("x.txt", x);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_STREQ(e.what(),
                 "x.txt: cannot tell the format from the name, expected an ending .mtx or .npy");
  }
  const auto expect_refused = [](const MatrixView<const double>& wrong, const std::string& text) {
    for (const char* path : {"/nowhere/x.npy", "/nowhere/x.mtx"}) {
      try {
        write_dense(path, wrong);
        FAIL() << text;
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::usage);
        EXPECT_EQ(std::string(e.what()), "write_dense: x " + text);
      }
    }
  };
  expect_refused({nullptr, 1, 1, 1}, "is null, expected an address");
  expect_refused({&one, 2, 1, 1},
                 "has 1 columns and leading dimension 1 for 2 rows, expected a leading dimension "
                 "of 2 or more");
  expect_refused(
      {&one, -1, 1, 1},
      "has 1 columns and leading dimension 1 for -1 rows, expected 0 or more rows and columns");
  expect_refused(
      {&one, 1, -1, 1},
      "has -1 columns and leading dimension 1 for 1 rows, expected 0 or more rows and columns");
  expect_refused({&one, 1, 2, 1, Layout::row_major},
                 "has 2 columns and leading dimension 1 for 1 rows, row-major, expected a leading "
                 "dimension of 2 or more");
  test::expect_input_error([&] { write_dense("/nowhere/x.npy", x); },
                           "/nowhere/x.npy: cannot create: No such file or directory");
  test::expect_input_error([&] { write_dense("/nowhere/x.mtx", x); },
                           "/nowhere/x.mtx: cannot create: No such file or directory");
}

}  // namespace
}  // namespace kauri
