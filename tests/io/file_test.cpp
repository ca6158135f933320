// Files that cannot be read, and permutation files.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "kauri/io.hpp"
#include "src/io/file.hpp"
#include "src/io/permutation_file.hpp"
#include "support/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

using test::TempFile;

TEST(File, MissingDirectoryAndEmpty) {
  test::expect_input_error([] { read_matrix("/nowhere/a.mtx"); }, "/nowhere/a.mtx: cannot open: No such file or directory");
  test::expect_input_error([] { read_dense("/nowhere/b.mtx"); }, "/nowhere/b.mtx: cannot open: No such file or directory");
  test::expect_input_error([] { read_permutation("/nowhere/p"); }, "/nowhere/p: cannot open: No such file or directory");
  test::expect_input_error([] { read_matrix("/"); }, "/: is a directory, expected a file");
  const TempFile empty(".mtx", "");
  test::expect_input_error([&] { read_matrix(empty.path()); }, empty.path() + ": is empty");
  test::expect_input_error([&] { read_dense(empty.path()); }, empty.path() + ": is empty");
}

TEST(File, NamesFileAndLine) {
  const TempFile file(".mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 nan\n");
  test::expect_input_error([&] { read_matrix(file.path()); }, file.path() + ": line 3: value 'nan', expected a finite number");
}

TEST(File, ReadsAPipe) {
  const TempFile pipe;
  ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
  const std::string text(300'000, 'x');
  std::jthread writer([&] { std::ofstream(pipe.path()) << text; });
  EXPECT_EQ(io::read_file(pipe.path()), text);
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
