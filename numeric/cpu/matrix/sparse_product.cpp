// Products with A on the CPU, by the row kernels of CpuResidual.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/matrix/sparse_product.hpp"

#include <algorithm>

namespace kauri::numeric::cpu {

template <class T>
CpuProduct<T>::CpuProduct(const Pattern& lower, Workers& workers, MemoryLedger& ledger)
    : col_ptr_(lower.col_ptr.begin(), lower.col_ptr.end()),
      row_(lower.row.begin(), lower.row.end()),
      value_(row_.size()),
      residual_(lower, workers),
      counted_(static_cast<Offset>(col_ptr_.size() * sizeof(Offset) +
                                   row_.size() * (sizeof(Index) + sizeof(T))) +
                   residual_.bytes(),
               ledger) {}

template <class T>
void CpuProduct<T>::set_values(std::span<const T> host) {
  std::copy(host.begin(), host.end(), value_.begin());
}

template <class T>
void CpuProduct<T>::enqueue_values(std::span<const T> value, StreamHandle stream) {
  require_no_stream(stream, "a product");
  set_values(value);
}

template <class T>
void CpuProduct<T>::multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) {
  residual_.multiply({{y.rows, col_ptr_, row_}, value_}, alpha, x, beta, y);
}

template <class T>
void CpuProduct<T>::enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y,
                                     StreamHandle stream) {
  require_no_stream(stream, "a product");
  multiply(alpha, x, beta, y);
}

template class CpuProduct<float>;
template class CpuProduct<double>;

}  // namespace kauri::numeric::cpu
