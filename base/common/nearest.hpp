// Suggests the known word that an unknown word was probably meant to be, for messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace kauri {

/// Returns the edit distance of two words: letters inserted, deleted or changed (V. I. Levenshtein,
/// 1966).
inline std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Returns the first of the names nearest to the word, or "" if none is near enough. A name is near
/// enough if its edit distance to the word is at most a third of the number of the word's letters,
/// rounded to the nearest integer. No name is near enough to a word of at most two letters.
inline std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() <= 2) return "";
  const std::string* best = nullptr;
  std::size_t least = 1 + std::max<std::size_t>(1, (word.size() + 1) / 3);
  for (const std::string& name : names)
    if (const std::size_t changes = changes_between(word, name); changes < least) {
      best = &name;
      least = changes;
    }
  return best == nullptr ? "" : *best;
}

}  // namespace kauri
