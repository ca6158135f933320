// SchurComplement: L22 of the last rows, and the solves that condense and expand with it.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/schur.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/matrix/dense_lines.hpp"
#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "numeric/dense_view.hpp"
#include "src/checks/dense_shape.hpp"

namespace kauri {
namespace {

[[noreturn]] void misuse_of_schur(const std::string& what) {
  throw Error(ErrorKind::usage, "Schur complement: " + what);
}

/// Returns a view of the last `count` rows of a matrix.
template <class T>
numeric::StridedView<T> last_rows(const MatrixView<T>& a, Index count) {
  return numeric::strided(numeric::rows(a, a.rows - count, count));
}

}  // namespace

template <Scalar T>
SchurComplement<T>::SchurComplement(std::shared_ptr<const Plan> plan, Index count)
    : plan_(std::move(plan)), order_(count) {
  if (count < 0 || count > plan_->n)
    misuse_of_schur("count is " + std::to_string(count) + ", expected 0 to " +
                    std::to_string(plan_->n));
}

template <Scalar T>
SchurComplement<T> SchurComplement<T>::on_device(const Factor<T>& factor, Index count) {
  SchurComplement out(factor.shared_plan(), count);
  (void)out.device_of(factor);
  return out;
}

template <Scalar T>
SchurComplement<T>::SchurComplement(const Factor<T>& factor, Index count)
    : SchurComplement(factor.shared_plan(), count) {
  require_valid(factor);
  const Plan& plan = factor.plan();
  copied_ = true;
  l_.assign(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), T(0));
  const Supernodes& nodes = plan.supernodes;
  const Index begin = plan.n - count;
  std::vector<T> panel;
  for (Index s = nodes.count(); s-- > 0 && nodes.first[s + 1] > begin;) {
    const Index m = nodes.order(s), p = nodes.pivots(s);
    panel.resize(static_cast<std::size_t>(m) * static_cast<std::size_t>(p));
    factor.store().host_access().copy_panel(s, panel);
    const auto rows = nodes.rows(s);
    for (Index c = std::max(0, begin - nodes.first[s]); c < p; ++c)
      for (Index r = c; r < m; ++r)
        l_[(rows[r] - begin) + Offset{nodes.first[s] + c - begin} * count] =
            panel[r + Offset{c} * m];
  }
}

template <Scalar T>
void SchurComplement<T>::require_shape(const char* name, const MatrixView<const T>& a, Index rows,
                                       Index cols) const {
  if (a.rows != rows || a.cols != cols || !has_room(a) ||
      (a.data == nullptr && rows > 0 && cols > 0))
    misuse_of_schur(std::string(name) + " is not a matrix of " + std::to_string(rows) + " x " +
                    std::to_string(cols));
}

template <Scalar T>
void SchurComplement<T>::require_plan(const Factor<T>& factor) const {
  if (&factor.plan() != plan_.get())
    misuse_of_schur("the factor has another plan, expected the plan this was made for");
}

template <Scalar T>
void SchurComplement<T>::require_valid(const Factor<T>& factor, bool or_awaited) {
  const numeric::DeviceSolves<T>* device = or_awaited ? factor.store().device_solves() : nullptr;
  if (!factor.valid() && !(device && device->awaits_verdict()))
    misuse_of_schur(
        "the factor is not valid (no successful factorisation yet, or the last one broke down): "
        "call refactorize() first");
}

template <Scalar T>
void SchurComplement<T>::require_copy() const {
  if (!copied_)
    misuse_of_schur(
        "L22 was not copied to the host; make the complement from a factor, not by on_device()");
}

template <Scalar T>
const numeric::DeviceSolves<T>& SchurComplement<T>::device_of(const Factor<T>& factor) const {
  const numeric::DeviceSolves<T>* device = factor.store().device_solves();
  if (!device)
    misuse_of_schur(
        "matrices are marked as device memory, but the factor is on the CPU; pass views of the "
        "host's memory");
  require_plan(factor);
  return *device;
}

