// Runs refine_on_host() with memory allocated once.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/refine/refiner.hpp"

#include <algorithm>
#include <limits>

#include "base/matrix/dense_lines.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/host_refine.hpp"

namespace kauri::numeric::cpu {

template <class T>
CpuRefiner<T>::CpuRefiner(const Pattern& lower, Index nrhs, Workers& workers)
    : nrhs_(nrhs),
      col_ptr_(lower.col_ptr.begin(), lower.col_ptr.end()),
      row_(lower.row.begin(), lower.row.end()),
      value_(row_.size()),
      residual_(lower, workers) {
  const Offset size = Offset{lower.n} * nrhs;
  correction_.resize(static_cast<std::size_t>(size));
  better_.resize(static_cast<std::size_t>(size));
}

template <class T>
Offset CpuRefiner<T>::bytes() const {
  const auto of = [](const auto& array) {
    return static_cast<Offset>(array.size() * sizeof(array[0]));
  };
  return of(col_ptr_) + of(row_) + of(value_) + residual_.bytes() + of(correction_) + of(better_);
}

template <class T>
void CpuRefiner<T>::set_values(std::span<const T> value) {
  std::copy(value.begin(), value.end(), value_.begin());
}

template <class T>
void CpuRefiner<T>::enqueue_values(std::span<const T> value, StreamHandle stream) {
  require_no_stream(stream);
  set_values(value);
}

/// Refines x. As on a device, x is NaN if the factor is not valid, and its errors follow from that.
template <class T>
DeviceRefinement CpuRefiner<T>::refine(const FactorImpl<T>& factor, MatrixView<const T> b,
                                       MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                       const RefineOptions& options) {
  report_ = {};
  const VerdictStatus status = factor.verdict().status;
  if (status != VerdictStatus::positive_definite)
    fill_entries(x, std::numeric_limits<T>::quiet_NaN());
  const SymmetricView<T> a{{x.rows, col_ptr_, row_}, value_};
  const MatrixView<T> r{correction_.data(), x.rows, x.cols, x.rows},
      better{better_.data(), x.rows, x.cols, x.rows};
  const Refinement done = refine_on_host(
      x, r, better, limits_of<T>(options), [&] { factor.solve(r, r, workspace, {}); },
      [&](const MatrixView<T>& of, ValuesAre values) {
        return residual_.residual(a, of, b, r, values);
      });
  return report_ = {status, done};
}

template <class T>
void CpuRefiner<T>::enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b,
                                   MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                   const RefineOptions& options, StreamHandle stream) {
  require_no_stream(stream);
  refine(factor, b, x, workspace, options);
}

template <class T>
DeviceRefinement CpuRefiner<T>::fetch_report(StreamHandle stream) const {
  require_no_stream(stream);
  return report_;
}

template class CpuRefiner<float>;
template class CpuRefiner<double>;

}  // namespace kauri::numeric::cpu
