// Runs a fuzz target on files and folders, for compilers without libFuzzer.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int k = 1; k < argc; ++k) {
    if (std::filesystem::is_regular_file(argv[k])) replay(argv[k]), ++files;
    if (!std::filesystem::is_directory(argv[k])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[k]))
      if (entry.is_regular_file()) replay(entry.path()), ++files;
  }
  std::printf("%d inputs\n", files);
  return files > 0 ? 0 : 1;  // a corpus that has gone missing must not pass
}
