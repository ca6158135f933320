// Reads and writes files with POSIX calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

namespace kauri::io {
namespace {

/// Reads up to `room` bytes and returns their number, 0 at the end of the file.
std::size_t read_some(int descriptor, char* to, std::size_t room, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(path, "cannot read: " + system_reason());
  }
}

/// Reads `count` bytes, or as many as are left, and returns their number.
std::size_t read_all(int descriptor, char* to, std::size_t count, const std::string& path) {
  std::size_t used = 0;
  while (used < count) {
    const std::size_t got = read_some(descriptor, to + used, count - used, path);
    if (got == 0) break;
    used += got;
  }
  return used;
}

[[noreturn]] void too_large_to_read(const std::string& path, std::size_t bytes) {
  throw Error(ErrorKind::memory, shown(path) + ": not enough memory for its " +
                                     std::to_string(bytes) + " bytes or more");
}

/// Opens a file and gets its status from the descriptor, since another file may have taken the name
/// meanwhile.
Descriptor open_to_read(const std::string& path, struct stat& status) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) fail(path, "cannot open: " + system_reason());
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot read: " + system_reason());
  if (S_ISDIR(status.st_mode)) fail(path, "is a directory, expected a file");
  return file;
}

/// Returns true if these are the bytes in UTF-8 of a line end or direction mark of Unicode, which
/// change the order in which a terminal shows a text: U+061C, U+200E, U+200F, U+2028 to U+202E,
/// U+2066 to U+2069.
bool directs(unsigned first, unsigned second, unsigned third) {
  if (first == 0xd8) return second == 0x9c;
  if (first != 0xe2) return false;
  return second == 0x80 ? third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae)
                        : second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

/// Returns the number of bytes of the UTF-8 character at the start of a text; 0 if there is none,
/// or one that directs the terminal.
std::size_t shown_character(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0U) != 0x80) return 0;
  const unsigned second = byte(1);
  if ((first == 0xc2 && second < 0xa0) || directs(first, second, byte(2))) return 0;  // C1
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || beyond ? 0 : length;
}

}  // namespace

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0;
}

std::string system_reason() { return std::strerror(errno); }

std::string shown(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = shown_character(name);
    text += length > 0 ? name.substr(0, length) : "?";
    name.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

void fail(std::string_view name, const std::string& what) {
  throw Error(ErrorKind::input, shown(name) + ": " + what);
}

Bytes read_file(const std::string& path, Allowance& allowance, const Look& look) {
  struct stat status {};
  const Descriptor file = open_to_read(path, status);
  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  Bytes bytes;
  std::size_t used = 0;
  try {
    bytes.resize(kHead + 1);
    used = read_all(file.get(), bytes.data(), bytes.size(), path);
    if (look && used > kHead) look(bytes.view().substr(0, kHead));
    std::size_t counted = std::max(used, size);
    allowance.take(path, counted, 1, "bytes");
    while (used == bytes.size()) {
      // One byte beyond the size reveals the end without a second growth; pipes have size 0 and
      // grow as data arrive.
      const std::size_t more = size > used
                                   ? size + 1 - used
                                   : std::min(used, std::max<std::size_t>(1, allowance.left()));
      bytes.resize(used + more);
      used += read_all(file.get(), bytes.data() + used, more, path);
      if (used > counted) allowance.take(path, used - counted, 1, "bytes more");
      counted = std::max(counted, used);
    }
    bytes.resize(used);
    return bytes;
  } catch (const std::bad_alloc&) {
    too_large_to_read(path, std::max(used, size));
  }
}

std::string read_file(const std::string& path) {
  Allowance all;
  return std::string(read_file(path, all).view());
}

FileReader::FileReader(const std::string& path) : path_(path) {
  struct stat status {};
  file_ = open_to_read(path, status);
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
}

std::size_t FileReader::read(char* to, std::size_t count) {
  return read_all(file_.get(), to, count, path_);
}

namespace {

/// Returns the path of an open file in /proc, from which linkat() can give it a name.
std::string name_of(const Descriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

/// Returns false, with errno set, if bytes may not be on the disk. Files that are not on a disk, or
/// cannot be synchronised, pass.
bool synchronise(int descriptor) {
  int code = 0;
  do code = ::fsync(descriptor);
  while (code != 0 && errno == EINTR);
  return code == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS ||
         errno == EBADF;
}

/// Returns the permissions of a file that replaces another one, if its owner or group may differ:
/// nobody gets more rights than before. If the group differs, members of the old group count as
/// others, so others keep only what both had; the new group gets nothing.
mode_t allowed_to(mode_t old, bool same_owner, bool same_group) {
  mode_t mode = old & 07777;
  if (!same_owner) mode &= ~mode_t{S_ISUID};
  if (!same_group) mode &= ~mode_t{S_ISGID | S_IRWXG} & (~mode_t{S_IRWXO} | old >> 3);
  return mode;
}

/// Gives the file owner, group and permissions of the old one, as far as the system allows.
void keep_access(int descriptor, const struct stat& old) {
  struct stat now {};
  if (::fstat(descriptor, &now) != 0) return;  // the file stays the writer's alone
  const auto none = static_cast<uid_t>(-1);
  // Separate calls: a process may be allowed to change the group but not the owner. They precede
  // fchmod(), whose mode depends on them.
  const bool owner = now.st_uid == old.st_uid || ::fchown(descriptor, old.st_uid, none) == 0;
  const bool group = now.st_gid == old.st_gid || ::fchown(descriptor, none, old.st_gid) == 0;
  ::fchmod(descriptor, allowed_to(old.st_mode, owner, group));
}

}  // namespace

std::string end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // the system's limit
  std::filesystem::path end = path;
  std::error_code none;
  for (int k = 0; k < kMostLinks; ++k) {
    const std::filesystem::path next = std::filesystem::read_symlink(end, none);
    if (none) break;
    end = end.parent_path() / next;  // an absolute link replaces the path
  }
  return end.string();
}

/// Registers the name before the file exists, so that a signal handler can remove the file at any
/// time.
class FileWriter::Beside {
 public:
  explicit Beside(std::string path) : path_(std::move(path)), noted_(path_) {}
  ~Beside() {
    if (there_) ::unlink(path_.c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  [[nodiscard]] const char* path() const { return path_.c_str(); }
  void is_there(bool there) { there_ = there; }

 private:
  std::string path_;
  UnfinishedName noted_;
  bool there_ = false;
};

FileWriter::FileWriter(const std::string& path, Unfinished unfinished) : path_(path) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.open()) fail_here("create");
    return;
  }
  if (!there && errno != ENOENT)
    fail_here("create");  // includes a circle of links, which has no end
  if (there && ::access(path.c_str(), W_OK) != 0) fail_here("create");
  std::error_code code;
  target_ = there ? std::filesystem::canonical(path, code).string() : end_of_links(path);
  if (code) target_ = path;
  folder_ = std::filesystem::path(target_).parent_path().string();
  if (folder_.empty()) folder_ = ".";
  // An existing file may be private, so the new one is private from the start. Else the user's mask
  // decides.
  open_target(unfinished, there ? 0600 : 0666);
  if (there) keep_access(file_.get(), status);
}

