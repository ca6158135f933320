// Compares the pattern of a matrix with that of a plan, entry by entry.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/checks/same_pattern.hpp"

#include <algorithm>
#include <span>

#include "base/threads/stopping.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {
namespace {

/// Returns true if two arrays are equal. Does not read them if they are the same memory; else
/// throws Error(cancelled) if a stop is requested, checked every 2^20 elements.
template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return false;
  if (a.data() == b.data()) return true;
  constexpr std::size_t kStretch = std::size_t{1} << 20;
  for (std::size_t k = 0; k < a.size(); k += kStretch) {
    stop_here();
    const std::size_t count = std::min(kStretch, a.size() - k);
    if (!std::ranges::equal(a.subspan(k, count), b.subspan(k, count))) return false;
  }
  return true;
}

}  // namespace

bool same_pattern(const Pattern& a, const Pattern& b) {
  return a.n == b.n && same(a.col_ptr, b.col_ptr) && same(a.row, b.row);
}

std::string pattern_difference(const Pattern& now, const Pattern& then) {
  if (same_pattern(now, then)) return {};
  check(now);
  if (now.n != then.n) return std::to_string(now.n) + " rows, then " + std::to_string(then.n);
  const auto rows_of = [](const Pattern& a, std::size_t j) {
    return a.row.subspan(static_cast<std::size_t>(a.col_ptr[j]),
                         static_cast<std::size_t>(a.col_ptr[j + 1] - a.col_ptr[j]));
  };
  for (std::size_t j = 0; j < static_cast<std::size_t>(now.n); ++j) {
    const auto here = rows_of(now, j), there = rows_of(then, j);
    const auto [p, q] = std::ranges::mismatch(here, there);
    if (p == here.end() && q == there.end()) continue;
    // Rows ascend, so the lesser of the two is in one pattern only.
    const bool added = q == there.end() || (p != here.end() && *p < *q);
    return "entry (" + std::to_string(added ? *p : *q) + ", " + std::to_string(j) +
           (added ? ") is new" : ") is missing");
  }
  return {};
}

void require_pattern(const Pattern& a, const Plan& plan, const std::string& what) {
  if (const std::string difference = pattern_difference(a, plan.pattern()); !difference.empty())
    misuse(what + ": " + difference);
}

}  // namespace kauri
