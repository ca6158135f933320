// Symmetric scaling of matrices in host memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/scaling.hpp"

#include <string>

#include "numeric/scaling_rule.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {
namespace {

template <class T>
void require_every_value(const SymmetricView<T>& a) {
  if (static_cast<Offset>(a.value.size()) != a.pattern.nnz())
    misuse("SymmetricScaling: " + std::to_string(a.value.size()) + " values, the pattern has " +
           std::to_string(a.pattern.nnz()) + " entries");
}

}  // namespace

template <Scalar T>
SymmetricScaling::SymmetricScaling(const SymmetricView<T>& a)
    : exponent_(static_cast<std::size_t>(a.pattern.n)) {
  check(a.pattern);
  require_every_value(a);
  for (std::size_t i = 0; i < exponent_.size(); ++i) {
    const auto diagonal =
        static_cast<double>(a.value[static_cast<std::size_t>(a.pattern.col_ptr[i])]);
    positive_ = positive_ && diagonal > 0 && numeric::is_finite(diagonal);
    exponent_[i] = numeric::scale_exponent(diagonal);
  }
}

template <Scalar T>
void SymmetricScaling::apply(const SymmetricView<double>& a, std::span<T> to) const {
  require_every_value(a);
  if (exponent_.size() != static_cast<std::size_t>(a.pattern.n) || to.size() != a.value.size())
    misuse("SymmetricScaling: of " + std::to_string(exponent_.size()) + " rows, the matrix has " +
           std::to_string(a.pattern.n) + "; room for " + std::to_string(to.size()) + " values of " +
           std::to_string(a.value.size()) + ", expected as many of both");
  for (Index j = 0; j < a.pattern.n; ++j)
    for (Offset k = a.pattern.col_ptr[j]; k < a.pattern.col_ptr[j + 1]; ++k)
      to[k] = numeric::narrowed<T>(
          numeric::scaled_entry(a.value[k], exponent_[j] + exponent_[a.pattern.row[k]]));
}

void SymmetricScaling::apply(std::span<double> x) const {
  if (x.size() != exponent_.size())
    misuse("SymmetricScaling: of " + std::to_string(exponent_.size()) + " rows, x has " +
           std::to_string(x.size()) + ", expected as many");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::scalbn(x[i], -exponent_[i]);
}

template SymmetricScaling::SymmetricScaling(const SymmetricView<float>&);
template SymmetricScaling::SymmetricScaling(const SymmetricView<double>&);
template void SymmetricScaling::apply(const SymmetricView<double>&, std::span<float>) const;
template void SymmetricScaling::apply(const SymmetricView<double>&, std::span<double>) const;

}  // namespace kauri
