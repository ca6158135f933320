// Mixed precision for Python: kauri::MixedFactor under a lock, one call at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/mixed.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/progress/stopwatch.hpp"
#include "kauri/solve/report.hpp"
#include "python/src/matrix.hpp"
#include "python/src/support.hpp"
#include "python/src/symbolic.hpp"
#include "src/checks/solve_status.hpp"
#include "src/report/phase_work.hpp"

namespace kauri::python {
namespace {

/// A factor in float for systems in double, with the values that were factorised and a report.
class Mixed {
 public:
  /// symbolic: an analysis for scalars of four bytes.
  explicit Mixed(std::shared_ptr<Symbolic> symbolic)
      : symbolic_(std::move(symbolic)),
        factor_(MixedFactor::create(symbolic_->pattern(), symbolic_->prepared(), 1,
                                    symbolic_->options.mixed)),
        report_(symbolic_->report(sizeof(float))) {
    report_.precision = Precision::mixed;
    if (report_.roofline) report_.roofline = symbolic_->backend().mixed_roofline();
    report_.kernels = symbolic_->backend().mixed_kernels();
  }

  Result<void, Breakdown> refactorize(std::vector<double> value, double shift,
                                      const std::stop_token& stop) {
    const Pattern a = symbolic_->pattern();
    if (shift != 0 && value.size() == a.row.size())
      for (Index j = 0; j < a.n; ++j)
        value[static_cast<std::size_t>(a.col_ptr[static_cast<std::size_t>(j)])] += shift;
    const std::lock_guard lock(mutex_);
    const Result<void, Breakdown> result = filled([&] { return factor_.refactorize(value, stop); });
    value_ = std::move(value);
    return result;
  }
  /// Factorises with values on the device. stream: the caller's stream, whose work at the time of
  /// the call writes them; none: they have been written.
  Result<void, Breakdown> refactorize_there(std::span<const double> value,
                                            std::optional<StreamHandle> stream,
                                            const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    const auto there = DeviceValues<double>::borrow(value);
    const Result<void, Breakdown> result = filled([&] {
      return stream ? factor_.refactorize(there, *stream, stop) : factor_.refactorize(there, stop);
    });
    value_.clear();
    return result;
  }

  /// Solves, and returns the number of columns that did not converge. From, To: MatrixView or
  /// DeviceMatrixView.
  template <class From, class To>
  Result<Index, Breakdown> solve(const From& b, const To& x, Index cols,
                                 const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    if (cols > 0) factor_.reserve(std::min(cols, kSolveBlock));
    MixedSolveOptions options = symbolic_->options.mixed_solve;
    options.stop = stop;
    Stopwatch watch;
    const Result<MixedReport, Breakdown> solved = factor_.solve(b, x, options);
    valid_ = factor_.valid();
    report_.solve.seconds = watch.seconds();
    report_.right_hand_sides = cols;
    report_.mixed = solved ? solved.value() : report_of_breakdown(cols);
    judge_mixed(report_, solved ? std::nullopt : std::optional<Breakdown>(solved.error()),
                on_host(b));
    if (!solved) return solved.error();
    count_mixed_solve(report_.solve, factor_.plan(), cols,
                      report_.mixed.steps + report_.mixed.cg_steps);
    report_.solve.bytes = factor_.bytes();
    return solved.value().unconverged;
  }

