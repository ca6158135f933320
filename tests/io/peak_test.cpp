// Readers never use more than max_bytes of memory at once, whether they accept or reject the file.
// The tests count memory from new and pages that the library maps.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "kauri/extras/io.hpp"
#include "src/io/file/file.hpp"
#include "src/io/packed/gunzip.hpp"
#include "src/io/packed/zip.hpp"
#include "support/process/at_pipe.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace {

std::atomic<long> alive{0}, peak{0};

void count(long more) {
  const long now = alive.fetch_add(more) + more;
  long before = peak.load();
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
}

void* take(std::size_t size, std::size_t alignment) {
  void* p = nullptr;
  if (posix_memalign(&p, std::max(alignment, sizeof(void*)), std::max<std::size_t>(1, size)) != 0)
    return nullptr;
  count(static_cast<long>(malloc_usable_size(p)));
  return p;
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* p = take(size, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void give(void* p) noexcept {
  if (p != nullptr) count(-static_cast<long>(malloc_usable_size(p)));
  std::free(p);
}

constexpr std::size_t kAlign = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return take_or_throw(size, kAlign); }
void* operator new(std::size_t size, std::align_val_t a) {
  return take_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, kAlign); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return take(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size) { return take_or_throw(size, kAlign); }
void operator delete(void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }

// These functions replace the C library's, also for a shared libkauri.
extern "C" {

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  void* p = reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
  if (p != MAP_FAILED) count(static_cast<long>(size));
  return p;
}

void* mremap(void* from, std::size_t size, std::size_t to, int flags, ...) noexcept {
  void* p = reinterpret_cast<void*>(::syscall(SYS_mremap, from, size, to, flags));
  if (p != MAP_FAILED) count(static_cast<long>(to) - static_cast<long>(size));
  return p;
}

int munmap(void* p, std::size_t size) noexcept {
  count(-static_cast<long>(size));
  return static_cast<int>(::syscall(SYS_munmap, p, size));
}

}  // extern "C"

namespace kauri {
namespace {

using test::TempFile;

constexpr std::size_t kMega = 1'000'000;
/// Allowance for uncounted memory: zlib's window, the first 64 KB that are unpacked for inspection,
/// texts of errors, TBB's pools.
constexpr std::size_t kBeside = 2 * kMega;

/// Returns the most bytes that `run` holds at once beyond those held before.
template <class Run>
std::size_t peak_of(Run&& run) {
  const long before = alive;
  peak = before;
  run();
  return static_cast<std::size_t>(peak - before);
}

/// Reads a first file, so that TBB's pools and threads exist.
void read_first() {
  static const bool done = [] {
    const TempFile file(".mtx",
                        "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 1\n");
    return read_matrix(file.path(), ReadOptions{.threads = 1}).n() == 2;
  }();
  EXPECT_TRUE(done);
}

/// Returns true if `read` succeeds within `most` bytes. If it does not, it must throw an Error of
/// this kind.
template <class Read>
bool within(std::size_t most, Read&& read, ErrorKind kind = ErrorKind::memory) {
  read_first();
  bool all = false;
  const std::size_t bytes = peak_of([&] {
    try {
      read(ReadOptions{.threads = 1, .max_bytes = most});
      all = true;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), kind) << e.what();
    }
  });
  EXPECT_LE(bytes, most + kBeside);
  return all;
}

/// Returns a matrix behind a comment of 20 MB.
std::string long_text() {
  return "%%MatrixMarket matrix coordinate real symmetric\n%" + std::string(20 * kMega, 'x') +
         "\n2 2 2\n1 1 1\n2 2 1\n";
}

TEST(Peak, OfNothingIsNothing) {
  EXPECT_EQ(peak_of([] {}), 0U);
  EXPECT_GE(peak_of([] { std::string(kMega, 'x'); }), kMega);
  EXPECT_GE(peak_of([] { io::Bytes().resize(kMega); }), kMega);
}

TEST(Peak, OfAPlainFileIsBounded) {
  const TempFile file(".mtx", long_text());
  const auto read = [&](const ReadOptions& options) { read_matrix(file.path(), options); };
  for (const std::size_t most : {1, 19}) EXPECT_FALSE(within(most * kMega, read)) << most;
  EXPECT_TRUE(within(20 * kMega + 1000, read));
}

TEST(Peak, OfAGzipFileIsBounded) {
  const std::string packed = test::gzip(long_text());
  const TempFile file(".mtx.gz", packed);
  const auto read = [&](const ReadOptions& options) { read_matrix(file.path(), options); };
  for (const std::size_t most : {1, 3, 5, 7, 9, 12, 16, 19})
    EXPECT_FALSE(within(most * kMega, read)) << most;
  EXPECT_TRUE(within(20 * kMega + packed.size() + 1000, read));
  EXPECT_TRUE(within(30 * kMega, read));
}

TEST(Peak, OfAPipeIsBounded) {
  const std::string text = long_text();
  for (const std::size_t most : {1, 5, 9, 12, 16, 19, 21}) {
    const test::AtPipe pipe([&](const std::string& path) { std::ofstream(path) << text; });
    const auto read = [&](const ReadOptions& options) { read_matrix(pipe.path(), options); };
    EXPECT_EQ(within(most * kMega, read), most > 20) << most;
  }
}

