// Products with L and L^T over the assembly tree, by the kernels of solves. The kernels subtract
// products, so b is negated beforehand.
//
// Both products take fronts from the leaves to the root. x = L b: a front multiplies its columns by
// its pivot rows of b, adds the children's update rows in their fixed order, and leaves its own
// update rows to its parent. x = L^T b: a front reads b in its rows and writes its pivot rows,
// which no ancestor reads. No two fronts write the same place, so the bits do not depend on the
// threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/factor/factor.hpp"
#include "numeric/cpu/solve/row_major.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

constexpr Index kTriangle = 16;        // order of a diagonal block that plain loops multiply by
constexpr Index kProductRows = 480;    // rows below the pivots that a thread takes at a time
constexpr Index kProductColumns = 48;  // columns of L that a thread takes at a time, for L^T

/// The product of L or L^T with r columns. x: n x r, row-major, -b in and the product out; update:
/// scratch for update rows.
template <class T>
class Product {
 public:
  Product(const Plan& plan, const DenseKernels<T>& kernels, Workers& workers, const T* l, T* x,
          T* update, Index r)
      : plan_(plan),
        lists_(*plan.internals),
        kernels_(kernels),
        workers_(workers),
        l_(l),
        x_(x),
        update_(update),
        r_(r) {}

  void task(Index t, bool transposed) {
    const symbolic::Schedule::Task& task = lists_.schedule.task[t];
    const StopCheck check_stop;
    for (Index s = task.first_front; s < task.last_front; ++s) {
      check_stop();
      transposed ? backward_front(shape(s)) : forward_front(shape(s));
    }
  }

 private:
  struct FrontOperands {
    Index s, p, q, m;
    const T* l;  // panel, m x p
    T* x;        // pivot rows, p x r: of -b, then of the product
    T* u;        // update rows, q x r
  };

  [[nodiscard]] FrontOperands shape(Index s) const {
    const Supernodes& sn = plan_.supernodes;
    const Index p = sn.pivots(s), m = sn.order(s);
    const Offset u = lists_.schedule.update[s];
    return {s,
            p,
            m - p,
            m,
            l_ + lists_.panel_ptr[s],
            x_ + Offset{sn.first[s]} * r_,
            u >= 0 ? update_ + u * r_ : nullptr};
  }

  /// Computes x = -L x, or -L^T x if transposed, in place, for the lower triangle L of order `rows`
  /// at `l`, with leading dimension ld. x: rows x r, row-major.
  void triangle(Index rows, const T* l, Offset ld, T* x, bool transposed) const {
    for (Index k = 0; k < rows; ++k) {
      const Index i = transposed ? k : rows - 1 - k, begin = transposed ? i + 1 : 0,
                  end = transposed ? rows : i;
      for (Index c = 0; c < r_; ++c) x[i * r_ + c] *= -l[i + i * ld];
      for (Index h = begin; h < end; ++h)
        for (Index c = 0; c < r_; ++c)
          x[i * r_ + c] -= (transposed ? l[h + i * ld] : l[i + h * ld]) * x[h * r_ + c];
    }
  }

  void forward_front(const FrontOperands& f) {
    std::fill(f.u, f.u + Offset{f.q} * r_, T(0));
    workers_.parallel((f.q + kProductRows - 1) / kProductRows, [&](Index b) {
      const Index i = b * kProductRows, rows = std::min(kProductRows, f.q - i);
      kernels_.forward_update(rows, f.p, r_, f.l + f.p + i, f.m, f.x, f.u + Offset{i} * r_);
    });
    for (Index end = f.p; end > 0;) {  // rows above the block, [0, k), still hold -b
      const Index k = (end - 1) / kTriangle * kTriangle;
      triangle(end - k, f.l + k + Offset{k} * f.m, f.m, f.x + Offset{k} * r_, false);
      if (k > 0) kernels_.forward_update(end - k, k, r_, f.l + k, f.m, f.x, f.x + Offset{k} * r_);
      end = k;
    }
    const symbolic::Assembly& assembly = lists_.assembly;
    for (Index k = assembly.child_ptr[f.s]; k < assembly.child_ptr[f.s + 1]; ++k) {
      const Index c = assembly.child[k];
      const symbolic::RowRun* run = assembly.run.data();
      kernels_.pull_rows(run + assembly.run_ptr[c], run + assembly.run_ptr[c + 1], f.p, r_,
                         update_ + lists_.schedule.update[c] * r_, f.x, f.u);
    }
  }

  void backward_front(const FrontOperands& f) {
    kernels_.gather_rows(f.q, plan_.supernodes.row.data() + plan_.supernodes.row_ptr[f.s] + f.p, r_,
                         x_, f.u);
    for (Index k = 0; k < f.p; k += kTriangle) {  // rows below the block, [end, p), still hold -b
      const Index end = std::min(f.p, k + kTriangle);
      const T* l = f.l + Offset{k} * f.m;
      T* x = f.x + Offset{k} * r_;
      triangle(end - k, l + k, f.m, x, true);
      if (end < f.p)
        kernels_.backward_update(f.p - end, end - k, r_, l + end, f.m, f.x + Offset{end} * r_, x);
    }
    workers_.parallel((f.p + kProductColumns - 1) / kProductColumns, [&](Index b) {
      const Index k = b * kProductColumns, columns = std::min(kProductColumns, f.p - k);
      kernels_.backward_update(f.q, columns, r_, f.l + f.p + Offset{k} * f.m, f.m, f.u,
                               f.x + Offset{k} * r_);
    });
  }

  const Plan& plan_;
  const symbolic::PlanInternals& lists_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  const T* l_;
  T* x_;
  T* update_;
  Index r_;
};

}  // namespace

template <class T>
void CpuFactor<T>::multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                            bool transposed) const {
  auto& w = static_cast<CpuWorkspace<T>&>(workspace);
  const T* const l = values();
  workers_.execute([&] {
    for (Index c = 0; c < x.cols; c += w.nrhs()) {
      const Index nrhs = std::min(w.nrhs(), x.cols - c);
      Product<T> product(*plan_, kernels_, workers_, l, w.x(), w.update(), nrhs);
      gather<T>(nullptr, columns(b, c, nrhs), w.x(), workers_, T(-1));
      TaskRun(workers_, w.counters())
          .upwards(plan_->internals->schedule.forward_edges,
                   [&](Index t) { product.task(t, transposed); });
      scatter<T>(nullptr, w.x(), columns(x, c, nrhs), workers_);
    }
  });
}

template void CpuFactor<float>::multiply(MatrixView<const float>, MatrixView<float>,
                                         WorkspaceImpl<float>&, bool) const;
template void CpuFactor<double>::multiply(MatrixView<const double>, MatrixView<double>,
                                          WorkspaceImpl<double>&, bool) const;

}  // namespace kauri::numeric::cpu
