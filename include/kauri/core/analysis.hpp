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
    /// Figures of a device that its driver reports; its seconds are predicted from them, and from
    /// rates that kauri measured, if there are any (kauri/extras/card.hpp).
    struct Card {
      /// Rates and seconds that were measured on the device in one scalar.
      struct Rates {
        double flops_per_s = 0;       ///< operations per second of products in large fronts
        double read_bytes_per_s = 0;  ///< bytes of L per second that sweeps of a solve read
        double start_s = 0;           ///< seconds of a factorisation of one row
        double level_s =
            0;  ///< seconds that one more level of small fronts adds to a factorisation
        double sweep_start_s = 0;  ///< seconds of a solve of one row, without copies
        double sweep_level_s = 0;  ///< seconds that one more such level adds to a solve
      };
      int major = 0;         ///< compute capability, before the point; 0: none (AMD)
      int minor = 0;         ///< compute capability, behind the point
      int processors = 0;    ///< number of multiprocessors
      double clock_hz = 0;   ///< highest clock rate of these; 0: the driver does not report it
      double bandwidth = 0;  ///< bytes per second between them and the memory; 0: as above
      /// How many multiply-adds in float the driver says that the device does in the time of one in
      /// double; 0: not known. If the maker's figures of the capability give a larger number, that
      /// one counts.
      int single_to_double = 0;
      Rates in_double{};            ///< all zeros: not measured
      Rates in_float{};             ///< all zeros: not measured
      double copy_s = 0;            ///< measured seconds of a small copy from the host
      double copy_bytes_per_s = 0;  ///< measured rate of large copies from pageable memory
    };

    std::string
        target;  ///< name of its cost table, "sm_90" or "sm_80"; empty if no device is offered
    Offset free_bytes = 0;  ///< free bytes of the device's memory
    bool started = false;   ///< true if its context exists; if not, the job includes the start
    Index nrhs = 1;  ///< right-hand sides of one solve, whose vectors free_bytes must hold too
    int scalar_bytes = sizeof(double);  ///< bytes of the job's scalar, 4 or 8
    Card card{};  ///< the device; without multiprocessors: the card of the target's constants
    /// True: systems are in double, and the job's factor may be one in float (MixedFactor). The
    /// device is then judged in the precision that Analysis::Precisions chooses; scalar_bytes must
    /// be 8.
    bool mixed = false;
  };

  OrderingOptions
      ordering{};  ///< method `automatic` chooses by the predicted seconds of the whole job
  std::optional<Permutation> permutation{};  ///< the caller's permutation P, in place of
                                             ///< ordering.method; it must end with ordering.last
  std::string target{};                      ///< target of the plan, the name of a cost table:
                                             ///< "cpu-avx2", "sm_90" ...; empty: host_target()
  /// Number of CPU tasks that the planned memory lets run at the same time, >= 0; 0 stands for the
  /// default threads of cpu_backend(), at most 16. L has the same bits for any number on a given
  /// target; if a device is offered, the number also affects which target is chosen.
  int workers = 0;
  bool amalgamate =
      true;  ///< true: relaxed supernodes by the target's cost table; false: fundamental supernodes
  int solves = 1;  ///< expected solves per factorisation, >= 0; the choice of `automatic` depends
                   ///< on this number (but not on `workers`)
  int factorizations = 1;  ///< expected factorisations, >= 0; the choice of `automatic` depends on
                           ///< this number, too
  /// Number of cores, >= 1, that the choice of an ordering for a large mesh assumes if no device is
  /// offered: nested dissection uses them all, minimum degree uses one. It is not the machine's
  /// number of cores, so that the ordering is the same on any machine.
  int cores = 8;
  /// Device that is compared with `target`. The plan is made for the one of the two that is
  /// predicted to end the whole job first, if its memory suffices. The CPU is chosen in a tie, and
  /// if it needs less than 0.3 ms for all factorisations and solves. The device's seconds count
  /// twice if its constants are scaled (Analysis::Forecast::scaled). The ordering is chosen by the
  /// seconds on `target`, except that whether a large graph is dissected without a trial of other
  /// methods, and whether minimum degree runs in rounds, is decided as if the device were chosen.
  DeviceOffer device{};  // kauri::Solver sets the offer itself and ignores this one
  /// Most bytes of device memory that PreparedPlan::create and Factor::create may take for a plan
  /// for a device (Plan::peak_bytes()), with scalars of device.scalar_bytes bytes; 0: no limit. If
  /// all of L does not fit, panels of L leave the device for page-locked host memory
  /// (Plan::host_bytes()) while later ones are computed, and solves read them there. L and x have
  /// the same bits. If even that does not fit, the analysis throws Error(memory), which names the
  /// least bytes that do.
  Offset device_bytes = 0;
  /// Receives which ordering is run, the predicted seconds of the job with it, and which ordering
  /// the plan is made of. The analysis waits for the handler.
  MessageHandler on_message{};
};

