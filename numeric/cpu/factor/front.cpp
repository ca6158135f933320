// One front: assembly of entries of A and then of the children's contribution blocks in their fixed
// order (extend-add, Duff & Reid 1983), partial Cholesky of panel and contribution block.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/factor/front.hpp"

#include <algorithm>
#include <span>

#include "symbolic/common/cost_table.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cpu {
namespace {

/// Columns [begin, end) of a front (0 = first pivot): columns below p, the number of pivots, belong
/// to the panel, the others to the contribution block.
struct ColumnRange {
  Index begin;
  Index end;
};

/// Returns the first run that has parent row `row` or a later one; there must be one.
const symbolic::RowRun* first_run_beyond(std::span<const symbolic::RowRun> runs, Index row) {
  return &*std::lower_bound(runs.begin(), runs.end(), row, [](const symbolic::RowRun& r, Index i) {
    return r.parent + r.length <= i;
  });
}

/// Adds the columns of child c's contribution block that go to columns `range` of its parent's
/// front. column(jp) returns the address that row 0 of the parent's column jp would have.
template <class T, class Column>
void add_child(const FactorArrays<T>& arrays, Index c, ColumnRange range, const Column& column) {
  const Plan& plan = *arrays.plan;
  const symbolic::Assembly& assembly = plan.internals->assembly;
  const symbolic::Schedule& schedule = plan.internals->schedule;
  const std::span<const symbolic::RowRun> runs(assembly.run.data() + assembly.run_ptr[c],
                                               assembly.run.data() + assembly.run_ptr[c + 1]);
  if (runs.empty() || runs.back().parent + runs.back().length <= range.begin) return;
  const Index q = plan.supernodes.contribution(c);
  const symbolic::RowRun* const end = runs.data() + runs.size();
  for (const symbolic::RowRun* run = first_run_beyond(runs, range.begin);
       run != end && run->parent < range.end; ++run) {
    const Index first = std::max(range.begin, run->parent),
                last = std::min(range.end, run->parent + run->length);
    for (Index jp = first; jp < last; ++jp) {
      const Index j = run->child + (jp - run->parent);
      arrays.kernels->add_rows(
          run, end, j,
          arrays.l + schedule.block_column(c, q, j) - symbolic::ContributionLayout::first_row(j),
          column(jp));
    }
  }
}

/// Calls add_child() for all children of front s, in their fixed order.
template <class T, class Column>
void add_children(const FactorArrays<T>& arrays, Index s, ColumnRange range, const Column& column) {
  const symbolic::Assembly& assembly = arrays.plan->internals->assembly;
  for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
    add_child(arrays, assembly.child[k], range, column);
}

/// Returns a row of column j of a panel from which on all entries must be initialised, since a
/// register tile on the diagonal computes with them. Entries above the diagonal are not results,
/// but uninitialised memory might hold values that trap. Register tiles of fronts in place have at
/// most 8 columns, from a multiple of 8 on; slabs of packed fronts begin up to 47 rows above a
/// tile.
constexpr Index first_row_computed(Index m, Index p, Index j) {
  return symbolic::FrontScratch::packed(m, p) ? std::max(0, j - 64) : j / 8 * 8;
}

/// Assembles columns `range` of front s, range.end <= p, in its panel: zeroes them, then adds
/// entries of A and the shift, then the entries of the children's contribution blocks that go to
/// these columns.
template <class T>
void assemble_panel(const FactorArrays<T>& arrays, Index s, ColumnRange range) {
  const Plan& plan = *arrays.plan;
  const symbolic::Assembly& assembly = plan.internals->assembly;
  const Index m = plan.supernodes.order(s), first = plan.supernodes.first[s];
  T* panel = arrays.l + plan.internals->panel_ptr[s];
  for (Index j = range.begin; j < range.end; ++j) {
    T* column = panel + Offset{j} * m;
    std::fill(column + first_row_computed(m, plan.supernodes.pivots(s), j), column + m, T(0));
    for (Offset k = assembly.entry_ptr[first + j]; k < assembly.entry_ptr[first + j + 1]; ++k)
      column[assembly.entry_row[k]] += arrays.value[assembly.entry_source[k]];
    column[j] += arrays.shift;
  }
  add_children(arrays, s, range, [&](Index j) { return panel + Offset{j} * m; });
}

/// Adds the entries of the children's contribution blocks that go to columns `range` of front s,
/// range.begin >= p, to the contribution block of s, which must hold the products of the panel.
template <class T>
void assemble_contribution(const FactorArrays<T>& arrays, Index s, ColumnRange range) {
  const Plan& plan = *arrays.plan;
  const Index q = plan.supernodes.contribution(s), p = plan.supernodes.pivots(s);
  const symbolic::Schedule& schedule = plan.internals->schedule;
  add_children(arrays, s, range, [&](Index j) {
    return arrays.l + schedule.block_column(s, q, j - p) -
           symbolic::ContributionLayout::first_row(j - p) - p;
  });
}

/// A front that is being factorised: shape, arrays, and loops that run on one thread or on all.
template <class T>
class FrontFactorization {
 public:
  FrontFactorization(const FactorArrays<T>& arrays, Index s, const DenseKernels<T>& kernels,
                     Workers& workers, bool parallel, T* scratch)
      : arrays_(arrays),
        kernels_(kernels),
        workers_(workers),
        s_(s),
        m_(arrays.plan->supernodes.order(s)),
        p_(arrays.plan->supernodes.pivots(s)),
        q_(m_ - p_),
        packed_(symbolic::FrontScratch::packed(m_, p_)),
        parallel_(parallel && packed_),
        panel_(arrays.l + arrays.plan->internals->panel_ptr[s]),
        scratch_(scratch) {}

