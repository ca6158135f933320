// Selection of the ordering: each candidate is run and evaluated by its draft, and the best one
// becomes the plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "base/common/in_digits.hpp"
#include "base/progress/stopwatch.hpp"
#include "kauri/core/analysis.hpp"
#include "ordering/orderer.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Returns the predicted seconds of the job: options.factorizations factorisations with
/// options.solves solves each.
double job_seconds(const CoreSeconds& core, const AnalyzeOptions& options);

/// Steps of Orderer::run_within() after which an ordering is given up, and the reason that its
/// candidate then shows. No limit by default.
struct WorkLimit {
  Offset most = std::numeric_limits<Offset>::max();
  std::string why;
};

/// The ordering selection of one analysis. Candidates are compared by the predicted seconds of
/// their job on one core, or on the device that the plan is for, so no choice depends on the number
/// of threads. Seconds of orderings that have run do not count. Not copyable; lives for one call.
class OrderingSelector {
 public:
  /// Checks the pattern and the options, and borrows both. Throws Error: overflow (more than
  /// kMostEntries entries), input (a pattern that is not valid; a permutation of another size than
  /// the pattern, or that does not end with options.ordering.last), usage (an unknown target, an
  /// option out of range).
  OrderingSelector(const Pattern& lower, const AnalyzeOptions& options);

  /// Runs a method, drafts its plan, and enters it as a candidate that competes; a method that is
  /// planned already, or whose ordering envelope_seconds() has kept, is not run again. Keeps the
  /// draft of the best candidate, and the cost of the others. try_given() does so with the caller's
  /// permutation, which options must have.
  void try_method(OrderingMethod method);
  /// Runs a method as try_method(), but gives up and returns false if the ordering takes more than
  /// limit.most steps. The method is then not entered; unless it is planned already, it is listed
  /// with limit.why. It can be tried again with a higher limit.
  bool try_within(OrderingMethod method, const WorkLimit& limit);
  void try_given();
  /// Runs a method, or takes the caller's permutation, and lists it with its whole plan. The method
  /// competes only once it is tried; the permutation of plan_given() does not compete.
  void plan_method(OrderingMethod method);
  void plan_given();
  /// Lists a method as one that does not compete, with the reason, unless it is listed already.
  /// Drops its ordering if envelope_seconds() has kept it.
  void skip(OrderingMethod method, std::string why);

  /// Figures of the best candidate so far, of which there must be one: predicted seconds of the
  /// job, entries of L, operations of a factorisation.
  [[nodiscard]] double best_seconds() const { return best_seconds_; }
  [[nodiscard]] Offset best_entries() const { return known_[best_candidate_].nnz_l; }
  [[nodiscard]] double best_flops() const { return known_[best_candidate_].flops; }
  /// Returns the stored entries of A's lower triangle.
  [[nodiscard]] Offset entries() const { return lower_.nnz(); }
  /// Returns the predicted seconds of the job if L is a band of this many entries. On CPUs more
  /// entries never take less.
  [[nodiscard]] double band_seconds(double entries) const;
  /// Runs a method, keeps the ordering until the method is tried or skipped, and returns
  /// band_seconds() of its envelope, which costs much less than a draft. For the natural ordering,
  /// before a graph is made, it returns a lower bound, from some of the columns, if that is at
  /// least `enough`. If the method is given up, as by try_within(), it returns infinity and keeps
  /// no ordering.
  double envelope_seconds(OrderingMethod method, double enough, const WorkLimit& limit = {});
  [[nodiscard]] Index size() const { return lower_.n; }
  /// Returns the graph of A with the supervariables that the orderings use; without merged rows if
  /// only the natural ordering or the caller's was tried.
  const ordering::CompressedGraph& compressed();
  /// Returns the largest connected component, by vertices, of the reduced graph.
  ordering::GraphView largest_component() { return orderer().largest_component(); }
  /// Returns true if the plan is for a device.
  [[nodiscard]] bool on_device() const { return is_device_target(table_.target); }
  /// Returns true if the plan is for a device or a device is offered.
  [[nodiscard]] bool for_device() const { return on_device() || !options_.device.target.empty(); }
  /// Returns the predicted seconds of all factorisations of the job on the plan's or the offered
  /// device, of `flops` operations each, nearly all in products of tiles. Leaves out solves.
  /// Requires for_device().
  [[nodiscard]] double device_seconds(double flops) const;
  /// Returns the predicted seconds of `flops` operations per factorisation on one core of the
  /// plan's CPU, for all factorisations of the job.
  [[nodiscard]] double core_seconds(double flops) const {
    return options_.factorizations * flops / table_.peak;
  }
  /// Returns the number of cores that the ordering is chosen for if no device is offered.
  [[nodiscard]] int cores() const { return options_.cores; }
  /// Returns the predicted seconds of running a method on this graph.
  double predicted_order_seconds(OrderingMethod method);
  /// Returns the predicted seconds of running a method and drafting its plan.
  double predicted_trial_seconds(OrderingMethod method);
  /// Returns the predicted seconds of making the graph, running a method and drafting its plan, if
  /// no rows can be merged. Does not need the graph.
  [[nodiscard]] double predicted_first_trial_seconds(OrderingMethod method) const;