template <Scalar T>
template <class Enqueue>
void SchurComplement<T>::now(const Factor<T>& factor, const Enqueue& enqueue) const {
  const numeric::DeviceSolves<T>& device = device_of(factor);
  require_valid(factor);
  device.run_now(enqueue);
}

template <Scalar T>
void SchurComplement<T>::write(MatrixView<T> s, const std::stop_token& stop) const {
  require_copy();
  require_shape("s", s, order_, order_);
  const StopScope scope(stop);
  const PhaseRange range("Schur complement");
  const StopCheck check_stop;
  const numeric::StridedView<T> out = numeric::strided(s);
  constexpr Index kColumns = 32, kRows = 256;  // sizes of a block of S, which fits the cache
  for (Index j = 0; j < order_; j += kColumns)
    for (Index i = j; i < order_; i += kRows) {
      check_stop();
      const Index columns = std::min(kColumns, order_ - j), rows = std::min(kRows, order_ - i);
      T block[kColumns][kRows] = {};
      for (Index k = 0; k < j + columns; ++k) {
        const T* l = l_.data() + Offset{k} * order_;
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < rows; ++r) block[c][r] += l[j + c] * l[i + r];
      }
      for (Index c = 0; c < columns; ++c)
        for (Index r = std::max(0, j + c - i); r < rows; ++r) out(i + r, j + c) = block[c][r];
    }
}

template <Scalar T>
void SchurComplement<T>::condense(const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> y,
                                  MatrixView<T> g, Workspace<T>& workspace,
                                  const std::stop_token& stop) const {
  require_copy();
  require_plan(factor);
  require_shape("g", g, order_, b.cols);
  factor.solve(System::P, b, y, workspace, stop);
  factor.solve(System::L, y, y, workspace, stop);
  const numeric::StridedView<T> y2 = last_rows(y, order_), to = numeric::strided(g);
  for (Index c = 0; c < g.cols; ++c) {
    for (Index i = 0; i < order_; ++i) to(i, c) = T(0);
    for (Index k = 0; k < order_; ++k)
      for (Index i = k; i < order_; ++i) to(i, c) += l_[i + Offset{k} * order_] * y2(k, c);
  }
}

template <Scalar T>
void SchurComplement<T>::expand(const Factor<T>& factor, MatrixView<T> y, MatrixView<const T> x2,
                                MatrixView<T> x, Workspace<T>& workspace,
                                const std::stop_token& stop) const {
  require_copy();
  require_plan(factor);
  require_shape("x2", x2, order_, y.cols);
  require_shape("y", y, factor.plan().n, y.cols);
  require_valid(factor);
  factor.require_fit(y, x, workspace);  // before anything is written to y
  const numeric::StridedView<T> y2 = last_rows(y, order_);
  const numeric::StridedView<const T> given = numeric::strided(x2);
  for (Index c = 0; c < y.cols; ++c)
    for (Index k = 0; k < order_; ++k) {  // y2 = L22^T x2, so that the backward sweep yields x2
      T sum = 0;
      for (Index i = k; i < order_; ++i) sum += l_[i + Offset{k} * order_] * given(i, c);
      y2(k, c) = sum;
    }
  factor.solve(System::Lt, y, y, workspace, stop);
  factor.solve(System::Pt, y, x, workspace, stop);
}

template <Scalar T>
void SchurComplement<T>::solve(const Factor<T>& factor, MatrixView<const T> g, MatrixView<T> x2,
                               MatrixView<T> y, Workspace<T>& workspace,
                               const std::stop_token& stop) const {
  require_plan(factor);
  require_shape("g", g, order_, y.cols);
  require_shape("x2", x2, order_, y.cols);
  require_shape("y", y, plan_->n, y.cols);
  require_valid(factor);
  factor.require_fit(y, y, workspace);
  fill_entries(numeric::rows(y, 0, plan_->n - order_), T(0));
  copy_entries<T>(g, numeric::rows(y, plan_->n - order_, order_));
  factor.solve(System::B, y, y, workspace, stop);
  copy_entries<T>(numeric::rows(y, plan_->n - order_, order_), x2);
}