  /// Returns true if the last call that filled the factor succeeded. Does not wait for a call under
  /// way.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] const std::shared_ptr<Symbolic>& symbolic() const { return symbolic_; }
  SolverReport report() {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  bool in_double() {
    const std::lock_guard lock(mutex_);
    return factor_.in_double();
  }
  /// Returns the values of A + shift I that were factorised last; empty if they came from a device.
  std::vector<double> values() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  /// Returns b if it is on the host, else a view with null data.
  static MatrixView<const double> on_host(const MatrixView<const double>& b) { return b; }
  static MatrixView<const double> on_host(const DeviceMatrixView<const double>&) { return {}; }

  template <class Fill>
  Result<void, Breakdown> filled(Fill&& fill) {
    Stopwatch watch;
    Result<void, Breakdown> result;
    try {
      result = fill();
    } catch (...) {
      valid_ = factor_.valid();
      throw;
    }
    valid_ = factor_.valid();
    report_.factor.seconds = watch.seconds();
    count_factor(report_.factor, factor_.plan(), sizeof(float));
    const DeviceVerdict verdict = factor_.verdict();
    report_.smallest_pivot = verdict.smallest_pivot;
    report_.smallest_column = verdict.smallest_column;
    return result;
  }

  std::shared_ptr<Symbolic> symbolic_;
  MixedFactor factor_;
  std::vector<double> value_;
  SolverReport report_;
  std::atomic<bool> valid_ = false;
  std::mutex mutex_;
};

std::shared_ptr<Mixed> create(std::shared_ptr<Symbolic> symbolic) {
  if (symbolic->scalar_bytes != static_cast<int>(sizeof(float)))
    throw Error(ErrorKind::usage, "mixed precision: expected an analysis in float32");
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    return std::make_shared<Mixed>(std::move(symbolic));
  });
}

Weight weight(const Mixed& f) {
  const Symbolic& s = *f.symbolic();
  return s.analysis.plan->cost.flops > kHeavyFlops &&
                 s.backends.current().kind() == BackendKind::cpu
             ? Weight::heavy
             : Weight::light;
}

nb::object refactorize(Mixed& f, const SymmetricMatrix<double>& a, double beta,
                       const CancelToken* cancel) {
  return told(released(cancel, weight(f), [&](const std::stop_token& stop) {
    return f.refactorize(values_on<double>(f.symbolic()->pattern(), a), beta, stop);
  }));
}

nb::object refactorize_values(Mixed& f, const Vector<double>& values, double beta,
                              const CancelToken* cancel) {
  const std::span<const double> given = span_of<double>(values);
  return told(released(cancel, weight(f), [&](const std::stop_token& stop) {
    return f.refactorize({given.begin(), given.end()}, beta, stop);
  }));
}

nb::object refactorize_there(Mixed& f, std::uintptr_t address, std::size_t count,
                             std::optional<std::uintptr_t> stream, const CancelToken* cancel) {
  const std::span<const double> there(reinterpret_cast<const double*>(address), count);
  return told(released(cancel, Weight::light, [&](const std::stop_token& stop) {
    return f.refactorize_there(there, handle_of(stream), stop);
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
  return told_solved(released(cancel, weight(f), [&](const std::stop_token& stop) {
    return f.solve(from, to, to.cols, stop);
  }));
}

nb::object solve_there(Mixed& f, const There& b, const There& x,
                       std::optional<std::uintptr_t> stream, const CancelToken* cancel) {
  const DeviceMatrixView<const double> from(view_of<const double>(b));
  const DeviceMatrixView<double> to(view_of<double>(x));
  return told_solved(released(cancel, Weight::light, [&](const std::stop_token& stop) {
    wait_for(f.symbolic()->backend(), stream);
    return f.solve(from, to, to.view().cols, stop);
  }));
}

}  // namespace

void bind_mixed(nb::module_& module) {
  nb::class_<Mixed>(module, "Mixed")
      .def_prop_ro("symbolic", [](const Mixed& f) { return f.symbolic(); })
      .def_prop_ro("valid", &Mixed::valid)
      .def("refactorize", refactorize, nb::arg("a"), nb::arg("beta"), nb::arg("cancel").none())
      .def("refactorize_values", refactorize_values, nb::arg("values").noconvert(), nb::arg("beta"),
           nb::arg("cancel").none())
      .def("refactorize_there", refactorize_there, nb::arg("address"), nb::arg("count"),
           nb::arg("stream").none(), nb::arg("cancel").none())
      .def("solve", solve, nb::arg("b").noconvert(), nb::arg("x").noconvert(),
           nb::arg("cancel").none())
      .def("solve_there", solve_there, nb::arg("b"), nb::arg("x"), nb::arg("stream").none(),
           nb::arg("cancel").none())
      .def("in_double", &Mixed::in_double, nb::call_guard<Unlocked>())
      .def("values",
           [](Mixed& f) {
             return to_numpy(released(nullptr, Weight::light,
                                      [&](const std::stop_token&) { return f.values(); }));
           })
      .def("report", [](Mixed& f) {
        return to_json(
            released(nullptr, Weight::light, [&](const std::stop_token&) { return f.report(); }));
      });
  module.def("mixed", create);
}

}  // namespace kauri::python