  FrontFailure<T> run() {
    over_columns(0, p_, [&](ColumnRange range) { assemble_panel(arrays_, s_, range); });
    if (!factor_columns(0, p_)) return failure_;
    if (q_ > 0) {
      if (packed_)
        contribute_packed();
      else
        contribute_in_place();
      over_columns(p_, m_, [&](ColumnRange range) { assemble_contribution(arrays_, s_, range); });
    }
    return failure_;
  }

 private:
  // Columns of a packed front assembled at a time: if all threads work on the front; and if one
  // thread does, which checks for cancellation in between.
  static constexpr Index kAssembleColumns = 64, kAssembleAlone = 512;

  /// Calls f(i) for 0 <= i < count, on all threads if parallel_.
  template <class F>
  void loop(Index count, F&& f) {
    if (parallel_) return workers_.parallel(count, f);
    const StopCheck check_stop;
    for (Index i = 0; i < count; ++i) check_stop(), f(i);
  }

  /// Calls f(range) for ranges that make up columns [begin, end).
  template <class F>
  void over_columns(Index begin, Index end, F&& f) {
    if (!packed_) return f(ColumnRange{begin, end});
    const Index width = parallel_ ? kAssembleColumns : kAssembleAlone;
    loop((end - begin + width - 1) / width, [&](Index b) {
      const Index first = begin + b * width;
      f(ColumnRange{first, std::min(end, first + width)});
    });
  }

  [[nodiscard]] T* at(Index i, Index j) const { return panel_ + i + Offset{j} * m_; }
  /// Returns the address of entry (j, j) of the contribution block, for j a multiple of
  /// ContributionLayout::kTile.
  [[nodiscard]] T* block(Index j) const {
    return arrays_.l + arrays_.plan->internals->schedule.block_column(s_, q_, j);
  }

  /// Factorises columns [c0, c1) of the panel, rows c0 to m - 1, by recursive halves. The products
  /// of all columns left of c0 must have been subtracted from them. Returns false, with failure_
  /// set, if a pivot fails. factor_base() does so for at most kBasePanel columns.
  bool factor_columns(Index c0, Index c1) {
    if (c1 - c0 <= kBasePanel) return factor_base(c0, c1);
    const Index mid = c0 + ((c1 - c0) / 2 + kBasePanel - 1) / kBasePanel * kBasePanel;
    if (!factor_columns(c0, mid)) return false;
    if (packed_)
      apply_packed(
          mid, c0, mid,
          [&](Index row_tile, Index col_tile, const T* rows, const T* cols, Index k, bool) {
            const Index i0 = mid + row_tile * kFrontTile, j0 = mid + col_tile * kFrontTile;
            kernels_.update_packed(std::min(kFrontTile, m_ - i0), std::min(kFrontTile, c1 - j0), k,
                                   rows, cols, at(i0, j0), m_, j0 - i0, true);
          },
          (c1 - mid + kFrontTile - 1) / kFrontTile);
    else
      kernels_.update(m_ - mid, c1 - mid, mid - c0, at(mid, c0), m_, at(mid, c0), m_, at(mid, mid),
                      m_, true, true);
    return factor_columns(mid, c1);
  }

