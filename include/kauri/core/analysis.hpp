// The symbolic phase: orders and analyses a matrix, and chooses its ordering and target by the
// predicted seconds of the whole job.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/message.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Options of analyze(): ordering, target, and the job that the plan is for.
struct AnalyzeOptions {
  /// Offer of a device that may do the job in place of AnalyzeOptions::target.
  struct DeviceOffer {
    std::string
        target;  ///< name of its cost table, "sm_90" or "sm_80"; empty if no device is offered
    Offset free_bytes = 0;  ///< free bytes of its memory
    bool started = false;   ///< true if its context exists; if not, the job includes the start
    Index nrhs = 1;         ///< right-hand sides of a solve for which its memory must have room
    int scalar_bytes = sizeof(double);  ///< bytes of the job's scalar, 4 or 8
  };

  OrderingOptions
      ordering{};  ///< method `automatic` chooses by the predicted seconds of the whole job
  std::optional<Permutation> permutation{};  ///< the caller's permutation, in place of
                                             ///< ordering.method; it must end with ordering.last
  std::string target{};                      ///< name of the cost table; empty: host_target()
  /// Tasks at once for which memory on the CPU is planned, >= 0; 0 stands for a backend's default
  /// threads, at most 16. No bit of L depends on it, unless a device is offered: the CPU's
  /// predicted seconds, and with them the choice of the target, then do.
  int workers = 0;
  bool amalgamate =
      true;        ///< relaxed supernodes by the target's cost table; false: fundamental supernodes
  int solves = 1;  ///< expected solves per factorisation, >= 0; weighs in the choice of
                   ///< `automatic`, as `workers` does not
  int factorizations = 1;  ///< expected factorisations, >= 0; weighs in the choice of `automatic`
  /// Cores for which the ordering of a large mesh is chosen if no device is offered, >= 1: with
  /// many cores dissection ends sooner, with few minimum degree, which one thread runs. The
  /// machine's cores are not counted, so that the ordering is the same on any machine.
  int cores = 8;
  /// Device that may take the job. The ordering is chosen for `target`, with two exceptions:
  /// whether large graphs are dissected at once, and whether minimum degree is run in rounds, is
  /// decided as if the device won, whether it then does or not. The plan is then made for the one
  /// of the two that is predicted to end the whole job first and has the memory. The CPU wins a
  /// tie, and jobs for which it needs less than 0.3 ms. Seconds by scaled constants
  /// (Analysis::Forecast::scaled) count twice.
  DeviceOffer device{};  // kauri::Solver sets the offer itself and ignores this one
  /// Receives which ordering is run, its predicted cost, and which ordering the plan is made of.
  /// The analysis waits for the handler.
  MessageHandler on_message{};
};

/// Result of an analysis: the plan, the seconds that it took, and the candidates of the ordering
/// selection.
struct Analysis {
  /// One candidate of an ordering selection.
  struct Candidate {
    OrderingMethod
        method;  ///< method that was run or considered; `natural` for the caller's permutation
    bool given = false;            ///< the caller's permutation
    double order_s = 0;            ///< measured seconds of the ordering, for reports only
    double symbolic_s = 0;         ///< measured seconds of the symbolic phase, for reports only
    double predicted_order_s = 0;  ///< seconds of the ordering by the constants of `automatic`; 0
                                   ///< if nothing was run, and for `natural`
    std::shared_ptr<const Plan>
        plan;             ///< its plan; null if it was not tried, or lost by its counts alone
    std::string note;     ///< reason why there is no plan, else empty
    bool chosen = false;  ///< true for the best candidate
  };

  /// Predicted seconds of a job on a target, in the scalar that AnalyzeOptions::device gives:
  /// start + create + factorizations * (values + factor + solves * solve). In float the CPU counts
  /// with half its seconds in double, the least that was measured. With more than two threads,
  /// which share cores and memory, it counts with more than its Cost says.
  struct Forecast {
    std::string target;  ///< name of the cost table
    double start_s =
        0;  ///< seconds until the device can be used; 0 if its context exists, and for the CPU
    double create_s =
        0;  ///< seconds to make a factor; Cost::predicted_create_s is its counterpart in double
    double values_s = 0;  ///< seconds to copy the values of A to the device; 0 for the CPU
    double factor_s =
        0;  ///< seconds of a factorisation; Cost::predicted_factor_s is its counterpart in double
    double solve_s =
        0;             ///< seconds of a solve; Cost::predicted_solve_s is its counterpart in double
    double job_s = 0;  ///< seconds of the whole job
    Offset bytes = 0;  ///< bytes of memory; for a device an estimate, a few percent off
    bool scaled = false;  ///< the constants were not measured in this scalar on this kind of
                          ///< device, but scaled from another's
  };

  std::shared_ptr<const Plan> plan;   ///< plan of the chosen ordering and target
  double order_s = 0;                 ///< seconds of all orderings run, and of making the graph
  double symbolic_s = 0;              ///< seconds of all symbolic phases run
  std::vector<Candidate> candidates;  ///< all orderings that were considered
  std::string reason;                 ///< reason for the ordering, in one sentence with the figures
  std::vector<Forecast> forecasts;    ///< if a device was offered: forecasts of
                                      ///< AnalyzeOptions::target and of the device; else empty
  std::string target_reason;          ///< reason for the target, in one sentence
};

/// Orders and analyses a matrix by its lower triangle, and returns the plan. `lower` is copied.
///
/// Throws Error: input (a bad pattern; a permutation of another size, or one that does not end with
/// ordering.last; rows of ordering.last out of range or named twice), usage (ordering options as
/// order() refuses them; a method that this build lacks; an unknown target; cores < 1; workers,
/// solves or factorizations < 0), overflow (a count beyond 2^63 - 1, more than kMostEntries stored
/// entries), memory, cancelled.
std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options = {});
/// Does analyze(), and returns the plan with the report. Throws as analyze() does.
Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options = {});
/// Runs every method for which ordering_compared() is true, and the caller's permutation if one is
/// given, and makes the plan of each for options.target, whatever device is offered. The chosen
/// candidate is the one that `automatic` takes, for the same reason; the others, which include
/// minimum_degree and the caller's permutation, are for comparison. Throws as analyze() does.
Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options = {});

}  // namespace kauri
