// Bodies of tests that hold for every backend: calls on row-major matrices, and on two matrices of
// different layouts, give the bits of the same call on column-major ones, write nothing else, and
// reject invalid views.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/plan_of.hpp"

namespace kauri::test {

inline const std::vector<Layout> kLayouts{Layout::column_major, Layout::row_major};

/// A dense matrix in an array that also holds other numbers.
template <class T>
struct Laid {
  Index rows, cols;
  Offset ld;
  Layout layout;
  std::vector<T> data;

  /// Makes the array with a different number at each place. `gap`: excess of ld over its least
  /// value.
  Laid(Index rows_, Index cols_, Offset gap, Layout layout_)
      : rows(rows_),
        cols(cols_),
        ld((layout_ == Layout::row_major ? cols_ : rows_) + gap),
        layout(layout_) {
    data.resize(static_cast<std::size_t>((layout == Layout::row_major ? rows : cols) * ld + gap));
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<T>(1000 + k % 4096);
  }
  [[nodiscard]] Offset place(Index i, Index j) const {
    return layout == Layout::row_major ? i * ld + j : i + j * ld;
  }
  [[nodiscard]] MatrixView<T> at(T* first) const { return {first, rows, cols, ld, layout}; }
  [[nodiscard]] MatrixView<T> view() { return at(data.data()); }
  /// Writes the matrix; `dense` is column-major without gaps.
  void put(const std::vector<T>& dense) {
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i)
        data[static_cast<std::size_t>(place(i, j))] =
            dense[static_cast<std::size_t>(Offset{j} * rows + i)];
  }
  [[nodiscard]] Laid with(const std::vector<T>& dense) const {
    Laid out = *this;
    out.put(dense);
    return out;
  }
};

/// Returns whether the bits are equal; all NaN count as equal.
template <class T>
bool is_same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0 && !(std::isnan(a[k]) && std::isnan(b[k])))
      return false;
  return true;
}

template <class T>
std::vector<T> dense_numbers(Index rows, Index cols, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (T& v : out) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  return out;
}

template <class T>
Factor<T> factor_of(const SymmetricMatrix<double>& a, Backend& backend, const PlanOf& plan_of) {
  auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
  EXPECT_TRUE(refactorize<T>(factor, cast<T>(a.value())).ok());
  return factor;
}

/// Calls f(from, to, name) for all layouts of two matrices, each with its own gap.
template <class T, class F>
void for_layouts(Index n, Index cols, const F& f) {
  for (const Layout from : kLayouts)
    for (const Layout to : kLayouts)
      for (const Offset gap : {0, 3})
        f(Laid<T>(n, cols, gap, from), Laid<T>(n, cols, gap == 0 ? 0 : gap + 2, to),
          std::string(from == Layout::row_major ? "rows" : "columns") + " to " +
              (to == Layout::row_major ? "rows" : "columns") + ", n = " + std::to_string(n) +
              ", columns " + std::to_string(cols) + ", gap " + std::to_string(gap));
}

/// Runs call(b, x) on matrices of all layouts. Expects the bits of compact columns, an unchanged b,
/// and no other writes; if `in_place`, also with x as b.
template <class T, class Call>
void expect_columns_bits(Index n, Index cols, bool in_place, const Call& call) {
  const std::vector<T> dense = dense_numbers<T>(n, cols, static_cast<std::uint64_t>(n + cols));
  Laid<T> columns_b = Laid<T>(n, cols, 0, Layout::column_major).with(dense),
          columns_x(n, cols, 0, Layout::column_major);
  call(columns_b.view(), columns_x.view());
  const std::vector<T> expected = columns_x.data;
  for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
    Laid<T> b = from.with(dense), x = to;
    call(b.view(), x.view());
    EXPECT_TRUE(is_same(b.data, from.with(dense).data)) << where;
    EXPECT_TRUE(is_same(x.data, to.with(expected).data)) << where;
    if (!in_place || from.layout != to.layout) return;
    call(b.view(), b.view());
    EXPECT_TRUE(is_same(b.data, from.with(expected).data)) << where << ", in place";
  });
}

