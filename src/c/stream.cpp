// C: work on the caller's CUDA stream.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/stream.h"

#include "src/c/dense_pair.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
extern "C" {

kauri_status kauri_factor_enqueue_refactorize(kauri_factor* factor, const void* value,
                                              int64_t entries, double shift, void* stream) {
  return guarded([&] {
    const auto run = [&]<class T>(Factor<T>& of) {
      const auto numbers = DeviceValues<T>::borrow(span_of<const T>(value, entries, "value"));
      enqueue_refactorize<T>(of, numbers, number_of<T>(shift, "shift"), stream);
    };
    std::visit(run, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_enqueue_solve(const kauri_factor* factor, int32_t system,
                                        const struct kauri_dense* b, const struct kauri_dense* x,
                                        kauri_workspace* workspace, void* stream) {
  return guarded([&] {
    const System which = system_of(system);
    const auto run = [&]<class T>(const Factor<T>& of) {
      auto& scratch = same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace");
      const DensePair<T> pair(b, x);
      if (!pair.on_device)
        misuse("enqueue_solve: b and x are in the host's memory, expected on a device");
      of.enqueue_solve(which, DeviceMatrixView<const T>(pair.b), DeviceMatrixView<T>(pair.x),
                       scratch, stream);
    };
    std::visit(run, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_enqueue_log_determinant(const kauri_factor* factor, double* there,
                                                  kauri_workspace* workspace, void* stream) {
  return guarded([&] {
    const auto run = [&]<class T>(const Factor<T>& of) {
      of.enqueue_log_determinant(
          there, same_scalar<Workspace<T>>(need(workspace, "workspace"), "the workspace"), stream);
    };
    std::visit(run, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_fetch_verdict(kauri_factor* factor, void* stream,
                                        struct kauri_verdict* verdict) {
  return guarded([&]() -> kauri_status {
    kauri_factor& f = need(factor, "factor");
    if (verdict != nullptr) (void)sized(verdict, "verdict");
    const DeviceVerdict seen = std::visit([&](auto& of) { return of.fetch_verdict(stream); }, f.of);
    if (verdict != nullptr) write(seen, f.base, *verdict);
    if (seen.status != VerdictStatus::not_positive_definite) return KAURI_OK;
    return outcome(Breakdown{seen.column, seen.pivot}, f.base);
  });
}

}  // extern "C"
}  // namespace kauri::c
