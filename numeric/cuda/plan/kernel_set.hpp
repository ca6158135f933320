// The kernels that a backend runs on its device: chosen once, when the backend is made, and read by
// plans, factors and workspaces.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <limits>
#include <string>

#include "kauri/core/backend.hpp"
#include "kauri/core/plan.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {

class DevicePlan;
template <class S, class N>
struct MultiMemory;
struct PlanView;
struct SweepView;
template <class T>
struct FactorMemory;
template <class T>
struct GatheredFront;
template <class T>
struct SeveralSolve;
template <class S, class N>
struct SweepMemory;
template <class T>
struct KernelSet;

/// Arguments of a launch of consecutive tasks of a factor's tiled fronts: those of
/// kernels::enqueue_factor() (factor/tiled/hopper/front_kernel.hpp), where they are explained.
template <class T>
struct TaskLaunch {
  const kernels::FrontViewOf<T>* fronts;
  const symbolic::DeviceTask* tasks;
  int task_count;
  int* ticket;
  kernels::Levels levels;
  kernels::ValuesOf<T> values;
  kernels::SumsOf<T> sums;
  int least_part;
  unsigned pauses;
};

/// Kernels of tiled fronts in one scalar.
template <class T>
struct TiledKernels {
  CudaCompute compute = CudaCompute::automatic;  ///< automatic only if teams is 0
  int teams = 0;  ///< warp teams that may run at once; 0: these kernels do not run, and the
                  ///< fallback does tiled fronts
  bool streamed =
      false;  ///< float: operands come by bulk copies (factor/tiled/streamed/kernel.hpp)
  int teams_in_block = 1;  ///< warp teams of a thread block; divides the teams of a launch
  /// Enqueues the tasks, with arithmetic `compute`, for `teams` teams. Null if teams is 0.
  cudaError_t (*launch)(CudaCompute compute, int teams, const TaskLaunch<T>& tasks,
                        cudaStream_t stream) = nullptr;
  /// Most seconds that a launch may take as the plan's target predicts them
  /// (plan/launch_limit.hpp).
  double launch_seconds = std::numeric_limits<double>::infinity();
  bool shares = true;  ///< factors of small plans take a part of the teams, as predicted for the
                       ///< plan's target

  /// Returns how many of the teams do the fronts of a plan: all that the plan can use, or all of
  /// them without `shares`; or, if its test hooks give a number, at most that many.
  [[nodiscard]] int teams_for(const Plan& plan) const;
  [[nodiscard]] cudaError_t enqueue(const TaskLaunch<T>& tasks, cudaStream_t stream) const {
    return launch(compute, teams, tasks, stream);
  }
};

/// Kernels of narrow and small fronts that gather their entries, in two launches
/// (factor/small/gathered_fronts.hpp): Hopper's or portable ones. Both members are null if the
/// fallback does these fronts.
template <class T>
struct SmallKernels {
  /// Enqueues the descriptions of all small fronts of the plan with the addresses of one factor:
  /// enqueue_gathered_views() (factor/front_views.hpp).
  void (*describe)(const DevicePlan& plan, const PlanView& homes, const FactorMemory<T>& memory,
                   GatheredFront<T>* fronts, cudaStream_t stream) = nullptr;
  /// Enqueues the factorisation of `count` fronts of at most max_rows rows. done, ticket: as in
  /// GatherSource.
  cudaError_t (*enqueue)(const GatheredFront<T>* fronts, Index count, Index max_rows,
                         const PlanView& plan, const FactorMemory<T>& memory, int* done,
                         int* ticket, cudaStream_t stream) = nullptr;
};

/// A function that enqueues the forward sweep, the backward sweep, or both, by `blocks` thread
/// blocks. Memory: that of a solve by solve/single or solve/multi.
template <class Memory>
using EnqueueSweeps = void (*)(const SweepView& view, const Memory& memory, bool forward,
                               bool backward, int blocks, cudaStream_t stream);

/// The kernel of solve/single. One of its functions is null, both if `blocks` is 0: `enqueue` for
/// numbers and arithmetic in double, `enqueue_in_float` for L, numbers and arithmetic in float.
template <class S>
struct SingleKernel {
  int blocks = 0;  ///< thread blocks that may run at once; 0: the fallback solves
  EnqueueSweeps<SweepMemory<S, double>> enqueue = nullptr;
  EnqueueSweeps<SweepMemory<S, float>> enqueue_in_float = nullptr;
};

/// The kernel of solve/multi for groups of `columns` columns. Its functions are as those of
/// SingleKernel.
template <class S>
struct GroupKernel {
  Index columns;
  int blocks = 0;  ///< thread blocks that may run at once; 0: the device does not run the kernel
  EnqueueSweeps<MultiMemory<S, double>> enqueue = nullptr;
  EnqueueSweeps<MultiMemory<S, float>> enqueue_in_float = nullptr;
};

