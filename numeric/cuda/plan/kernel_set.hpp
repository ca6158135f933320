// The kernels that a backend runs on its device: chosen once, when the backend is made, and read by
// plans, factors and workspaces.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <type_traits>

#include "kauri/core/backend.hpp"
#include "kauri/core/plan.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {

/// Kernels of tiled fronts in one scalar.
struct TiledKernels {
  CudaCompute compute = CudaCompute::automatic;  ///< automatic only if teams is 0
  int teams = 0;  ///< resident on the device; 0: none run, and the fallback does tiled fronts
  bool streamed =
      false;  ///< float: operands come by bulk copies (factor/tiled/streamed/kernel.hpp)
};

/// Kernels of one scalar. By default the fallback does all fronts and solves, level by level.
struct KernelSet {
  TiledKernels tiled;
  bool gathered = false;  ///< small fronts by factor/small/gathered_fronts.cu, else by the fallback
  int single_blocks =
      0;  ///< blocks of solve/single that the device holds at once; 0: the fallback solves
  std::array<int, 3> group_blocks{};  ///< blocks of solve/multi that the device holds at once, for
                                      ///< groups of 8, 16 and 32 columns
  Index together = 1;                 ///< most columns that sweeps solve together: 1, 8 or 32
  Index group_columns = 0;            ///< CudaOptions::group_columns
  std::string refusal;                ///< why no factor of this scalar can be made; empty: it can

  /// Returns what Backend::kernels() returns: "hopper", "tensor", "fma", "tf32x3", "tf32",
  /// "fp16x3", "levels" (the fallback does tiled fronts) or "none" (factors are refused).
  [[nodiscard]] const char* name() const;
  /// Returns true if a persistent kernel does the plan's tiled fronts by tasks, not the fallback.
  [[nodiscard]] bool runs_tasks(const Plan& plan) const {
    return tiled.teams > 0 && !plan.internals->device.hooks.by_level();
  }
  /// Returns true if solves of the plan go by sweeps (solve/single, solve/multi).
  [[nodiscard]] bool runs_sweeps(const Plan& plan) const {
    return runs_tasks(plan) && single_blocks > 0 && plan.internals->device.sweeps.bytes > 0;
  }
};

/// The kernels of a backend, for factors in float, in double, and in float of scaled matrices
/// (MixedFactor).
struct KernelSets {
  KernelSet single_precision, double_precision, scaled;

  template <class T>
  [[nodiscard]] const KernelSet& of() const {
    return std::is_same_v<T, double> ? double_precision : single_precision;
  }
  /// Returns the number of teams for which a plan's list of tasks is made: the fewer of those in
  /// float and in double, since more teams than it was made for can run a list too. 0: no kernels
  /// run tasks.
  [[nodiscard]] int task_teams() const {
    const int a = single_precision.tiled.teams, b = double_precision.tiled.teams;
    return a == 0 || b == 0 ? a + b : a < b ? a : b;
  }
  [[nodiscard]] bool runs_tasks(const Plan& plan) const {
    return single_precision.runs_tasks(plan) || double_precision.runs_tasks(plan);
  }
  [[nodiscard]] bool runs_sweeps(const Plan& plan) const {
    return single_precision.runs_sweeps(plan) || double_precision.runs_sweeps(plan);
  }
};

/// Returns "hopper", "tensor", "tf32x3", "tf32", "fp16x3", or "fma" for any other value.
constexpr const char* short_name(CudaCompute compute) {
  switch (compute) {
    case CudaCompute::hopper:
      return "hopper";
    case CudaCompute::tensor:
      return "tensor";
    case CudaCompute::tf32x3:
      return "tf32x3";
    case CudaCompute::tf32:
      return "tf32";
    case CudaCompute::fp16x3:
      return "fp16x3";
    default:
      return "fma";
  }
}

constexpr bool is_of_double_alone(CudaCompute compute) {
  return compute == CudaCompute::hopper || compute == CudaCompute::tensor;
}
constexpr bool is_of_float_alone(CudaCompute compute) {
  return compute == CudaCompute::tf32x3 || compute == CudaCompute::tf32 ||
         compute == CudaCompute::fp16x3;
}

inline const char* KernelSet::name() const {
  return tiled.teams > 0 ? short_name(tiled.compute) : refusal.empty() ? "levels" : "none";
}

/// Chooses the kernels for the current device. Throws Error: usage (options.compute does not run on
/// the device), device.
KernelSets select_kernels(const CudaOptions& options);

}  // namespace kauri::numeric::cuda
