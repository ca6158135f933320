// Implements Symbolic and binds it.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/symbolic.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kauri/extras/save.hpp"
#include "kauri/extras/separators.hpp"
#include "kauri/solve/named_options.hpp"
#include "python/src/matrix.hpp"
#include "python/src/structure.hpp"
#include "python/src/support.hpp"

namespace kauri::python {
namespace {

/// Number of entries of A's lower triangle above which Ctrl-C can interrupt an analysis: some 50
/// ms, unless minimum degree is unusually slow.
constexpr Offset kHeavyEntries = 50000;

SolverOptions options_of(const OptionTexts& texts) {
  SolverOptions options;
  options.refine.max_steps = 0;
  for (const auto& [name, text] : texts) set_option(options, name, text);
  return options;
}

template <Scalar T>
std::shared_ptr<Symbolic> analyze_as(int scalar_bytes, const SymmetricMatrix<T>& a,
                                     OptionTexts texts,
                                     const std::optional<Vector<Index>>& permutation,
                                     const CancelToken* cancel) {
  auto symbolic = std::make_shared<Symbolic>(std::move(texts), scalar_bytes);
  std::optional<Permutation> order;
  if (permutation) {
    const std::span<const Index> old_of = span_of<Index>(*permutation);
    order = Permutation::from_old_of({old_of.begin(), old_of.end()});
  }
  released(cancel, a.nnz() > kHeavyEntries ? Weight::heavy : Weight::light,
           [&](const std::stop_token& stop) { symbolic->analyze(a.pattern(), stop, order); });
  return symbolic;
}

template <Scalar T>
std::shared_ptr<Symbolic> analyze_matrix(const SymmetricMatrix<T>& a, OptionTexts texts,
                                         const std::optional<Vector<Index>>& permutation,
                                         const CancelToken* cancel) {
  return analyze_as(static_cast<int>(sizeof(T)), a, std::move(texts), permutation, cancel);
}

/// Returns the bytes of a number of L before an analysis, by the option `precision`: mixed, or
/// automatic, which may turn 8 into 4.
int bytes_of_mixed(const OptionTexts& texts) {
  const bool mixed = options_of(texts).precision == Precision::mixed;
  return static_cast<int>(mixed ? sizeof(float) : sizeof(double));
}

/// Analyses for a factor of a system in double, in the precision that the options name.
std::shared_ptr<Symbolic> analyze_mixed(const SymmetricMatrix<double>& a, OptionTexts texts,
                                        const std::optional<Vector<Index>>& permutation,
                                        const CancelToken* cancel) {
  const int bytes = bytes_of_mixed(texts);
  return analyze_as(bytes, a, std::move(texts), permutation, cancel);
}

std::shared_ptr<Symbolic> restore(OptionTexts texts, int scalar_bytes, const nb::bytes& saved) {
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(saved.data()), saved.size());
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    auto symbolic = std::make_shared<Symbolic>(std::move(texts), scalar_bytes);
    symbolic->adopt(load_plan(bytes));
    return symbolic;
  });
}

std::shared_ptr<Symbolic> restore_mixed(OptionTexts texts, const nb::bytes& saved) {
  const int bytes = bytes_of_mixed(texts);
  return restore(std::move(texts), bytes, saved);
}

nb::bytes saved_plan(const Symbolic& s) {
  const std::vector<std::byte> bytes = save_plan(*s.analysis.plan);
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<Index> copy_of(std::span<const Index> values) { return {values.begin(), values.end()}; }

/// Returns (first, parent) of the plan's separator_tree(); subtrees of at most `leaf` rows are one
/// node.
nb::tuple separators(const Symbolic& s, Index leaf) {
  SeparatorTree tree = released(nullptr, Weight::light, [&](const std::stop_token&) {
    return separator_tree(Graph(s.pattern()), s.analysis.plan->perm, leaf);
  });
  return nb::make_tuple(to_numpy(std::move(tree.first)), to_numpy(std::move(tree.parent)));
}

/// Returns the values of all named options.
OptionTexts all_options(const Symbolic& s) {
  OptionTexts all;
  for (const NamedOption& option : named_options())
    all.emplace_back(option.name, get_option(s.options, option.name));
  return all;
}

}  // namespace

Symbolic::Symbolic(OptionTexts texts, int scalar_size)
    : kauri::Symbolic(options_of(texts), scalar_size), given(std::move(texts)) {}

void bind_symbolic(nb::module_& module) {
  nb::class_<Symbolic> symbolic(module, "Symbolic");
  symbolic.def_prop_ro("n", [](const Symbolic& s) { return s.analysis.plan->n; })
      .def_prop_ro("nnz", [](const Symbolic& s) { return s.analysis.plan->nnz; })
      .def_prop_ro("nnz_l", [](const Symbolic& s) { return s.analysis.plan->cost.nnz_l; })
      .def_prop_ro("flops", [](const Symbolic& s) { return s.analysis.plan->cost.flops; })
      .def_prop_ro("on_device", [](Symbolic& s) { return s.backend().kind() == BackendKind::cuda; })
      .def_prop_ro("device_index", [](const Symbolic& s) { return s.options.cuda.device; })
      .def_prop_ro("scalar_bytes", [](const Symbolic& s) { return s.scalar_bytes; })
      .def_prop_ro("given", [](const Symbolic& s) { return s.given; })
      .def_prop_ro("options", all_options)
      .def_prop_ro("refine_steps", [](const Symbolic& s) { return s.options.refine.max_steps; })
      .def_prop_ro("natural",
                   [](const Symbolic& s) {
                     return s.analysis.plan->ordering == OrderingMethod::natural &&
                            !s.analysis.plan->given;
                   })
      .def_prop_ro(
          "ordering",
          [](const Symbolic& s) { return std::string(name_of(s.analysis.plan->ordering)); })
      .def("perm",
           [](const Symbolic& s) { return to_numpy(copy_of(s.analysis.plan->perm.old_of())); })
      .def("parent",
           [](const Symbolic& s) { return to_numpy(copy_of(s.analysis.plan->tree.parent)); })
      .def("column_count",
           [](const Symbolic& s) { return to_numpy(copy_of(s.analysis.plan->tree.column_count)); })
      .def("indptr",
           [](const Symbolic& s) {
             const Pattern a = s.pattern();
             return to_numpy(std::vector<Offset>(a.col_ptr.begin(), a.col_ptr.end()));
           })
      .def("indices", [](const Symbolic& s) { return to_numpy(copy_of(s.pattern().row)); })
      .def("separators", separators)
      .def("saved", saved_plan);
  bind_structure(symbolic);
  module.def("analyze", analyze_matrix<double>, nb::arg("a"), nb::arg("options"),
             nb::arg("permutation").none(), nb::arg("cancel").none());
  module.def("analyze_mixed", analyze_mixed, nb::arg("a"), nb::arg("options"),
             nb::arg("permutation").none(), nb::arg("cancel").none());
  module.def("analyze", analyze_matrix<float>, nb::arg("a"), nb::arg("options"),
             nb::arg("permutation").none(), nb::arg("cancel").none());
  module.def("restore_symbolic", restore);
  module.def("restore_mixed", restore_mixed);
}

}  // namespace kauri::python
