// Shapes that stress an ordering, and transforms of any system: several unknowns a point, random
// numbering.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/generate/kinds.hpp"
#include "src/generate/rng.hpp"

namespace kauri::gen {

Columns arrow(Index n, Index dense) {
  constexpr Index kHalfWidth = 4;
  const double head = 0.5 * n + 2 * kHalfWidth + 1, tail = 0.5 * dense + 2 * kHalfWidth + 1;
  Columns a;
  a.reserve(n, static_cast<Offset>(n) * (Offset{dense} + kHalfWidth + 1));
  for (Index j = 0; j < n; ++j) {
    a.add(j, j < dense ? head : tail);
    const Index reach = j < dense ? n - 1 - j : std::min(kHalfWidth, n - 1 - j);
    for (Index step = 1; step <= reach; ++step) a.add(j + step, j < dense ? -0.5 : -1);
    a.finish_column();
  }
  return a;
}

Columns blockdiag(Index n, Index block) {
  const Offset order = std::min(block, n);
  Columns a;
  a.reserve(n, n * (order + 1) / 2 + order);
  for (Offset j = 0; j < n; ++j) {
    const Offset first = j / order * order, last = std::min<Offset>(first + order, n);
    a.add(j, 1);
    for (Offset i = j + 1; i < last; ++i) {
      // Entry (i, j) below the diagonal takes the draw whose number counts such entries before it
      // by rows: in whole blocks, then in whole rows of this block, then in this row.
      const Offset rows = i - first;
      Rng rng(12345);
      rng.skip(static_cast<std::uint64_t>(first / order * (order * (order - 1) / 2) +
                                          rows * (rows - 1) / 2 + (j - first)));
      a.add(i, (rng.uniform() - 0.5) / static_cast<double>(order));
    }
    a.finish_column();
  }
  return a;
}

Columns with_dofs(const Columns& a, Index dof) {
  const Offset d = dof;
  Columns b;
  b.reserve(a.n() * d, static_cast<Offset>(a.row.size()) * d * d - a.n() * (d * (d - 1) / 2));
  for (Index j = 0; j < a.n(); ++j)
    for (Offset c = 0; c < d; ++c) {
      for (Offset k = a.ptr[j]; k < a.ptr[j + 1]; ++k)
        for (Offset r = a.row[k] == j ? c : 0; r < d; ++r)
          b.add(a.row[k] * d + r, a.value[k] / static_cast<double>(1 + std::abs(r - c)));
      b.finish_column();
    }
  return b;
}

Columns shuffled(const Columns& a, std::uint64_t seed) {
  constexpr std::uint64_t kSalt =
      0x5EED;  // separates this stream from the one that made the matrix
  Rng rng(seed ^ kSalt);
  std::vector<Index> name(static_cast<std::size_t>(a.n()));
  std::iota(name.begin(), name.end(), 0);
  shuffle(name, rng);
  std::vector<Triplet> entries;
  entries.reserve(a.row.size());
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.ptr[j]; k < a.ptr[j + 1]; ++k) {
      const Index u = name[a.row[k]], v = name[j];
      entries.push_back({std::max(u, v), std::min(u, v), a.value[k]});
    }
  return sort_entries(a.n(), entries);
}

}  // namespace kauri::gen
