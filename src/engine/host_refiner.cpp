// HostRefiner: refines vectors in host memory with memory allocated once.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/host_refiner.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/matrix/dense_lines.hpp"
#include "src/checks/misuse.hpp"
#include "src/engine/engine.hpp"

namespace kauri {
namespace {

void require_no_stream(StreamHandle stream) {
  if (stream != nullptr) misuse("a factor on the CPU has no streams: pass null");
}

}  // namespace

template <Scalar T>
HostRefiner<T>::HostRefiner(const Pattern& lower, Index nrhs, numeric::Executor& executor)
    : nrhs_(nrhs),
      col_ptr_(lower.col_ptr.begin(), lower.col_ptr.end()),
      row_(lower.row.begin(), lower.row.end()),
      value_(row_.size()),
      residual_(executor.of<T>().make_residual(lower)) {
  const Offset size = Offset{lower.n} * nrhs;
  correction_.resize(static_cast<std::size_t>(size));
  better_.resize(static_cast<std::size_t>(size));
}

template <Scalar T>
Offset HostRefiner<T>::bytes() const {
  const auto of = [](const auto& array) {
    return static_cast<Offset>(array.size() * sizeof(array[0]));
  };
  return of(col_ptr_) + of(row_) + of(value_) + residual_->bytes() + of(correction_) + of(better_);
}

template <Scalar T>
void HostRefiner<T>::set_values(std::span<const T> value) {
  std::copy(value.begin(), value.end(), value_.begin());
}

template <Scalar T>
void HostRefiner<T>::enqueue_values(std::span<const T> value, StreamHandle stream) {
  require_no_stream(stream);
  set_values(value);
}

/// Refines x. As on a device, all entries of x become NaN if the factor is not valid, and the
/// errors reported are those of that x.
template <Scalar T>
DeviceRefinement HostRefiner<T>::refine(const numeric::FactorImpl<T>& factor, MatrixView<const T> b,
                                        MatrixView<T> x, numeric::WorkspaceImpl<T>& workspace,
                                        const RefineOptions& options) {
  report_ = {};
  const VerdictStatus status = factor.verdict().status;
  if (status != VerdictStatus::positive_definite)
    fill_entries(x, std::numeric_limits<T>::quiet_NaN());
  const SymmetricView<T> a{{x.rows, col_ptr_, row_}, value_};
  const MatrixView<T> r{correction_.data(), x.rows, x.cols, x.rows},
      better{better_.data(), x.rows, x.cols, x.rows};
  const auto solve = [&] { factor.solve(r, r, workspace, {}); };
  return report_ = {status, refine_by<T>(*residual_, a, b, x, r, better, options, std::ref(solve))};
}

template <Scalar T>
void HostRefiner<T>::enqueue_refine(const numeric::FactorImpl<T>& factor, MatrixView<const T> b,
                                    MatrixView<T> x, numeric::WorkspaceImpl<T>& workspace,
                                    const RefineOptions& options, StreamHandle stream) {
  require_no_stream(stream);
  refine(factor, b, x, workspace, options);
}

template <Scalar T>
DeviceRefinement HostRefiner<T>::fetch_report(StreamHandle stream) const {
  require_no_stream(stream);
  return report_;
}

template class HostRefiner<float>;
template class HostRefiner<double>;

}  // namespace kauri
