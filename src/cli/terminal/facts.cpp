// Facts of a symmetric matrix that cost one pass: degrees, diagonal, components, bandwidth,
// Gershgorin's bounds.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/terminal/facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/common/disjoint_sets.hpp"

namespace kauri::cli {
namespace {

void add_diagonal(MatrixFacts& facts, double d) {
  if (d > 0)
    ++facts.positive_diagonal;
  else if (d == 0)
    ++facts.zero_diagonal;
  else
    ++facts.negative_diagonal;
}

}  // namespace

MatrixFacts facts_of(const SymmetricView<double>& a) {
  const Pattern& pattern = a.pattern;
  MatrixFacts facts;
  if (pattern.n == 0) return facts;
  std::vector<Index> degree(static_cast<std::size_t>(pattern.n), 1);
  std::vector<double> radius(static_cast<std::size_t>(pattern.n), 0.0);
  DisjointSets sets(pattern.n);
  facts.components = pattern.n;
  for (Index j = 0; j < pattern.n; ++j) {
    const Offset begin = pattern.col_ptr[j], end = pattern.col_ptr[j + 1];
    add_diagonal(facts, a.value[begin]);
    for (Offset k = begin + 1; k < end; ++k) {
      const Index i = pattern.row[k];
      ++degree[i], ++degree[j];
      radius[i] += std::abs(a.value[k]), radius[j] += std::abs(a.value[k]);
      facts.bandwidth = std::max(facts.bandwidth, i - j);
      facts.components -= sets.unite(i, j) ? 1 : 0;
    }
  }
  facts.entries_full = 2 * pattern.nnz() - pattern.n;
  facts.mean_in_row = static_cast<double>(facts.entries_full) / pattern.n;
  const auto [least, most] = std::minmax_element(degree.begin(), degree.end());
  facts.least_in_row = *least, facts.most_in_row = *most;
  facts.gershgorin_least = a.value[pattern.col_ptr[0]] - radius[0];
  facts.gershgorin_greatest = a.value[pattern.col_ptr[0]] + radius[0];
  for (Index j = 1; j < pattern.n; ++j) {
    facts.gershgorin_least =
        std::min(facts.gershgorin_least, a.value[pattern.col_ptr[j]] - radius[j]);
    facts.gershgorin_greatest =
        std::max(facts.gershgorin_greatest, a.value[pattern.col_ptr[j]] + radius[j]);
  }
  return facts;
}

std::string verdict_name(const MatrixFacts& facts) {
  if (facts.zero_diagonal + facts.negative_diagonal > 0) return "no";
  return facts.gershgorin_least > 0 ? "yes" : "undecided";
}

std::string verdict_reason(const MatrixFacts& facts) {
  if (facts.zero_diagonal + facts.negative_diagonal > 0) return "a diagonal entry is not positive";
  return facts.gershgorin_least > 0
             ? "every row is strictly diagonally dominant"
             : "not strictly diagonally dominant: only a factorisation decides";
}

}  // namespace kauri::cli
