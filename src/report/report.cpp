// Reports: filled from an analysis, written as JSON and as text. std::to_chars ignores locales;
// numbers in JSON read back unchanged, those in text are rounded to a few digits.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/report.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "kauri/core/error.hpp"
#include "kauri/core/message.hpp"
#include "numeric/executor.hpp"
#include "symbolic/plan/plan_facts.hpp"

namespace kauri {
namespace {

template <class... Args>
std::string in_chars(Args... args) {
  std::array<char, 64> room;
  const auto [end, error] = std::to_chars(room.data(), room.data() + room.size(), args...);
  return {room.data(), end};
}

/// A JSON object, built member by member.
class JsonObject {
 public:
  void add(std::string_view key, std::string_view value) { begin(key), quote(value); }
  void add(std::string_view key, double value) {
    begin(key), text_ += std::isfinite(value) ? in_chars(value) : "null";
  }
  void add(std::string_view key, int value) { begin(key), text_ += in_chars(value); }
  void add(std::string_view key, Offset value) { begin(key), text_ += in_chars(value); }
  void add(std::string_view key, const JsonObject& value) { begin(key), text_ += value.text(); }
  [[nodiscard]] std::string text() const { return text_ + "}"; }

 private:
  void begin(std::string_view key) {
    if (text_.size() > 1) text_ += ", ";
    quote(key);
    text_ += ": ";
  }
  void quote(std::string_view s) {
    constexpr std::string_view kHex = "0123456789abcdef";
    text_ += '"';
    for (const char c : s) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\')
        (text_ += '\\') += c;
      else if (code < 0x20)
        ((text_ += "\\u00") += kHex[code / 16]) += kHex[code % 16];
      else
        text_ += c;
    }
    text_ += '"';
  }
  std::string text_ = "{";
};

JsonObject json_of(const SolverReport::PhaseReport& phase,
                   const std::optional<Roofline>& roofline) {
  JsonObject out;
  out.add("seconds", phase.seconds);
  out.add("flops", phase.flops);
  out.add("bytes", phase.bytes);
  out.add("moved", phase.moved);
  if (roofline) out.add("share", phase.share_of(*roofline));
  return out;
}

JsonObject json_of(const Roofline& roofline) {
  JsonObject out;
  out.add("flops_per_s", roofline.flops_per_s);
  out.add("bytes_per_s", roofline.bytes_per_s);
  return out;
}

JsonObject json_of(const BackwardError& error) {
  JsonObject out;
  out.add("normwise", error.normwise);
  out.add("componentwise", error.componentwise);
  return out;
}

JsonObject json_of(const Refinement& refinement) {
  JsonObject out;
  out.add("steps", refinement.steps);
  out.add("tried", refinement.tried);
  out.add("unrefined", json_of(refinement.unrefined));
  out.add("final_error", json_of(refinement.final_error));
  return out;
}

JsonObject json_of(const PivotLoss& loss) {
  JsonObject out;
  out.add("column", loss.column);
  out.add("pivot", loss.pivot);
  out.add("diagonal", loss.diagonal);
  out.add("limit", loss.limit);
  return out;
}

JsonObject json_of(const Analysis::Precisions& both) {
  JsonObject out;
  for (const auto& [name, forecast] :
       {std::pair{"full", &both.full}, std::pair{"mixed", &both.mixed}}) {
    JsonObject one;
    one.add("predicted_job_s", forecast->job_s);
    one.add("bytes", forecast->bytes);
    out.add(name, one);
  }
  return out;
}

JsonObject json_of(const MixedReport& mixed) {
  JsonObject out;
  out.add("path", name_of(mixed.path));
  out.add("shift", mixed.shift);
  out.add("unrefined", json_of(mixed.unrefined));
  out.add("steps", mixed.steps);
  out.add("cg_steps", mixed.cg_steps);
  out.add("contraction", mixed.contraction);
  out.add("cg_contraction", mixed.cg_contraction);
  out.add("conjugate_gradients", mixed.conjugate_gradients);
  out.add("in_double", mixed.in_double);
  out.add("unconverged", mixed.unconverged);
  out.add("error", json_of(mixed.error));
  out.add("kernels", mixed.kernels);
  return out;
}

std::array<std::pair<Phase, const SolverReport::PhaseReport*>, 6> phases_of(
    const SolverReport& report) {
  return {{{Phase::ordering, &report.ordering},
           {Phase::symbolic, &report.symbolic},
           {Phase::prepare, &report.prepare},
           {Phase::factor, &report.factor},
           {Phase::solve, &report.solve},
           {Phase::refine, &report.refine}}};
}

std::string_view name_of(BackendKind kind) { return kind == BackendKind::cpu ? "cpu" : "cuda"; }

/// Returns the digits in groups of three: "1,234,567".
std::string grouped(Offset count) {
  std::string text = in_chars(count);
  for (auto at = static_cast<Offset>(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string in_digits(double value, int digits) {
  return in_chars(value, std::chars_format::general, digits);
}

/// Returns the value with three digits and an SI prefix: "1.23 GB", "0 B".
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefix{"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  for (; k + 1 < kPrefix.size() && value >= 999.5; ++k) value /= 1000;
  return (in_digits(value, 3) + " ").append(kPrefix[k]).append(unit);
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string row(Phase phase, const SolverReport::PhaseReport& of,
                const std::optional<Roofline>& roofline) {
  const std::string name{name_of(phase)};
  return name + right(in_digits(of.seconds, 3) + " s", 20 - name.size()) +
         right(scaled(of.flops, "flop"), 14) +
         right(scaled(static_cast<double>(of.bytes), "B"), 12) +
         (roofline ? right(in_digits(100 * of.share_of(*roofline), 3) + " %", 14) : "") + "\n";
}

std::string mixed_line(const MixedReport& mixed) {
  std::string out = "mixed precision: " + std::string(name_of(mixed.path));
  if (!mixed.kernels.empty()) out += ", factor in float by " + mixed.kernels;
  if (mixed.shift > 0) out += ", shift of the factor in float " + in_digits(mixed.shift, 2);
  if (mixed.contraction > 0)
    out += ", contraction of refinement " + in_digits(mixed.contraction, 2);
  if (mixed.cg_steps > 0) out += ", steps of conjugate gradients: " + grouped(mixed.cg_steps);
  if (mixed.unconverged > 0) out += ", not converged: " + grouped(mixed.unconverged);
  return out + "\n";
}

std::string because(const std::string& reason) {
  return reason.empty() ? "\n" : " (" + reason + ")\n";
}

}  // namespace

SolverReport report_of(const Analysis& analysis, const Backend& backend, int scalar_bytes) {
  if (!analysis.plan)
    throw Error(ErrorKind::usage, "report_of: the analysis has no plan; call analyze() first");
  const Plan& plan = *analysis.plan;
  SolverReport report;
  const Offset pattern =
                   plan.nnz * Offset{sizeof(Index)} + (Offset{plan.n} + 1) * Offset{sizeof(Offset)},
               permutation = Offset{2 * sizeof(Index)} * plan.n;
  report.ordering = {analysis.order_s, 0, permutation, pattern + permutation};
  report.symbolic = {analysis.symbolic_s, 0, plan.plan_bytes(), pattern + plan.plan_bytes()};
  report.prepare.bytes = plan.peak_bytes(scalar_bytes);
  report.factor.bytes = plan.factor_bytes(scalar_bytes);
  report.n = plan.n;
  report.nnz = plan.nnz;
  report.nnz_l = plan.cost.nnz_l;
  report.fill =
      plan.nnz > 0 ? static_cast<double>(plan.cost.nnz_l) / static_cast<double>(plan.nnz) : 0;
  report.ordering_method = plan.given ? "given" : name_of(plan.ordering);
  report.ordering_reason = analysis.reason;
  report.backend = backend.kind();
  report.target = plan.target;
  report.target_reason = analysis.target_reason;
  report.too_large_block = symbolic::too_large_block(plan);
  report.slower_kernels = backend.executor().slower_kernels();
  report.device = backend.device();
  report.kernels = backend.kernels(scalar_bytes);
  report.threads = backend.threads();
  report.scalar_bytes = scalar_bytes;
  return report;
}

std::string to_json(const SolverReport& report) {
  JsonObject out;
  for (const auto& [phase, of] : phases_of(report))
    out.add(name_of(phase), json_of(*of, report.roofline));
  out.add("n", report.n);
  out.add("nnz", report.nnz);
  out.add("nnz_l", report.nnz_l);
  out.add("fill", report.fill);
  out.add("ordering_method", report.ordering_method);
  out.add("ordering_reason", report.ordering_reason);
  out.add("backend", name_of(report.backend));
  out.add("target", report.target);
  out.add("target_reason", report.target_reason);
  out.add("too_large_block", report.too_large_block);
  out.add("slower_kernels", report.slower_kernels);
  out.add("device", report.device);
  out.add("kernels", report.kernels);
  out.add("threads", report.threads);
  out.add("scalar_bytes", report.scalar_bytes);
  if (report.roofline)
    out.add("roofline", json_of(*report.roofline));
  else
    out.add("roofline", std::numeric_limits<double>::quiet_NaN());
  out.add("precision", std::string_view(report.precision == Precision::mixed ? "mixed" : "full"));
  out.add("precision_reason", report.precision_reason);
  if (report.precisions)
    out.add("precisions", json_of(*report.precisions));
  else
    out.add("precisions", std::numeric_limits<double>::quiet_NaN());
  out.add("smallest_pivot", report.smallest_pivot);
  if (report.smallest_column == kNone)
    out.add("smallest_column", std::numeric_limits<double>::quiet_NaN());
  else
    out.add("smallest_column", report.smallest_column);
  if (report.nearly_singular)
    out.add("nearly_singular", json_of(*report.nearly_singular));
  else
    out.add("nearly_singular", std::numeric_limits<double>::quiet_NaN());
  out.add("right_hand_sides", report.right_hand_sides);
  out.add("refinement", json_of(report.refinement));
  out.add("status", name_of(report.status));
  out.add("status_reason", report.status_reason);
  out.add("mixed", json_of(report.mixed));
  return out.text();
}

std::string to_text(const SolverReport& report) {
  const Refinement& refinement = report.refinement;
  std::string out = "A: " + grouped(report.n) + " rows, " + grouped(report.nnz) +
                    " entries in the lower triangle\n";
  out += "L: " + grouped(report.nnz_l) + " entries, " + in_digits(report.fill, 3) +
         " times those of A\n";
  out += "ordering: " + report.ordering_method + because(report.ordering_reason);
  out += "target: " + report.target + because(report.target_reason);
  if (report.precisions) out += "precision: " + report.precision_reason + "\n";
  if (!report.too_large_block.empty())
    out += "slower than other plans: " + report.too_large_block + "\n";
  if (!report.slower_kernels.empty())
    out += "slower than on the whole device: " + report.slower_kernels + "\n";
  out += "on: " + report.device + ", kernels " + report.kernels +
         ", threads: " + grouped(report.threads) + "\n";
  if (report.roofline)
    out += "roofline: " + scaled(report.roofline->flops_per_s, "flop/s") + ", " +
           scaled(report.roofline->bytes_per_s, "B/s") + "\n";
  out += "phase" + right("time", 15) + right("work", 14) + right("memory", 12) +
         (report.roofline ? right("of roofline", 14) : "") + "\n";
  for (const auto& [phase, of] : phases_of(report)) out += row(phase, *of, report.roofline);
  out +=
      "smallest pivot: " + in_digits(report.smallest_pivot, 6) +
      (report.smallest_column == kNone ? "\n"
                                       : " of column " + in_chars(report.smallest_column) + "\n");
  if (report.nearly_singular)
    out += "nearly singular: the pivot of column " + in_chars(report.nearly_singular->column) +
           " is " + in_digits(report.nearly_singular->ratio(), 2) + " of A's diagonal entry\n";
  if (report.right_hand_sides > 0)
    out += "backward error, componentwise: " + in_digits(refinement.final_error.componentwise, 2) +
           " after corrections: " + grouped(refinement.steps) +
           ", before: " + in_digits(refinement.unrefined.componentwise, 2) + "\n";
  if (!report.status_reason.empty()) out += report.status_reason + "\n";
  if (report.precision == Precision::mixed) out += mixed_line(report.mixed);
  return out;
}

}  // namespace kauri
