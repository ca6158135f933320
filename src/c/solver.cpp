// C: the solver.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/solver.h"

#include <memory>
#include <string>
#include <utility>

#include "base/matrix/dense_lines.hpp"
#include "kauri/solve/report.hpp"
#include "src/c/dense_pair.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"
#include "src/checks/dense_shape.hpp"

namespace kauri::c {
namespace {

/// Runs fill(), a factorisation, stores its outcome for kauri_solver_verdict() and returns its
/// status. If Error(usage) refuses the call, the stored outcome stays.
template <class T, class Fill>
kauri_status filled(SolverOf<T>& of, int base, Fill&& fill) {
  try {
    const Result<void, Breakdown> result = counting_from(base, fill);
    of.breakdown = result ? std::nullopt : std::optional(result.error());
    of.filled = true;
    return outcome(result, base);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) of.filled = false;
    throw;
  } catch (...) {
    of.filled = false;
    throw;
  }
}

/// Returns the verdict of the last factorisation; its status is `none` if there was none or it
/// ended with an exception other than Error(usage).
template <class T>
DeviceVerdict verdict_of(const SolverOf<T>& of) {
  if (!of.filled) return {};
  const SolverReport& report = of.solver.report();
  DeviceVerdict verdict{.smallest_pivot = report.smallest_pivot,
                        .smallest_column = report.smallest_column};
  verdict.status =
      of.breakdown ? VerdictStatus::not_positive_definite : VerdictStatus::positive_definite;
  if (of.breakdown) verdict.column = of.breakdown->column, verdict.pivot = of.breakdown->pivot;
  return verdict;
}

/// Returns f(C++ solver of the handle), with the handle's cancel as the solver's stop token. Throws
/// Error(usage) if another call on the handle is under way.
template <class F>
auto with_solver(kauri_solver* solver, F&& f) {
  kauri_solver& handle = need(solver, "solver");
  const OneCall call(handle.calls, "kauri_solver", "solver");
  const auto run = [&](auto& of) {
    of.solver.set_stop(token_of(handle.cancel));
    return f(of);
  };
  return std::visit(run, handle.of);
}

/// Checks b and x and copies b into x, in which Solver::solve() solves in place; copies nothing if
/// x is b itself. Throws Error(usage) for matrices on a device, shapes that do not fit, and an x
/// that overlaps b without being b.
template <class T>
void take(const DensePair<T>& pair, Index n) {
  if (pair.on_device)
    misuse("kauri_solver_solve: b and x are on a device, expected in the host's memory");
  require_dense<T>(pair.x, "Solver::solve: x", n);
  require_dense(pair.b, "Solver::solve: b", n);
  if (pair.b.cols != pair.x.cols)
    misuse("Solver::solve: b has " + std::to_string(pair.b.cols) + " columns, x has " +
           std::to_string(pair.x.cols));
  if (pair.b.data == pair.x.data && !overlaps_from_the_first<T>(pair.b, pair.x)) return;
  if (overlap(pair.b, pair.x))
    misuse("Solver::solve: x overlaps b; give it memory of its own, or b itself");
  copy_entries<T>(pair.b, pair.x);
}

const SolverReport& report_in(const kauri_solver* solver) {
  return std::visit([](const auto& of) -> const SolverReport& { return of.solver.report(); },
                    need(solver, "solver").of);
}

}  // namespace

extern "C" {

kauri_status kauri_solver_create(const kauri_options* options, int32_t scalar,
                                 kauri_solver** solver) {
  return guarded([&] {
    kauri_solver*& place = place_for(solver, "solver");
    const Cancel cancel = options == nullptr ? nullptr : options->cancel;
    place = with_scalar(scalar, [&]<class T>(T) {
      return new kauri_solver{SolverOf<T>{Solver<T>(options_of(options))}, 0, cancel};
    });
  });
}
void kauri_solver_destroy(kauri_solver* solver) { delete solver; }

kauri_status kauri_solver_compute(kauri_solver* solver, const kauri_matrix* matrix) {
  return guarded([&] {
    const kauri_matrix& m = need(matrix, "matrix");
    return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
      const auto& a = same_scalar<MatrixOf<T>>(m, "the matrix");
      of.order = a.order;
      of.filled = false;
      solver->base = m.base;
      return filled(of, m.base, [&] { return of.solver.compute(a.lower.view()); });
    });
  });
}

