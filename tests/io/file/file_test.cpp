// Unreadable files, and permutation files.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "kauri/extras/io.hpp"
#include "src/io/content/content.hpp"
#include "src/io/file/file.hpp"
#include "src/io/parse.hpp"
#include "src/io/permutation_file.hpp"
#include "support/process/at_pipe.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using test::TempFile;

TEST(File, MissingDirectoryAndEmpty) {
  test::expect_input_error([] { read_matrix("/nowhere/a.mtx"); },
                           "/nowhere/a.mtx: cannot open: No such file or directory");
  test::expect_input_error([] { read_dense("/nowhere/b.mtx"); },
                           "/nowhere/b.mtx: cannot open: No such file or directory");
  test::expect_input_error([] { read_permutation("/nowhere/p"); },
                           "/nowhere/p: cannot open: No such file or directory");
  test::expect_input_error([] { read_matrix("/"); }, "/: is a directory, expected a file");
  const TempFile empty(".mtx", "");
  test::expect_input_error([&] { read_matrix(empty.path()); }, empty.path() + ": is empty");
  test::expect_input_error([&] { read_dense(empty.path()); }, empty.path() + ": is empty");
}

TEST(File, NamesFileAndLine) {
  const TempFile file(".mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 nan\n");
  test::expect_input_error([&] { read_matrix(file.path()); },
                           file.path() + ": line 3: value 'nan', expected a finite number");
}

TEST(File, OfAnySizeIsNoMoreThanTooLarge) {
  // 2^63 - 1 bytes that occupy no disk: only in-memory file systems accept this size.
  const std::string path = "/dev/shm/kauri_" + std::to_string(::getpid()) + ".mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real symmetric\n";
  const bool made = ::truncate(path.c_str(), std::numeric_limits<off_t>::max()) == 0;
  ErrorKind kind = ErrorKind::usage;
  std::string text;
  try {
    if (made) read_matrix(path);
  } catch (const Error& e) {
    kind = e.kind();
    text = e.what();
  }
  std::filesystem::remove(path);
  if (!made) GTEST_SKIP() << "no file system that takes such a file";
  EXPECT_EQ(kind, ErrorKind::memory);
  EXPECT_EQ(text, path + ": not enough memory for its 9223372036854775807 bytes or more");
}

