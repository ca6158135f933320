// Finds the entry of a file that makes its matrix unsymmetric, pair by pair.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/matrix/asymmetry.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/common/digits.hpp"

namespace kauri::io {
namespace {

/// The triplets of two mirrored entries, i > j: side 0 is entry (i, j), side 1 is entry (j, i).
struct Pair {
  std::array<Offset, 2> first{-1, -1};  // index of the first triplet on that side, or -1
  std::array<double, 2> sum{0, 0};
};

std::string words_of(const Triplets& t, const Pair& pair, const EntryNames& places,
                     const SymmetryRule<double>& rule) {
  const auto place = [&](Index i, Index j) {
    return "(" + std::to_string(Offset{i} + places.first) + ", " +
           std::to_string(Offset{j} + places.first) + ")";
  };
  const auto where = places.words;
  const bool both = pair.first[0] >= 0 && pair.first[1] >= 0;
  const int side = pair.first[1] < 0 || (both && pair.first[0] < pair.first[1])
                       ? 0
                       : 1;  // the side that comes first in the file
  const Offset k = pair.first[side];
  const Index i = t.row[k], j = t.col[k];
  if (!both)
    return where(k) + ": entry " + place(i, j) + " has no partner " + place(j, i) + rule.words();
  return where(k) + ": entry " + place(i, j) + " is " + digits(pair.sum[side]) + ", but " +
         place(j, i) + " in " + where(pair.first[1 - side]) + " is " + digits(pair.sum[1 - side]) +
         rule.words();
}

}  // namespace

std::string find_asymmetry(const Triplets& t, const EntryNames& places,
                           const SymmetryRule<double>& rule) {
  std::unordered_map<Index, double> diagonal;
  for (std::size_t k = 0; k < t.row.size(); ++k)
    if (t.row[k] == t.col[k]) diagonal[t.row[k]] += t.value[k];
  const auto root_of = [&](Index j) {
    const auto found = diagonal.find(j);
    return found == diagonal.end() ? 0.0 : SymmetryRule<double>::root(found->second);
  };
  std::vector<Offset> order(t.row.size());
  std::iota(order.begin(), order.end(), Offset{0});
  const auto pair_of = [&](Offset k) { return std::minmax({t.row[k], t.col[k]}); };
  std::sort(order.begin(), order.end(), [&](Offset a, Offset b) {
    return std::pair(pair_of(a), a) < std::pair(pair_of(b), b);
  });
  Pair worst;
  Offset least = -1;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const auto here = pair_of(order[begin]);
    Pair pair;
    for (; end < order.size() && pair_of(order[end]) == here; ++end) {
      const int side = t.row[order[end]] > t.col[order[end]] ? 0 : 1;
      if (pair.first[side] < 0) pair.first[side] = order[end];
      pair.sum[side] += t.value[order[end]];
    }
    if (here.first == here.second || (least >= 0 && order[begin] > least)) continue;
    if (rule.agree(pair.sum[0], pair.sum[1], root_of(here.first), root_of(here.second))) continue;
    least = order[begin];
    worst = pair;
  }
  return least < 0 ? std::string() : words_of(t, worst, places, rule);
}

}  // namespace kauri::io
