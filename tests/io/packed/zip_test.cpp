// Zip containers and .npy headers with false claims.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "src/io/file/file.hpp"
#include "src/io/numpy/npy.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/packed/zip.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

std::string bytes_of(const char* file) { return io::read_file(test::test_file(file)); }

/// Returns an archive named f, without a bound on memory; the bytes must outlive it.
io::ZipArchive archive_of(std::string_view bytes) {
  io::Allowance all;
  return {bytes, "f", all};
}

void put(std::string& bytes, std::size_t place, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    bytes.at(place + static_cast<std::size_t>(i)) = static_cast<char>(value >> (8 * i) & 0xff);
}

std::size_t central_entry(const std::string& bytes) { return bytes.find("PK\x01\x02"); }

// Each empty member costs time for its own 20 bytes only. A pass over the unpacked text for each
// would take the child a quarter of an hour.
TEST(Gzip, ManyMembersCostNoMoreThanOne) {
  const std::string text(std::size_t{1} << 24, 'x'), nothing = test::gzip("");
  std::string packed = test::gzip(text);
  for (int k = 0; k < 1'000'000; ++k) packed += nothing;
  packed += test::gzip("end");
  const auto unpack_and_end = [&] {
    const rlimit seconds{600, 600};  // ends a child that hangs; one or two are used
    ::setrlimit(RLIMIT_CPU, &seconds);
    ::_exit(io::gunzip(packed, "f") == text + "end" ? 0 : 1);
  };
  EXPECT_EXIT(unpack_and_end(), testing::ExitedWithCode(0), "");
}

TEST(Gzip, MembersOfAnySizeFollowEachOther) {
  std::string packed, text;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 0, 200'000, 131'072, 3}) {
    const std::string some(size, static_cast<char>('a' + size % 26));
    packed += test::gzip(some);
    text += some;
  }
  EXPECT_EQ(io::gunzip(packed, "f"), text);
}

TEST(Zip, ListsMembers) {
  const std::string bytes = bytes_of("descriptors.npz");
  const io::ZipArchive archive = archive_of(bytes);
  EXPECT_EQ(archive.members().size(), 5U);
  EXPECT_TRUE(archive.has("indptr.npy"));
  EXPECT_FALSE(archive.has("indptr"));
  EXPECT_TRUE(archive.extract("shape.npy").view().starts_with("\x93NUMPY"));
}

TEST(Zip, AcceptsACommentAtTheEnd) {
  std::string bytes = bytes_of("no_zip64.npz");
  put(bytes, bytes.size() - 2, 5, 2);
  bytes += "hello";
  EXPECT_EQ(archive_of(bytes).members().size(), 5U);
}

TEST(Zip, RefusesLies) {
  const std::string bytes = bytes_of("no_zip64.npz");
  const std::size_t entry = central_entry(bytes), end = bytes.size() - 22;
  const auto expect = [&](std::size_t place, std::uint64_t value, int width,
                          const std::string& text) {
    std::string changed = bytes;
    put(changed, place, value, width);
    test::expect_input_error([&] { (void)archive_of(changed).extract("format.npy"); },
                             "f: " + text);
  };
  expect(end, 0, 4, "the zip directory at the end of the file is missing (is the file cut short?)");
  expect(end + 16, 0x7fffffff, 4,
         "zip directory: it should lie at byte 2147483647, beyond the file; expected a file that "
         "is whole");
  expect(end + 10, 6, 2,
         "zip directory: no entry at byte " + std::to_string(end) + ", one was promised");
  expect(end + 10, 0x4000, 2,
         "zip directory: 16384 entries are promised, but the file has room for " +
             std::to_string((bytes.size() - entry) / 46));
  expect(entry + 8, 1, 2, "'format.npy': is encrypted, expected a file without a password");
  expect(entry + 24, 0x7fffffff, 4,
         "'format.npy': the compressed data give 131 bytes, 2147483647 were promised");
  expect(entry + 24, 10, 4,
         "'format.npy': the compressed data give more than the 10 bytes promised");
  expect(entry + 42, 0x7fffffff, 4,
         "'format.npy': no local header at byte 2147483647, expected one there");
  expect(entry + 42, 1, 4, "'format.npy': no local header at byte 1, expected one there");
  expect(entry + 16, 0, 4,
         "'format.npy': is damaged: its checksum is wrong; write or copy the file again");
  expect(entry + 20, 0x7ffffff0, 4,
         "'format.npy': 2147483632 bytes at byte 40 lie beyond the file; expected a file that is "
         "whole");
  expect(entry + 10, 0, 2,
         "'format.npy': is stored, but its two sizes differ, expected equal ones");
}

