// Clocks, the process's memory, and right-hand sides that are the same everywhere.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/measure.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace kauri::cli {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Offset peak_rss_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

void reset_peak_rss() { std::ofstream("/proc/self/clear_refs") << "5"; }  // proc(5); does nothing where it is not allowed

template <class T>
std::vector<T> random_vector(std::size_t length, std::uint64_t seed) {
  std::vector<T> x(length);
  for (T& v : x) v = static_cast<T>(static_cast<double>(splitmix64(seed) >> 40) * 0x1p-23 - 1.0);
  return x;
}

template std::vector<float> random_vector<float>(std::size_t, std::uint64_t);
template std::vector<double> random_vector<double>(std::size_t, std::uint64_t);

}  // namespace kauri::cli
