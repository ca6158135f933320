// Files that cannot be read, and permutation files.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "kauri/io.hpp"
#include "src/io/file.hpp"
#include "src/io/permutation_file.hpp"
#include "support/at_pipe.hpp"
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

TEST(File, OfAnySizeIsNoMoreThanTooLarge) {
  // 2^63 - 1 bytes without one of them on the disk: only file systems in memory take so many.
  const std::string path = "/dev/shm/kauri_" + std::to_string(::getpid()) + ".mtx";
  std::ofstream(path) << "x";
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

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(FileWriter, LeavesWhatWasThereUntilAllIsWritten) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  std::ofstream(path) << "old";
  ::chmod(path.c_str(), 0640);
  {
    io::FileWriter given_up(path);
    given_up.write("new");
  }
  EXPECT_EQ(io::read_file(path), "old");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"});
  io::FileWriter file(path);
  file.write("new");
  file.write("er");
  EXPECT_EQ(io::read_file(path), "old");
  file.close();
  EXPECT_EQ(io::read_file(path), "newer");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"});
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(FileWriter, TwoAtOnceDoNotMix) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  io::FileWriter first(path), second(path);
  first.write("first");
  second.write("second");
  second.close();
  EXPECT_EQ(io::read_file(path), "second");
  first.close();
  EXPECT_EQ(io::read_file(path), "first");
}

TEST(FileWriter, ReplacesWhatALinkNames) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x", link = folder.path() + "/link";
  std::ofstream(path) << "old";
  std::filesystem::create_symlink("x", link);
  io::FileWriter file(link);
  file.write("new");
  file.close();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(io::read_file(path), "new");
}

TEST(FileWriter, CreatesWhatALinkNames) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/folder/x", link = folder.path() + "/link", second = folder.path() + "/second";
  std::filesystem::create_symlink("folder/x", link);
  std::filesystem::create_symlink(link, second);
  test::expect_input_error([&] { const io::FileWriter file(second); }, second + ": cannot create: No such file or directory");
  std::filesystem::create_directory(folder.path() + "/folder");
  io::FileWriter file(second);
  file.write("new");
  file.close();
  EXPECT_TRUE(std::filesystem::is_symlink(second));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(io::read_file(path), "new");
  const std::string circle = folder.path() + "/circle";
  std::filesystem::create_symlink("circle", circle);
  test::expect_input_error([&] { const io::FileWriter none(circle); }, circle + ": cannot create: Too many levels of symbolic links");
  EXPECT_TRUE(std::filesystem::is_symlink(circle));
}

TEST(FileWriter, WritesToPipesAndDevices) {
  std::string read;
  test::AtPipe pipe([&](const std::string& path) { read = io::read_file(path); });
  io::FileWriter file(pipe.path());
  file.write("through");
  file.close();
  pipe.finish();
  EXPECT_EQ(read, "through");
  io::FileWriter full("/dev/full");
  test::expect_input_error([&] { full.write("x"); }, "/dev/full: cannot write: No space left on device");
  test::expect_input_error([] { const io::FileWriter folder("/"); }, "/: cannot create: Is a directory");
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
