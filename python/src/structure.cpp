// Bindings of L's structure, by the analysis alone: pattern, density, supernodes, costs, layout.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/structure.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "base/threads/stopping.hpp"
#include "kauri/solve/report.hpp"
#include "python/src/support.hpp"
#include "src/picture/raster.hpp"
#include "src/picture/tree_layout.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri::python {

RowsOfL::RowsOfL(const Plan& plan)
    : ptr_(static_cast<std::size_t>(plan.n) + 1, 0),
      chain_end_(static_cast<std::size_t>(plan.n)),
      met_by_(static_cast<std::size_t>(plan.n), kNone),
      met_from_(static_cast<std::size_t>(plan.n), 0),
      parent_(plan.tree.parent) {
  // The plan has B's lower triangle by columns; here it is by rows.
  symbolic::for_each_below_diagonal(plan, [&](Index i, Index) { ++ptr_[i + 1]; });
  std::partial_sum(ptr_.begin(), ptr_.end(), ptr_.begin());
  column_.resize(static_cast<std::size_t>(ptr_.back()));
  std::vector<Offset> next(ptr_.begin(), ptr_.end() - 1);
  symbolic::for_each_below_diagonal(plan, [&](Index i, Index j) { column_[next[i]++] = j; });
  for (Index j = plan.n - 1; j >= 0; --j)
    chain_end_[j] = parent_[j] == j + 1 ? chain_end_[j + 1] : j;
}

namespace {

std::vector<Index> copy_of(std::span<const Index> values) { return {values.begin(), values.end()}; }

/// Maps row numbers of L to the numbers that Python shows: positions in the order of elimination
/// or, if the ordering is natural, rows of A, which the plan has put in postorder.
struct Shown {
  Shown(const Plan& plan, bool natural) {
    const std::span<const Index> order = plan.perm.old_of();
    const bool same = order.empty() ||
                      (order.front() == 0 && std::adjacent_find(order.begin(), order.end(),
                                                                std::greater<>()) == order.end());
    // Empty if both orders are equal: a raster then takes one step for each run of columns, not for
    // each entry.
    if (natural && !same) old_of = order;
  }
  [[nodiscard]] Index operator()(Index i) const { return old_of.empty() ? i : old_of[i]; }
  std::span<const Index> old_of;
};

/// Returns (indptr, indices) of L by columns, rows ascending.
nb::tuple pattern_of_l(const Symbolic& s, bool natural, const CancelToken* cancel) {
  const Plan& plan = *s.analysis.plan;
  const Shown shown(plan, natural);
  std::vector<Offset> ptr(static_cast<std::size_t>(plan.n) + 1, 0);
  std::vector<Index> row;
  released(cancel, Weight::heavy, [&](const std::stop_token& stop) {
    const StopScope scope(stop);
    const StopCheck check;
    for (Index j = 0; j < plan.n; ++j) ptr[shown(j) + 1] = plan.tree.column_count[j];
    std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
    row.resize(static_cast<std::size_t>(plan.cost.nnz_l));
    std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
    RowsOfL rows(plan);
    for (Index i = 0; i < plan.n; ++i) {
      check.at(i);
      rows.for_row(i, [&](Index first, Index last) {
        for (Index j = first; j < last; ++j) row[next[shown(j)]++] = shown(i);
      });
    }
    if (!shown.old_of.empty())  // rows ascend in the plan's order, not in A's
      for (Index j = 0; j < plan.n; ++j) std::sort(row.begin() + ptr[j], row.begin() + ptr[j + 1]);
  });
  return nb::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(row)));
}

picture::Raster raster_of_l(const Plan& plan, const Shown& shown, int most) {
  picture::Raster raster(plan.n, most);
  RowsOfL rows(plan);
  const StopCheck check;
  for (Index i = 0; i < plan.n; ++i) {
    check.at(i);
    const int cell_row = raster.cell_of(shown(i));
    rows.for_row(i, [&](Index first, Index last) {
      if (!shown.old_of.empty()) {
        for (Index j = first; j < last; ++j) ++raster.at(cell_row, raster.cell_of(shown(j)));
        return;
      }
      for (int cell = raster.cell_of(first); first < last; ++cell) {
        const Index end = std::min(last, raster.first_of(cell + 1));
        raster.at(cell_row, cell) += end - first;
        first = end;
      }
    });
  }
  return raster;
}

/// Returns (number of cells a side, number of entries in each cell, row by row) of "A", "PAPt" or
/// "L". natural: as in Shown; "PAPt" is then A.
nb::tuple density(const Symbolic& s, const std::string& of, int most, bool natural,
                  const CancelToken* cancel) {
  const Plan& plan = *s.analysis.plan;
  if (of != "A" && of != "PAPt" && of != "L")
    throw Error(ErrorKind::usage, "density of '" + of + "': expected A, PAPt or L");
  if (most < 1)
    throw Error(ErrorKind::usage,
                "density: " + std::to_string(most) + " cells to a side, expected 1 or more");
  picture::Raster raster = released(cancel, Weight::heavy, [&](const std::stop_token& stop) {
    const StopScope scope(stop);
    if (of == "L") return raster_of_l(plan, Shown(plan, natural), most);
    stop_here();
    return picture::raster_of(s.pattern(), of == "A" || natural ? nullptr : &plan.perm, most);
  });
  return nb::make_tuple(raster.size, to_numpy(std::move(raster.count)));
}