FileWriter::~FileWriter() = default;

void FileWriter::open_target(Unfinished unfinished, mode_t mode) {
  if (unfinished == Unfinished::nameless && open_nameless(mode)) return;
  // O_EXCL: two writers, or a new one and the remains of a killed one, never share a file.
  name_beside([&](const char* name) {
    file_ = Descriptor(::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    return file_.open();
  });
}

bool FileWriter::open_nameless(mode_t mode) {
#ifdef O_TMPFILE
  file_ = Descriptor(::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  // A file without a name needs /proc to get one.
  if (file_.open() && ::access(name_of(file_).c_str(), F_OK) == 0) return true;
  file_ = Descriptor();
#endif
  return false;
}

template <class TryName>
void FileWriter::name_beside(TryName&& try_name) {
  for (int attempt = 0;; ++attempt) {
    beside_ = std::make_unique<Beside>(target_ + ".part" + std::to_string(::getpid()) + "." +
                                       std::to_string(attempt));
    if (try_name(beside_->path())) return beside_->is_there(true);
    const int why = errno;
    beside_.reset();
    errno = why;
    if (why != EEXIST || attempt > 1000) fail_here("create");
  }
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.get(), bytes.data(),
                                std::min(bytes.size(), static_cast<std::size_t>(kStretch)));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_here("write");
    bytes.remove_prefix(static_cast<std::size_t>(put));
    written_ += put;
    if (!target_.empty() && written_ - begun_ >= kStretch) sync_to_disk();
  }
}

/// Starts writing the last stretch to the disk while the next one is made, and drops the pages of
/// the one before. Dirty pages count against a control group, and the kernel has been seen to end
/// the program if the group is full of them. close() waits for all bytes anyway.
void FileWriter::sync_to_disk() {
#ifdef SYNC_FILE_RANGE_WRITE
  const auto range = [&](Offset begin, Offset end, unsigned flags) {
    // The call is not supported by every file system. Errors of the disk are reported here, since
    // fsync() may not report them again.
    if (::sync_file_range(file_.get(), begin, end - begin, flags) != 0 &&
        (errno == EIO || errno == ENOSPC || errno == EDQUOT))
      fail_here("write");
  };
  range(begun_, written_, SYNC_FILE_RANGE_WRITE);
  if (begun_ > there_) {
    range(there_, begun_,
          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    static_cast<void>(::posix_fadvise(file_.get(), there_, begun_ - there_, POSIX_FADV_DONTNEED));
  }
#endif
  there_ = begun_;
  begun_ = written_;
}

void FileWriter::close() {
  if (target_.empty()) {
    if (!file_.close()) fail_here("write");
    return;
  }
  // Synchronise first, so that a power cut cannot leave the name with lost bytes.
  if (!synchronise(file_.get())) fail_here("write");
  if (beside_ == nullptr) link_to_target();
  if (!file_.close()) fail_here("write");
  if (beside_ != nullptr) {
    if (::rename(beside_->path(), target_.c_str()) != 0) fail_here("write");
    beside_->is_there(false);
    beside_.reset();
  }
  synchronise_folder();
}

/// Gives the nameless file the target's name. If a file exists there, gives it a name beside the
/// target instead, which close() renames, since a link cannot replace a file.
void FileWriter::link_to_target() {
  const std::string from = name_of(file_);
  const auto link = [&](const char* name) {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(target_.c_str())) return;
  if (errno != EEXIST) fail_here("write");
  name_beside(link);
}

void FileWriter::synchronise_folder() {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open() && !synchronise(folder.get())) fail_here("write");
}

void FileWriter::fail_here(const char* what) const {
  fail(path_, std::string("cannot ") + what + ": " + system_reason());
}

}  // namespace kauri::io
