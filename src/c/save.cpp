// C: plans and factors in files and in bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/save.h"

#include <memory>
#include <span>
#include <string>
#include <variant>

#include "kauri/extras/save.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
namespace {

LoadOptions load_options(const kauri_options* options) {
  const AnalyzeOptions analyze = options_of(options).analyze;
  return {.target = analyze.target,
          .workers = analyze.workers,
          .max_bytes = options == nullptr ? 0 : options->max_bytes,
          .on_message = analyze.on_message};
}

std::span<const std::byte> bytes_at(const void* bytes, std::size_t count) {
  if (count > 0) (void)need(static_cast<const char*>(bytes), "bytes");
  return {static_cast<const std::byte*>(bytes), count};
}

/// Loads a plan into a new handle at `place` and returns KAURI_OK. from: a path or bytes; base: 0
/// or 1, from which the handle counts rows.
template <class From>
kauri_status load(const From& from, const kauri_options* options, std::int32_t base,
                  kauri_plan*& place) {
  const int counting = base_of(base);
  place = new kauri_plan{load_plan(from, load_options(options)), "loaded: nothing was ordered",
                         counting};
  return KAURI_OK;
}

template <class From>
kauri_status load(const From& from, const kauri_backend* backend, const kauri_options* options,
                  std::int32_t base, kauri_factor*& place) {
  const int counting = base_of(base);
  const std::shared_ptr<Backend>& at = need(backend, "backend").backend;
  const LoadOptions how = load_options(options);
  const auto made = [&]<class T>(T) {
    return new kauri_factor{at, load_factor<T>(from, *at, how), counting};
  };
  place = saved_info(from).scalar_bytes == sizeof(float) ? made(float{}) : made(double{});
  return KAURI_OK;
}

}  // namespace

extern "C" {

kauri_status kauri_plan_save(const kauri_plan* plan, const char* path) {
  return guarded([&] { save_plan(&need(path, "path"), *need(plan, "plan").plan); });
}
kauri_status kauri_plan_save_bytes(const kauri_plan* plan, kauri_saved** saved) {
  return guarded([&] {
    kauri_saved*& place = place_for(saved, "saved");
    place = new kauri_saved{save_plan(*need(plan, "plan").plan)};
  });
}
kauri_status kauri_factor_save(const kauri_factor* factor, const char* path) {
  return guarded([&] {
    const std::string file = &need(path, "path");
    std::visit([&](const auto& of) { save_factor(file, of); }, need(factor, "factor").of);
  });
}
kauri_status kauri_factor_save_bytes(const kauri_factor* factor, kauri_saved** saved) {
  return guarded([&] {
    kauri_saved*& place = place_for(saved, "saved");
    place = std::visit([](const auto& of) { return new kauri_saved{save_factor(of)}; },
                       need(factor, "factor").of);
  });
}
kauri_status kauri_saved_bytes(const kauri_saved* saved, const void** bytes, size_t* count) {
  return guarded([&] {
    const kauri_saved& s = need(saved, "saved");
    need(bytes, "bytes") = s.bytes.data();
    need(count, "count") = s.bytes.size();
  });
}
void kauri_saved_destroy(kauri_saved* saved) { delete saved; }

kauri_status kauri_plan_load(const char* path, const kauri_options* options, int32_t base,
                             kauri_plan** plan) {
  return guarded([&] {
    kauri_plan*& place = place_for(plan, "plan");
    return load(std::string(&need(path, "path")), options, base, place);
  });
}
kauri_status kauri_plan_load_bytes(const void* bytes, size_t count, const kauri_options* options,
                                   int32_t base, kauri_plan** plan) {
  return guarded([&] {
    kauri_plan*& place = place_for(plan, "plan");
    return load(bytes_at(bytes, count), options, base, place);
  });
}
kauri_status kauri_factor_load(const char* path, const kauri_backend* backend,
                               const kauri_options* options, int32_t base, kauri_factor** factor) {
  return guarded([&] {
    kauri_factor*& place = place_for(factor, "factor");
    return load(std::string(&need(path, "path")), backend, options, base, place);
  });
}
kauri_status kauri_factor_load_bytes(const void* bytes, size_t count, const kauri_backend* backend,
                                     const kauri_options* options, int32_t base,
                                     kauri_factor** factor) {
  return guarded([&] {
    kauri_factor*& place = place_for(factor, "factor");
    return load(bytes_at(bytes, count), backend, options, base, place);
  });
}

kauri_status kauri_saved_get_info(const char* path, struct kauri_saved_info* info) {
  return guarded([&] {
    kauri_saved_info& out = sized(info, "info");
    const SavedInfo found = saved_info(std::string(&need(path, "path")));
    const bool factor = found.kind == SavedKind::factor;
    out = {sizeof out,
           factor ? KAURI_SAVED_FACTOR : KAURI_SAVED_PLAN,
           !factor                               ? -1
           : found.scalar_bytes == sizeof(float) ? scalar_of<float>()
                                                 : scalar_of<double>(),
           found.format,
           found.supernodes,
           found.n,
           found.nnz};
  });
}

}  // extern "C"

}  // namespace kauri::c
