// Tar archives: those of Python's tarfile, and invalid ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "kauri/extras/io.hpp"
#include "src/io/content/tar.hpp"
#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/parse.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri {
namespace {

using Values = std::vector<double>;

const Values kTarFive = {4, -1,    0,   0.5, 0, -1, 5, -2, 0, 0,     0, -2, 6,
                         0, -0.25, 0.5, 0,   0, 7,  0, 0,  0, -0.25, 0, 8};
const std::string kOne = "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 9\n";

std::string with_checksum(std::string header) {
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[9];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 7, std::string(digits, 6) + '\0');
  return header;
}

/// Returns a header and its data, padded.
std::string tar_member(const std::string& name, const std::string& data, char type = '0',
                       const std::string& size = "") {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%011zo", data.size());
  const std::string said = size.empty() ? std::string(digits) : size;
  header.replace(124, said.size(), said);
  header[156] = type;
  header.replace(257, 8, std::string("ustar\0", 6) + "00");
  return with_checksum(header) + data + std::string((512 - data.size() % 512) % 512, '\0');
}

const std::string kEnd(1024, '\0');

void expect_tar_error(const std::string& bytes, const std::string& expected,
                      const std::string& wanted = "") {
  test::expect_input_error([&] { io::parse_matrix(bytes, "a.tar", wanted); }, "a.tar: " + expected);
}

TEST(Tar, ReadsWhatPythonPacks) {
  for (const char* file : {"five.tar.gz", "five_pax.tar.gz"})
    EXPECT_EQ(test::dense(read_matrix(test::test_file(file))), kTarFive) << file;
  std::string name;
  for (int k = 0; k < 40; ++k) name += "long";
  EXPECT_EQ(test::dense(read_matrix(test::test_file("five_gnu.tgz:") + name + ".mtx")), kTarFive);
  EXPECT_EQ(test::dense(read_matrix(test::test_file("five_gnu.tgz:") + name + "/" + name + ".mtx")),
            kTarFive);
  EXPECT_EQ(test::dense(read_matrix(test::test_file("two.tar.gz:b.mtx"))), (Values{1, 0, 0, 1}));
}

TEST(Tar, FindsRightHandSides) {
  EXPECT_EQ(read_dense(test::test_file("five.tar.gz")).value, (Values{0, 1, 2, 3, 4}));
  EXPECT_EQ(read_dense(test::test_file("five.tar.gz:five_coord.mtx")).value, (Values{1, 3, 5}));
  EXPECT_EQ(read_dense(test::test_file("five.tar.gz:five/five_coord.mtx")).rows, 3);
}

TEST(Tar, SaysWhatThereIsToChooseFrom) {
  const std::string two = test::test_file("two.tar.gz"), none = test::test_file("none.tar.gz");
  test::expect_input_error(
      [&] { read_matrix(two); },
      two + ": holds several matrices, expected the name of one as FILE:MEMBER: 'a.mtx', 'b.mtx'");
  test::expect_input_error([&] { read_matrix(two + ":c.mtx"); },
                           two + ": holds no member 'c.mtx'; there are 'a.mtx', 'b.mtx'");
  test::expect_input_error([&] { read_matrix(none); },
                           none +
                               ": the archive holds no matrix, expected a .mtx, .rb, .rsa or .psa "
                               "file; there are 'readme.txt'");
  expect_tar_error(tar_member("x/a.mtx", kOne) + tar_member("y/a.mtx", kOne) + kEnd,
                   "holds more than one member 'a.mtx'; there are 'x/a.mtx', 'y/a.mtx'", "a.mtx");
  test::expect_input_error([] { io::parse_matrix(kOne, "a.mtx", "b"); },
                           "a.mtx: is not a tar archive, so it has no member 'b'; omit the member");
}

/// Returns the number of bytes of an archive, in steps of 1000, at which a watch throws this text;
/// all bytes if it does not throw.
std::size_t watched(const std::string& bytes, std::size_t most, const std::string& words,
                    const std::string& wanted = "") {
  io::TarWatch watch("a.tar", wanted, most);
  for (std::size_t seen = 0;; seen = std::min(seen + 1000, bytes.size())) {
    const std::string text =
        test::error_text(ErrorKind::input, [&] { watch(std::string_view(bytes).substr(0, seen)); });
    if (text == "no Error" && seen < bytes.size()) continue;
    EXPECT_EQ(text, words);
    return seen;
  }
}

const std::string kMostWords = ": 64 MB, or 16 times the bytes of the file";

