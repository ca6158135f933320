// A file without a name, allocated and mapped by calls of Linux. Other systems have no files of
// this kind.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/runtime/file_memory.hpp"

#include "kauri/core/error.hpp"

#if defined(__linux__)

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#endif

namespace kauri::numeric::cpu {
namespace {

[[noreturn]] void fail(const std::string& folder, const std::string& what) {
  throw Error(ErrorKind::input, "factor_file: " + folder + ": " + what);
}

#if defined(__linux__)

std::string reason(int code) { return std::strerror(code); }

/// Throws Error(memory) with the bytes asked for; `limit` says how many there are.
[[noreturn]] void no_room(Offset bytes, const std::string& folder, const std::string& limit) {
  throw Error(ErrorKind::memory, "factor_file: " + std::to_string(bytes) + " bytes asked for in " +
                                     folder + ", " + limit);
}

/// Opens a new file without a name in the folder. Throws Error(input).
int open_unnamed(const std::string& folder) {
  // File systems that have no such files say EOPNOTSUPP, old kernels EISDIR or ENOENT.
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
    fail(folder, "cannot make a file: " + reason(errno));
  std::string name = folder + "/kauri-factor-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) fail(folder, "cannot make a file: " + reason(errno));
  ::unlink(name.c_str());
  return named;
}

/// Returns the bytes that are free on the disk of a file; the largest Offset if that is unknown.
Offset free_bytes(int file) {
  struct statvfs disk {};
  Offset bytes = 0;
  if (::fstatvfs(file, &disk) != 0 ||
      __builtin_mul_overflow(static_cast<Offset>(disk.f_bavail), static_cast<Offset>(disk.f_frsize),
                             &bytes))
    return std::numeric_limits<Offset>::max();
  return bytes;
}

/// Allocates the file's bytes on the disk. Throws as the constructor of FileMemory.
void allocate(int file, Offset bytes, const std::string& folder) {
  // Beyond this limit the system would send a signal that ends the process.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < static_cast<rlim_t>(bytes))
    no_room(
        bytes, folder,
        "but files of this process may have " + std::to_string(limit.rlim_cur) + " (ulimit -f)");
  const Offset free = free_bytes(file);
  const std::string there = std::to_string(free) + " are free";
  // An attempt would take what is left from others until it fails.
  if (free < bytes) no_room(bytes, folder, there);
  int code = 0;
  do code = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  while (code == EINTR);
  if (code == 0) return;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    no_room(bytes, folder, there + ": " + reason(code));
  fail(folder, "cannot allocate " + std::to_string(bytes) + " bytes: " + reason(code));
}

/// Returns the bytes of a page.
Offset page() { return ::sysconf(_SC_PAGESIZE); }

#endif

}  // namespace

#if defined(__linux__)

void require_disk_folder(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) fail(folder, reason(errno));
  if (!S_ISDIR(status.st_mode)) fail(folder, "is no folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    fail(folder, "cannot make a file: " + reason(errno));
  struct statfs system {};
  if (::statfs(folder.c_str(), &system) != 0) fail(folder, reason(errno));
  constexpr unsigned long kRamfs = 0x858458f6;
  const auto type = static_cast<unsigned long>(system.f_type);
  if (type == TMPFS_MAGIC || type == kRamfs)
    fail(folder, "its files are memory (tmpfs), expected a folder on a disk");
}

FileMemory::FileMemory(Offset bytes, std::string folder)
    : bytes_(bytes), process_(::getpid()), folder_(std::move(folder)) {
  require_disk_folder(folder_);
  if (bytes_ == 0) return;
  FileMemory made;  // closes the file if a step fails
  made.file_ = open_unnamed(folder_);
  allocate(made.file_, bytes_, folder_);
  void* const data = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                            MAP_SHARED, made.file_, 0);
  if (data == MAP_FAILED) {
    const int code = errno;
    if (code == ENOMEM)
      no_room(bytes_, folder_, "for which there are no addresses: " + reason(code));
    fail(folder_, "cannot map a file: " + reason(code));
  }
  data_ = data;
  file_ = std::exchange(made.file_, -1);
}

FileMemory::~FileMemory() {
  if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(bytes_));
  if (file_ >= 0) ::close(file_);
}

bool FileMemory::foreign() const { return data_ != nullptr && process_ != ::getpid(); }

void FileMemory::done(Offset begin, Offset end) const noexcept {
  ::sync_file_range(file_, begin, end - begin, SYNC_FILE_RANGE_WRITE);
}

void FileMemory::ahead(Offset begin, Offset end) const noexcept {
  const Offset first = begin / page() * page();
  ::madvise(static_cast<char*>(data_) + first, static_cast<std::size_t>(end - first),
            MADV_WILLNEED);
}

void FileMemory::forget() const noexcept {
  if (data_ != nullptr)
    ::fallocate(file_, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes_));
}

void FileMemory::require_written() const {
  // Waits for one page only, but says once whether any page failed.
  if (data_ != nullptr && ::sync_file_range(file_, 0, page(), SYNC_FILE_RANGE_WAIT_BEFORE) != 0)
    lost_.store(errno, std::memory_order_relaxed);
  if (const int code = lost_.load(std::memory_order_relaxed); code != 0)
    fail(folder_, "the disk lost a part of L: " + reason(code));
}

#else

void require_disk_folder(const std::string& folder) {
  fail(folder, "a factor in a file needs Linux");
}

FileMemory::FileMemory(Offset, std::string folder) { require_disk_folder(folder); }
FileMemory::~FileMemory() = default;
bool FileMemory::foreign() const { return false; }
void FileMemory::done(Offset, Offset) const noexcept {}
void FileMemory::ahead(Offset, Offset) const noexcept {}
void FileMemory::forget() const noexcept {}
void FileMemory::require_written() const {}

#endif

}  // namespace kauri::numeric::cpu
