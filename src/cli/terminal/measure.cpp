// Timing, memory of the process, and random right-hand sides that are the same on all platforms.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/terminal/measure.hpp"

#include <fstream>
#include <sstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/common/splitmix64.hpp"

namespace kauri::cli {
Offset peak_rss_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

void reset_peak_rss() {
  std::ofstream("/proc/self/clear_refs") << "5";
}  // see proc(5); without permission this has no effect

void release_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

template <class T>
void fill_random(std::span<T> x, std::uint64_t seed) {
  for (T& v : x) v = static_cast<T>(static_cast<double>(splitmix64(seed) >> 40) * 0x1p-23 - 1.0);
}

template void fill_random<float>(std::span<float>, std::uint64_t);
template void fill_random<double>(std::span<double>, std::uint64_t);

}  // namespace kauri::cli
