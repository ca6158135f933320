// Runs a fuzz target on files and folders, or on mutations of them, for compilers without
// libFuzzer.
//     fuzz_x_replay PATH ...
//     fuzz_x_replay --mutants COUNT SEED KEEP PATH ...
// Each mutant is written to the file KEEP before it runs; the file remains if the mutant ends the
// program.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/mutants.hpp"
#include "tests/support/process/seeds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

/// Passes the target a buffer of exactly the input's length, so that a sanitizer detects reads past
/// its end.
void feed(const std::string& input) {
  const std::vector<char> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Returns the contents of all files; those of a folder in order of their names, since a folder
/// lists them in any order.
std::vector<std::string> read_all(const std::vector<std::string>& paths) {
  std::vector<std::string> inputs;
  for (const std::string& path : paths) {
    std::vector<fs::path> files;
    if (fs::is_regular_file(path)) files.emplace_back(path);
    if (fs::is_directory(path))
      for (const auto& entry : fs::directory_iterator(path))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& name : files) {
      std::ifstream file(name, std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return inputs;
}

/// The file that holds the running input. It uses system calls directly, since an input takes
/// microseconds.
class Kept {
 public:
  explicit Kept(std::string path)
      : path_(std::move(path)),
        file_(::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)) {
    if (file_ < 0) std::perror(path_.c_str()), std::exit(1);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  /// Removes the file after the last input.
  ~Kept() {
    ::close(file_);
    fs::remove(path_);
  }
  void hold(const std::string& input) const {
    if (::pwrite(file_, input.data(), input.size(), 0) != static_cast<ssize_t>(input.size()) ||
        ::ftruncate(file_, static_cast<off_t>(input.size())) != 0)
      std::perror(path_.c_str()), std::exit(1);
  }

 private:
  std::string path_;
  int file_;
};

void run_mutants(std::uint32_t count, std::uint64_t seed, const std::string& keep,
                 const std::vector<std::string>& corpus) {
  std::printf("%u mutants of %zu inputs, seed %llu; the one that runs is %s\n", count,
              corpus.size(), static_cast<unsigned long long>(seed), keep.c_str());
  std::fflush(stdout);
  const Kept kept(keep);
  kauri::fuzz::Mutants mutants(corpus, seed);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string input = mutants.next();
    kept.hold(input);
    feed(input);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  const bool mutate = paths.size() > 4 && paths[0] == "--mutants";
  const std::vector<std::string> corpus = read_all({paths.begin() + (mutate ? 4 : 0), paths.end()});
  if (corpus.empty()) return 1;  // a missing corpus must not pass
  if (mutate) {
    run_mutants(kauri::test::seeds(static_cast<std::uint32_t>(std::stoul(paths[1]))),
                std::stoull(paths[2]), paths[3], corpus);
  } else {
    for (const std::string& input : corpus) feed(input);
  }
  std::printf("%zu inputs\n", corpus.size());
  return 0;
}
