// C: the symbolic phase.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/plan.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
namespace {

const Plan& plan_in(const kauri_plan* plan) { return *need(plan, "plan").plan; }

/// Returns the options of an analysis whose plan `backend` runs. If `backend` is null, target and
/// workers stay those of `options`; an empty target means the CPU of this machine.
AnalyzeOptions analysis_for(const kauri_options* options, const kauri_backend* backend) {
  const SolverOptions all = options_of(options);
  AnalyzeOptions analyze = all.analyze;
  if (analyze.ordering.threads == 0) analyze.ordering.threads = all.threads;
  if (backend == nullptr) return analyze;
  if (analyze.target.empty()) analyze.target = backend->backend->target();
  if (analyze.workers == 0) analyze.workers = backend->backend->threads();
  return analyze;
}

void copy_to(std::span<const Index> from, std::int32_t* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

}  // namespace

extern "C" {

kauri_status kauri_plan_analyze(const kauri_matrix* matrix, const kauri_options* options,
                                const kauri_backend* backend, kauri_plan** plan) {
  return guarded([&] {
    kauri_plan*& place = place_for(plan, "plan");
    const kauri_matrix& given = need(matrix, "matrix");
    const AnalyzeOptions analyze = analysis_for(options, backend);
    const Pattern pattern = std::visit([](const auto& of) { return of.lower.pattern(); }, given.of);
    Analysis analysis =
        counting_from(given.base, [&] { return analyze_with_report(pattern, analyze); });
    place = new kauri_plan{std::move(analysis.plan), std::move(analysis.reason), given.base};
  });
}
void kauri_plan_destroy(kauri_plan* plan) { delete plan; }

kauri_status kauri_plan_get_info(const kauri_plan* plan, struct kauri_plan_info* info) {
  return guarded([&] {
    const Plan& p = plan_in(plan);
    kauri_plan_info& out = sized(info, "info");
    out = {sizeof out,
           p.n,
           p.nnz,
           p.cost.nnz_l,
           p.cost.flops,
           p.cost.stored_entries,
           p.cost.executed_flops,
           p.cost.tree_height,
           p.cost.largest_front,
           p.supernodes.count(),
           p.cost.predicted_factor_s,
           p.cost.predicted_solve_s};
  });
}
kauri_status kauri_plan_factor_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes) {
  return guarded([&] { need(bytes, "bytes") = plan_in(plan).factor_bytes(bytes_of(scalar)); });
}
kauri_status kauri_plan_peak_bytes(const kauri_plan* plan, int32_t scalar, int64_t* bytes) {
  return guarded([&] { need(bytes, "bytes") = plan_in(plan).peak_bytes(bytes_of(scalar)); });
}
kauri_status kauri_plan_workspace_bytes(const kauri_plan* plan, const kauri_options* options,
                                        int32_t scalar, int32_t nrhs, int64_t* bytes) {
  return guarded([&] {
    if (nrhs < 1) misuse("nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
    need(bytes, "bytes") = plan_in(plan).workspace_bytes(bytes_of(scalar), nrhs,
                                                         options_of(options).cuda.solves_together);
  });
}
kauri_status kauri_plan_ordering(const kauri_plan* plan, char* text, size_t capacity,
                                 size_t* needed) {
  return guarded([&] {
    const Plan& p = plan_in(plan);
    put_text(p.given ? "given" : name_of(p.ordering), text, capacity, needed);
  });
}
kauri_status kauri_plan_target(const kauri_plan* plan, char* text, size_t capacity,
                               size_t* needed) {
  return guarded([&] { put_text(plan_in(plan).target, text, capacity, needed); });
}
kauri_status kauri_plan_reason(const kauri_plan* plan, char* text, size_t capacity,
                               size_t* needed) {
  return guarded([&] { put_text(need(plan, "plan").reason, text, capacity, needed); });
}

kauri_status kauri_plan_permutation(const kauri_plan* plan, int32_t* old_of, int64_t length) {
  return guarded([&] {
    const Plan& p = plan_in(plan);
    require_length("length", length, p.n);
    const std::span<std::int32_t> out = span_of<std::int32_t>(old_of, length, "old_of");
    std::transform(p.perm.old_of().begin(), p.perm.old_of().end(), out.begin(),
                   [&](Index i) { return i + plan->base; });
  });
}
kauri_status kauri_plan_tree(const kauri_plan* plan, int32_t* parent, int32_t* column_count,
                             int64_t length) {
  return guarded([&] {
    const Plan& p = plan_in(plan);
    require_length("length", length, p.n);
    copy_to(p.tree.parent, parent);
    copy_to(p.tree.column_count, column_count);
  });
}

}  // extern "C"

}  // namespace kauri::c
