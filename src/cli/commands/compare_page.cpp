// The page of kauri compare --html.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/cli/commands/compare_page.hpp"

#include <fmt/format.h>

#include "kauri/core/version.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/terminal/text.hpp"
#include "src/picture/chart.hpp"
#include "src/picture/page.hpp"
#include "src/picture/spy.hpp"
#include "src/picture/tree_picture.hpp"

namespace kauri::cli {
namespace {

using picture::escaped;

constexpr int kSpySize = 384;
constexpr auto kPage = picture::PictureUse::page;

/// Returns the bar of the seconds of a row that has a plan; those of the factorisation and a solve
/// are measured if the row has a measurement without a breakdown, else predicted.
picture::Bar time_bar(const Comparison& comparison, const Row& row) {
  const Analysis::Candidate& candidate = *row.candidate;
  const Cost& cost = candidate.plan->cost;
  const bool measured = row.trial && !row.trial->breakdown;
  const double factor_s = measured ? row.trial->factor_s : cost.predicted_factor_s,
               solve_s = measured ? row.trial->solve1_s : cost.predicted_solve_s;
  const char* how = measured ? "" : " (predicted)";
  return {label_of(comparison, row),
          {{candidate.order_s, "order " + seconds(candidate.order_s)},
           {candidate.symbolic_s, "analyse " + seconds(candidate.symbolic_s)},
           {factor_s, fmt::format("factorise {}{}", seconds(factor_s), how)},
           {solve_s, fmt::format("solve {}{}", seconds(solve_s), how)}},
          seconds(candidate.order_s + candidate.symbolic_s + factor_s + solve_s)};
}

picture::Bar memory_bar(const Comparison& comparison, const Row& row) {
  const Plan& plan = *row.candidate->plan;
  const int scalar = scalar_bytes(*comparison.job);
  const auto factor = static_cast<double>(plan.factor_bytes(scalar)),
             peak = static_cast<double>(plan.peak_bytes(scalar));
  return {label_of(comparison, row),
          {{factor, "L " + bytes(factor)}, {peak - factor, "beyond it " + bytes(peak - factor)}},
          bytes(peak)};
}

std::string bars(const Comparison& comparison) {
  std::vector<picture::Bar> time, memory;
  for (const Row& row : comparison.rows) {
    if (!row.candidate->plan) continue;
    time.push_back(time_bar(comparison, row));
    memory.push_back(memory_bar(comparison, row));
  }
  const char* how = comparison.measured ? "measured" : "predicted";
  const auto key = [](int part, const std::string& name) {
    return fmt::format("<span><i class=\"p{}\"></i>{}</span>", part, name);
  };
  return fmt::format(
      "<div class=\"two\">\n<div><h3>Time</h3><p "
      "class=\"key\">{}{}{}{}</p>\n{}</div>\n<div><h3>Memory</h3><p "
      "class=\"key\">{}{}</p>\n{}</div>\n"
      "</div>\n",
      key(0, "order"), key(1, "analyse"), key(2, fmt::format("factorise, {}", how)),
      key(3, fmt::format("solve, {}", how)), picture::bars_html(time, "time of each ordering"),
      key(0, "L"), key(1, "beyond it, at the peak"),
      picture::bars_html(memory, "memory of each ordering"));
}

std::string tree_figure(const Comparison& comparison, const Row& row) {
  const picture::TreeLayout layout = picture::layout_of(row.candidate->plan->supernodes, {});
  return picture::figure(
      picture::tree_svg(layout, kPage, "assembly tree of " + label_of(comparison, row)),
      fmt::format("Assembly tree, {} columns high", integer(layout.height)),
      picture::FigureSize::wide);
}

std::string card(const Comparison& comparison, const Row& row) {
  const Plan& plan = *row.candidate->plan;
  const Cost& cost = plan.cost;
  const std::string label = label_of(comparison, row);
  const auto spy = [&](const picture::Raster& raster, const char* what) {
    return picture::spy_svg(raster, kSpySize, kPage, fmt::format("{} of {}", what, label));
  };
  std::string figures = picture::figure(
      spy(picture::raster_of(comparison.system->matrix.pattern(), &plan.perm, kSpySize), "P A P^T"),
      fmt::format("P A Pᵀ, {} entries", count(2.0 * static_cast<double>(plan.nnz) - plan.n)),
      picture::FigureSize::tall);
  figures += picture::figure(
      spy(picture::raster_of(plan.supernodes, kSpySize), "L"),
      fmt::format("L, {} entries, {} stored", count(static_cast<double>(cost.nnz_l)),
                  count(static_cast<double>(cost.stored_entries))),
      picture::FigureSize::tall);
  const std::string sizes =
      picture::figure(
          picture::histogram_svg(picture::pivot_bins(plan.supernodes), "supernodes by columns"),
          fmt::format("{} supernodes by columns, at most {}", integer(plan.supernodes.count()),
                      integer(cost.largest_supernode))) +
      picture::figure(
          picture::histogram_svg(picture::order_bins(plan.supernodes), "fronts by rows"),
          fmt::format("Fronts by rows, at most {}", integer(cost.largest_front)));
  return fmt::format(
      "<article>\n<h3>{}{}</h3>\n<p class=\"soft\">{} operations, fill {:.3g}x</p>\n<div "
      "class=\"figures\">\n{}{}{}</div>\n</article>\n",
      escaped(label), row.candidate->chosen ? " *" : "", count(cost.flops), fill_ratio(plan),
      figures, sizes, tree_figure(comparison, row));
}

}  // namespace

std::string page_section(const Comparison& comparison) {
  std::vector<std::vector<std::string>> cells;
  std::string cards, notes;
  int marked = -1;
  for (const Row& row : comparison.rows) {
    if (!row.note.empty())
      notes += fmt::format("<p class=\"soft\">{}: {}</p>\n", escaped(label_of(comparison, row)),
                           escaped(row.note));
    if (!row.candidate->plan) continue;
    if (row.candidate->chosen) marked = static_cast<int>(cells.size());
    cells.push_back(table_cells(comparison, row));
    cards += card(comparison, row);
  }
  const Pattern a = comparison.system->matrix.pattern();
  const std::string as_it_is =
      picture::figure(picture::spy_svg(picture::raster_of(a, nullptr, kSpySize), kSpySize, kPage,
                                       "A of " + comparison.system->name),
                      fmt::format("A in natural order, {} entries",
                                  count(2.0 * static_cast<double>(a.nnz()) - a.n)),
                      picture::FigureSize::tall);
  return fmt::format(
      "<section>\n<h2>{}</h2>\n<p class=\"soft\">{} rows, {} entries in the lower triangle; on {}. "
      "Height and front in columns, "
      "predicted{} for the factorisation.</p>\n{}<p>* "
      "{}</p>\n"
      "{}{}<div class=\"figures\">\n{}</div>\n{}</section>\n",
      escaped(comparison.system->name), integer(comparison.system->matrix.n()),
      integer(comparison.system->matrix.nnz()),
      escaped(where(*comparison.backend, *comparison.job)),
      comparison.measured ? " and measured" : "",
      picture::table_html(table_head(comparison), cells, marked),
      escaped(comparison.analysis->reason), notes, bars(comparison), as_it_is, cards);
}

std::string failed_section(const std::string& name, const std::string& why) {
  return fmt::format("<section>\n<h2>{}</h2>\n<p>Not compared: {}</p>\n</section>\n", escaped(name),
                     escaped(why));
}

std::string whole_page(const std::string& sections, const Backend& backend,
                       const JobOptions& options) {
  const std::string key = fmt::format(
      "<p>Spy plots: the stronger a cell the more entries, by the logarithm; L with the zeros that "
      "are stored. Sizes are counted by powers "
      "of "
      "two, bars by the logarithm. Assembly trees have their roots on top: a box is a front, as "
      "wide as its subtree has columns, as high "
      "as "
      "it has pivots; triangles are whole subtrees.</p>\n<p class=\"key\">Share of the operations: "
      "a millionth or less <i class=\"scale\" "
      "style=\"background:{}\"></i> all</p>\n",
      picture::work_gradient());
  return picture::page("Orderings compared", key + sections,
                       fmt::format("kauri {} ({}), {}", escaped(version()), escaped(commit()),
                                   escaped(where(backend, options))));
}

}  // namespace kauri::cli