  /// Completes the best candidate's draft, made again for the device if one is offered and better,
  /// and returns the analysis with all candidates. The last call; a candidate must compete.
  Analysis finish(std::string reason);
  /// Returns a text such as "amd: predicted 1.2 s in all against 2.4 s with natural".
  [[nodiscard]] std::string comparison() const;

 private:
  struct CandidateFigures {  // figures of a candidate that was drafted
    CoreSeconds core;
    Offset nnz_l = 0;
    double flops = 0;
    Offset work = 0;  // work of its ordering: Orderer::run_within()
  };

  struct Waiting {  // an ordering that was run, and is neither tried nor skipped yet
    Analysis::Candidate candidate;
    Permutation perm;
  };

  /// Passes a message to options.on_message, if that is set; a stop requested by the caller does
  /// not interrupt the handler.
  void tell(Phase phase, const std::string& text, std::optional<double> fraction = {},
            MessageLevel level = MessageLevel::info) const;
  static Analysis::Candidate callers();
  ordering::Orderer& orderer();
  /// Runs a method and returns its permutation. work: receives the work of the ordering, which
  /// exceeds most_work if it was given up; the permutation is then empty.
  Permutation ordered(OrderingMethod method, Analysis::Candidate& candidate, Offset most_work,
                      Offset& work);
  Permutation ordered(OrderingMethod method, Analysis::Candidate& candidate);
  /// Lists a candidate, in the place of the same method if that is listed without a plan. Returns
  /// its index.
  std::size_t add(Analysis::Candidate candidate, CandidateFigures known);
  /// Reports that a method was given up, and lists it with the reason unless it is planned already.
  void give_up(Analysis::Candidate candidate, const std::string& why);
  /// Returns the index of the candidate of a method that is planned already, or nullopt.
  [[nodiscard]] std::optional<std::size_t> planned(OrderingMethod method) const;
  /// Adds candidate k to the candidates that compete, and returns true if it is now the best.
  bool enter(std::size_t k);
  void evaluate(Analysis::Candidate candidate, const Permutation& perm);
  void plan(Analysis::Candidate candidate, const Permutation& perm, Offset work);
  /// Returns the plan of a draft, within AnalyzeOptions::device_bytes.
  [[nodiscard]] std::shared_ptr<Plan> complete(PlanDraft draft, const CostTable& table) const;
  /// Compares the best draft with a draft of the same ordering for the device that is offered; the
  /// better one becomes best_.
  void offer_device();
  [[nodiscard]] DraftOptions draft_options() const {
    return {workers_, options_.amalgamate, static_cast<Index>(options_.ordering.last.size())};
  }
  [[nodiscard]] std::string label(const Analysis::Candidate& candidate) const;
  /// Returns " on the device" or " on one core", for texts with predicted seconds.
  [[nodiscard]] std::string_view where() const {
    return on_device() ? " on the device" : " on one core";
  }

  const Pattern& lower_;
  const AnalyzeOptions& options_;
  const CostTable& table_;
  int workers_;
  Stopwatch watch_;  // runs from the first step to finish()
  ordering::GraphSource source_;
  std::optional<ordering::Orderer> orderer_;
  std::optional<ordering::CompressedGraph> plain_;  // graph without merged rows, used while there
                                                    // is no orderer_
  Analysis analysis_;
  std::vector<CandidateFigures> known_;  // one per candidate
  std::vector<std::size_t> entered_;     // candidates that compete
  std::optional<Waiting> waiting_;
  std::optional<PlanDraft> best_;
  Permutation best_perm_;  // permutation that best_ was made from; kept if a device is offered
  const CostTable* best_table_;  // table that best_ was made from
  std::size_t best_candidate_ = 0;
  double best_seconds_ = 0;
};

}  // namespace kauri::symbolic
