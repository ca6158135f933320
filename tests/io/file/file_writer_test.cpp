// Written files: all or nothing, however the write ends.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/terminal/signals.hpp"
#include "src/io/file/file.hpp"
#include "support/process/at_pipe.hpp"
#include "support/process/child.hpp"
#include "support/process/temp_file.hpp"
#include "tests/io/file/watched_calls.hpp"
#include "tests/io/io_support.hpp"

namespace {

std::atomic<long> allocations_left{-1};  // negative: no limit

/// Allows this many allocations, after which memory is exhausted.
struct FewAllocations {
  explicit FewAllocations(long count) { allocations_left = count; }
  ~FewAllocations() { allocations_left = -1; }
  FewAllocations(const FewAllocations&) = delete;
  FewAllocations& operator=(const FewAllocations&) = delete;
};

void* allocate(std::size_t bytes) {
  if (allocations_left >= 0 && allocations_left-- == 0) {
    allocations_left = 0;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(std::max<std::size_t>(1, bytes))) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kauri {
namespace {

using test::calls;
using test::Watch;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
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
  const std::string path = folder.path() + "/folder/x", link = folder.path() + "/link",
                    second = folder.path() + "/second";
  std::filesystem::create_symlink("folder/x", link);
  std::filesystem::create_symlink(link, second);
  test::expect_input_error([&] { const io::FileWriter file(second); },
                           second + ": cannot create: No such file or directory");
  std::filesystem::create_directory(folder.path() + "/folder");
  io::FileWriter file(second);
  file.write("new");
  file.close();
  EXPECT_TRUE(std::filesystem::is_symlink(second));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(io::read_file(path), "new");
  const std::string circle = folder.path() + "/circle";
  std::filesystem::create_symlink("circle", circle);
  test::expect_input_error([&] { const io::FileWriter none(circle); },
                           circle + ": cannot create: Too many levels of symbolic links");
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
  test::expect_input_error([&] { full.write("x"); },
                           "/dev/full: cannot write: No space left on device");
  test::expect_input_error([] { const io::FileWriter folder("/"); },
                           "/: cannot create: Is a directory");
}

/// Returns the status of a child process that runs `work` and is ended by a signal.
template <class Work>
int status_of_child(Work&& work) {
  return test::status_of_child([&] {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    work();
  });
}

/// Returns true if files without a name can be made in this folder.
bool has_nameless(const std::string& folder) {
  const io::Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return file.open() && ::access("/proc/self/fd", F_OK) == 0;
}

/// Writes to the file until the signal ends the process, with the program's handlers if the file
/// has a temporary name.
void write_until(int signal, const std::string& path, io::Unfinished how) {
  ::signal(signal, SIG_DFL);  // in case the parent ignores it
  if (how == io::Unfinished::named) cli::remove_files_on_signals();
  io::FileWriter file(path, how);
  file.write("new");
  if (signal != SIGXFSZ) ::raise(signal);
  const rlimit most{1000, 1000};
  ::setrlimit(RLIMIT_FSIZE, &most);
  file.write(std::string(5000, 'x'));
  file.write("x");
}

TEST(FileWriter, NothingStaysAfterASignal) {
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2,
                             SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGKILL}) {
      const test::TempFolder folder;
      if (how == io::Unfinished::nameless && !has_nameless(folder.path())) {
        std::puts("skipped: FileWriter.NothingStaysAfterASignal: no files without names here");
        break;
      }
      if (how == io::Unfinished::named && signal == SIGKILL) continue;  // cannot be handled
      const std::string path = folder.path() + "/x";
      std::ofstream(path) << "old";
      const int status = status_of_child([&] { write_until(signal, path, how); });
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << " " << status;
      EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"}) << signal;
      EXPECT_EQ(io::read_file(path), "old") << signal;
    }
}

TEST(FileWriter, NamesThatAreOverAreNotRemoved) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  for (int k = 0; k < 20; ++k) {  // more than are recorded at a time
    io::FileWriter file(path, io::Unfinished::named);
    file.write("new");
    file.close();
  }
  io::remove_unfinished();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"});
  const io::FileWriter unfinished(folder.path() + "/y", io::Unfinished::named);
  EXPECT_EQ(names_in(folder.path()).size(), 2U);
  io::remove_unfinished();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"});
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status;
}

unsigned mode_of(const std::string& path) { return status_of(path).st_mode & 07777; }

