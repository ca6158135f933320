// Files written: all or nothing, whatever ends the work.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/io/file_writer.hpp"
#include "support/at_pipe.hpp"
#include "support/child.hpp"
#include "support/temp_file.hpp"
#include "tests/io/io_support.hpp"

namespace kauri {
namespace {

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

/// A child process that does this and is ended by a signal; its status.
template <class Work>
int status_of_child(Work&& work) {
  return test::status_of_child([&] {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    work();
  });
}

/// True where files without a name are to be had.
bool has_nameless(const std::string& folder) {
  const io::Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return file.open() && ::access("/proc/self/fd", F_OK) == 0;
}

extern "C" void remove_and_go_on(int number) {
  io::remove_unfinished();
  ::raise(number);
}

TEST(FileWriter, NothingStaysAfterASignal) {
  for (const auto how : {io::Unfinished::nameless, io::Unfinished::named})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGKILL}) {
      const test::TempFolder folder;
      if (how == io::Unfinished::nameless && !has_nameless(folder.path())) GTEST_SKIP() << "no files without names here";
      if (how == io::Unfinished::named && signal == SIGKILL) continue;  // leaves nobody a moment
      const std::string path = folder.path() + "/x";
      std::ofstream(path) << "old";
      const int status = status_of_child([&] {
        struct sigaction then {};
        then.sa_handler = remove_and_go_on;
        then.sa_flags = static_cast<int>(SA_RESETHAND);
        if (how == io::Unfinished::named) ::sigaction(signal, &then, nullptr);
        io::FileWriter file(path, how);
        file.write("new");
        if (signal != SIGXFSZ) ::raise(signal);
        const rlimit most{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &most);
        file.write(std::string(5000, 'x'));
        file.write("x");
      });
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << " " << status;
      EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"x"}) << signal;
      EXPECT_EQ(io::read_file(path), "old") << signal;
    }
}

TEST(FileWriter, NamesThatAreOverAreNotRemoved) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  for (int k = 0; k < 20; ++k) {  // more than are noted at a time
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

TEST(FileWriter, HasTheOldPermissionsFromTheFirstByteOn) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  const auto mode = [](const std::string& name) {
    struct stat status {};
    return ::stat(name.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  };
  std::ofstream(path) << "old";
  const mode_t mask = ::umask(0);
  for (const unsigned permissions : {0600U, 0640U, 0755U}) {
    ::chmod(path.c_str(), permissions);
    io::FileWriter file(path, io::Unfinished::named);
    const auto names = names_in(folder.path());
    EXPECT_EQ(mode(folder.path() + "/" + names.back()), permissions);
    file.write("new");
    file.close();
    EXPECT_EQ(mode(path), permissions);
  }
  ::umask(027);
  io::FileWriter fresh(folder.path() + "/y");
  fresh.close();
  ::umask(mask);
  EXPECT_EQ(mode(folder.path() + "/y"), 0640U);
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
