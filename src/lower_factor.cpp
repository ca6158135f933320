// L and its diagonal, read panel by panel.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/lower_factor.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/backend.hpp"

namespace kauri {
namespace {

template <class T>
void require_valid(const Factor<T>& factor) {
  if (!factor.valid()) throw Error(ErrorKind::usage, "lower factor: the factor is not valid");
}

/// visit(s, column): each column of L from its diagonal down, one entry for each of supernode s's rows from there on, in order.
template <class T, class Visit>
void for_each_column(const Factor<T>& factor, const Visit& visit) {
  require_valid(factor);
  const Supernodes& nodes = factor.plan().supernodes;
  std::vector<T> panel;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto m = static_cast<std::size_t>(nodes.order(s)), p = static_cast<std::size_t>(nodes.pivots(s));
    panel.resize(m * p);
    factor.store().copy_panel(s, panel);
    for (std::size_t c = 0; c < p; ++c) visit(s, std::span<const T>(panel).subspan(c * m + c, m - c));
  }
}

}  // namespace

template <Scalar T>
LowerFactor<T> lower_factor(const Factor<T>& factor) {
  LowerFactor<T> l{{0}, {}, {}};
  l.col_ptr.reserve(static_cast<std::size_t>(factor.plan().n) + 1);
  for_each_column(factor, [&](Index s, std::span<const T> column) {
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
  require_valid(factor);
  factor.store().copy_diagonal(diagonal);
  return diagonal;
}

template <Scalar T>
double log_determinant(const Factor<T>& factor) {
  require_valid(factor);
  if (const numeric::DeviceSolves<T>* device = factor.store().device_solves()) return device->log_determinant();
  double sum = 0, rest = 0;  // what is lost of each addition (Kahan 1965)
  for (const T pivot : lower_diagonal(factor)) {
    const double term = 2 * std::log(static_cast<double>(pivot)) - rest, next = sum + term;
    rest = next - sum - term;
    sum = next;
  }
  return sum;
}

template double log_determinant(const Factor<float>&);
template double log_determinant(const Factor<double>&);
template LowerFactor<float> lower_factor(const Factor<float>&);
template LowerFactor<double> lower_factor(const Factor<double>&);
template std::vector<float> lower_diagonal(const Factor<float>&);
template std::vector<double> lower_diagonal(const Factor<double>&);

}  // namespace kauri
