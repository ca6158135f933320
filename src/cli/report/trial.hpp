// One plan measured: factorisations and solves, repeated, the least time counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/mixed.hpp"
#include "kauri/plan.hpp"
#include "kauri/refine.hpp"
#include "src/cli/job/system.hpp"
#include "src/cli/report/report.hpp"

namespace kauri::cli {

/// Solves timed for each number of right-hand sides: as many as the peers of bench/peers take.
inline constexpr int kTimedSolves = 3;

struct TrialOptions {
  int repetitions = 3;     ///< of refactorisations, >= 1
  Index many = 32;         ///< right-hand sides of the second solve; 0: only one is solved for
  std::uint64_t seed = 1;  ///< of the right-hand sides
  bool mixed = false;      ///< in mixed precision: solves are refined, and bring and take A and vectors of double
};

struct Trial {
  Status status = Status::ok;
  std::optional<Breakdown> breakdown;  ///< not positive definite: of the times prepare_s, create_s and factor1_s are set
  double smallest_pivot = 0;           ///< see DeviceVerdict
  double prepare_s = 0;                ///< what is uploaded of the plan to a device
  double create_s = 0;                 ///< the making of the factor: memory
  double factor1_s = 0;                ///< that and the first factorisation
  double factor_s = 0;                 ///< the least of the refactorisations
  double solve1_s = 0;                 ///< in place, the least
  std::optional<double> solve_many_s;
  BackwardError backward_error;        ///< of one right-hand side, unrefined, but with mixed precision
  std::optional<MixedReport> mixed;    ///< with mixed precision: of one right-hand side
  Offset peak_bytes = 0;               ///< high-water mark of factor and workspaces
  std::optional<Offset> device_bytes;  ///< by how much plan, factor and its first filling left the device less free memory
};

template <Scalar T>
Trial measure(const std::shared_ptr<const Plan>& plan, const SymmetricView<T>& a, Backend& backend, const TrialOptions& options);

/// The scalar by name.
Trial measure(const std::string& scalar, const std::shared_ptr<const Plan>& plan, const System& system, Backend& backend,
              const TrialOptions& options);

}  // namespace kauri::cli
