// Running, judging and choosing orderings. Clocks are read for reports only: no choice depends on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/contest.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include "ordering/reduce.hpp"
#include "symbolic/make_plan.hpp"

namespace kauri::symbolic {
namespace {

/// Adds the seconds of its own life to a report.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

std::pair<Offset, Offset> compressed_size(const Graph& graph) {
  const std::vector<Index> representative = ordering::indistinguishable(ordering::view_of(graph), {});
  Offset vertices = 0, directed = 0;
  for (Index v = 0; v < graph.size(); ++v) {
    if (representative[v] != v) continue;
    ++vertices;
    for (const Index u : graph.neighbours(v)) directed += representative[u] == u ? 1 : 0;
  }
  return {vertices, directed / 2};
}

}  // namespace

double job_seconds(const Cost& cost, const AnalyzeOptions& options) {
  return options.factorizations * (cost.predicted_factor_s + options.solves * cost.predicted_solve_s);
}

std::string in_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string in_seconds(double seconds) { return in_digits(seconds) + " s"; }

Contest::Contest(const Pattern& lower, const AnalyzeOptions& options)
    : lower_(lower), options_(options), table_(planned_table(options)), workers_(planned_workers(options)) {
  check(lower);
  if (options.solves < 0 || options.factorizations < 0) throw Error(ErrorKind::usage, "analyze: solves and factorizations must be >= 0");
  if (options.permutation && options.permutation->size() != lower.n)
    throw Error(ErrorKind::input, "analyze: a permutation of " + std::to_string(options.permutation->size()) + " rows for a matrix of " +
                                      std::to_string(lower.n));
}

const Graph& Contest::graph() {
  if (!graph_) graph_.emplace(lower_);
  return *graph_;
}

double Contest::predicted_order_seconds(OrderingMethod method) {
  if (!compressed_) compressed_ = compressed_size(graph());
  return order_seconds(method, compressed_->first, compressed_->second);
}

std::string Contest::label(const Candidate& candidate) const {
  return candidate.given ? "the caller's permutation" : std::string(name_of(candidate.method));
}

Candidate Contest::callers() {
  Candidate candidate{};
  candidate.method = OrderingMethod::natural;  // none was run
  candidate.given = true;
  return candidate;
}

Permutation Contest::ordered(OrderingMethod method, Candidate& candidate) {
  candidate.method = method;
  const Stopwatch watch(candidate.order_s);
  if (method == OrderingMethod::natural) return Permutation::identity(lower_.n);
  OrderingOptions options = options_.ordering;
  options.method = method;
  return order(graph(), options);
}

void Contest::judge(Candidate candidate, const Permutation& perm) {
  std::optional<Outline> outline;
  {
    const Stopwatch watch(candidate.symbolic_s);
    outline = make_outline(lower_, perm, table_, workers_, options_.amalgamate);
  }
  const double seconds = job_seconds(outline->cost, options_);
  candidate.note = "judged by its counts alone: nnz(L) = " + in_digits(static_cast<double>(outline->cost.nnz_l)) + ", predicted " +
                   in_seconds(seconds) + " in all";
  if (judged_.empty() || seconds < best_seconds_) {
    best_seconds_ = seconds;
    best_candidate_ = analysis_.candidates.size();
    best_ = std::move(outline);
  }
  judged_.push_back({analysis_.candidates.size(), seconds});
  analysis_.candidates.push_back(std::move(candidate));
}

void Contest::plan(Candidate candidate, const Permutation& perm) {
  {
    const Stopwatch watch(candidate.symbolic_s);
    const auto made = complete_plan(lower_, make_outline(lower_, perm, table_, workers_, options_.amalgamate), table_);
    made->ordering = candidate.method;
    made->given = candidate.given;
    candidate.plan = made;
  }
  analysis_.candidates.push_back(std::move(candidate));
}

void Contest::try_method(OrderingMethod method) {
  Candidate candidate{};
  const Permutation perm = ordered(method, candidate);
  judge(std::move(candidate), perm);
}

void Contest::try_given() { judge(callers(), *options_.permutation); }

void Contest::plan_method(OrderingMethod method) {
  Candidate candidate{};
  const Permutation perm = ordered(method, candidate);
  plan(std::move(candidate), perm);
}

void Contest::plan_given() { plan(callers(), *options_.permutation); }

void Contest::skip(OrderingMethod method, std::string why) {
  Candidate candidate{};
  candidate.method = method;
  candidate.note = std::move(why);
  analysis_.candidates.push_back(std::move(candidate));
}

std::string Contest::comparison() const {
  std::string text = label(analysis_.candidates[best_candidate_]) + ": predicted " + in_seconds(best_seconds_) + " in all";
  const Judged* second = nullptr;
  for (const Judged& judged : judged_)
    if (judged.candidate != best_candidate_ && (second == nullptr || judged.seconds < second->seconds)) second = &judged;
  if (second != nullptr) text += " against " + in_seconds(second->seconds) + " with " + label(analysis_.candidates[second->candidate]);
  return text;
}

Analysis Contest::finish_best(std::string reason) {
  Candidate& best = analysis_.candidates[best_candidate_];
  {
    const Stopwatch watch(best.symbolic_s);
    const auto made = complete_plan(lower_, std::move(*best_), table_);
    made->ordering = best.method;
    made->given = best.given;
    best.plan = made;
  }
  best.note.clear();
  best.chosen = true;
  analysis_.plan = best.plan;
  analysis_.reason = std::move(reason);
  for (const Candidate& candidate : analysis_.candidates) {
    analysis_.order_s += candidate.order_s;
    analysis_.symbolic_s += candidate.symbolic_s;
  }
  return std::move(analysis_);
}

Analysis Contest::finish_planned() {
  double least = 0;
  for (std::size_t k = 0; k < analysis_.candidates.size(); ++k) {
    const Candidate& candidate = analysis_.candidates[k];
    analysis_.order_s += candidate.order_s;
    analysis_.symbolic_s += candidate.symbolic_s;
    if (!candidate.plan) continue;
    const double order_s = candidate.given ? 0 : predicted_order_seconds(candidate.method);
    const double seconds = order_s + job_seconds(candidate.plan->cost, options_);
    if (judged_.empty() || seconds < least) {
      least = seconds;
      best_candidate_ = k;
    }
    judged_.push_back({k, seconds});
  }
  best_seconds_ = least;
  analysis_.reason = comparison() + ", ordering included";
  Candidate& best = analysis_.candidates[best_candidate_];
  best.chosen = true;
  analysis_.plan = best.plan;
  return std::move(analysis_);
}

}  // namespace kauri::symbolic
