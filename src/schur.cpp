// SchurComplement: L22 of the last rows, and solves around them.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/schur.hpp"

#include <algorithm>
#include <string>

#include "numeric/backend.hpp"
#include "numeric/dense_view.hpp"
#include "src/base/stopping.hpp"
#include "src/dense_shape.hpp"

namespace kauri {
namespace {

[[noreturn]] void misuse_of_schur(const std::string& what) { throw Error(ErrorKind::usage, "Schur complement: " + what); }

/// The last rows of a matrix.
template <class T>
numeric::StridedView<T> last_rows(const MatrixView<T>& a, Index count) {
  return numeric::strided(numeric::rows(a, a.rows - count, count));
}

}  // namespace

template <Scalar T>
SchurComplement<T>::SchurComplement(const Factor<T>& factor, Index count) : plan_(factor.shared_plan()), order_(count) {
  if (!factor.valid()) misuse_of_schur("the factor is not valid");
  const Plan& plan = factor.plan();
  if (count < 0 || count > plan.n) misuse_of_schur(std::to_string(count) + " rows of " + std::to_string(plan.n));
  l_.assign(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), T(0));
  const Supernodes& nodes = plan.supernodes;
  const Index begin = plan.n - count;
  std::vector<T> panel;
  for (Index s = nodes.count(); s-- > 0 && nodes.first[s + 1] > begin;) {
    const Index m = nodes.order(s), p = nodes.pivots(s);
    panel.resize(static_cast<std::size_t>(m) * static_cast<std::size_t>(p));
    factor.store().copy_panel(s, panel);
    const auto rows = nodes.rows(s);
    for (Index c = std::max(0, begin - nodes.first[s]); c < p; ++c)
      for (Index r = c; r < m; ++r) l_[(rows[r] - begin) + Offset{nodes.first[s] + c - begin} * count] = panel[r + Offset{c} * m];
  }
}

template <Scalar T>
void SchurComplement<T>::require_shape(const char* name, const MatrixView<const T>& a, Index rows, Index cols) const {
  if (a.rows != rows || a.cols != cols || !has_room(a) || (a.data == nullptr && rows > 0 && cols > 0))
    misuse_of_schur(std::string(name) + " is not a matrix of " + std::to_string(rows) + " x " + std::to_string(cols));
}

template <Scalar T>
void SchurComplement<T>::require_plan(const Factor<T>& factor) const {
  if (&factor.plan() != plan_.get()) misuse_of_schur("the factor has another plan");
}

template <Scalar T>
void SchurComplement<T>::write(MatrixView<T> s, const std::stop_token& stop) const {
  require_shape("s", s, order_, order_);
  const StopScope scope(stop);
  const StopCheck check_stop;
  const numeric::StridedView<T> out = numeric::strided(s);
  constexpr Index kColumns = 32, kRows = 256;  // of a block, which stays in the cache
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
void SchurComplement<T>::condense(const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> y, MatrixView<T> g, Workspace<T>& workspace,
                                  const std::stop_token& stop) const {
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
void SchurComplement<T>::expand(const Factor<T>& factor, MatrixView<T> y, MatrixView<const T> x2, MatrixView<T> x, Workspace<T>& workspace,
                                const std::stop_token& stop) const {
  require_plan(factor);
  require_shape("x2", x2, order_, y.cols);
  require_shape("y", y, factor.plan().n, y.cols);
  const numeric::StridedView<T> y2 = last_rows(y, order_);
  const numeric::StridedView<const T> given = numeric::strided(x2);
  for (Index c = 0; c < y.cols; ++c)
    for (Index k = 0; k < order_; ++k) {  // L22^T x2, so that the sweep finds x2 there
      T sum = 0;
      for (Index i = k; i < order_; ++i) sum += l_[i + Offset{k} * order_] * given(i, c);
      y2(k, c) = sum;
    }
  factor.solve(System::Lt, y, y, workspace, stop);
  factor.solve(System::Pt, y, x, workspace, stop);
}

template class SchurComplement<float>;
template class SchurComplement<double>;

}  // namespace kauri
