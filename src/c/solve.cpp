// C: solves and products with a factor, condition estimates, refinement and backward errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kauri/c/factor.h"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/refine.hpp"
#include "src/c/dense_pair.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/solve_status.hpp"

namespace kauri::c {

System system_of(std::int32_t system) {
  switch (system) {
    case KAURI_SYSTEM_A:
      return System::A;
    case KAURI_SYSTEM_B:
      return System::B;
    case KAURI_SYSTEM_L:
      return System::L;
    case KAURI_SYSTEM_LT:
      return System::Lt;
    case KAURI_SYSTEM_P:
      return System::P;
    case KAURI_SYSTEM_PT:
      return System::Pt;
    default:
      no_such("system", system);
  }
}

void write(const Refinement& refinement, std::int64_t unconverged, kauri_refinement& out) {
  out = {sizeof out,
         refinement.steps,
         refinement.tried,
         refinement.unrefined.normwise,
         refinement.unrefined.componentwise,
         refinement.final_error.normwise,
         refinement.final_error.componentwise,
         unconverged};
}

namespace {

/// Returns KAURI_OK if all entries of x, in host memory, are finite, else KAURI_NOT_CONVERGED: the
/// status of a solve whose backward error is not measured.
template <Scalar T>
kauri_status status_of_finite(const MatrixView<const T>& x) {
  if (kauri::all_finite(x)) return KAURI_OK;
  return solved(SolveStatus::not_finite,
                "the solution is not finite: " + non_finite_entry<T>(x, 0, "x"));
}

}  // namespace

extern "C" {

kauri_status kauri_factor_solve(const kauri_factor* factor, int32_t system,
                                const struct kauri_dense* b, const struct kauri_dense* x,
                                kauri_workspace* workspace) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    const System which = system_of(system);
    const auto run = [&]<class T>(const Factor<T>& of) -> kauri_status {
      auto& scratch = same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace");
      const DensePair<T> pair(b, x);
      if (pair.on_device) {
        of.solve(which, DeviceMatrixView<const T>(pair.b), DeviceMatrixView<T>(pair.x), scratch);
        return KAURI_OK;
      }
      of.solve(which, pair.b, pair.x, scratch, token_of(f.cancel));
      return status_of_finite<T>(pair.x);
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_factor_multiply(const kauri_factor* factor, int32_t system,
                                   const struct kauri_dense* b, const struct kauri_dense* x,
                                   kauri_workspace* workspace) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    const System which = system_of(system);
    const auto run = [&]<class T>(const Factor<T>& of) {
      auto& scratch = same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace");
      const DensePair<T> pair(b, x);
      if (pair.on_device)
        of.multiply(which, DeviceMatrixView<const T>(pair.b), DeviceMatrixView<T>(pair.x), scratch);
      else
        of.multiply(which, pair.b, pair.x, scratch, token_of(f.cancel));
    };
    std::visit(run, f.of);
  });
}

kauri_status kauri_factor_condition(const kauri_factor* factor, const kauri_matrix* matrix,
                                    kauri_workspace* workspace, struct kauri_condition* condition) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    const kauri_matrix& m = need(matrix, "matrix");
    kauri_condition& out = sized(condition, "condition");
    const auto run = [&]<class T>(const Factor<T>& of) {
      auto& scratch = same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace");
      const auto& a = same_scalar<MatrixOf<T>>(m, "the matrix").lower;
      const ConditionEstimate estimate =
          estimate_condition<T>(a.view(), of, scratch, token_of(f.cancel));
      out = {sizeof out, estimate.norm, estimate.inverse_norm, estimate.condition()};
    };
    std::visit(run, f.of);
  });
}

kauri_status kauri_factor_refine(const kauri_factor* factor, const kauri_matrix* matrix,
                                 const kauri_options* options, const struct kauri_dense* b,
                                 const struct kauri_dense* x, kauri_workspace* workspace,
                                 struct kauri_refinement* refinement) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    const kauri_matrix& m = need(matrix, "matrix");
    if (refinement != nullptr) (void)sized(refinement, "refinement");
    RefineOptions how = options_of(options).refine;
    if (!how.stop.stop_possible()) how.stop = token_of(f.cancel);
    const auto run = [&]<class T>(const Factor<T>& of) {
      auto& scratch = same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace");
      const auto& a = same_scalar<MatrixOf<T>>(m, "the matrix").lower;
      const MatrixView<const T> rhs = host_view_of<const T>(b, "b");
      const Refinement done = refine<T>(a.view(), of, rhs, host_view_of<T>(x, "x"), scratch, how);
      if (refinement != nullptr) write(done, 0, *refinement);
      const SolveStatus status = status_of<T>(done.final_error);
      return solved(status, why_not<T>(status, done.final_error, rhs));
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_backward_error(const kauri_matrix* matrix, const struct kauri_dense* x,
                                  const struct kauri_dense* b, const kauri_backend* backend,
                                  struct kauri_errors* error) {
  return guarded([&] {
    kauri_errors& out = sized(error, "error");
    Backend& at = *need(backend, "backend").backend;
    const auto run = [&]<class T>(const MatrixOf<T>& of) {
      const BackwardError seen = backward_error<T>(of.lower.view(), host_view_of<const T>(x, "x"),
                                                   host_view_of<const T>(b, "b"), at);
      out = {sizeof out, seen.normwise, seen.componentwise};
    };
    std::visit(run, need(matrix, "matrix").of);
  });
}

}  // extern "C"

}  // namespace kauri::c
