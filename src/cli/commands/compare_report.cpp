// The report of kauri compare on one system.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/commands/compare_report.hpp"

#include <fmt/format.h>

#include "src/cli/job/job.hpp"
#include "src/cli/terminal/text.hpp"

namespace kauri::cli {
namespace {

void add_trial(Json& object, const Row& row) {
  const bool ok = row.trial && !row.trial->breakdown;
  const auto if_ok = [ok](double value) { return ok ? Json(value) : Json(nullptr); };
  object["status"] = row.trial ? name_of(row.trial->status) : "not_run";
  object["column"] = row.trial && !ok ? Json(row.trial->breakdown->column) : Json(nullptr);
  object["factor_s"] = if_ok(ok ? row.trial->factor_s : 0);
  object["solve1_s"] = if_ok(ok ? row.trial->solve1_s : 0);
  object["backward_error"] = if_ok(ok ? row.trial->backward_error.normwise : 0);
  object["backward_error_componentwise"] = if_ok(ok ? row.trial->backward_error.componentwise : 0);
}

Json to_json(const Comparison& comparison, const Row& row) {
  const Analysis::Candidate& candidate = *row.candidate;
  const Plan* plan = candidate.plan.get();
  const int scalar = scalar_bytes(*comparison.job);
  const auto if_plan = [plan](auto value_of) {
    return plan != nullptr ? Json(value_of(*plan)) : Json(nullptr);
  };
  Json object;
  add_ordering(object, ordering_name(candidate), *comparison.job);
  object["order_s"] = if_plan([&](const Plan&) { return candidate.order_s; });
  object["symbolic_s"] = if_plan([&](const Plan&) { return candidate.symbolic_s; });
  object["nnzL"] = if_plan([](const Plan& p) { return p.cost.nnz_l; });
  object["flops"] = if_plan([](const Plan& p) { return whole(p.cost.flops); });
  object["fill_ratio"] = if_plan([](const Plan& p) { return fill_ratio(p); });
  object["tree_height"] = if_plan([](const Plan& p) { return p.cost.tree_height; });
  object["largest_front"] = if_plan([](const Plan& p) { return p.cost.largest_front; });
  object["factor_bytes"] = if_plan([&](const Plan& p) { return p.factor_bytes(scalar); });
  object["peak_bytes"] = if_plan([&](const Plan& p) { return p.peak_bytes(scalar); });
  object["predicted_factor_s"] = if_plan([](const Plan& p) { return p.cost.predicted_factor_s; });
  object["chosen"] = candidate.chosen;
  object["note"] = row.note;
  if (comparison.measured) add_trial(object, row);
  return object;
}

std::vector<std::string> trial_cells(const Row& row) {
  if (!row.trial) return {"-", "-", "-"};
  if (row.trial->breakdown)
    return {fmt::format("fails at {}", row.trial->breakdown->column), "-", "-"};
  return {seconds(row.trial->factor_s), seconds(row.trial->solve1_s),
          error(row.trial->backward_error.componentwise)};
}

}  // namespace

std::string label_of(const Comparison& comparison, const Row& row) {
  return ordering_label(ordering_name(*row.candidate), *comparison.job);
}

std::vector<std::string> table_head(const Comparison& comparison) {
  std::vector<std::string> head = {"ordering",   "order",    "entries of L", "fill",
                                   "operations", "height",   "front",        "L",
                                   "peak",       "predicted"};
  if (comparison.measured) head.insert(head.end(), {"measured", "solve", "error"});
  return head;
}

std::vector<std::string> table_cells(const Comparison& comparison, const Row& row) {
  const Plan& plan = *row.candidate->plan;
  const Cost& cost = plan.cost;
  const int scalar = scalar_bytes(*comparison.job);
  std::vector<std::string> cells = {label_of(comparison, row) + (row.candidate->chosen ? " *" : ""),
                                    seconds(row.candidate->order_s),
                                    count(static_cast<double>(cost.nnz_l)),
                                    fmt::format("{:.3g}x", fill_ratio(plan)),
                                    count(cost.flops),
                                    integer(cost.tree_height),
                                    integer(cost.largest_front),
                                    bytes(static_cast<double>(plan.factor_bytes(scalar))),
                                    bytes(static_cast<double>(plan.peak_bytes(scalar))),
                                    seconds(cost.predicted_factor_s)};
  if (comparison.measured)
    for (std::string& cell : trial_cells(row)) cells.push_back(std::move(cell));
  return cells;
}

Json to_json(const Comparison& comparison) {
  Json object = system_header("compare", *comparison.system, *comparison.backend, *comparison.job,
                              ordering_name(*comparison.analysis->plan));
  object["orderings"] = Json::array();
  for (const Row& row : comparison.rows) object["orderings"].push_back(to_json(comparison, row));
  object["reason"] = comparison.analysis->reason;
  return object;
}

std::string to_text(const Comparison& comparison) {
  Table table(table_head(comparison));
  std::string notes;
  for (const Row& row : comparison.rows) {
    if (!row.note.empty()) notes += fmt::format("  {}: {}\n", label_of(comparison, row), row.note);
    if (row.candidate->plan) table.add(table_cells(comparison, row));
  }
  return fmt::format(
      "{}\non {}; height and front in columns, predicted{} for the factorisation\n\n{}{}\n* {}\n",
      title(*comparison.system), where(*comparison.backend, *comparison.job),
      comparison.measured ? " and measured" : "", table.text(), notes, comparison.analysis->reason);
}

}  // namespace kauri::cli