/// Mixed solves of matrices on the host, and of those in an Array in the backend's memory, by
/// blocks of several widths.
template <class Array>
void mixed_solves_in_either_layout(Backend& backend, const PlanOf& plan_of,
                                   const std::string& spec) {
  const auto a = generate(spec);
  for (const Index nrhs : {1, 3}) {
    SCOPED_TRACE(spec + " by " + std::to_string(nrhs));
    auto mixed = MixedFactor::create(a.pattern(), plan_of(a.pattern()), backend, nrhs);
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    for (const Index cols : {1, 4}) {
      expect_columns_bits<double>(a.n(), cols, true,
                                  [&](MatrixView<const double> b, MatrixView<double> x) {
                                    const auto report = mixed.solve(b, x);
                                    ASSERT_TRUE(report.ok() && report.value().converged());
                                  });
      expect_columns_bits<
          double>(a.n(), cols, false, [&](MatrixView<const double> b, MatrixView<double> x) {
        const auto entries = [](const auto& m) {
          return (m.layout == Layout::row_major ? m.rows : m.cols) * m.ld;
        };
        Array from({b.data, b.data + entries(b)}), to({x.data, x.data + entries(x)});
        const DeviceMatrixView<const double> there({from.data(), b.rows, b.cols, b.ld, b.layout});
        ASSERT_TRUE(
            mixed
                .solve(there, DeviceMatrixView<double>({to.data(), x.rows, x.cols, x.ld, x.layout}))
                .ok());
        const std::vector<double> found = to.fetch();
        std::copy(found.begin(), found.end(), x.data);
      });
    }
  }
  Laid<double> b(a.n(), 4, 0, Layout::row_major);
  auto mixed = MixedFactor::create(a.pattern(), plan_of(a.pattern()), backend);
  ASSERT_TRUE(mixed.refactorize(a.value()).ok());
  b.ld = 3;
  EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)mixed.solve(b.view(), b.view()); })
                .find("leading dimension 3, row-major"),
            std::string::npos);
}

/// Solves of every part, with workspaces of several sizes.
template <class T>
void solves_in_either_layout(Backend& backend, const PlanOf& plan_of,
                             const std::vector<std::string>& specs,
                             const std::vector<Index>& columns, const std::vector<Index>& rooms) {
  for (const std::string& spec : specs) {
    const auto a = generate(spec);
    const auto factor = factor_of<T>(a, backend, plan_of);
    for (const Index cols : columns)
      for (const Index nrhs : rooms) {
        SCOPED_TRACE(spec + " by " + std::to_string(nrhs));
        auto workspace = Workspace<T>::create(factor, nrhs);
        expect_columns_bits<T>(a.n(), cols, true, [&](MatrixView<const T> b, MatrixView<T> x) {
          factor.solve(b, x, workspace);
        });
        if (nrhs < cols) continue;  // solves of a single part use blocks as whole solves do
        for (const System system : {System::B, System::L, System::Lt, System::P, System::Pt})
          expect_columns_bits<T>(a.n(), cols, true, [&](MatrixView<const T> b, MatrixView<T> x) {
            factor.solve(system, b, x, workspace);
          });
      }
  }
}

/// Products with L and L^T, and with A; residuals, errors and refinement.
template <class T>
void products_and_refinement_in_either_layout(Backend& backend, const PlanOf& plan_of,
                                              const std::vector<std::string>& specs,
                                              const std::vector<Index>& columns) {
  int steps = 0;
  for (const std::string& spec : specs) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const std::vector<T> value = cast<T>(a.value());
    const SymmetricView<T> view{a.pattern(), value};
    auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
    ASSERT_TRUE(
        refactorize<T>(factor, value, T(0.05)).ok());  // the shift leaves something to refine
    for (const Index cols : columns) {
      auto workspace = Workspace<T>::create(factor, 4);
      for (const System system : {System::L, System::Lt})
        expect_columns_bits<T>(a.n(), cols, true, [&](MatrixView<const T> b, MatrixView<T> x) {
          factor.multiply(system, b, x, workspace);
        });
      expect_columns_bits<T>(a.n(), cols, false, [&](MatrixView<const T> b, MatrixView<T> x) {
        multiply<T>(view, b, x, backend);
      });
      const Laid<T> third =
          Laid<T>(a.n(), cols, 1, cols % 2 == 0 ? Layout::row_major : Layout::column_major)
              .with(dense_numbers<T>(a.n(), cols, 5));
      std::vector<BackwardError> errors;
      std::vector<Refinement> done;
      expect_columns_bits<T>(a.n(), cols, false, [&](MatrixView<const T> b, MatrixView<T> x) {
        Laid<T> guess = third;
        residual<T>(view, guess.view(), b, x, backend);
        errors.push_back(backward_error<T>(view, guess.view(), b, backend));
      });
      expect_columns_bits<T>(a.n(), cols, false, [&](MatrixView<const T> b, MatrixView<T> x) {
        factor.solve(b, x, workspace);
        done.push_back(refine<T>(view, factor, b, x, workspace, {.max_steps = 4}));
      });
      steps += done.front().steps;
      for (std::size_t k = 0; k < done.size(); ++k) {
        EXPECT_EQ(errors[k].normwise, errors[0].normwise);
        EXPECT_EQ(errors[k].componentwise, errors[0].componentwise);
        EXPECT_EQ(done[k].steps, done[0].steps);
        EXPECT_EQ(done[k].tried, done[0].tried);
        EXPECT_EQ(done[k].final_error.componentwise, done[0].final_error.componentwise);
      }
    }
  }
  EXPECT_GT(steps, 0);
}