/// Returns the predicted costs, with the names of `kauri analyze --json`.
nb::dict cost(const Symbolic& s) {
  const Plan& plan = *s.analysis.plan;
  const Cost& c = plan.cost;
  nb::dict out;
  out["ordering"] = plan.given ? std::string("given") : std::string(name_of(plan.ordering));
  out["n"] = plan.n;
  out["nnz_lower"] = plan.nnz;
  out["nnzL"] = c.nnz_l;
  out["flops"] = c.flops;
  out["fill_ratio"] =
      plan.nnz > 0 ? static_cast<double>(c.nnz_l) / static_cast<double>(plan.nnz) : 0.0;
  out["stored_entries"] = c.stored_entries;
  out["executed_flops"] = c.executed_flops;
  out["tree_height"] = c.tree_height;
  out["supernodes"] = plan.supernodes.count();
  out["largest_front"] = c.largest_front;
  out["largest_supernode"] = c.largest_supernode;
  out["factor_bytes"] = plan.factor_bytes(s.scalar_bytes);
  out["peak_bytes"] = plan.peak_bytes(s.scalar_bytes);
  out["workspace_bytes"] = plan.workspace_bytes(s.scalar_bytes, 1);
  out["plan_bytes"] = plan.plan_bytes();
  out["predicted_factor_s"] = c.predicted_factor_s;
  out["predicted_solve_s"] = c.predicted_solve_s;
  out["predicted_create_s"] = c.predicted_create_s;
  return out;
}

/// Returns (first, parent, row_ptr, row) of the supernodes.
nb::tuple supernodes(const Symbolic& s) {
  const Supernodes& nodes = s.analysis.plan->supernodes;
  // An analysis of no rows may leave these empty.
  std::vector<Index> first = nodes.first.empty() ? std::vector<Index>{0} : nodes.first;
  std::vector<Offset> row_ptr = nodes.row_ptr.empty() ? std::vector<Offset>{0} : nodes.row_ptr;
  return nb::make_tuple(to_numpy(std::move(first)), to_numpy(copy_of(nodes.parent)),
                        to_numpy(std::move(row_ptr)),
                        to_numpy(std::vector<Index>(nodes.row.begin(), nodes.row.end())));
}

/// Returns the shapes of picture::layout_of() as a dict of arrays, and with them the height of the
/// tree in columns and the operations of all fronts.
nb::dict tree_layout(const Symbolic& s, double width, double height, double least_width,
                     double least_height) {
  const picture::TreeLayout layout =
      picture::layout_of(s.analysis.plan->supernodes, {width, height, least_width, least_height});
  const auto column = [&](auto&& of) {
    std::vector<double> values;
    values.reserve(layout.shapes.size());
    for (const picture::TreeShape& shape : layout.shapes)
      values.push_back(static_cast<double>(of(shape)));
    return to_numpy(std::move(values));
  };
  nb::dict out;
  out["height_columns"] = layout.height;
  out["work"] = layout.work;
  out["subtrees"] = column([](const picture::TreeShape& t) {
    return t.kind == picture::TreeShape::ShapeKind::subtrees;
  });
  out["x"] = column([](const picture::TreeShape& t) { return t.x; });
  out["y"] = column([](const picture::TreeShape& t) { return t.y; });
  out["width"] = column([](const picture::TreeShape& t) { return t.width; });
  out["height"] = column([](const picture::TreeShape& t) { return t.height; });
  out["fronts"] = column([](const picture::TreeShape& t) { return t.fronts; });
  out["columns"] = column([](const picture::TreeShape& t) { return t.columns; });
  out["shape_work"] = column([](const picture::TreeShape& t) { return t.work; });
  return out;
}

std::string report(const Symbolic& s) {
  return to_json(
      released(nullptr, Weight::light, [&](const std::stop_token&) { return s.report(); }));
}

}  // namespace

void bind_structure(nb::class_<Symbolic>& symbolic) {
  symbolic.def("pattern_l", pattern_of_l, nb::arg("natural"), nb::arg("cancel").none())
      .def("density", density, nb::arg("of"), nb::arg("most"), nb::arg("natural"),
           nb::arg("cancel").none())
      .def("cost", cost)
      .def("supernodes", supernodes)
      .def("tree_layout", tree_layout, nb::arg("width"), nb::arg("height"), nb::arg("least_width"),
           nb::arg("least_height"))
      .def("report", report);
}

}  // namespace kauri::python
