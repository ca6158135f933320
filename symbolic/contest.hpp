// Candidates of an analysis: each ordering run, judged by its outline, and the winner taken to a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "kauri/plan.hpp"
#include "symbolic/outline.hpp"

namespace kauri::symbolic {

/// Predicted seconds of all that is done with a plan: factorizations, each with its solves.
double job_seconds(const Cost& cost, const AnalyzeOptions& options);

/// Three significant digits and the unit: "1.25 s".
std::string in_seconds(double seconds);
/// Three significant digits.
std::string in_digits(double number);

/// One analysis at work. Not copyable; lives for one call.
class Contest {
 public:
  /// Checks the pattern and the options. Borrows both.
  Contest(const Pattern& lower, const AnalyzeOptions& options);

  /// Runs a method (or takes the caller's permutation) and outlines it. Only the best outline by predicted seconds is kept; the
  /// others leave their cost.
  void try_method(OrderingMethod method);
  void try_given();
  /// Runs a method (or the caller's permutation) all the way to its plan.
  void plan_method(OrderingMethod method);
  void plan_given();
  /// Lists a method that is not run, and why.
  void skip(OrderingMethod method, std::string why);

  /// Predicted job seconds of the best so far, and its counts.
  [[nodiscard]] double best_seconds() const { return best_seconds_; }
  [[nodiscard]] const Cost& best_cost() const { return best_->cost; }
  /// The graph of A, built when first asked for.
  const Graph& graph();
  /// Predicted seconds of a method on this graph.
  double predicted_order_seconds(OrderingMethod method);

  /// The best outline becomes the plan.
  Analysis finish_best(std::string reason);
  /// The planned candidate of least predicted ordering + job seconds is chosen; says so.
  Analysis finish_planned();
  /// "amd: predicted 1.2 s in all against 2.4 s with natural".
  [[nodiscard]] std::string comparison() const;

 private:
  struct Judged {
    std::size_t candidate;
    double seconds;
  };

  static Candidate callers();
  Permutation ordered(OrderingMethod method, Candidate& candidate);
  void judge(Candidate candidate, const Permutation& perm);
  void plan(Candidate candidate, const Permutation& perm);
  [[nodiscard]] std::string label(const Candidate& candidate) const;

  const Pattern& lower_;
  const AnalyzeOptions& options_;
  const CostTable& table_;
  int workers_;
  std::optional<Graph> graph_;
  std::optional<std::pair<Offset, Offset>> compressed_;  // vertices and undirected edges once indistinguishable vertices are merged
  Analysis analysis_;
  std::vector<Judged> judged_;
  std::optional<Outline> best_;
  std::size_t best_candidate_ = 0;
  double best_seconds_ = 0;
};

}  // namespace kauri::symbolic