/// Calls of a Refiner on arrays in the backend's memory, against refine() on columns.
template <class T, class Array>
void refiners_in_either_layout(Backend& backend, const PlanOf& plan_of, const std::string& spec,
                               const std::vector<Index>& columns) {
  const auto a = generate(spec);
  const Index n = a.n();
  const std::vector<T> value = cast<T>(a.value());
  auto factor = Factor<T>::create(plan_of(a.pattern()), backend);
  ASSERT_TRUE(refactorize<T>(factor, value, T(0.05)).ok());
  auto workspace = Workspace<T>::create(factor, 3);
  for (const Index cols : columns) {
    auto refiner = Refiner<T>::create(a.pattern(), factor, cols);
    refiner.set_values(DeviceValues<T>::copy_of(value, backend));
    const std::vector<T> dense = dense_numbers<T>(n, cols, 9), zeros(dense.size(), T(0));
    std::vector<T> rhs = dense, expected = zeros;
    const Refinement naive = refine<T>({a.pattern(), value}, factor, {rhs.data(), n, cols, n},
                                       {expected.data(), n, cols, n}, workspace);
    EXPECT_GT(naive.steps, 0);
    for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
      Array b(from.with(dense).data), x(to.with(zeros).data);
      const DeviceMatrixView<T> bs(from.at(b.data())), xs(to.at(x.data()));
      const Refinement done = refiner.refine(factor, bs, xs, workspace);
      EXPECT_EQ(done.steps, naive.steps) << where;
      EXPECT_EQ(done.final_error.componentwise, naive.final_error.componentwise) << where;
      EXPECT_EQ(done.final_error.normwise, naive.final_error.normwise) << where;
      EXPECT_EQ(done.unrefined.normwise, naive.unrefined.normwise) << where;
      EXPECT_TRUE(is_same(x.fetch(), to.with(expected).data)) << where;
      x.assign(to.with(zeros).data);
      refiner.enqueue_refine(factor, bs, xs, workspace, nullptr);
      EXPECT_EQ(refiner.fetch_report(nullptr).refinement.tried, naive.tried) << where;
      EXPECT_TRUE(is_same(x.fetch(), to.with(expected).data)) << where << ", enqueued";
      EXPECT_TRUE(is_same(b.fetch(), from.with(dense).data)) << where;
    });
  }
}

/// Rows of b between those of x, side by side in one array, do not count as an overlap; common
/// entries do, and so do different layouts in one array.
template <class T, class Array>
void refiners_see_overlaps_of_rows(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 3");
  const auto factor = factor_of<T>(a, backend, plan_of);
  auto workspace = Workspace<T>::create(factor, 2);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 2);
  refiner.set_values(DeviceValues<T>::copy_of(cast<T>(a.value()), backend));
  Array numbers(dense_numbers<T>(9, 12, 1));
  const auto at = [&](Offset first, Offset ld, Layout layout) {
    return DeviceMatrixView<T>({numbers.data() + first, 9, 2, ld, layout});
  };
  const auto said = [&](DeviceMatrixView<T> b, DeviceMatrixView<T> x) {
    return error_text(ErrorKind::usage, [&] { (void)refiner.refine(factor, b, x, workspace); });
  };
  const Layout by_rows = Layout::row_major, by_columns = Layout::column_major;
  const std::string overlap = "Refiner: x overlaps b; give it memory of its own";
  for (const Offset apart : {2, 3, 4})
    EXPECT_EQ(said(at(0, 6, by_rows), at(apart, 6, by_rows)), "no Error") << apart;
  for (const Offset apart : {1, 5, 7, 12})
    EXPECT_EQ(said(at(0, 6, by_rows), at(apart, 6, by_rows)), overlap) << apart;
  EXPECT_EQ(said(at(0, 6, by_rows), at(0, 6, by_rows)), overlap);
  EXPECT_EQ(said(at(0, 5, by_rows), at(2, 6, by_rows)), overlap);
  EXPECT_EQ(said(at(0, 6, by_rows), at(3, 9, by_columns)), overlap);
  EXPECT_EQ(said(at(0, 9, by_rows), at(4, 9, by_columns)), overlap);
  EXPECT_EQ(said(at(4, 9, by_columns), at(0, 9, by_rows)), overlap);
  EXPECT_EQ(said(at(0, 2, by_rows), at(18, 9, by_columns)), "no Error");
  EXPECT_EQ(said(at(0, 9, by_columns), at(18, 2, by_rows)), "no Error");
}