TEST(FileWriter, HasTheOldPermissionsFromTheFirstByteOn) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  std::ofstream(path) << "old";
  const mode_t mask = ::umask(0);
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const unsigned permissions : {0600U, 0640U, 0755U}) {
      ::chmod(path.c_str(), permissions);
      const Watch watch;
      io::FileWriter file(path, how);
      for (const mode_t mode : calls.modes)
        EXPECT_EQ(mode & ~permissions, 0U) << std::oct << mode << " " << permissions;
      EXPECT_FALSE(calls.modes.empty());
      EXPECT_EQ(calls.modes.back(), permissions);
      file.write("new");
      file.close();
      EXPECT_EQ(mode_of(path), permissions);
    }
  ::umask(027);
  io::FileWriter fresh(folder.path() + "/y");
  fresh.close();
  ::umask(mask);
  EXPECT_EQ(mode_of(folder.path() + "/y"), 0640U);
}

constexpr uid_t kOther = 54321;
constexpr gid_t kTeam = 54322;

TEST(FileWriter, KeepsOwnerAndGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const unsigned permissions : {0600U, 0660U, 02664U}) {
      std::ofstream(path) << "old";
      ASSERT_EQ(::chown(path.c_str(), kOther, kTeam), 0);
      ::chmod(path.c_str(), permissions);
      const Watch watch;
      io::FileWriter file(path, how);
      file.write("new");
      file.close();
      const struct stat now = status_of(path);
      EXPECT_EQ(now.st_uid, kOther);
      EXPECT_EQ(now.st_gid, kTeam);
      EXPECT_EQ(now.st_mode & 07777, permissions);
    }
}

/// If the writer may not set the file's group, the permissions of the old group do not pass to the
/// writer's group, nor to others beyond their own.
TEST(FileWriter, NobodyGainsWhereAGroupCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const test::TempFolder folder;
  ::chmod(folder.path().c_str(), 0777);
  const std::string path = folder.path() + "/x";
  const std::vector<std::pair<unsigned, unsigned>> cases{{0660, 0600}, {0664, 0604}, {0640, 0600},
                                                         {0604, 0600}, {0647, 0604}, {02770, 0700}};
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const auto& [before, after] : cases) {
      std::filesystem::remove(path);
      std::ofstream(path) << "old";
      ASSERT_EQ(::chown(path.c_str(), kOther, kTeam), 0);
      ::chmod(path.c_str(), before);
      const int status = status_of_child([&, how = how] {
        if (::setgroups(0, nullptr) != 0 || ::setgid(kOther) != 0 || ::setuid(kOther) != 0)
          ::_exit(1);
        io::FileWriter file(path, how);
        file.write("new");
        file.close();
      });
      ASSERT_EQ(status, 0);
      EXPECT_EQ(status_of(path).st_uid, kOther);
      EXPECT_EQ(status_of(path).st_gid, kOther);
      EXPECT_EQ(mode_of(path), after) << std::oct << before;
    }
}

TEST(FileWriter, BytesAreOnTheDiskBeforeTheyHaveTheName) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  using Order = std::vector<std::string>;
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const bool there : {false, true}) {
      std::filesystem::remove(path);
      if (there) std::ofstream(path) << "old";
      const Watch watch;
      io::FileWriter file(path, how);
      file.write("new");
      file.close();
      const bool at_once = how == io::Unfinished::nameless && has_nameless(folder.path());
      Order expected{"fsync file", "rename", "fsync folder"};
      if (at_once)
        expected = there ? Order{"fsync file", "link", "rename", "fsync folder"}
                         : Order{"fsync file", "link", "fsync folder"};
      EXPECT_EQ(calls.order, expected);
    }
}

/// Memory runs out at any point of the constructor.
TEST(FileWriter, LeavesNothingWhereItsConstructorFails) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  std::ofstream(path) << "old";
  const auto open_files = [] { return names_in("/proc/self/fd").size(); };
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named}) {
    const std::size_t before = open_files();
    bool made = false;
    long good = 0;
    for (; !made && good < 1000; ++good) {
      {
        const FewAllocations few(good);
        try {
          const io::FileWriter file(path, how);
          made = true;
        } catch (const std::bad_alloc&) {
        } catch (const Error&) {  // an error whose text could not be allocated
        }
      }
      ASSERT_EQ(open_files(), before) << good;
      ASSERT_EQ(names_in(folder.path()), std::vector<std::string>{"x"}) << good;
    }
    EXPECT_TRUE(made);
    EXPECT_GT(good, 3);
  }
  EXPECT_EQ(io::read_file(path), "old");
}

TEST(FileWriter, AFileThatCameMeanwhileIsReplaced) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named}) {
    std::filesystem::remove(path);
    io::FileWriter file(path, how);
    file.write("new");
    std::ofstream(path) << "other";
    file.close();
    EXPECT_EQ(io::read_file(path), "new");
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"});
  }
}

}  // namespace
}  // namespace kauri