TEST(Zip, ShowsADoubledNameAsItMayBeShown) {
  std::string bytes = bytes_of("no_zip64.npz");
  const std::size_t first = central_entry(bytes), size = bytes.at(first + 28) + 46,
                    end = bytes.size() - 22;
  bytes.replace(first + 46, 2, "\x1b[");
  bytes.insert(end, bytes.substr(first, size));
  put(bytes, bytes.size() - 22 + 10, 6, 2);
  put(bytes, bytes.size() - 22 + 12, end + size - first, 4);
  test::expect_input_error([&] { (void)archive_of(bytes); },
                           "f: zip directory: '?[rmat.npy' occurs twice, expected once");
}

TEST(Zip, RefusesZip64Lies) {
  // A size refers to a missing zip64 field; then a record is placed beyond the file.
  std::string bytes = bytes_of("no_zip64.npz");
  put(bytes, central_entry(bytes) + 42, 0xffffffff, 4);
  test::expect_input_error(
      [&] { (void)archive_of(bytes).extract("format.npy"); },
      "f: 'format.npy': no local header at byte 4294967295, expected one there");
  std::string moved = bytes_of("no_zip64.npz");
  const std::string record = moved.substr(moved.size() - 22);
  moved.resize(moved.size() - 22);
  moved += std::string("PK\x06\x07", 4) + std::string(4, '\0') + std::string(8, '\x7f') +
           std::string(4, '\0') + record;
  put(moved, moved.size() - 22 + 16, 0xffffffff, 4);
  test::expect_input_error([&] { (void)archive_of(moved); },
                           "f: zip directory: the zip64 record is not where it should be, expected "
                           "it at byte 9187201950435737471");
}

TEST(Zip, ReadsZip64SizesAndRecord) {
  // Archives beyond 4 GB have this layout: the first entry's sizes are in a zip64 field, the
  // directory's place is in the zip64 record.
  const auto number = [](std::uint64_t value, int width) {
    std::string text(static_cast<std::size_t>(width), '\0');
    put(text, 0, value, width);
    return text;
  };
  std::string bytes = bytes_of("no_zip64.npz");
  const auto plain = archive_of(bytes).members().at("format.npy");
  const std::size_t entry = central_entry(bytes), name = std::string("format.npy").size();
  put(bytes, entry + 20, 0xffffffffffffffff, 8);
  put(bytes, entry + 30, 20, 2);
  bytes.insert(entry + 46 + name,
               number(1, 2) + number(16, 2) + number(plain.size, 8) + number(plain.compressed, 8));
  const std::size_t end = bytes.size() - 22;
  const std::string record = std::string("PK\x06\x06", 4) + number(44, 8) + number(45, 2) +
                             number(45, 2) + number(0, 8) + number(5, 8) + number(5, 8) +
                             number(end - entry, 8) + number(entry, 8);
  bytes.insert(
      end, record + std::string("PK\x06\x07", 4) + number(0, 4) + number(end, 8) + number(1, 4));
  put(bytes, bytes.size() - 22 + 8, 0xffffffffffffffff, 8);
  put(bytes, bytes.size() - 22 + 16, 0xffffffff, 4);
  const io::ZipArchive archive = archive_of(bytes);
  EXPECT_EQ(archive.members().size(), 5U);
  EXPECT_EQ(archive.extract("format.npy"),
            archive_of(bytes_of("no_zip64.npz")).extract("format.npy"));
}

TEST(Inflate, GrowsByDataNotByClaims) {
  const std::string zeros(10'000'000, '\0');
  const std::string packed = test::gzip(zeros);
  EXPECT_EQ(io::gunzip(packed, "f"), zeros);
  // Ten bytes that claim 2^62 are rejected without allocating 2^62 bytes.
  const std::string raw = packed.substr(10, 100);
  EXPECT_THROW((void)io::inflate_raw(raw, std::size_t{1} << 62, "f"), Error);
}

