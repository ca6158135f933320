// The bordered matrix on the CPU: copies into it, and its solution by rows of L and a backward
// sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/batch/border.hpp"

#include <algorithm>
#include <limits>

#include "base/matrix/dense_lines.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

constexpr Index kFronts = 256;  // fronts from which a thread copies rows of L at a time

}  // namespace

template <class T>
CpuBorder<T>::CpuBorder(Index n, Offset nnz, Index nrhs, Workers& workers, MemoryLedger& ledger)
    : shape_{n, nnz, nrhs},
      workers_(workers),
      counted_((shape_.values() + 2 * shape_.vectors()) * Offset{sizeof(T)}, ledger) {
  resize_large(value_, shape_.values());
  resize_large(begin_, shape_.vectors());
  resize_large(x_, shape_.vectors());
  for (Index r = 0; r < nrhs; ++r) value_[Offset{r} * (Offset{n} + 1)] = this->kCorner;
}

template <class T>
void CpuBorder<T>::set(std::span<const T> value, MatrixView<const T> b) {
  std::copy(value.begin(), value.end(), value_.begin() + shape_.border());
  copy_entries<T>(b, shape_.b_in(value_.data()));
}

template <class T>
void CpuBorder<T>::enqueue_set(std::span<const T> value, MatrixView<const T> b,
                               StreamHandle stream) {
  require_no_stream(stream, "a fused solve");
  set(value, b);
}

template <class T>
void CpuBorder<T>::enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace,
                                 StreamHandle stream) {
  require_no_stream(stream, "a fused solve");
  if (factor.verdict().status != VerdictStatus::positive_definite) {
    std::fill(x_.begin(), x_.end(), std::numeric_limits<T>::quiet_NaN());
    return;
  }
  // y^T is the border's rows of L, which are the last rows of all fronts.
  const Plan& plan = *factor.plan();
  const T* l = static_cast<const CpuFactor<T>&>(factor).values();
  const MatrixView<T> begin = shape_.block(begin_.data());
  const StridedView<T> y = strided(begin);
  const Supernodes& nodes = plan.supernodes;
  const std::vector<Offset>& panel_ptr = plan.internals->panel_ptr;
  const Index parts = (nodes.count() + kFronts - 1) / kFronts;
  workers_.execute([&] {
    workers_.parallel(parts, [&](Index part) {
      for (Index s = part * kFronts; s < std::min(nodes.count(), (part + 1) * kFronts); ++s) {
        const Index m = nodes.order(s);
        const T* rows = l + panel_ptr[s] + m - shape_.nrhs;
        for (Index c = 0; c < nodes.pivots(s); ++c)
          for (Index r = 0, j = nodes.first[s] + c; r < shape_.nrhs; ++r)
            y(j, r) = j < shape_.n ? rows[Offset{c} * m + r] : T(0);
      }
    });
  });
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
