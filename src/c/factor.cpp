// C: factors, factorisations and their verdicts.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/factor.h"

#include <memory>
#include <string>
#include <utility>

#include "kauri/c/stream.h"
#include "kauri/device/device_values.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
namespace {

static_assert(static_cast<int>(VerdictStatus::none) == KAURI_VERDICT_NONE &&
              static_cast<int>(VerdictStatus::positive_definite) ==
                  KAURI_VERDICT_POSITIVE_DEFINITE &&
              static_cast<int>(VerdictStatus::not_positive_definite) ==
                  KAURI_VERDICT_NOT_POSITIVE_DEFINITE);

/// Factorises A + shift I from values in host or device memory, with errors counted from the
/// handle's base; returns the status.
template <class T, class Values>
kauri_status fill(kauri_factor& handle, Factor<T>& factor, const Values& value, double shift) {
  return counting_from(handle.base, [&] {
    return outcome(
        refactorize<T>(factor, value, number_of<T>(shift, "shift"), token_of(handle.cancel)),
        handle.base);
  });
}

/// Throws Error(usage) unless memory is KAURI_HOST, or KAURI_DEVICE with a factor on a device.
void require_memory(const kauri_factor& factor, std::int32_t memory) {
  if (memory != KAURI_HOST && memory != KAURI_DEVICE) no_such("memory", memory);
  if (memory == KAURI_DEVICE && factor.backend->kind() != BackendKind::cuda)
    misuse(
        "refactorize: values are marked as device memory, but the factor is on the CPU; pass "
        "values in the host's memory");
}

}  // namespace

void write(const DeviceVerdict& verdict, int base, kauri_verdict& out) {
  out = {sizeof out,
         static_cast<std::int32_t>(verdict.status),
         0,
         counted(verdict.column, base),
         verdict.pivot,
         verdict.smallest_pivot,
         counted(verdict.smallest_column, base)};
}

extern "C" {

kauri_status kauri_factor_create(const kauri_plan* plan, const kauri_backend* backend,
                                 int32_t scalar, kauri_factor** factor) {
  return guarded([&] {
    kauri_factor*& place = place_for(factor, "factor");
    const kauri_plan& p = need(plan, "plan");
    const std::shared_ptr<Backend>& at = need(backend, "backend").backend;
    place = with_scalar(scalar, [&]<class T>(T) {
      return new kauri_factor{at, Factor<T>::create(p.plan, *at), p.base};
    });
  });
}
void kauri_factor_destroy(kauri_factor* factor) { delete factor; }

kauri_status kauri_workspace_create(const kauri_factor* factor, int32_t nrhs,
                                    kauri_workspace** workspace) {
  return guarded([&] {
    kauri_workspace*& place = place_for(workspace, "workspace");
    const kauri_factor& f = need(factor, "factor");
    const auto make = [&]<class T>(const Factor<T>& of) {
      return new kauri_workspace{f.backend, Workspace<T>::create(of, nrhs)};
    };
    place = std::visit(make, f.of);
  });
}
void kauri_workspace_destroy(kauri_workspace* workspace) { delete workspace; }

kauri_status kauri_factor_set_cancel(kauri_factor* factor, const kauri_cancel* cancel) {
  return guarded(
      [&] { need(factor, "factor").cancel = cancel == nullptr ? nullptr : cancel->state; });
}
kauri_status kauri_factor_scalar(const kauri_factor* factor, int32_t* scalar) {
  return guarded([&] {
    const auto scalar_in = []<class T>(const Factor<T>&) { return scalar_of<T>(); };
    need(scalar, "scalar") = std::visit(scalar_in, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_refactorize(kauri_factor* factor, const void* value, int64_t entries,
                                      int32_t memory, double shift) {
  return guarded([&] {
    kauri_factor& f = need(factor, "factor");
    require_memory(f, memory);
    const auto run = [&]<class T>(Factor<T>& of) {
      const std::span<const T> numbers = span_of<const T>(value, entries, "value");
      return memory == KAURI_DEVICE ? fill(f, of, DeviceValues<T>::borrow(numbers), shift)
                                    : fill(f, of, numbers, shift);
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_factor_refactorize_after(kauri_factor* factor, const void* value,
                                            int64_t entries, double shift, void* stream) {
  return guarded([&] {
    kauri_factor& f = need(factor, "factor");
    const auto run = [&]<class T>(Factor<T>& of) {
      const auto there = DeviceValues<T>::borrow(span_of<const T>(value, entries, "value"));
      return counting_from(f.base, [&] {
        return outcome(
            refactorize<T>(of, there, number_of<T>(shift, "shift"), stream, token_of(f.cancel)),
            f.base);
      });
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_factor_refactorize_matrix(kauri_factor* factor, const kauri_matrix* matrix,
                                             double shift) {
  return guarded([&] {
    kauri_factor& f = need(factor, "factor");
    const kauri_matrix& m = need(matrix, "matrix");
    const auto run = [&]<class T>(Factor<T>& of) {
      return fill(f, of, same_scalar<MatrixOf<T>>(m, "the matrix").lower.view(), shift);
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_factor_refactorize_shifted(kauri_factor* factor, const void* value,
                                              int64_t entries, double shift) {
  return guarded([&] {
    kauri_factor& f = need(factor, "factor");
    const auto run = [&]<class T>(Factor<T>& of) {
      const std::span<const T> numbers = span_of<const T>(value, entries, "value");
      return counting_from(f.base, [&] {
        return outcome(
            refactorize_shifted<T>(of, numbers, number_of<T>(shift, "shift"), token_of(f.cancel)),
            f.base);
      });
    };
    return std::visit(run, f.of);
  });
}

kauri_status kauri_factor_valid(const kauri_factor* factor, int32_t* valid) {
  return guarded([&] {
    need(valid, "valid") =
        std::visit([](const auto& of) { return of.valid() ? 1 : 0; }, need(factor, "factor").of);
  });
}

kauri_status kauri_factor_verdict(const kauri_factor* factor, struct kauri_verdict* verdict) {
  return guarded([&] {
    const kauri_factor& f = need(factor, "factor");
    write(std::visit([](const auto& of) { return of.verdict(); }, f.of), f.base,
          sized(verdict, "verdict"));
  });
}

}  // extern "C"

}  // namespace kauri::c