TEST(File, ReadsAPipe) {
  const std::string text(300'000, 'x');
  const test::AtPipe pipe([&](const std::string& path) { std::ofstream(path) << text; });
  EXPECT_EQ(io::read_file(pipe.path()), text);
}

TEST(File, FormatsAreToldByTheFirstBytes) {
  const std::string unknown =
      ": is not in a known format: expected Matrix Market or Rutherford-Boeing (plain, gzipped, or "
      "in a .tar.gz) or "
      "SciPy .npz; it starts with '" +
      std::string(16, '?') + "'";
  // The device never ends. Its bytes are rejected by their format and not unpacked first, which
  // would exceed the bound.
  const ReadOptions little{.max_bytes = 1 << 20};
  test::expect_input_error([&] { read_matrix("/dev/zero", little); }, "/dev/zero" + unknown);
  EXPECT_THROW(read_dense("/dev/zero", little), Error);
  test::expect_input_error(
      [&] { read_permutation("/dev/zero", little); },
      "/dev/zero: is not text, expected one row number a line; it starts with '" +
          std::string(16, '?') + "'");
  const std::string zeros(1 << 24, '\0');
  const TempFile packed(".mtx.gz", test::gzip(zeros));
  test::expect_input_error([&] { read_matrix(packed.path(), little); }, packed.path() + unknown);
  test::expect_input_error(
      [&] { io::parse_matrix(test::gzip(zeros), "f", {}, {}, io::Allowance(1 << 20)); },
      "f" + unknown);
  EXPECT_THROW(io::parse_dense(test::gzip("%%MatrixMarket matrix array complex general\n" + zeros),
                               "f", {}, kNone, io::Allowance(1 << 20)),
               Error);
  const auto header = [&](const std::string& text, const std::string& name,
                          const std::string& error) {
    test::expect_input_error(
        [&] { io::parse_matrix(test::gzip(text + zeros), name, {}, {}, io::Allowance(1 << 20)); },
        name + ": " + error);
  };
  header("%%MatrixMarket matrix coordinate complex general\n", "f",
         "line 1: the matrix is complex, expected real, integer, unsigned-integer or pattern");
  header("title\n1 1 1 1\nrza 3 3 3 0\n(4I4)           (4I4)\n", "f.rb",
         "line 3: the type is 'rza', not symmetric, expected rsa, psa or isa, or rua, pua or iua "
         "of halves that agree");
  header("\x93NUMPY", "f", "is a dense .npy array, expected a sparse matrix");
}

TEST(File, WhatIsLargeIsCountedBeforeItIsTaken) {
  const auto refused = [](const std::string& text, auto&& read) {
    try {
      read();
      FAIL() << "no error; expected: " << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::memory);
      EXPECT_EQ(std::string(e.what()), text);
    }
  };
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n",
                    small = head + "2 2 2\n1 1 1\n2 2 1\n";
  const TempFile file(".mtx", small);
  EXPECT_EQ(read_matrix(file.path(), ReadOptions{.max_bytes = 1000}).n(), 2);
  refused(file.path() + ": 66 bytes, but of max_bytes, 65, 65 are left",
          [&] { read_matrix(file.path(), ReadOptions{.max_bytes = 65}); });
  refused(file.path() + ": 2 entries, 16 bytes each, but of max_bytes, 70, 4 are left",
          [&] { read_matrix(file.path(), ReadOptions{.max_bytes = 70}); });
  const std::string large = head + "%" + std::string(1 << 20, 'x') + "\n2 2 2\n1 1 1\n2 2 1\n";
  const TempFile packed(".mtx.gz", test::gzip(large));
  EXPECT_EQ(read_matrix(packed.path(), ReadOptions{.max_bytes = 2 << 20}).n(), 2);
  const std::size_t bytes = std::filesystem::file_size(packed.path());
  refused(packed.path() + ": holds more than the " + std::to_string(100'000 - bytes) +
              " bytes that max_bytes leaves for what is unpacked",
          [&] { read_matrix(packed.path(), ReadOptions{.max_bytes = 100'000}); });
  const test::AtPipe pipe(
      [&](const std::string& path) { std::ofstream(path) << large; });  // no reader consumes all of
                                                                        // it
  refused(pipe.path() + ": 1 bytes more, but of max_bytes, 100000, 0 are left",
          [&] { read_matrix(pipe.path(), ReadOptions{.max_bytes = 100'000}); });
}

TEST(File, BoundsHoldForEveryFormat) {
  // Finds the least sufficient bound by bisection: below it the error is always one of memory.
  const std::string numbers = "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n";
  const TempFile dense(".mtx", numbers), list("", "0\n2\n1\n");
  const auto least = [](auto&& read) {
    std::size_t no = 0, yes = 1 << 20;
    while (yes - no > 1) {
      const std::size_t middle = (no + yes) / 2;
      try {
        read(ReadOptions{.max_bytes = middle});
        yes = middle;
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::memory) << e.what();
        no = middle;
      }
    }
    return yes;
  };
  EXPECT_EQ(least([&](const ReadOptions& o) { read_dense(dense.path(), o); }), numbers.size() + 24);
  EXPECT_GT(least([&](const ReadOptions& o) { read_permutation(list.path(), o); }), 6U + 3 * 12);
  for (const char* name : {"coo_full.npz", "full_csr.npz", "bsr_lower.npz", "dia_upper.npz",
                           "five.tar.gz", "no_zip64.npz"}) {
    const std::string path = test::test_file(name);
    EXPECT_GT(least([&](const ReadOptions& o) { read_matrix(path, o); }),
              std::filesystem::file_size(path) + 9 * 24)
        << name;
  }
  const std::string array = test::test_file("f8_c.npy");
  EXPECT_GT(least([&](const ReadOptions& o) { read_dense(array, o); }),
            std::filesystem::file_size(array));
}

TEST(File, NamesAreShownWithoutControlCharacters) {
  EXPECT_EQ(io::shown("plain name-1.mtx"), "plain name-1.mtx");
  EXPECT_EQ(io::shown("Gr\xc3\xbc\xc3\x9f"
                      "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "Gr\xc3\xbc\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(io::shown("\x1b[31mRED\x1b]0;title\x07\n\r\t\x7f"), "?[31mRED?]0;title?????");
  EXPECT_EQ(io::shown("\xc2\x9b"
                      "31m \x9b \xc2"),
            "??31m ? ?");  // C1 control characters, in UTF-8 and raw, and a truncated character
  EXPECT_EQ(io::shown("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"),
            "?? ?\?\? ?\?\?\?");  // overlong, a surrogate, beyond the last code point
  // Direction marks, including the Arabic letter mark, and Unicode's line separators are replaced;
  // their neighbours in the tables are shown.
  for (const std::string mark :
       {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
        "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6",
        "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"})
    EXPECT_EQ(io::shown("a" + mark + "b"), "a" + std::string(mark.size(), '?') + "b");
  for (const std::string sign : {"\xd8\x9b", "\xd8\x9d", "\xe2\x80\x8d", "\xe2\x80\x90",
                                 "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa"})
    EXPECT_EQ(io::shown("a" + sign + "b"), "a" + sign + "b");
  test::expect_input_error([] { read_matrix("/nowhere/\x1b[2J.mtx"); },
                           "/nowhere/?[2J.mtx: cannot open: No such file or directory");
  const TempFile file(
      "\x1b[2J.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n2 1 1\n");
  test::expect_input_error([&] { read_matrix(file.path()); },
                           io::shown(file.path()) + ": line 5: entry (2, 1) has no partner (1, 2)" +
                               test::kHalvesWords + test::one_half("lower"));
  const std::vector<double> x{1};
  EXPECT_EQ(test::error_text(ErrorKind::usage,
                             [&] {
                               write_dense("x\x1b[2J", {x.data(), 1, 1, 1});
                             }),
            "x?[2J: cannot tell the format from the name, expected an ending .mtx or .npy");
  const std::vector<Offset> ptr{0, 1};
  const std::vector<Index> row{0};
  const std::vector<double> nan{std::nan("")};
  test::expect_input_error(
      [&] {
        write_matrix("a\x1b[2J.mtx", SymmetricView<double>{{1, ptr, row}, nan});
      },
      "a?[2J.mtx: entry (0, 0) of A (row, column, from 0) is nan, expected a finite number");
}

TEST(Permutation, ReadsAFile) {
  const TempFile file("", "# old_of\n2\n\n% more\r\n 0 \n1");
  EXPECT_EQ(read_permutation(file.path()), (std::vector<Index>{2, 0, 1}));
  const TempFile packed("", test::gzip("1\n0\n"));
  EXPECT_EQ(read_permutation(packed.path()), (std::vector<Index>{1, 0}));
  EXPECT_TRUE(io::parse_permutation("# nothing\n", "p").empty());
}

TEST(Permutation, NamesTheLineThatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& error) {
    test::expect_input_error([&] { io::parse_permutation(text, "p"); }, "p: " + error);
  };
  expect("1\n2\n3\n", "line 3: row 3, expected 0 to 2 as there are 3 rows");
  expect("0\n% c\n2\n2\n", "line 4: row 2 was already given in line 3");
  expect("0\n-1\n", "line 2: row -1, expected 0 to 2147483646");
  expect("0\n2147483647\n", "line 2: row 2147483647, expected 0 to 2147483646");
  expect("0 1\n", "line 1: expected one row number, found '1' behind it");
  expect("zero\n", "line 1: expected one row number, found 'zero'");
  expect("0\n1.0\n", "line 2: expected one row number, found '1.0'");
}

}  // namespace
}  // namespace kauri