/// Items of a batch, compact or with gaps, against the same items in columns.
template <class T>
void batches_in_either_layout(Backend& backend, const PlanOf& plan_of, BatchWay way,
                              const std::string& spec) {
  const auto a = generate(spec);
  const Index n = a.n(), items = 5;
  std::vector<T> value;
  for (Index k = 0; k < items; ++k)
    for (const double v : a.value())
      value.push_back(static_cast<T>((k == 3 ? -1 : 1 + k) * v));  // item 3 fails
  auto batch = BatchFactor<T>::create(plan_of(a.pattern()), items, backend, way);
  EXPECT_EQ(refactorize<T>(batch, value, a.nnz())[3].status, VerdictStatus::not_positive_definite);
  for (const Index cols : {1, 4}) {
    auto workspace = BatchWorkspace<T>::create(batch, 3);
    const std::vector<T> dense = dense_numbers<T>(n, cols * items, 3);
    std::vector<T> expected(dense.size());
    batch.solve(BatchView<const T>{dense.data(), items, n, cols, n, Offset{n} * cols},
                BatchView<T>{expected.data(), items, n, cols, n, Offset{n} * cols}, workspace);
    const auto item = [&](const std::vector<T>& all, Index k) {
      return std::vector<T>(all.begin() + Offset{k} * n * cols,
                            all.begin() + Offset{k + 1} * n * cols);
    };
    const auto stack = [&](const Laid<T>& shape, const std::vector<T>& all, bool filled) {
      std::vector<T> out;
      for (Index k = 0; k < items; ++k) {
        const std::vector<T> one = filled ? shape.with(item(all, k)).data : shape.data;
        out.insert(out.end(), one.begin(), one.end());
      }
      return out;
    };
    const auto view = [&](const Laid<T>& shape, std::vector<T>& all) {
      return BatchView<T>{all.data(),  items,    n,
                          cols,        shape.ld, static_cast<Offset>(shape.data.size()),
                          shape.layout};
    };
    for_layouts<T>(n, cols, [&](const Laid<T>& from, const Laid<T>& to, const std::string& where) {
      std::vector<T> b = stack(from, dense, true), x = stack(to, dense, false);
      batch.solve(view(from, b), view(to, x), workspace);
      EXPECT_TRUE(is_same(b, stack(from, dense, true))) << where;
      EXPECT_TRUE(is_same(x, stack(to, expected, true))) << where;
      if (from.layout != to.layout) return;
      batch.solve(view(from, b), workspace);
      EXPECT_TRUE(is_same(b, stack(from, expected, true))) << where << ", in place";
    });
  }
}

/// The rows of all items lie side by side: row i of the array holds row i of each item.
template <class T>
void batches_may_lie_between_each_others_rows(Backend& backend, const PlanOf& plan_of,
                                              BatchWay way) {
  const auto a = generate("poisson2d 5");
  const Index n = a.n(), items = 3, cols = 2;
  std::vector<T> value;
  for (Index k = 0; k < items; ++k)
    for (const double v : a.value()) value.push_back(static_cast<T>((1 + k) * v));
  auto batch = BatchFactor<T>::create(plan_of(a.pattern()), items, backend, way);
  refactorize<T>(batch, value, a.nnz());
  auto workspace = BatchWorkspace<T>::create(batch, 2);
  const std::vector<T> dense = dense_numbers<T>(n, cols * items, 3);
  std::vector<T> expected = dense;
  batch.solve({expected.data(), items, n, cols, n, Offset{n} * cols}, workspace);
  Laid<T> all = Laid<T>(n, cols * items, 0, Layout::row_major).with(dense);
  const auto view = [&](Offset ld, Offset stride) {
    return BatchView<T>{all.data.data(), items, n, cols, ld, stride, Layout::row_major};
  };
  batch.solve(view(Offset{cols} * items, cols), workspace);
  EXPECT_TRUE(is_same(all.data, all.with(expected).data));
  const auto refused = [&](Offset ld, Offset stride) {
    return error_text(ErrorKind::usage, [&] { batch.solve(view(ld, stride), workspace); });
  };
  EXPECT_EQ(refused(5, 2),
            "solve: items of x overlap: stride 2, leading dimension 5; expected larger ones");
  EXPECT_EQ(refused(6, 1),
            "solve: items of x overlap: stride 1, leading dimension 6; expected larger ones");
  EXPECT_EQ(refused(1, 60),
            "solve: x has 2 columns, leading dimension 1 and stride 60 for 25 rows, row-major, "
            "expected a leading dimension of 2 or more");
}

