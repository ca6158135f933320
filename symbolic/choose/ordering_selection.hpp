// Selection of the ordering: each candidate is run and evaluated by its draft, and the best one becomes the plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "base/progress/stopwatch.hpp"
#include "kauri/plan.hpp"
#include "ordering/orderer.hpp"
#include "symbolic/common/in_digits.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Predicted seconds of the job: options.factorizations factorisations with options.solves solves each.
double job_seconds(const CoreSeconds& core, const AnalyzeOptions& options);

/// One analysis. Candidates are compared by the predicted seconds of their job on one core, or on the device that the plan is for, so that
/// no choice depends on the number of threads. Seconds of orderings that have run do not count. Not copyable; lives for one call.
class OrderingSelector {
 public:
  /// Checks the pattern and the options. Borrows both.
  OrderingSelector(const Pattern& lower, const AnalyzeOptions& options);

  /// Runs a method, drafts its plan, and enters it as a candidate; a method that is planned already is only entered. Keeps the draft of the
  /// best candidate, and the cost of the others. try_given() does the same with the caller's permutation.
  void try_method(OrderingMethod method);
  /// As try_method(), of amd or pamd, but gives up and returns false when amd has visited more than most_work entries of lists; `why` is
  /// listed then, and the method is no candidate, even if it is planned already.
  bool try_within(OrderingMethod method, Offset most_work, const std::string& why);
  void try_given();
  /// Runs a method, or takes the caller's permutation, and makes its whole plan. It is no candidate before it is tried.
  void plan_method(OrderingMethod method);
  void plan_given();
  /// Lists a method that is not run, with the reason. Does nothing if it is listed already.
  void skip(OrderingMethod method, std::string why);

  /// Predicted job seconds of the best so far, its entries of L and its operations.
  [[nodiscard]] double best_seconds() const { return best_seconds_; }
  [[nodiscard]] Offset best_entries() const { return known_[best_candidate_].nnz_l; }
  [[nodiscard]] double best_flops() const { return known_[best_candidate_].flops; }
  [[nodiscard]] Offset entries() const { return lower_.nnz(); }
  /// Predicted seconds of the job if L is a band of this many entries; on CPUs never less for more.
  [[nodiscard]] double band_seconds(double entries) const;
  /// Runs a method, which then waits to be tried or skipped; returns band_seconds() of its envelope, which costs much less than a draft;
  /// or, if they are `enough` already, of the part of the envelope that some of the columns tell.
  double envelope_seconds(OrderingMethod method, double enough);
  [[nodiscard]] Index size() const { return lower_.n; }
  /// The graph of A with the supervariables that the orderings found; as it is if none was run.
  const ordering::CompressedGraph& compressed();
  /// What is left of it when it is reduced: the connected component with the most vertices.
  ordering::GraphView largest_component() { return orderer().largest_component(); }
  /// True if the plan is for a device.
  [[nodiscard]] bool on_device() const { return is_device_target(table_.target); }
  /// True if one is offered at least.
  [[nodiscard]] bool for_device() const { return on_device() || !options_.device.target.empty(); }
  /// Predicted seconds of the job that so many operations of each factorisation, nearly all in products of tiles, take a device of
  /// for_device().
  [[nodiscard]] double device_seconds(double flops) const;
  /// Of so many operations on one core of a CPU, for all factorisations.
  [[nodiscard]] double core_seconds(double flops) const { return options_.factorizations * flops / table_.peak; }
  /// What the ordering is chosen for where no device is offered.
  [[nodiscard]] int cores() const { return options_.cores; }
  /// Predicted seconds to run a method on this graph.
  double predicted_order_seconds(OrderingMethod method);
  /// The same, and to draft what it gives.
  double predicted_trial_seconds(OrderingMethod method);
  /// Predicted seconds of a first trial, from the graph on, if nothing in it can be merged: told without a look at the graph.
  [[nodiscard]] double predicted_first_trial_seconds(OrderingMethod method) const;

  /// The best candidate's plan is the plan, made for the device where that is offered and better.
  Analysis finish(std::string reason);
  /// "amd: predicted 1.2 s in all against 2.4 s with natural".
  [[nodiscard]] std::string comparison() const;

 private:
  struct Known {  // of a candidate that was drafted
    CoreSeconds core;
    Offset nnz_l = 0;
    double flops = 0;
    Offset work = 0;  // of its ordering: Orderer::run_within()
  };

  struct Waiting {  // ordered, not judged yet
    Candidate candidate;
    Permutation perm;
  };

  /// To the caller's handler, which works for nobody that could be stopped.
  void tell(Phase phase, const std::string& text, std::optional<double> fraction = {}, MessageLevel level = MessageLevel::info) const;
  static Candidate callers();
  ordering::Orderer& orderer();
  /// work: receives that of the ordering, more than most_work if it was given up. Then the permutation is empty.
  Permutation ordered(OrderingMethod method, Candidate& candidate, Offset most_work, Offset& work);
  Permutation ordered(OrderingMethod method, Candidate& candidate);
  void add(Candidate candidate, Known known);
  /// The candidate of a method that is planned already, or none.
  [[nodiscard]] std::optional<std::size_t> planned(OrderingMethod method) const;
  /// Candidate k competes; true if it is the best now.
  bool enter(std::size_t k);
  void evaluate(Candidate candidate, const Permutation& perm);
  void plan(Candidate candidate, const Permutation& perm);
  /// The best draft against that of the same ordering for the device that is offered; the better one becomes the best.
  void offer_device();
  [[nodiscard]] DraftOptions draft_options() const {
    return {workers_, options_.amalgamate, static_cast<Index>(options_.ordering.last.size())};
  }
  [[nodiscard]] std::string label(const Candidate& candidate) const;
  /// What predicted seconds are those of.
  [[nodiscard]] std::string_view where() const { return on_device() ? " on the device" : " on one core"; }

  const Pattern& lower_;
  const AnalyzeOptions& options_;
  const CostTable& table_;
  int workers_;
  Stopwatch watch_;  // runs from the first step to finish()
  ordering::GraphSource source_;
  std::optional<ordering::Orderer> orderer_;
  std::optional<ordering::CompressedGraph> plain_;
  Analysis analysis_;
  std::vector<Known> known_;          // one per candidate
  std::vector<std::size_t> entered_;  // candidates that compete
  std::optional<Waiting> waiting_;
  std::optional<PlanDraft> best_;
  Permutation best_perm_;  // what best_ was made of; kept where a device is offered
  const CostTable* best_table_;
  std::size_t best_candidate_ = 0;
  double best_seconds_ = 0;
};

}  // namespace kauri::symbolic
