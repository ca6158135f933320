// Replaces calls of the C library, also for a shared kauri. A separate file that does not include
// <fcntl.h> and <unistd.h>, which may define the calls inline.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/io/file/watched_calls.hpp"

#include <dlfcn.h>
#include <linux/fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace kauri::test {

Calls calls;

namespace {

/// Returns the next function of this name after this program's.
template <class F>
F* behind(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

bool makes_file(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace
}  // namespace kauri::test

extern "C" {

int open(const char* path, int flags, ...) {
  using namespace kauri::test;
  static auto* const real = behind<int(const char*, int, ...)>("open");
  if (!makes_file(flags)) return real(path, flags);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (calls.watched) calls.modes.push_back(mode);
  return real(path, flags, mode);
}

int fchmod(int file, mode_t mode) noexcept {
  using namespace kauri::test;
  static auto* const real = behind<int(int, mode_t)>("fchmod");
  if (calls.watched) calls.modes.push_back(mode);
  return real(file, mode);
}

int fsync(int file) {
  using namespace kauri::test;
  static auto* const real = behind<int(int)>("fsync");
  struct stat status {};
  if (calls.watched && ::fstat(file, &status) == 0)
    calls.order.emplace_back(S_ISDIR(status.st_mode) ? "fsync folder" : "fsync file");
  return real(file);
}

int rename(const char* from, const char* to) noexcept {
  using namespace kauri::test;
  static auto* const real = behind<int(const char*, const char*)>("rename");
  if (calls.watched) calls.order.emplace_back("rename");
  return real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  using namespace kauri::test;
  static auto* const real = behind<int(int, const char*, int, const char*, int)>("linkat");
  const int code = real(from_folder, from, to_folder, to, flags);
  const int why = errno;
  if (calls.watched && code == 0) calls.order.emplace_back("link");
  errno = why;
  return code;
}

}  // extern "C"
