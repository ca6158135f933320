// L and its diagonal, read panel by panel.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/lower_factor.hpp"

#include <algorithm>

#include "numeric/backend.hpp"

namespace kauri {
namespace {

/// visit(j, column): column j of L from its diagonal down, one entry for each of the supernode's rows from there on, in order.
template <class T, class Visit>
void for_each_column(const Factor<T>& factor, const Visit& visit) {
  if (!factor.valid()) throw Error(ErrorKind::usage, "lower factor: the factor is not valid");
  const Supernodes& nodes = factor.plan().supernodes;
  std::vector<T> panel;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto m = static_cast<std::size_t>(nodes.order(s)), p = static_cast<std::size_t>(nodes.pivots(s));
    panel.resize(m * p);
    factor.store().copy_panel(s, panel);
    for (std::size_t c = 0; c < p; ++c)
      visit(s, nodes.first[s] + static_cast<Index>(c), std::span<const T>(panel).subspan(c * m + c, m - c));
  }
}

}  // namespace

template <Scalar T>
LowerFactor<T> lower_factor(const Factor<T>& factor) {
  LowerFactor<T> l{{0}, {}, {}};
  l.col_ptr.reserve(static_cast<std::size_t>(factor.plan().n) + 1);
  for_each_column(factor, [&](Index s, Index, std::span<const T> column) {
    const auto rows = factor.plan().supernodes.rows(s).last(column.size());
    l.row.insert(l.row.end(), rows.begin(), rows.end());
    l.value.insert(l.value.end(), column.begin(), column.end());
    l.col_ptr.push_back(static_cast<Offset>(l.row.size()));
  });
  return l;
}

template <Scalar T>
std::vector<T> lower_diagonal(const Factor<T>& factor) {
  std::vector<T> diagonal(static_cast<std::size_t>(factor.plan().n));
  for_each_column(factor, [&](Index, Index j, std::span<const T> column) { diagonal[j] = column.front(); });
  return diagonal;
}

template LowerFactor<float> lower_factor(const Factor<float>&);
template LowerFactor<double> lower_factor(const Factor<double>&);
template std::vector<float> lower_diagonal(const Factor<float>&);
template std::vector<double> lower_diagonal(const Factor<double>&);

}  // namespace kauri
