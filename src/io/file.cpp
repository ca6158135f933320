// Reading and writing whole files with POSIX calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace kauri::io {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

std::string reason() { return std::strerror(errno); }

/// Up to `room` bytes; 0 at the end.
std::size_t read_some(int descriptor, char* to, std::size_t room, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(path, "cannot read: " + reason());
  }
}

[[noreturn]] void too_large_to_read(const std::string& path, std::size_t bytes) {
  throw Error(ErrorKind::memory, path + ": not enough memory for its " + std::to_string(bytes) + " bytes or more");
}

/// The name at the end of the symbolic links that begin at a path; nothing need be there.
std::string end_of_links(const std::string& path) {
  std::filesystem::path end = path;
  std::error_code none;
  for (std::filesystem::path next = std::filesystem::read_symlink(end, none); !none; next = std::filesystem::read_symlink(end, none))
    end = end.parent_path() / next;  // an absolute one stands alone
  return end.string();
}

}  // namespace

void fail(std::string_view name, const std::string& what) { throw Error(ErrorKind::input, std::string(name) + ": " + what); }

std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot open: " + reason());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot read: " + reason());
  if (S_ISDIR(status.st_mode)) fail(path, "is a directory, expected a file");
  std::string bytes;
  // One byte more than the size tells the end without a second growth; pipes have size 0 and grow as data come.
  std::size_t room = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : std::size_t{1} << 16;
  std::size_t used = 0;
  try {
    for (;;) {
      bytes.resize(std::max(room, used + 1));
      const std::size_t got = read_some(file.get(), bytes.data() + used, bytes.size() - used, path);
      used += got;
      if (got == 0) {
        bytes.resize(used);
        return bytes;
      }
      if (used == bytes.size()) room = 2 * used;
    }
  } catch (const std::bad_alloc&) {
    too_large_to_read(path, std::max(used, static_cast<std::size_t>(status.st_size)));
  } catch (const std::length_error&) {  // more than a string may ever hold
    too_large_to_read(path, std::max(used, static_cast<std::size_t>(status.st_size)));
  }
}

FileReader::FileReader(const std::string& path) : path_(path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    whole_ = read_file(path);
    size_ = whole_.size();
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(path, "cannot open: " + reason());
  // Of what was opened: another file may have taken its place since.
  if (::fstat(descriptor_, &status) != 0) {
    const std::string why = reason();
    ::close(descriptor_);
    fail(path, "cannot read: " + why);
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t FileReader::read(char* to, std::size_t count) {
  if (descriptor_ < 0) {
    const std::size_t some = whole_.copy(to, count, at_);
    at_ += some;
    return some;
  }
  std::size_t used = 0;
  while (used < count) {
    const std::size_t got = read_some(descriptor_, to + used, count - used, path_);
    if (got == 0) break;
    used += got;
  }
  return used;
}

FileWriter::FileWriter(const std::string& path) : path_(path) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot create: " + reason());
    return;
  }
  if (!there && errno != ENOENT) fail(path_, "cannot create: " + reason());  // also a circle of links, which has no end
  if (there && ::access(path.c_str(), W_OK) != 0) fail(path_, "cannot create: " + reason());
  std::error_code code;
  const std::string target = there ? std::filesystem::canonical(path, code).string() : end_of_links(path);
  open_beside(code ? path : target);
  if (there) ::fchmod(descriptor_, status.st_mode & 07777);  // else by the user's mask
}

void FileWriter::open_beside(const std::string& target) {
  // O_EXCL: two writers, or one that was killed, do not meet in one file.
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    beside_ = target + ".part" + std::to_string(::getpid()) + "." + std::to_string(attempt);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt > 1000)) {
      beside_.clear();
      fail(path_, "cannot create: " + reason());
    }
  }
  target_ = target;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "cannot write: " + reason());
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void FileWriter::close() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(path_, "cannot write: " + reason());
  if (beside_.empty()) return;
  if (::rename(beside_.c_str(), target_.c_str()) != 0) fail(path_, "cannot write: " + reason());
  beside_.clear();
}

}  // namespace kauri::io
