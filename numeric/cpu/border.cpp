// A bordered by right-hand sides on the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/border.hpp"

#include <algorithm>
#include <limits>

#include "numeric/cpu/workers.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cpu {

template <class T>
CpuBorder<T>::CpuBorder(Index n, Offset nnz, Index nrhs, MemoryLedger& ledger)
    : shape_{n, nnz, nrhs}, counted_((shape_.values() + 2 * shape_.vectors()) * Offset{sizeof(T)}, ledger) {
  resize_large(value_, shape_.values());
  resize_large(begin_, shape_.vectors());
  resize_large(x_, shape_.vectors());
  std::fill(begin_.begin(), begin_.end(), T(0));
  for (Index r = 0; r < nrhs; ++r) value_[Offset{r} * (Offset{n} + 1)] = this->kCorner;
}

template <class T>
void CpuBorder<T>::set(std::span<const T> value, MatrixView<const T> b) {
  std::copy(value.begin(), value.end(), value_.begin() + shape_.border());
  copy_entries<T>(b, shape_.b_in(value_.data()));
}

template <class T>
void CpuBorder<T>::enqueue_set(std::span<const T> value, MatrixView<const T> b, StreamHandle stream) {
  require_no_stream(stream, "a fused solve");
  set(value, b);
}

template <class T>
void CpuBorder<T>::enqueue_solve(const FactorStore<T>& factor, SolveStore<T>& workspace, StreamHandle stream) {
  require_no_stream(stream, "a fused solve");
  if (factor.verdict().status != VerdictStatus::positive_definite) {
    std::fill(x_.begin(), x_.end(), std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const MatrixView<T> begin = shape_.block(begin_.data());
  for (Index r = 0; r < shape_.nrhs; ++r)
    for (Index i = 0; i <= r; ++i) strided(begin)(shape_.n + i, r) = T(kGivenInBorder) * factor.entry(shape_.n + r, shape_.n + i);
  factor.solve(begin, shape_.block(x_.data()), workspace, {.permute = false, .forward = false});
}

template <class T>
void CpuBorder<T>::get(MatrixView<T> x) const {
  copy_entries<T>(shape_.x_in(x_.data()), x);
}

template <class T>
void CpuBorder<T>::enqueue_get(MatrixView<T> x, StreamHandle stream) const {
  require_no_stream(stream, "a fused solve");
  get(x);
}

template class CpuBorder<float>;
template class CpuBorder<double>;

}  // namespace kauri::numeric::cpu
