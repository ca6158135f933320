// C: the calls of kauri/c/backend.h.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/backend.h"

#include <memory>
#include <utility>

#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
extern "C" {

kauri_status kauri_backend_create(const kauri_options* options, kauri_backend** backend) {
  return guarded([&] {
    kauri_backend*& place = place_for(backend, "backend");
    const SolverOptions all = options_of(options);
    const bool device = all.backend == BackendChoice::cuda;
    place = new kauri_backend{std::make_shared<Backend>(
        device ? cuda_backend(all.cuda) : cpu_backend(all.threads, all.cpu))};
  });
}
void kauri_backend_destroy(kauri_backend* backend) { delete backend; }

kauri_status kauri_cuda_available(int32_t* available) {
  return guarded([&] { need(available, "available") = cuda_available() ? 1 : 0; });
}
kauri_status kauri_backend_get_kind(const kauri_backend* backend, int32_t* kind) {
  return guarded([&] {
    need(kind, "kind") = need(backend, "backend").backend->kind() == BackendKind::cuda
                             ? KAURI_BACKEND_CUDA
                             : KAURI_BACKEND_CPU;
  });
}
kauri_status kauri_backend_target(const kauri_backend* backend, char* text, size_t capacity,
                                  size_t* needed) {
  return guarded(
      [&] { put_text(need(backend, "backend").backend->target(), text, capacity, needed); });
}
kauri_status kauri_backend_device(const kauri_backend* backend, char* text, size_t capacity,
                                  size_t* needed) {
  return guarded(
      [&] { put_text(need(backend, "backend").backend->device(), text, capacity, needed); });
}
kauri_status kauri_backend_threads(const kauri_backend* backend, int32_t* threads) {
  return guarded([&] { need(threads, "threads") = need(backend, "backend").backend->threads(); });
}
kauri_status kauri_backend_bytes(const kauri_backend* backend, int64_t* in_use, int64_t* peak) {
  return guarded([&] {
    const Backend& at = *need(backend, "backend").backend;
    put(in_use, at.bytes_in_use());
    put(peak, at.peak_bytes());
  });
}
kauri_status kauri_backend_reset_peak(kauri_backend* backend) {
  return guarded([&] { need(backend, "backend").backend->reset_peak(); });
}

}  // extern "C"
}  // namespace kauri::c