std::string npy(const std::string& header, const std::string& data, int major = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (major > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

TEST(Npy, ReadsHeadersAsOthersWriteThem) {
  const std::string eight(8, '\0');
  for (const char* header : {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }   \n",
                             "{\"shape\":(1L,),\"fortran_order\":True,\"descr\":\"|f8\"}",
                             "{'descr':'=f8','fortran_order':False,'shape':(1,1,1)}"}) {
    EXPECT_EQ(io::NpyArray(npy(header, eight), "f").reals(), std::vector<double>{0});
    EXPECT_EQ(io::NpyArray(npy(header, eight, 2), "f").size(), 1);
  }
}

TEST(Npy, ReadsHalfPrecision) {
  const auto reals = [](const std::vector<std::uint16_t>& bits, bool swapped) {
    std::string data;
    for (const std::uint16_t b : bits) {
      data += static_cast<char>(swapped ? b >> 8 : b & 255);
      data += static_cast<char>(swapped ? b & 255 : b >> 8);
    }
    const std::string descr = swapped ? ">f2" : "<f2";
    return io::NpyArray(npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                std::to_string(bits.size()) + ",)}",
                            data),
                        "f")
        .reals();
  };
  const std::vector<std::uint16_t> bits = {0x3c00, 0xc000, 0x0000, 0x0001, 0x8001,
                                           0x03ff, 0x0400, 0x7bff, 0x3555};
  const std::vector<double> values = {
      1, -2, 0, 0x1p-24, -0x1p-24, 1023 * 0x1p-24, 0x1p-14, 65504, 1365 * 0x1p-12};
  EXPECT_EQ(reals(bits, false), values);
  EXPECT_EQ(reals(bits, true), values);
  EXPECT_TRUE(std::signbit(reals({0x8000}, false)[0]));
  test::expect_input_error(
      [&] {
        reals({0x3c00, 0x7c00}, false);
      },
      "f: entry 1 is inf, expected finite numbers");
  test::expect_input_error([&] { reals({0xfc00}, false); },
                           "f: entry 0 is -inf, expected finite numbers");
  test::expect_input_error([&] { reals({0x7e00}, false); },
                           "f: entry 0 is nan, expected finite numbers");
}

TEST(Npy, RefusesLies) {
  const auto expect = [](const std::string& header, const std::string& text,
                         const std::string& data = std::string(8, '\0')) {
    test::expect_input_error([&] { (void)io::NpyArray(npy(header, data), "f").reals(); },
                             "f: " + text);
  };
  const auto shaped = [](const std::string& shape) {
    return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}";
  };
  expect("", "header: expected '{' at ''");
  test::expect_input_error(
      [] {
        io::NpyArray(std::string("\x93NUMPY\x02\0\x01\0\x01\0", 12) + std::string(65'537, ' '),
                     "f");
      },
      "f: header: it has 65537 bytes, expected 65536 at most");
  expect("{", "header: expected a text in quotes at ''");
  expect("{'descr", "header: expected a text in quotes at ''descr'");
  expect("{'descr': [('a', '<f8')]}", "header: expected a text in quotes at '[('a', '<f8')]}'");
  expect("{'descr': '<f8'}", "header: expected the keys descr, fortran_order and shape");
  expect("{'colour': 'red'}",
         "header: unknown key 'colour', expected descr, fortran_order or shape");
  expect("{'fortran_order': Maybe}", "header: expected True or False at 'Maybe}'");
  expect(shaped("(x,)"), "header: expected a length at 'x,)}'");
  expect(shaped("(-1,)"), "header: expected a length at '-1,)}'");
  expect(shaped("(99999999999999999999,)"), "header: expected a length at '99999999999999999999'");
  expect(shaped("(2,)"), "shape and type ask for more than the 8 bytes that are there");
  expect(shaped("(0,)"), "shape and type ask for 0 bytes, there are 8");
  expect(shaped("(4294967296, 4294967296, 4294967296)"),
         "shape and type ask for more than the 8 bytes that are there");
  expect(shaped("(9223372036854775807,)"),
         "shape and type ask for more than the 8 bytes that are there");
  expect(shaped("(1,)"), "shape and type ask for 8 bytes, there are 9", std::string(9, '\0'));
  for (const std::string type :
       {"<f1", "<f16", "<O8", "<M8", "<i3", "f8", "<f", "<f8x", "<f-8", "<S99999", ""})
    expect("{'descr': '" + type + "', 'fortran_order': False, 'shape': (1,)}",
           "type '" + type +
               "', expected float64, float32, float16, integers of up to 64 bits, bool or text");
  expect("{'descr': '|S8', 'fortran_order': False, 'shape': (1,)}", "holds text, expected numbers");
  test::expect_input_error([] { io::NpyArray("\x93NUMPY", "f"); },
                           "f: is not a NumPy array, expected \\x93NUMPY at its start");
  test::expect_input_error([] { io::NpyArray(npy("{}", "", 9), "f"); },
                           "f: NumPy format version 9, expected 1 to 3");
  test::expect_input_error([] { io::NpyArray(npy("{}", "").substr(0, 11), "f"); },
                           "f: is cut short inside its header; write or copy the file again");
  test::expect_input_error([] { io::NpyArray(npy("{}", "").substr(0, 9), "f"); },
                           "f: is cut short inside its header; write or copy the file again");
}

}  // namespace
}  // namespace kauri
