// Mixed precision for Python: an engine in double with a factor in float.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>

#include "python/src/factorization.hpp"

namespace kauri::python {
namespace {

/// A factor for systems in double: an engine with mixed precision, or, if the analysis was left the
/// choice (Precision::automatic) and took it, an engine in full precision that refines.
struct Mixed : Factorization<double> {
  /// symbolic: an analysis whose precision is mixed or automatic.
  explicit Mixed(std::shared_ptr<Symbolic> shared)
      : Factorization(std::move(shared), Precision::automatic) {
    symbolic->prepare();  // for all factors of the analysis
    engine.prepare();
  }

  [[nodiscard]] bool is_full() const { return symbolic->precision() == Precision::full; }
  /// Returns the request of a solve. In full precision it asks for refinement.
  [[nodiscard]] static SolveRequest request(const std::stop_token& stop) {
    return {.corrections = RefineOptions{}.max_steps, .stop = stop};
  }
};

std::shared_ptr<Mixed> create(std::shared_ptr<Symbolic> symbolic) {
  if (symbolic->options.precision == Precision::full)
    throw Error(ErrorKind::usage, "mixed precision: expected an analysis for it");
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    return std::make_shared<Mixed>(std::move(symbolic));
  });
}

nb::object refactorize(Mixed& f, const SymmetricMatrix<double>& a, double beta,
                       const CancelToken* cancel) {
  return told(released(cancel, factor_weight(*f.symbolic),
                       [&](const std::stop_token& stop) { return f.refactorize(a, beta, stop); }));
}

nb::object refactorize_values(Mixed& f, const Vector<double>& values, double beta,
                              const CancelToken* cancel) {
  return told(released(cancel, factor_weight(*f.symbolic), [&](const std::stop_token& stop) {
    return f.engine.factorize(span_of<double>(values), beta, stop);
  }));
}

/// values: the array of count numbers at the address, which a factor in full precision keeps alive.
nb::object refactorize_there(Mixed& f, nb::object values, std::uintptr_t address,
                             std::optional<std::uintptr_t> stream, std::size_t count,
                             const CancelToken* cancel) {
  BorrowedValues<double> there{.value = {reinterpret_cast<const double*>(address), count},
                               .on_device = true,
                               .owner = kept_alive(std::move(values))};
  return told(released(cancel, Weight::light, [&](const std::stop_token& stop) {
    return f.engine.factorize(std::move(there), 0.0, handle_of(stream), stop);
  }));
}

nb::object told_solved(const Result<Index, Breakdown>& result) {
  return result ? nb::int_(result.value()) : told(result.error());
}

/// Returns the number of columns that did not converge, or told() of a breakdown.
nb::object solve(Mixed& f, const Const<double>& b, const Mutable<double>& x,
                 const CancelToken* cancel) {
  const MatrixView<const double> from = dense<const double>(b);
  const MatrixView<double> to = dense<double>(x);
  return told_solved(released(cancel, factor_weight(*f.symbolic), [&](const std::stop_token& stop) {
    return f.engine.solve(System::A, from, to, Mixed::request(stop));
  }));
}

nb::object solve_there(Mixed& f, const There& b, const There& x,
                       std::optional<std::uintptr_t> stream, const CancelToken* cancel) {
  const MatrixView<const double> from = view_of<const double>(b);
  const MatrixView<double> to = view_of<double>(x);
  return told_solved(released(cancel, Weight::light, [&](const std::stop_token& stop) {
    wait_for(*f.symbolic, stream);
    return f.engine.solve_on_device(System::A, from, to, Mixed::request(stop));
  }));
}

}  // namespace

void bind_mixed(nb::module_& module) {
  nb::class_<Mixed>(module, "Mixed")
      .def_prop_ro("symbolic", [](const Mixed& f) { return f.symbolic; })
      .def_prop_ro("valid", [](const Mixed& f) { return f.engine.valid(); })
      .def("refactorize", refactorize, nb::arg("a"), nb::arg("beta"), nb::arg("cancel").none())
      .def("refactorize_values", refactorize_values, nb::arg("values").noconvert(), nb::arg("beta"),
           nb::arg("cancel").none())
      .def("refactorize_there", refactorize_there, nb::arg("values"), nb::arg("address"),
           nb::arg("stream").none(), nb::arg("count"), nb::arg("cancel").none())
      .def("solve", solve, nb::arg("b").noconvert(), nb::arg("x").noconvert(),
           nb::arg("cancel").none())
      .def("solve_there", solve_there, nb::arg("b"), nb::arg("x"), nb::arg("stream").none(),
           nb::arg("cancel").none())
      .def(
          "in_double", [](const Mixed& f) { return f.is_full() || f.engine.in_double(); },
          nb::call_guard<Unlocked>())
      .def("values",
           [](const Mixed& f) {
             return to_numpy(released(nullptr, Weight::light,
                                      [&](const std::stop_token&) { return f.engine.values(); }));
           })
      .def("report", [](const Mixed& f) { return to_json(f.engine.report()); });
  module.def("mixed", create);
}

}  // namespace kauri::python
