// Helpers of the studies: systems from a file or specification, right-hand sides, medians and
// means.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/extras/io.hpp"

namespace kauri::bench {

/// Reads a file (Matrix Market, .npz) or, if no file has that name, generates a specification of
/// kauri::generate. Throws Error.
inline SymmetricMatrix<double> load(const std::string& source) {
  return std::filesystem::exists(source) ? read_matrix(source) : generate(source);
}

/// Returns `count` random numbers in [-1, 1).
inline std::vector<double> random_numbers(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<double> x(count);
  for (double& v : x) v = std::uniform_real_distribution<>(-1, 1)(random);
  return x;
}

/// Returns the median of x; for an even count, the mean of the two middle values. x is not empty.
inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}

/// Returns the geometric mean of x, which is not empty.
inline double geometric_mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += std::log(value);
  return std::exp(sum / static_cast<double>(x.size()));
}

}  // namespace kauri::bench