/// Calls on matrices without a factor refuse a leading dimension that is too small.
template <class T>
void strides_that_residuals_refuse(const SymmetricView<T>& a, const Factor<T>& factor,
                                   Workspace<T>& workspace, Backend& backend) {
  std::vector<T> b(100, T(1)), x(100, T(2));
  const Layout by_rows = Layout::row_major;
  const std::string rest =
      " has 2 columns and leading dimension 1 for 9 rows, row-major, expected a leading dimension "
      "of 2 or more";
  const MatrixView<const T> right{b.data(), 9, 2, 2, by_rows};
  const MatrixView<T> wrong{x.data(), 9, 2, 1, by_rows};
  const auto of = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(of([&] { (void)backward_error<T>(a, wrong, right, backend); }),
            "backward_error: x" + rest);
  EXPECT_EQ(of([&] { (void)refine<T>(a, factor, right, wrong, workspace); }), "refine: x" + rest);
  EXPECT_EQ(of([&] {
              residual<T>(a, wrong, right, {x.data(), 9, 2, 9}, backend);
            }),
            "residual: x" + rest);
  EXPECT_EQ(of([&] { multiply<T>(a, right, wrong, backend); }), "multiply: y" + rest);
}

template <class T>
void what_is_refused_of_layouts(Backend& backend, const PlanOf& plan_of) {
  const auto a = generate("poisson2d 3");
  const std::vector<T> value = cast<T>(a.value());
  const auto factor = factor_of<T>(a, backend, plan_of);
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> b(100, T(1)), x(100, T(2));
  const Layout by_rows = Layout::row_major, none = static_cast<Layout>(7);
  const auto refused = [&](const MatrixView<const T>& rhs, const MatrixView<T>& solution) {
    const std::string text =
        error_text(ErrorKind::usage, [&] { factor.solve(rhs, solution, workspace); });
    EXPECT_EQ(
        error_text(ErrorKind::usage, [&] { factor.multiply(System::L, rhs, solution, workspace); }),
        text);
    return text;
  };
  EXPECT_EQ(refused({b.data(), 9, 2, 2, by_rows}, {x.data(), 9, 2, 3, by_rows}), "no Error")
      << "ld is less than there are rows";
  EXPECT_EQ(refused({b.data(), 9, 2, 1, by_rows}, {x.data(), 9, 2, 2, by_rows}),
            "solve: b has 2 columns and leading dimension 1 for 9 rows, row-major, expected a "
            "leading dimension of 2 or more");
  EXPECT_EQ(refused({b.data(), 9, 2, 9}, {x.data(), 9, 11, 9, by_rows}),
            "solve: x has 11 columns and leading dimension 9 for 9 rows, row-major, expected a "
            "leading dimension of 11 or more");
  EXPECT_EQ(refused({b.data(), 9, 2, 9, none}, {x.data(), 9, 2, 9}),
            "solve: b has 2 columns and leading dimension 9 for 9 rows, in an unknown layout; "
            "expected column_major or row_major");
  EXPECT_EQ(refused({b.data(), 9, -1, 9, by_rows}, {x.data(), 9, 2, 9}),
            "solve: b has -1 columns and leading dimension 9 for 9 rows, row-major, expected 0 or "
            "more rows and columns");
  EXPECT_EQ(refused({nullptr, 9, 2, 2, by_rows}, {x.data(), 9, 2, 9}),
            "solve: b is null, expected an address");
  EXPECT_EQ(refused({nullptr, 9, 0, 0, by_rows}, {nullptr, 9, 0, 0, by_rows}), "no Error");
  const std::string together =
      "solve: x begins where b does, with another leading dimension or layout; give both the same, "
      "or x memory of its own";
  EXPECT_EQ(refused({x.data(), 9, 9, 9}, {x.data(), 9, 9, 9, by_rows}), together);
  EXPECT_EQ(refused({x.data(), 9, 2, 9}, {x.data(), 9, 2, 10}), together);
  EXPECT_EQ(refused({x.data(), 9, 1, 9}, {x.data(), 9, 1, 1, by_rows}), "no Error") << "one column";
  EXPECT_EQ(refused({x.data(), 9, 1, 9}, {x.data(), 9, 1, 2, by_rows}), together);
  strides_that_residuals_refuse<T>({a.pattern(), value}, factor, workspace, backend);
}

}  // namespace kauri::test
