// Factors of the CPU in files: the bits of factors in memory, errors of the disk, and that no file
// remains, whatever ends the process.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cpu/runtime/file_memory.hpp"
#include "tests/support/process/child.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

using numeric::cpu::FileMemory;
using numeric::cpu::require_disk_folder;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A file that this process has open.
struct OpenFile {
  Offset bytes;      // its length
  Offset allocated;  // bytes that it has on the disk
  Offset names;      // its hard links
};

/// Returns the files, with and without names, that this process has open in a folder, from its
/// table of open files.
std::vector<OpenFile> open_files(const std::string& folder) {
  std::vector<OpenFile> files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (gone || !target.starts_with(folder + "/")) continue;
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) != 0) continue;
    files.push_back(
        {status.st_size, Offset{status.st_blocks} * 512, static_cast<Offset>(status.st_nlink)});
  }
  return files;
}

/// A new folder on a disk: where this program was built. Skips the test if that is memory.
class FactorFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = std::string(KAURI_TEST_FOLDER) + "/factor_file_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr) << KAURI_TEST_FOLDER;
    folder_ = std::filesystem::canonical(folder).string();
    try {
      require_disk_folder(folder_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void TearDown() override {
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    EXPECT_EQ(open_files(folder_).size(), 0U);
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] Backend backend_in_file(int threads = 2) const {
    return cpu_backend(threads, {.factor_file = folder_});
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// Returns the plan of a generated system, for eight tasks at once.
template <class T>
std::shared_ptr<const Plan> plan_of(const SymmetricMatrix<T>& a) {
  AnalyzeOptions options;
  options.workers = 8;
  return analyze(a.pattern(), options);
}

template <class T>
std::vector<T> values_of(const SymmetricMatrix<double>& a, double scale = 1) {
  std::vector<T> value;
  for (const double v : a.value()) value.push_back(static_cast<T>(scale * v));
  return value;
}

/// Returns all that callers can compute with a factor: L in its file's format, the products and
/// solutions of 1 and 40 right-hand sides, entries and diagonal of L, and the diagonal of the
/// inverse.
template <class T>
std::vector<T> results(const Factor<T>& factor) {
  const Index n = factor.plan().n;
  std::vector<T> all;
  const auto add = [&](const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const Index columns : {1, 40}) {
    auto workspace = Workspace<T>::create(factor, columns);
    std::vector<T> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns)), x = b;
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<T>(k * 7 % 16) - T(7.5);
    const MatrixView<const T> right{b.data(), n, columns, n};
    const MatrixView<T> left{x.data(), n, columns, n};
    for (const System system : {System::A, System::L, System::Lt}) {
      factor.solve(system, right, left, workspace);
      add(x);
    }
    for (const System system : {System::L, System::Lt}) {
      factor.multiply(system, right, left, workspace);
      add(x);
    }
  }
  add(lower_diagonal(factor));
  add(lower_factor(factor).value);
  auto inverse = SelectedInverse<T>::create(factor);
  inverse.compute(factor);
  add(inverse.diagonal());
  return all;
}

template <class T>
void expect_same(const Factor<T>& memory, const Factor<T>& file) {
  ASSERT_TRUE(file.valid());
  EXPECT_EQ(memory.verdict(), file.verdict());
  EXPECT_TRUE(save_factor(memory) == save_factor(file));
  EXPECT_TRUE(same_bits(results(memory), results(file)));
}

const std::vector<std::string> kSystems = {"poisson3d 13", "elast3d 6", "tree 3000 1",
                                           "blockdiag 1 1"};

template <class T>
void same_bits_as_in_memory(const std::function<Backend(int)>& in_file) {
  const test::ManyThreads many;
  for (const std::string& system : kSystems)
    for (const int threads : {1, 8}) {
      SCOPED_TRACE(system + ", threads " + std::to_string(threads));
      const auto a = generate(system);
      const auto plan = plan_of(a);
      Backend memory = cpu_backend(threads), file = in_file(threads);
      auto expected = Factor<T>::create(plan, memory), found = Factor<T>::create(plan, file);
      const auto fill = [&](const std::vector<T>& value, T shift) {
        ASSERT_TRUE(refactorize<T>(expected, value, shift).ok());
        ASSERT_TRUE(refactorize<T>(found, value, shift).ok());
        expect_same(expected, found);
      };
      fill(values_of<T>(a), T(0));
      fill(values_of<T>(a, 3), T(0.25));  // over the values of the last one
      const auto loaded = load_factor<T>(save_factor(expected), file);
      expect_same(expected, loaded);
    }
}

TEST_F(FactorFiles, HaveTheBitsOfFactorsInMemory) {
  same_bits_as_in_memory<double>([&](int threads) { return backend_in_file(threads); });
}

TEST_F(FactorFiles, HaveTheBitsOfFactorsInMemoryInFloat) {
  same_bits_as_in_memory<float>([&](int threads) { return backend_in_file(threads); });
}

TEST_F(FactorFiles, BreakDownAtTheSameColumn) {
  const auto a = generate("poisson3d 11");
  const auto plan = plan_of(a);
  Backend memory = cpu_backend(2), file = backend_in_file();
  auto expected = Factor<double>::create(plan, memory), found = Factor<double>::create(plan, file);
  auto value = values_of<double>(a);
  const Pattern pattern = a.pattern();
  for (const Index column : {pattern.n / 3, pattern.n / 2})
    value[static_cast<std::size_t>(pattern.col_ptr[column])] = -1;
  const auto broken = refactorize<double>(expected, value),
             seen = refactorize<double>(found, value);
  ASSERT_FALSE(broken.ok());
  ASSERT_FALSE(seen.ok());
  EXPECT_EQ(seen.error().column, broken.error().column);
  EXPECT_EQ(seen.error().pivot, broken.error().pivot);
  EXPECT_FALSE(found.valid());
  ASSERT_TRUE(refactorize<double>(expected, a.value()).ok());
  ASSERT_TRUE(refactorize<double>(found, a.value()).ok());
  expect_same(expected, found);
}

TEST_F(FactorFiles, AreAllocatedOnTheDiskWithoutANameAndOutsideTheLedger) {
  const auto a = generate("poisson3d 15");
  const auto plan = plan_of(a);
  Backend backend = backend_in_file();
  {
    const auto one = Factor<double>::create(plan, backend);
    const auto two = Factor<float>::create(plan, backend);
    EXPECT_EQ(backend.bytes_in_use(), 2 * plan->counter_bytes());
    const auto files = open_files(folder());
    ASSERT_EQ(files.size(), 2U);
    Offset bytes = 0;
    for (const OpenFile& file : files) {
      bytes += file.bytes;
      EXPECT_EQ(file.names, 0);
      EXPECT_GE(file.allocated, file.bytes);
    }
    EXPECT_EQ(bytes, plan->peak_bytes(8) + plan->peak_bytes(4) - 2 * plan->counter_bytes());
    EXPECT_TRUE(std::filesystem::is_empty(folder()));
  }
  EXPECT_EQ(open_files(folder()).size(), 0U);
  EXPECT_EQ(backend.bytes_in_use(), 0);
}

TEST_F(FactorFiles, LeaveNothingWhenTheProcessIsKilled) {
  const auto a = generate("poisson3d 9");
  const auto plan = plan_of(a);
  const int status = test::status_of_child([&] {
    Backend backend = backend_in_file(1);
    auto factor = factorize<double>(plan, a.value(), backend);
    const auto files = open_files(folder());
    // The system frees the bytes of a file without a name, since nothing else can reach it.
    if (!factor.ok() || files.size() != 1 || files.front().names != 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(test::exit_of(status), 1000 + SIGKILL);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

/// Sets the limit on the size of files during a scope.
class FileLimit {
 public:
  explicit FileLimit(Offset bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = static_cast<rlim_t>(bytes);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &old_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit old_{};
};

TEST_F(FactorFiles, TooLittleRoomIsAnErrorWithTheBytes) {
  const auto a = generate("poisson3d 12");
  const auto plan = plan_of(a);
  const Offset bytes = plan->peak_bytes(8) - plan->counter_bytes();
  Backend backend = backend_in_file();
  auto there = Factor<double>::create(plan, backend);
  ASSERT_TRUE(refactorize<double>(there, a.value()).ok());
  const auto before = save_factor(there);
  {
    const FileLimit limit(bytes - 1);
    const std::string text = test::error_text(
        ErrorKind::memory, [&] { static_cast<void>(Factor<double>::create(plan, backend)); });
    for (const std::string& part : {std::to_string(bytes) + " bytes asked for", folder(),
                                    std::to_string(bytes - 1), std::string("ulimit -f")})
      EXPECT_TRUE(contains(text, part)) << text << "\nhas no: " << part;
  }
  {
    const FileLimit limit(bytes);
    EXPECT_NO_THROW(static_cast<void>(Factor<double>::create(plan, backend)));
  }
  EXPECT_EQ(backend.bytes_in_use(), plan->counter_bytes());
  EXPECT_EQ(open_files(folder()).size(), 1U);
  EXPECT_TRUE(save_factor(there) == before);
  ASSERT_TRUE(refactorize<double>(there, a.value()).ok());
  EXPECT_TRUE(save_factor(there) == before);

  struct statvfs disk {};
  ASSERT_EQ(::statvfs(folder().c_str(), &disk), 0);
  const Offset more =
      static_cast<Offset>(disk.f_blocks) * static_cast<Offset>(disk.f_frsize) + (Offset{1} << 30);
  const std::string text =
      test::error_text(ErrorKind::memory, [&] { const FileMemory memory(more, folder()); });
  for (const std::string& part :
       {std::to_string(more) + " bytes asked for", folder(), std::string("are free")})
    EXPECT_TRUE(contains(text, part)) << text << "\nhas no: " << part;
}

TEST_F(FactorFiles, BadFoldersAreRefusedWhenTheBackendIsMade) {
  const auto text = [](const std::string& place) {
    return test::error_text(ErrorKind::input,
                            [&] { static_cast<void>(cpu_backend(1, {.factor_file = place})); });
  };
  const std::string missing = folder() + "/missing";
  EXPECT_TRUE(contains(text(missing), missing + ": No such file")) << text(missing);
  EXPECT_TRUE(contains(text("/dev/null"), "/dev/null: is no folder")) << text("/dev/null");
  if (std::filesystem::is_directory("/proc/self")) {
    // A file system that holds no files of callers, even for root.
    const std::string refused =
        test::error_text(ErrorKind::input, [] { const FileMemory memory(4096, "/proc/self"); });
    EXPECT_TRUE(contains(refused, "/proc/self: cannot make a file: ")) << refused;
  }
  if (const std::string shared = "/dev/shm"; std::filesystem::is_directory(shared)) {
    EXPECT_TRUE(contains(text(shared), "tmpfs")) << text(shared);
  }
  SolverOptions options;
  options.cpu.factor_file = missing;
  const auto made = [&] { const Solver<double> solver(options); };
  EXPECT_TRUE(contains(test::error_text(ErrorKind::input, made), missing));
}

TEST_F(FactorFiles, AreNotSharedByAForkThatRefactorises) {
  const auto a = generate("poisson3d 11");
  const auto plan = plan_of(a);
  Backend memory = cpu_backend(2), backend = backend_in_file();
  auto doubled = Factor<double>::create(plan, memory);
  const auto values = values_of<double>(a, 2);
  ASSERT_TRUE(refactorize<double>(doubled, values).ok());
  const auto expected = save_factor(doubled);
  auto factor = Factor<double>::create(plan, backend);
  ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
  const auto before = save_factor(factor);
  const int status = test::status_of_child([&] {
    if (save_factor(factor) != before) ::_exit(1);  // inherited
    if (!refactorize<double>(factor, values).ok()) ::_exit(2);
    if (save_factor(factor) != expected) ::_exit(3);
  });
  EXPECT_EQ(test::exit_of(status), 0);
  EXPECT_TRUE(save_factor(factor) == before);
}

TEST_F(FactorFiles, ServeSeveralThreadsAndFactorsAtOnce) {
  const test::ManyThreads many;
  const auto a = generate("poisson3d 12");
  const auto plan = plan_of(a);
  Backend memory = cpu_backend(2), backend = backend_in_file();
  constexpr int kFactors = 4;
  std::vector<std::vector<std::byte>> found(kFactors);
  std::vector<std::thread> threads;
  for (int k = 0; k < kFactors; ++k)
    threads.emplace_back([&, k] {
      auto factor = Factor<double>::create(plan, backend);
      for (int again = 0; again < 2; ++again)
        if (refactorize<double>(factor, values_of<double>(a, k + 1)).ok())
          found[static_cast<std::size_t>(k)] = save_factor(factor);
    });
  for (std::thread& thread : threads) thread.join();
  auto expected = Factor<double>::create(plan, memory);
  for (int k = 0; k < kFactors; ++k) {
    ASSERT_TRUE(refactorize<double>(expected, values_of<double>(a, k + 1)).ok());
    EXPECT_TRUE(found[static_cast<std::size_t>(k)] == save_factor(expected)) << k;
  }
}

TEST_F(FactorFiles, AreThoseOfSolversAndMixedFactorsButNotOfBatches) {
  const auto a = generate("poisson3d 11");
  std::vector<double> b(static_cast<std::size_t>(a.n()));
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<double>(k % 7) - 3;
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    SolverOptions options;
    options.backend = BackendChoice::cpu;
    options.precision = precision;
    Solver<double> memory(options);
    options.cpu.factor_file = folder();
    Solver<double> file(options);
    ASSERT_TRUE(memory.compute(a.view()).ok());
    ASSERT_TRUE(file.compute(a.view()).ok());
    EXPECT_EQ(open_files(folder()).size(), 1U);
    EXPECT_TRUE(same_bits(memory.solve(b), file.solve(b)));
  }
  const auto plan = plan_of(a);
  Backend backend = backend_in_file();
  auto batch = BatchFactor<double>::create(plan, 3, backend);
  EXPECT_EQ(open_files(folder()).size(), 0U);
}

}  // namespace
}  // namespace kauri