  bool factor_base(Index c0, Index c1) {
    const Index n = c1 - c0;
    T pivot = 0;
    const Index done = kernels_.potrf(n, at(c0, c0), m_, &pivot);
    if (done < n) {
      failure_ = {c0 + done, pivot};
      return false;
    }
    if (!parallel_) {
      kernels_.trsm(m_ - c1, n, at(c0, c0), m_, at(c1, c0), m_);
    } else {
      loop((m_ - c1 + kFrontTile - 1) / kFrontTile, [&](Index b) {
        const Index i0 = c1 + b * kFrontTile;
        kernels_.trsm(std::min(kFrontTile, m_ - i0), n, at(c0, c0), m_, at(i0, c0), m_);
      });
    }
    count(symbolic::front_flops(m_, c1) - symbolic::front_flops(m_, c0) - n * contribution_flops());
    return true;
  }

  /// Returns the operations of contribute_packed() for each column of the panel.
  [[nodiscard]] double contribution_flops() const { return static_cast<double>(q_) * q_; }
  /// Adds operations of a packed front to the meter, if there is one.
  void count(double flops) {
    if (packed_ && arrays_.meter != nullptr) arrays_.meter->add(flops);
  }

  /// Packs rows r0 to m - 1 of columns [k0, k1) of the panel into scratch_, in passes of at most
  /// FrontScratch::kColumns columns; in each pass calls tile(i, j, packed rows of tile row i,
  /// packed rows of tile row j, number of columns of the pass, true unless it is the first pass)
  /// for all i >= j, j < col_tiles. Tile rows count from r0.
  template <class F>
  void apply_packed(Index r0, Index k0, Index k1, F&& tile, Index col_tiles) {
    const Index rows = m_ - r0, row_tiles = (rows + kFrontTile - 1) / kFrontTile;
    for (Index k = k0; k < k1; k += symbolic::FrontScratch::kColumns) {
      const Index width = std::min(symbolic::FrontScratch::kColumns, k1 - k);
      const auto packed = [&](Index t) { return scratch_ + Offset{t} * kFrontTile * width; };
      loop(row_tiles, [&](Index t) {
        kernels_.pack(std::min(kFrontTile, rows - t * kFrontTile), width,
                      at(r0 + t * kFrontTile, k), m_, packed(t));
      });
      // Tiles column by column of tiles; number of tiles in the first j columns: j*row_tiles -
      // j(j-1)/2.
      const Index tiles = col_tiles * row_tiles - col_tiles * (col_tiles - 1) / 2;
      loop(tiles, [&](Index t) {
        Index j = 0;
        while (t >= row_tiles - j) t -= row_tiles - j++;
        const Index i = j + t;
        tile(i, j, packed(i), packed(j), width, k > k0);
      });
      if (r0 == p_) count(width * contribution_flops());
    }
  }

  /// Sets the contribution block to -L21 L21^T, by packed tiles; contribute_in_place() does so for
  /// fronts that are not packed.
  void contribute_packed() {
    apply_packed(
        p_, 0, p_,
        [&](Index row_tile, Index col_tile, const T* rows, const T* cols, Index k, bool keep) {
          const Index i0 = row_tile * kFrontTile, j0 = col_tile * kFrontTile;
          T* c = block(j0) + (i0 - j0);
          kernels_.update_packed(std::min(kFrontTile, q_ - i0), std::min(kFrontTile, q_ - j0), k,
                                 rows, cols, c, q_ - j0, j0 - i0, keep);
        },
        (q_ + kFrontTile - 1) / kFrontTile);
  }

  void contribute_in_place() {
    for (Index j0 = 0; j0 < q_; j0 += kFrontTile)
      kernels_.update(q_ - j0, std::min(kFrontTile, q_ - j0), p_, at(p_ + j0, 0), m_,
                      at(p_ + j0, 0), m_, block(j0), q_ - j0, true, false);
  }

  const FactorArrays<T>& arrays_;
  const DenseKernels<T>& kernels_;
  Workers& workers_;
  Index s_, m_, p_, q_;
  bool packed_, parallel_;
  T* panel_;    // m x p, leading dimension m
  T* scratch_;  // FrontScratch::entries(m, p) entries if packed_
  FrontFailure<T> failure_;
};

}  // namespace

template <class T>
FrontFailure<T> factor_front(const FactorArrays<T>& arrays, Index s, const DenseKernels<T>& kernels,
                             Workers& workers, bool parallel, T* scratch) {
  return FrontFactorization<T>(arrays, s, kernels, workers, parallel, scratch).run();
}

template FrontFailure<float> factor_front(const FactorArrays<float>&, Index,
                                          const DenseKernels<float>&, Workers&, bool, float*);
template FrontFailure<double> factor_front(const FactorArrays<double>&, Index,
                                           const DenseKernels<double>&, Workers&, bool, double*);

}  // namespace kauri::numeric::cpu
