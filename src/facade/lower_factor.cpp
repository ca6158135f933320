// L, its diagonal, and the determinant of A from a factor.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/lower_factor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "numeric/backend.hpp"

namespace kauri {
namespace {

template <class T>
void require_valid(const Factor<T>& factor) {
  if (!factor.valid())
    throw Error(ErrorKind::usage,
                "lower factor: the factor is not valid (no successful factorisation yet, or the "
                "last one broke down): call refactorize() first");
}

/// Calls visit(s, column) for each column of L in order, s being its supernode. column: the entries
/// from the diagonal down; there is one for each of the last column.size() rows of supernode s.
template <class T, class Visit>
void for_each_column(const Factor<T>& factor, const Visit& visit) {
  require_valid(factor);
  const Supernodes& nodes = factor.plan().supernodes;
  std::vector<T> panel;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto m = static_cast<std::size_t>(nodes.order(s)),
               p = static_cast<std::size_t>(nodes.pivots(s));
    panel.resize(m * p);
    factor.store().host_access().copy_panel(s, panel);
    for (std::size_t c = 0; c < p; ++c)
      visit(s, std::span<const T>(panel).subspan(c * m + c, m - c));
  }
}

/// Returns a pivot whose rounded square root is `root`, which lies in [1/2, 1]. Up to three numbers
/// have this root; the result is the one with the most trailing zero bits.
template <class T>
T pivot_of(T root) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kHidden = Bits{1} << (std::numeric_limits<T>::digits - 1);
  const Bits square = std::bit_cast<Bits>(
      root * root);  // consecutive positive numbers have consecutive bit patterns
  T best = root * root;
  int most = -1;
  for (const int step : {0, 1, -1, 2, -2}) {
    const Bits near = square + static_cast<Bits>(step);
    const int zeros = std::countr_zero(static_cast<Bits>(near | kHidden));
    if (std::sqrt(std::bit_cast<T>(near)) != root || zeros <= most) continue;
    best = std::bit_cast<T>(near);
    most = zeros;
  }
  return best;
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
  factor.store().host_access().copy_diagonal(diagonal);
  return diagonal;
}

template <Scalar T>
double determinant(const Factor<T>& factor) {
  double high = 1, low = 0;  // high + low: product of mantissas (Dekker 1971)
  long exponent = 0;
  for (const T root : lower_diagonal(factor)) {
    int of_root = 0, of_product = 0;
    const auto pivot = static_cast<double>(pivot_of(std::frexp(root, &of_root)));
    const double product = high * pivot, rest = std::fma(high, pivot, -product) + low * pivot;
    high = std::frexp(product, &of_product);
    low = std::ldexp(rest, -of_product);
    exponent += 2L * of_root + of_product;
  }
  // Beyond these exponents a double overflows or underflows.
  return std::ldexp(high + low, static_cast<int>(std::clamp(exponent, -4000L, 4000L)));
}

template <Scalar T>
double log_determinant(const Factor<T>& factor) {
  require_valid(factor);
  if (const numeric::DeviceSolves<T>* device = factor.store().device_solves())
    return device->log_determinant();
  double sum = 0, rest = 0;  // rest: what rounding lost of the last addition (Kahan 1965)
  for (const T pivot : lower_diagonal(factor)) {
    const double term = 2 * std::log(static_cast<double>(pivot)) - rest, next = sum + term;
    rest = next - sum - term;
    sum = next;
  }
  return sum;
}

template double determinant(const Factor<float>&);
template double determinant(const Factor<double>&);
template double log_determinant(const Factor<float>&);
template double log_determinant(const Factor<double>&);
template LowerFactor<float> lower_factor(const Factor<float>&);
template LowerFactor<double> lower_factor(const Factor<double>&);
template std::vector<float> lower_diagonal(const Factor<float>&);
template std::vector<double> lower_diagonal(const Factor<double>&);

}  // namespace kauri