/// Kernels of one scalar. By default the fallback does all fronts and solves, level by level.
template <class T>
struct KernelSet {
  TiledKernels<T> tiled;
  SmallKernels<T> small;
  SingleKernel<T> single;
  std::array<GroupKernel<T>, 3> group{{{8}, {16}, {32}}};  ///< kernels of solve/multi; the last one
                                                           ///< may be missing if `together` is 32
  Index together = 1;       ///< most columns that sweeps solve together: 1, 8 or 32
  Index group_columns = 0;  ///< CudaOptions::group_columns
  /// Enqueues the solve of 2 to `together` columns by sweeps. Not called, and perhaps null, if
  /// `together` is 1.
  void (*solve_several)(const KernelSet& kernels, const SeveralSolve<T>& solve,
                        cudaStream_t stream) = nullptr;
  bool sums_in_double = true;  ///< batches of floats sum in double where it helps accuracy
  std::string refusal;  ///< why no factor of this scalar can be made; empty if factors can be made

  /// Returns what Backend::kernels() returns: "hopper", "tensor", "fma", "tf32x3", "tf32",
  /// "fp16x3", "levels" (the fallback does tiled fronts) or "none" (factors are refused).
  [[nodiscard]] const char* name() const;
  /// Returns the arithmetic of tiled fronts: fused multiply-adds if the fallback does them.
  [[nodiscard]] CudaCompute arithmetic() const {
    return tiled.teams > 0 ? tiled.compute : CudaCompute::fma;
  }
  /// Returns the most columns of a group of solve/multi, if `together` is not 1.
  [[nodiscard]] Index widest_group() const {
    Index widest = 0;
    for (const GroupKernel<T>& kernel : group)
      if (kernel.blocks > 0) widest = kernel.columns;
    return widest;
  }
  /// Returns true if small fronts gather their entries, else the fallback does them.
  [[nodiscard]] bool gathers() const { return small.enqueue != nullptr; }
  /// Returns true if a persistent kernel does the plan's tiled fronts by tasks, not the fallback.
  [[nodiscard]] bool runs_tasks(const Plan& plan) const {
    return tiled.teams > 0 && !plan.internals->device.hooks.by_level();
  }
  /// Returns true if solves of the plan go by sweeps (solve/single, solve/multi).
  [[nodiscard]] bool runs_sweeps(const Plan& plan) const {
    return runs_tasks(plan) && single.blocks > 0 && plan.internals->device.sweeps.bytes > 0;
  }
  /// Returns the kernels for factors of this plan: a copy of this set, with no more teams, and no
  /// more blocks in solves of one column, than the plan can use; or the default set, which is the
  /// fallback alone, if the plan's test hooks ask for it. The hooks can set the number of teams,
  /// too. Throws Error(usage) if factors are refused, or if the hooks lower the number of teams
  /// below that which the tasks were made for, or to one that is no multiple of teams_in_block.
  [[nodiscard]] KernelSet for_factors_of(const Plan& plan) const;
  /// Returns the device bytes that each factor of the plan allocates for itself:
  /// Plan::peak_bytes() less Plan::prepared_bytes(), corrected for arrays that these kernels do not
  /// need, or need beyond what the plan counts. Throws as for_factors_of().
  [[nodiscard]] Offset own_bytes(const Plan& plan) const;
};

/// The kernels of a backend, for factors in float, in double, and in float of scaled matrices
/// (MixedFactor).
struct KernelSets {
  KernelSet<float> single_precision;
  KernelSet<double> double_precision;
  KernelSet<float> scaled;

  template <class T>
  [[nodiscard]] const KernelSet<T>& of() const {
    if constexpr (sizeof(T) == sizeof(double))
      return double_precision;
    else
      return single_precision;
  }
  /// Returns visit(set) with the set of the scalar of `scalar_bytes` bytes: float for 4, else
  /// double.
  template <class Visit>
  [[nodiscard]] auto with(int scalar_bytes, const Visit& visit) const {
    return scalar_bytes == sizeof(float) ? visit(single_precision) : visit(double_precision);
  }
  /// Returns the number of teams for which the plan's list of tasks is made: the fewer of those in
  /// float and in double, since more teams than it was made for can run a list too. 0: no kernels
  /// run tasks.
  [[nodiscard]] int task_teams(const Plan& plan) const {
    const int a = single_precision.tiled.teams_for(plan),
              b = double_precision.tiled.teams_for(plan);
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

template <class T>
const char* KernelSet<T>::name() const {
  return tiled.teams > 0 ? short_name(tiled.compute) : refusal.empty() ? "levels" : "none";
}

/// Loads the kernels of factors, solves, inverses and batches, except the kernels that
/// select_kernels() loads, on the current device. Throws Error: device (a kernel cannot be loaded;
/// the text names this build's architectures and those of `device`), memory.
void load_kernels(const cudaDeviceProp& device);

/// Throws Error(usage) unless solves_together is 1, 8 or 32, group_columns is 8, 16 or 32, or 0 for
/// a choice by size, multiprocessors is 0 or a number of multiprocessors that `device` has, and
/// launch_seconds is at least 0.
void require_valid(const CudaOptions& options, const cudaDeviceProp& device);

/// Chooses the kernels for the current device. Throws Error: usage (options.compute does not run on
/// the device), device.
KernelSets select_kernels(const CudaOptions& options);

}  // namespace kauri::numeric::cuda