/// A header that claims four gigabytes is rejected before they arrive.
TEST(TarWatch, EndsWhereAHeaderPromisesTooMuch) {
  const std::string huge = "40000000000", zeros(300'000, '\0');
  const auto said = [](const std::string& name) {
    return "a.tar: holds 4294967296 bytes or more beside matrices, with the member '" + name +
           "', expected 50000 at most" + kMostWords;
  };
  EXPECT_EQ(watched(tar_member("a.bin", zeros, '0', huge), 50'000, said("a.bin")), 1000U);
  EXPECT_EQ(watched(tar_member("a.mtx", kOne) + tar_member("b.bin", zeros, '0', huge), 50'000,
                    said("b.bin")),
            2000U);
  // The first 64 KB show that the content is no matrix, whatever the member's name.
  EXPECT_EQ(watched(tar_member("a.mtx", zeros, '0', huge), 50'000, said("a.mtx")), 67'000U);
  EXPECT_EQ(watched(tar_member("a.rb", zeros, '0', huge), 50'000, said("a.rb")), 67'000U);
  EXPECT_EQ(watched(tar_member("a", zeros, '0', huge), 50'000, said("a"), "a"), 67'000U);
  EXPECT_EQ(
      watched(tar_member("long", zeros, 'L', huge), 50'000,
              "a.tar: holds 4294967296 bytes or more beside matrices, expected 50000 at most" +
                  kMostWords),
      1000U);
}

TEST(TarWatch, CountsHeadersAndWhatFollowsTheEnd) {
  std::string folders;
  for (int k = 0; k < 300; ++k) folders += tar_member("folder", "", '5');
  EXPECT_EQ(watched(folders, 50'000,
                    "a.tar: holds 50688 bytes or more beside matrices, expected 50000 at most" +
                        kMostWords),
            51'000U);
  const std::string one = tar_member("a.mtx", kOne) + kEnd;
  EXPECT_EQ(watched(one + std::string(100'000, '\0'), 50'000,
                    "a.tar: holds 50488 bytes or more beside matrices, expected 50000 at most" +
                        kMostWords),
            51'000U);
  std::string small;
  for (int k = 0; k < 10; ++k)
    small += tar_member("readme" + std::to_string(k), std::string(4000, 'x'));
  EXPECT_EQ(watched(small + one, 50'000, "no Error"), small.size() + one.size());
}

TEST(TarWatch, LetsWhatMayBeWantedBeOfAnySize) {
  const std::string large = "%%MatrixMarket matrix coordinate real symmetric\n" +
                            std::string(200'000, '%') + "\n1 1 1\n1 1 9\n";
  for (const char* wanted : {"", "b.mtx", "x/b.mtx"}) {
    const std::string bytes = tar_member("x/a.mtx", large) + tar_member("readme", kOne) +
                              tar_member("x/b.mtx", large) + kEnd;
    EXPECT_EQ(watched(bytes, 5000, "no Error", wanted), bytes.size());
  }
  const std::string npy = "\x93NUMPY" + std::string(200'000, ' ');
  EXPECT_EQ(watched(tar_member("a.npy", npy) + kEnd, 5000, "no Error", "a.npy"),
            tar_member("a.npy", npy).size() + kEnd.size());
}

/// 68 MB of folders, compressed to a hundredth, are rejected before a bound of 100 MB, and before
/// all 66 MB are unpacked.
TEST(Tar, IsNotUnpackedBeyondWhatIsWanted) {
  const std::string folder = tar_member("folder", "", '5');
  std::string folders;
  for (int k = 0; k < 140'000; ++k) folders += folder;
  const std::string packed = test::gzip(folders);
  for (const std::size_t most : {0, 100'000'000, 69'000'000})
    test::expect_input_error(
        [&] { io::parse_matrix(packed, "a.tar", "", {}, io::Allowance(most)); },
        "a.tar: holds 67174400 bytes or more beside matrices, expected 67108864 at most" +
            kMostWords);
  EXPECT_EQ(test::error_text(
                ErrorKind::memory,
                [&] { io::parse_dense(packed, "a.tar", "", kNone, io::Allowance(10'000'000)); })
                .substr(0, 22),
            "a.tar: holds more than");
}

TEST(Tar, NamesTheMemberInErrors) {
  expect_tar_error(tar_member("a.mtx", kOne + "1 1 1\n") + kEnd,
                   "'a.mtx': line 4: more than the 1 entries promised");
  expect_tar_error(tar_member("a.mtx", "hello") + kEnd,
                   "'a.mtx': is not in a known format: expected Matrix Market or Rutherford-Boeing "
                   "(plain, gzipped, or in a .tar.gz) or SciPy .npz; "
                   "it starts with 'hello'");
  expect_tar_error(tar_member("a.mtx", "") + kEnd, "'a.mtx': is empty");
  expect_tar_error(tar_member("a.rb", "hello\n") + kEnd,
                   "'a.rb': line 2: the file ends, expected the numbers of lines");
}

TEST(Tar, PassesOverFoldersLinksAndAttributes) {
  const std::string links = tar_member("d/", "", '5') + tar_member("l", "", '2') +
                            tar_member("g", "27 comment=what git writes it\n", 'g');
  EXPECT_EQ(test::dense(io::parse_matrix(links + tar_member("a.mtx", kOne) + kEnd, "a")),
            Values{9});
  EXPECT_EQ(test::dense(io::parse_matrix(tar_member("a.mtx", kOne), "a")),
            Values{9});  // without end blocks
  // The first size is in binary, the next one in a pax record.
  EXPECT_EQ(test::dense(io::parse_matrix(tar_member("a.mtx", kOne, '0',
                                                    std::string("\x80\0\0\0\0\0\0\0\0\0\0", 11) +
                                                        static_cast<char>(kOne.size())),
                                         "a")),
            Values{9});
  EXPECT_EQ(test::dense(io::parse_matrix(
                tar_member("p", "11 size=" + std::to_string(kOne.size()) + "\n", 'x') +
                    tar_member("a.mtx", kOne, '0', "00000000000"),
                "a")),
            Values{9});
}

TEST(Tar, RefusesLies) {
  std::string damaged = tar_member("a.mtx", kOne);
  damaged[3] = 'X';
  expect_tar_error(damaged + kEnd,
                   "tar header at byte 0: its checksum is wrong; write or copy the archive again");
  expect_tar_error(tar_member("a.mtx", kOne, '0', "77777777777") + kEnd,
                   "tar header at byte 0: a member of 8589934591 bytes is promised, but the "
                   "archive ends after 1536");
  expect_tar_error(tar_member("a.mtx", kOne, '0', "\x80" + std::string(11, '\x7f')),
                   "tar header at byte 0: its size does not fit 63 bits, expected that of a file");
  expect_tar_error(tar_member("a.mtx", kOne, '0', "12x"),
                   "tar header at byte 0: its size '12x' is not an octal number, expected the "
                   "bytes of the member");
  expect_tar_error(tar_member("a.mtx", kOne) + "more",
                   "tar header at byte 1024: the archive is cut short, expected 512 bytes");
  expect_tar_error(tar_member("p", "99 path=x\n", 'x') + tar_member("a.mtx", kOne),
                   "tar header at byte 0: a pax record is broken, expected 'LENGTH KEY=VALUE'");
  expect_tar_error(tar_member("p", "11 size=-1\n", 'x') + tar_member("a.mtx", kOne),
                   "tar header at byte 0: the size '-1' of a pax record is not a number, expected "
                   "0 or more bytes");
  const std::string longest(1 << 16, 'x'),
      words = "tar header at byte 0: a name of 65537 bytes, expected 65536 at most";
  expect_tar_error(tar_member("n", longest + 'x', 'L') + tar_member("a", kOne), words);
  expect_tar_error(tar_member("p", "65549 path=" + longest + "x\n", 'x') + tar_member("a", kOne),
                   words);
  const std::string archive = tar_member("n", longest, 'L') + tar_member("a", kOne);
  EXPECT_EQ(test::dense(io::parse_matrix(archive, "a", longest)), Values{9});
  expect_tar_error(tar_member("a.mtx", kOne, 'S'),
                   "the member 'a.mtx' is a sparse file of GNU tar, expected an ordinary one");
  expect_tar_error(
      tar_member("d/", "", '5') + kEnd,
      "the archive holds no matrix, expected a .mtx, .rb, .rsa or .psa file; there are no files");
}

TEST(Tar, EveryTruncationIsAnErrorOrTheWholeMatrix) {
  const io::Bytes bytes = io::gunzip(io::read_file(test::test_file("five.tar.gz")), "f");
  for (std::size_t length = 0; length < bytes.size(); length += length < 2600 ? 1 : 97) try {
      EXPECT_EQ(test::dense(io::parse_matrix(bytes.view().substr(0, length), "a")), kTarFive)
          << length;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << length;
    }
}

TEST(Tar, AFileOfTheWholeNameComesFirst) {
  const test::TempFile file(":b.mtx", kOne);
  EXPECT_EQ(read_matrix(file.path()).n(), 1);
  const std::string missing = "/nowhere/a.tar.gz:b.mtx";
  test::expect_input_error([&] { read_matrix(missing); },
                           missing + ": cannot open: No such file or directory");
}

}  // namespace
}  // namespace kauri