/// Result of an analysis: the plan, the seconds that it took, and the candidates of the ordering
/// selection.
struct Analysis {
  /// One candidate of an ordering selection.
  struct Candidate {
    OrderingMethod
        method;  ///< method that was run or considered; `natural` for the caller's permutation
    bool given = false;            ///< true for the caller's permutation
    double order_s = 0;            ///< measured seconds of the ordering, for reports only
    double symbolic_s = 0;         ///< measured seconds of the symbolic phase, for reports only
    double predicted_order_s = 0;  ///< seconds of the ordering, predicted by the constants of
                                   ///< `automatic`; 0 if nothing was run, and for `natural`
    std::shared_ptr<const Plan>
        plan;          ///< plan of this ordering; null if the method was not run or was given up,
                       ///< or if its counts alone showed that another one is better
    std::string note;  ///< reason why `plan` is null; may be empty if there is a plan
    bool chosen = false;  ///< true for the candidate whose plan is Analysis::plan
  };

  /// Predicted seconds of a job on a target, in the scalar that AnalyzeOptions::device gives:
  /// start + create + factorizations * (values + factor + solves * solve). For the CPU in float
  /// they are half of those in double, about the least that was measured. For more than two CPU
  /// workers they exceed those in Cost, which ignores that threads share cores and memory.
  struct Forecast {
    std::string target;  ///< name of the cost table
    double start_s =
        0;  ///< seconds until the device can be used; 0 if its context exists, and for the CPU
    double create_s = 0;  ///< seconds to make a factor; Cost::predicted_create_s is the same for
                          ///< factors in double
    double values_s = 0;  ///< seconds to copy the values of A to the device; 0 for the CPU
    double factor_s = 0;  ///< seconds of a factorisation; Cost::predicted_factor_s is the same for
                          ///< factors in double
    double solve_s = 0;   ///< seconds of a solve with one right-hand side; Cost::predicted_solve_s
                          ///< is the same for factors in double
    double job_s = 0;     ///< seconds of the whole job
    Offset bytes = 0;     ///< bytes of memory; for a device an estimate, a few percent off
    bool scaled = false;  ///< true if the constants were not measured in this scalar on this kind
                          ///< of device, but scaled from those of another
    bool mixed = false;   ///< true: seconds and bytes of a MixedFactor, whose solves are refined
  };

  /// Forecasts of a job with systems in double on a device, with L in double and with L in float,
  /// and which of the two Precision::automatic takes.
  struct Precisions {
    Forecast full;             ///< L in double
    Forecast mixed;            ///< L in float, and solutions as good as those in double
    bool takes_mixed = false;  ///< true: L in float
    std::string reason;        ///< reason for it, in one sentence with the figures
  };

  std::shared_ptr<const Plan> plan;   ///< plan of the chosen ordering and target
  double order_s = 0;                 ///< seconds of all orderings run, and of making the graph
  double symbolic_s = 0;              ///< seconds of all symbolic phases run
  std::vector<Candidate> candidates;  ///< all orderings that were considered
  std::string reason;                 ///< reason for the ordering, in one sentence with the figures
  std::vector<Forecast> forecasts;    ///< if a device was offered: forecasts of
                                      ///< AnalyzeOptions::target and of the device; else empty
  std::string target_reason;          ///< reason for the target, in one sentence
  /// If DeviceOffer::mixed was set: both precisions on the device that was offered. A Solver sets
  /// it for each job in double that a device computes, if the device's seconds can be predicted.
  std::optional<Precisions> precisions;
};

/// Orders and analyses a matrix by its lower triangle, and returns the plan. `lower` is copied.
///
/// Throws Error: input (a bad pattern; a permutation of another size, or one that does not end with
/// ordering.last; rows of ordering.last out of range or named twice), usage (ordering options that
/// order() refuses, except `automatic`; a method that this build lacks; an unknown target; cores <
/// 1; workers, solves or factorizations < 0), overflow (a count beyond 2^63 - 1, more than
/// kMostEntries stored entries), memory, cancelled.
std::shared_ptr<const Plan> analyze(const Pattern& lower, const AnalyzeOptions& options = {});
/// Does analyze(), and returns the plan with the report. Throws as analyze() does.
Analysis analyze_with_report(const Pattern& lower, const AnalyzeOptions& options = {});
/// Compares orderings: runs every method for which ordering_compared() is true, and the caller's
/// permutation if one is given, and makes the plan of each for options.target, even if a device is
/// offered. The chosen candidate is the one that `automatic` takes, for the same reason; all others
/// are for comparison. Throws as analyze() does.
Analysis compare_orderings(const Pattern& lower, const AnalyzeOptions& options = {});

}  // namespace kauri
