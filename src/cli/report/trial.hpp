// Measurement of one plan: repeated factorisations and solves, of which the least times are
// reported.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/refine.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/report/report.hpp"
#include "src/engine/symbolic.hpp"

namespace kauri::cli {

/// Solves timed for each number of right-hand sides, as for the peers of bench/peers.
inline constexpr int kTimedSolves = 3;

struct TrialOptions {
  int repetitions = 3;     ///< number of refactorisations, >= 1
  Index many = 32;         ///< right-hand sides of the second timed solve; 0: no second solve
  std::uint64_t seed = 1;  ///< seed of the right-hand sides
};

/// Returns the options of a measurement for a job.
TrialOptions trial_options(const JobOptions& options, int repetitions, Index many);

struct Trial {
  Status status = Status::ok;
  std::optional<Breakdown> breakdown;  ///< A is not positive definite; then only the times
                                       ///< prepare_s, create_s and factor1_s are sure to be set
  double smallest_pivot = 0;           ///< see DeviceVerdict
  double prepare_s = 0;  ///< seconds of PreparedPlan::create(), which uploads the plan to a device
  double create_s = 0;   ///< seconds of the factor's creation, which allocates its memory
  double factor1_s = 0;  ///< create_s and the first factorisation
  double factor_s = 0;   ///< least seconds of a refactorisation
  double solve1_s = 0;   ///< least seconds of a solve in place with one right-hand side
  std::optional<double>
      solve_many_s;              ///< least seconds of a solve in place with TrialOptions::many
  BackwardError backward_error;  ///< error of x for one right-hand side; unrefined unless mixed
  std::optional<MixedReport>
      mixed;              ///< report, with mixed precision, of the solve with one right-hand side
  Offset peak_bytes = 0;  ///< peak bytes of the prepared plan, factor and workspaces
  std::optional<Offset> device_bytes;  ///< decrease of the device's free memory by plan, factor and
                                       ///< first factorisation
};

/// Measures the plan of `symbolic` on its backend, in the precision of its options; with mixed
/// precision A and vectors are in double, and solves include refinement.
template <Scalar T>
Trial measure(const std::shared_ptr<Symbolic>& symbolic, const SymmetricView<T>& a,
              const TrialOptions& options);

/// Measures in the scalar of that name, "float" or "double". Throws Error(input) for a value of the
/// system that is not finite in it.
Trial measure(const std::string& scalar, const std::shared_ptr<Symbolic>& symbolic,
              const System& system, const TrialOptions& options);

}  // namespace kauri::cli