void put(std::string& bytes, std::size_t place, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    bytes.at(place + static_cast<std::size_t>(i)) = static_cast<char>(value >> (8 * i) & 0xff);
}

/// Returns a zip archive with one deflated member. Its data is gzip()'s without the header of ten
/// bytes, checksum and size.
std::string zip_of(const std::string& name, const std::string& plain) {
  const std::string packed = test::gzip(plain), data = packed.substr(10, packed.size() - 18);
  std::string fields(26, '\0');  // both headers have these fields in common, from "version needed"
                                 // on
  put(fields, 4, 8, 2);
  put(fields, 10, crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()), 4);
  put(fields, 14, data.size(), 4);
  put(fields, 18, plain.size(), 4);
  put(fields, 22, name.size(), 2);
  const std::string local = "PK\x03\x04" + fields + name + data,
                    central =
                        "PK\x01\x02" + std::string(2, '\0') + fields + std::string(14, '\0') + name;
  std::string end = "PK\x05\x06" + std::string(18, '\0');
  put(end, 8, 1, 2), put(end, 10, 1, 2), put(end, 12, central.size(), 4),
      put(end, 16, local.size(), 4);
  return local + central + end;
}

TEST(Peak, OfWhatAZipArchiveHoldsIsBounded) {
  const std::string plain(20 * kMega, 'x'), bytes = zip_of("a.npy", plain);
  io::Allowance all;
  const io::ZipArchive archive(bytes, "f", all);
  EXPECT_LE(peak_of([&] { EXPECT_EQ(archive.extract("a.npy").size(), plain.size()); }),
            plain.size() + kBeside);
}

TEST(Peak, OfAZipDirectoryIsBounded) {
  constexpr std::size_t kCount = 65'000, kSize = 46 + 5;
  std::string bytes = "PK\x03\x04";
  for (std::size_t k = 0; k < kCount; ++k) {
    std::string entry = "PK\x01\x02" + std::string(42, '\0') + std::to_string(10'000 + k);
    put(entry, 28, 5, 2);
    bytes += entry;
  }
  std::string end = "PK\x05\x06" + std::string(18, '\0');
  put(end, 10, kCount, 2), put(end, 12, kCount * kSize, 4), put(end, 16, 4, 4);
  bytes += end;
  const TempFile file(".npz", bytes);
  const auto read = [&](const ReadOptions& options) { read_matrix(file.path(), options); };
  EXPECT_FALSE(within(bytes.size(), read));
  EXPECT_FALSE(within(bytes.size() + kMega, read));
  EXPECT_FALSE(within(bytes.size() + 10 * kMega, read,
                      ErrorKind::input));  // lacks the member that is read
}

/// Returns the header of a member of a tar archive.
std::string tar_header(const std::string& name, const std::string& prefix, std::size_t size,
                       char type) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char digits[24];
  std::snprintf(digits, sizeof digits, "%011zo", size);
  header.replace(124, 11, digits);
  header.replace(148, 8, 8, ' ');
  header[156] = type;
  header.replace(257, 8, std::string("ustar\0", 6) + "00");
  header.replace(345, prefix.size(), prefix);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 7, digits, 7);
  return header;
}

TEST(Peak, OfALongNameInATarArchiveIsBounded) {
  const std::size_t size = 20'000'256;  // a multiple of 512
  const std::string member = tar_header("a", "", 0, '0');
  const std::string gnu = tar_header("long", "", size, 'L') + std::string(size, 'x') + member;
  const std::string pax = tar_header("pax", "", size, 'x') + std::to_string(size) +
                          " path=" + std::string(size - 15, 'x') + "\n" + member;
  for (const std::string* bytes : {&gnu, &pax}) {
    const TempFile file(".tar", *bytes);
    EXPECT_FALSE(within(
        bytes->size(), [&](const ReadOptions& options) { read_matrix(file.path(), options); },
        ErrorKind::input));
  }
}

TEST(Peak, OfManyMembersInATarArchiveIsBounded) {
  std::string bytes;
  for (int k = 0; k < 20'000; ++k)
    bytes += tar_header(std::string(100, 'x'), std::string(150, 'x'), 0, '0');
  const TempFile file(".tar", bytes);
  const auto read = [&](const ReadOptions& options) { read_matrix(file.path(), options); };
  for (const std::size_t more : {0, 2, 8})
    EXPECT_FALSE(within(bytes.size() + more * kMega, read)) << more;
  EXPECT_FALSE(within(bytes.size() + 20 * kMega, read, ErrorKind::input));  // holds no matrix
}

/// The format allows a .npy header of 4 GB.
TEST(Peak, OfANumPyHeaderIsBounded) {
  std::string ones = "{'descr': '<f8', 'fortran_order': False, 'shape': (1";
  for (std::size_t k = 0; k < kMega; ++k) ones += ",1";
  ones += "), }";
  std::string length(4, '\0');
  put(length, 0, ones.size(), 4);
  const std::string shape = std::string("\x93NUMPY\x02\0", 8) + length + ones + "12345678";
  const std::string archive = zip_of("format.npy", shape);
  const TempFile file(".npz", archive);
  EXPECT_FALSE(within(
      archive.size() + shape.size() + 1000,
      [&](const ReadOptions& options) { read_matrix(file.path(), options); }, ErrorKind::input));
}

}  // namespace
}  // namespace kauri
