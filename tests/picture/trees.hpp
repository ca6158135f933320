// Plans of generated systems, and hand-made trees.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "kauri/core/analysis.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/extras/generate.hpp"

namespace kauri::test {

inline std::shared_ptr<const Plan> plan_of(const char* spec, OrderingMethod method) {
  AnalyzeOptions options;
  options.ordering.method = method;
  options.target = "cpu-generic";
  return analyze(generate(spec).pattern(), options);
}

/// Returns fronts with these pivots and parents, in postorder. A front has one row below its pivots
/// if it has a parent; `extra` adds entries to row_ptr, whose rows are not used.
inline Supernodes tree_of(const std::vector<Index>& parent, const std::vector<Index>& pivots,
                          Index extra = 0) {
  Supernodes fronts;
  fronts.parent = parent;
  fronts.first = {0};
  fronts.row_ptr = {0};
  for (std::size_t s = 0; s < parent.size(); ++s) {
    fronts.first.push_back(fronts.first.back() + pivots[s]);
    fronts.row_ptr.push_back(fronts.row_ptr.back() + pivots[s] +
                             (parent[s] == kNone ? 0 : 1 + extra));
  }
  fronts.row.resize(static_cast<std::size_t>(fronts.row_ptr.back()), 0);
  return fronts;
}

inline Supernodes chain(Index count) {
  std::vector<Index> parent, pivots(static_cast<std::size_t>(count), 1);
  for (Index s = 0; s < count; ++s) parent.push_back(s + 1 < count ? s + 1 : kNone);
  return tree_of(parent, pivots);
}

inline Supernodes star(Index leaves) {
  std::vector<Index> parent(static_cast<std::size_t>(leaves), leaves),
      pivots(static_cast<std::size_t>(leaves) + 1, 1);
  parent.push_back(kNone);
  return tree_of(parent, pivots);
}

inline Supernodes forest(Index roots) {
  return tree_of(std::vector<Index>(static_cast<std::size_t>(roots), kNone),
                 std::vector<Index>(static_cast<std::size_t>(roots), 2));
}

}  // namespace kauri::test