kauri_status kauri_solver_refactorize(kauri_solver* solver, const void* value, int64_t entries,
                                      double shift) {
  return guarded([&] {
    return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
      if (!of.order) misuse("Solver::refactorize: call compute() first");
      std::vector<T> lower(static_cast<std::size_t>(of.solver.plan().nnz));
      of.order->apply(span_of<const T>(value, entries, "value"), lower);
      const T by = number_of<T>(shift, "shift");
      return filled(of, solver->base,
                    [&] { return of.solver.refactorize(std::span<const T>(lower), by); });
    });
  });
}

kauri_status kauri_solver_refactorize_matrix(kauri_solver* solver, const kauri_matrix* matrix,
                                             double shift) {
  return guarded([&] {
    const kauri_matrix& m = need(matrix, "matrix");
    return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
      const auto& a = same_scalar<MatrixOf<T>>(m, "the matrix");
      const T by = number_of<T>(shift, "shift");
      return filled(of, solver->base, [&] { return of.solver.refactorize(a.lower.view(), by); });
    });
  });
}

kauri_status kauri_solver_refactorize_shifted(kauri_solver* solver, double shift) {
  return guarded([&] {
    return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
      const T by = number_of<T>(shift, "shift");
      return filled(of, solver->base, [&] { return of.solver.refactorize_shifted(by); });
    });
  });
}

kauri_status kauri_solver_solve(kauri_solver* solver, const struct kauri_dense* b,
                                const struct kauri_dense* x) {
  return guarded([&] {
    return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
      const DensePair<T> pair(b, x);
      take(pair, of.solver.plan().n);
      of.solver.solve(pair.x);
      const SolverReport& report = of.solver.report();
      const bool counts =
          solver->base != 0 && report.status_reason.find("entry (") != std::string::npos;
      return solved(report.status,
                    report.status_reason + (counts ? " (rows and columns counted from 0)" : ""));
    });
  });
}

kauri_status kauri_solver_set_cancel(kauri_solver* solver, const kauri_cancel* cancel) {
  return guarded([&] {
    kauri_solver& handle = need(solver, "solver");
    const OneCall call(handle.calls, "kauri_solver_set_cancel", "solver");
    handle.cancel = cancel == nullptr ? nullptr : cancel->state;
  });
}

kauri_status kauri_solver_verdict(const kauri_solver* solver, struct kauri_verdict* verdict) {
  return guarded([&] {
    const kauri_solver& s = need(solver, "solver");
    write(std::visit([](const auto& of) { return verdict_of(of); }, s.of), s.base,
          sized(verdict, "verdict"));
  });
}
kauri_status kauri_solver_refinement(const kauri_solver* solver,
                                     struct kauri_refinement* refinement) {
  return guarded([&] {
    const SolverReport& report = report_in(solver);
    write(report.refinement, report.mixed.unconverged, sized(refinement, "refinement"));
  });
}
kauri_status kauri_solver_plan(const kauri_solver* solver, kauri_plan** plan) {
  return guarded([&] {
    kauri_plan*& place = place_for(plan, "plan");
    const auto analysis_in = [](const auto& of) -> const Analysis& { return of.solver.analysis(); };
    const Analysis& analysis = std::visit(analysis_in, need(solver, "solver").of);
    if (!analysis.plan) misuse("Solver::plan: call compute() first");
    place = new kauri_plan{analysis.plan, analysis.reason, solver->base};
  });
}
kauri_status kauri_solver_backend_kind(const kauri_solver* solver, int32_t* kind) {
  return guarded([&] {
    const auto kind_in = [](const auto& of) { return of.solver.backend().kind(); };
    const bool device = std::visit(kind_in, need(solver, "solver").of) == BackendKind::cuda;
    need(kind, "kind") = device ? KAURI_BACKEND_CUDA : KAURI_BACKEND_CPU;
  });
}
kauri_status kauri_solver_report_json(const kauri_solver* solver, char* text, size_t capacity,
                                      size_t* needed) {
  return guarded([&] { put_text(to_json(report_in(solver)), text, capacity, needed); });
}
kauri_status kauri_solver_report_text(const kauri_solver* solver, char* text, size_t capacity,
                                      size_t* needed) {
  return guarded([&] { put_text(to_text(report_in(solver)), text, capacity, needed); });
}

}  // extern "C"

}  // namespace kauri::c