template <Scalar T>
void SchurComplement<T>::enqueue_write(const Factor<T>& factor, DeviceMatrixView<T> s,
                                       StreamHandle stream) const {
  const numeric::DeviceSolves<T>& device = device_of(factor);
  require_valid(factor, true);
  require_shape("s", s.view(), order_, order_);
  const PhaseRange range("Schur complement");
  device.enqueue_last_square(s.view(), stream);
}

template <Scalar T>
void SchurComplement<T>::write(const Factor<T>& factor, DeviceMatrixView<T> s) const {
  now(factor, [&](StreamHandle stream) { enqueue_write(factor, s, stream); });
}

template <Scalar T>
void SchurComplement<T>::enqueue_condense(const Factor<T>& factor, DeviceMatrixView<const T> b,
                                          DeviceMatrixView<T> y, DeviceMatrixView<T> g,
                                          Workspace<T>& workspace, StreamHandle stream) const {
  const numeric::DeviceSolves<T>& device = device_of(factor);
  require_shape("g", g.view(), order_, b.view().cols);
  factor.enqueue_solve(System::P, b, y, workspace, stream);
  factor.enqueue_solve(System::L, y, y, workspace, stream);
  device.enqueue_last_product(y.view(), g.view(), stream);
}

template <Scalar T>
void SchurComplement<T>::condense(const Factor<T>& factor, DeviceMatrixView<const T> b,
                                  DeviceMatrixView<T> y, DeviceMatrixView<T> g,
                                  Workspace<T>& workspace) const {
  now(factor, [&](StreamHandle stream) { enqueue_condense(factor, b, y, g, workspace, stream); });
}

template <Scalar T>
void SchurComplement<T>::enqueue_expand(const Factor<T>& factor, DeviceMatrixView<T> y,
                                        DeviceMatrixView<const T> x2, DeviceMatrixView<T> x,
                                        Workspace<T>& workspace, StreamHandle stream) const {
  const numeric::DeviceSolves<T>& device = device_of(factor);
  require_shape("x2", x2.view(), order_, y.view().cols);
  require_shape("y", y.view(), plan_->n, y.view().cols);
  require_valid(factor, true);
  factor.require_fit(y.view(), x.view(), workspace);
  device.enqueue_last_transposed(x2.view(), y.view(), stream);
  factor.enqueue_solve(System::Lt, y, y, workspace, stream);
  factor.enqueue_solve(System::Pt, y, x, workspace, stream);
}

template <Scalar T>
void SchurComplement<T>::expand(const Factor<T>& factor, DeviceMatrixView<T> y,
                                DeviceMatrixView<const T> x2, DeviceMatrixView<T> x,
                                Workspace<T>& workspace) const {
  now(factor, [&](StreamHandle stream) { enqueue_expand(factor, y, x2, x, workspace, stream); });
}

template <Scalar T>
void SchurComplement<T>::enqueue_solve(const Factor<T>& factor, DeviceMatrixView<const T> g,
                                       DeviceMatrixView<T> x2, DeviceMatrixView<T> y,
                                       Workspace<T>& workspace, StreamHandle stream) const {
  const numeric::DeviceSolves<T>& device = device_of(factor);
  require_shape("g", g.view(), order_, y.view().cols);
  require_shape("x2", x2.view(), order_, y.view().cols);
  require_shape("y", y.view(), plan_->n, y.view().cols);
  require_valid(factor, true);
  factor.require_fit(y.view(), y.view(), workspace);
  device.enqueue_below_zeros(g.view(), y.view(), stream);
  factor.enqueue_solve(System::B, y, y, workspace, stream);
  device.enqueue_last_rows(y.view(), x2.view(), stream);
}

template <Scalar T>
void SchurComplement<T>::solve(const Factor<T>& factor, DeviceMatrixView<const T> g,
                               DeviceMatrixView<T> x2, DeviceMatrixView<T> y,
                               Workspace<T>& workspace) const {
  now(factor, [&](StreamHandle stream) { enqueue_solve(factor, g, x2, y, workspace, stream); });
}

template class SchurComplement<float>;
template class SchurComplement<double>;

}  // namespace kauri
