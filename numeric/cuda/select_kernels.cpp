// Chooses the kernels of tiled fronts of a device: those for Hopper (in float the streamed ones) if
// they run there, else portable ones, else the fallback, which goes level by level; and the kernels
// of small fronts and solves. Loads all other kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "numeric/cuda/batch/kernels.hpp"
#include "numeric/cuda/extract/determinant_kernels.hpp"
#include "numeric/cuda/extract/norm_estimator_kernels.hpp"
#include "numeric/cuda/extract/schur_kernels.hpp"
#include "numeric/cuda/factor/fallback/kernels.hpp"
#include "numeric/cuda/factor/front_views.hpp"
#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/tile_inverses.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/factor/verdict_kernels.hpp"
#include "numeric/cuda/inverse/kernels.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/launch_limit.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/solve/fallback/kernels.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/product_kernels.hpp"
#include "numeric/cuda/solve/single/memory.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {
namespace {

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  return device;
}

/// The current device: its units, and the multiprocessors that kernels may take whose blocks wait
/// for one another.
class Share {
 public:
  Share(const CudaOptions& options, const DeviceCard& card)
      : all_(card.processors),
        taken_(options.multiprocessors == 0 ? all_ : options.multiprocessors),
        fast_tensor_cores_(symbolic::has_fast_tensor_cores(card.major, card.minor)),
        slow_double_(symbolic::has_slow_double(card)),
        hopper_sweeps_(sweep_blocks<float, double, BulkLoads>() > 0) {}
  /// Returns symbolic::has_fast_tensor_cores() of the device.
  [[nodiscard]] bool has_fast_tensor_cores() const { return fast_tensor_cores_; }
  /// Returns symbolic::has_slow_double() of the device, as its driver and its capability say.
  [[nodiscard]] bool has_slow_double() const { return slow_double_; }
  /// Returns true if Hopper's kernels of sweeps run.
  [[nodiscard]] bool runs_hopper_sweeps() const { return hopper_sweeps_; }
  /// Returns how many of the blocks or teams that the whole device holds at once may run.
  [[nodiscard]] int of(int resident) const { return resident / all_ * taken_; }
  /// Returns how many of the teams that the whole device holds at once may run; 0 if that device
  /// holds too few for any list of tasks. blocks_of() returns the same of blocks that solve several
  /// columns, of which each group needs one. Throw Error(usage) if only these multiprocessors hold
  /// too few: other kernels, with other bits, would run else.
  [[nodiscard]] int teams_of(int resident) const {
    return at_least(symbolic::kFewestEver, resident);
  }
  [[nodiscard]] int blocks_of(int resident) const {
    return at_least(symbolic::kMultiTickets / 2, resident);
  }

 private:
  [[nodiscard]] int at_least(int fewest, int resident) const {
    if (resident < fewest) return 0;
    if (of(resident) < fewest) {
      const int each = resident / all_;
      throw Error(ErrorKind::usage,
                  "cuda_backend: multiprocessors is " + std::to_string(taken_) +
                      ", expected 0 or at least " + std::to_string((fewest + each - 1) / each) +
                      ", since fewer do not hold all teams that wait for one another");
    }
    return of(resident);
  }

  int all_, taken_;
  bool fast_tensor_cores_, slow_double_, hopper_sweeps_;
};

int hopper_teams(const Share& share) {
  return prepare_gathered_fronts() ? share.teams_of(kernels::resident_teams()) : 0;
}

cudaError_t launch_hopper(CudaCompute, int teams, const TaskLaunch<double>& t,
                          cudaStream_t stream) {
  return kernels::enqueue_factor(t.fronts, t.tasks, t.task_count, t.ticket, t.levels, t.values,
                                 t.sums, t.least_part, teams, t.pauses, stream);
}

cudaError_t launch_streamed(CudaCompute compute, int teams, const TaskLaunch<float>& t,
                            cudaStream_t stream) {
  return kernels::streamed::enqueue_factor(kernels::portable::arithmetic_of(compute), t.fronts,
                                           t.tasks, t.task_count, t.ticket, t.levels, t.values,
                                           t.sums, t.least_part, teams, t.pauses, stream);
}

template <class T>
cudaError_t launch_portable(CudaCompute compute, int teams, const TaskLaunch<T>& t,
                            cudaStream_t stream) {
  return kernels::portable::enqueue_factor<T>(kernels::portable::arithmetic_of(compute), t.fronts,
                                              t.tasks, t.task_count, t.ticket, t.levels, t.values,
                                              t.sums, t.least_part, teams, t.pauses, stream);
}

cudaError_t launch_gathered(const GatheredFront<double>* fronts, Index count, Index max_rows,
                            const PlanView& plan, const FactorMemory<double>& memory, int* done,
                            int* ticket, cudaStream_t stream) {
  return enqueue_gathered_fronts(fronts, count, max_rows, {plan, memory, done, ticket}, stream);
}

template <class T, kernels::SmallLoop kLoop>
cudaError_t launch_portable_gathered(const GatheredFront<T>* fronts, Index count, Index max_rows,
                                     const PlanView& plan, const FactorMemory<T>& memory, int* done,
                                     int* ticket, cudaStream_t stream) {
  return enqueue_portable_gathered<T>(kLoop, fronts, count, max_rows, {plan, memory, done, ticket},
                                      stream);
}

/// Returns the portable kernels of small fronts, or none if they do not run on the current device.
template <class T, kernels::SmallLoop kLoop>
SmallKernels<T> portable_small_kernels() {
  if (!prepare_portable_gathered<T>(kLoop)) return {};
  return {enqueue_gathered_views<T>, launch_portable_gathered<T, kLoop>};
}

/// Returns the kernels of tiled fronts of T by the arithmetic `compute`, which must exist for T;
/// their `teams` is 0 if the current device does not hold at once as many teams as the smallest
/// task list needs. portable: CudaOptions::portable.
template <class T>
TiledKernels<T> tiled_kernels(CudaCompute compute, const Share& share, bool portable) {
  if (compute == CudaCompute::hopper) {
    if constexpr (std::is_same_v<T, double>)
      if (!portable) return {compute, hopper_teams(share), false, 2, launch_hopper};
    return {};
  }
  const kernels::portable::Arithmetic arithmetic = kernels::portable::arithmetic_of(compute);
  if constexpr (std::is_same_v<T, float>) {
    if (const int teams =
            portable ? 0 : share.teams_of(kernels::streamed::resident_teams(arithmetic));
        teams > 0)
      return {compute, teams, true, 1, launch_streamed};
  }
  return {compute, share.teams_of(kernels::portable::resident_teams<T>(arithmetic)), false, 1,
          launch_portable<T>};
}

constexpr const char* name_of(CudaCompute compute) {
  if (compute == CudaCompute::fp16x3) return "FP16 tensor cores";
  if (is_of_float_alone(compute)) return "TF32 tensor cores";
  return compute == CudaCompute::hopper   ? "Hopper"
         : compute == CudaCompute::tensor ? "FP64 tensor cores"
                                          : "fused multiply-adds";
}

/// Returns the arithmetics for T that are tried, best first, if the caller's options name none.
template <class T>
std::vector<CudaCompute> own_choices() {
  if (std::is_same_v<T, float>) return {CudaCompute::tf32x3, CudaCompute::fma};
  return {CudaCompute::hopper, CudaCompute::tensor, CudaCompute::fma};
}

/// Returns the kernels of tiled fronts of T: those of options.compute unless that is automatic or,
/// for double, an arithmetic of float alone; else the first of own_choices() that runs, where
/// `tensor` and `tf32x3` are skipped unless has_fast_tensor_cores() is true, or none. Throws
/// Error(usage) if those of options.compute do not run.
template <class T>
TiledKernels<T> choose_tiled(const CudaOptions& options, const Share& share) {
  const CudaCompute wanted = options.compute;
  if (wanted != CudaCompute::automatic &&
      !(std::is_same_v<T, double> && is_of_float_alone(wanted))) {
    const TiledKernels<T> forced = tiled_kernels<T>(wanted, share, options.portable);
    if (forced.teams > 0) return forced;
    throw Error(ErrorKind::usage,
                std::string("the kernels for ") + name_of(wanted) +
                    (wanted == CudaCompute::hopper && options.portable
                         ? " are not portable; choose another CudaCompute, or portable = false"
                         : " do not run on this device; choose another CudaCompute"));
  }
  for (const CudaCompute compute : own_choices<T>()) {
    if ((compute == CudaCompute::tensor || compute == CudaCompute::tf32x3) &&
        !share.has_fast_tensor_cores())
      continue;
    if (const TiledKernels<T> chosen = tiled_kernels<T>(compute, share, options.portable);
        chosen.teams > 0)
      return chosen;
  }
  return {};
}

/// Returns the kernels of small fronts in double that go with those of tiled fronts: Hopper's with
/// Hopper's; tensor cores with tensor cores, or if these are fast and the fallback does tiled
/// fronts.
SmallKernels<double> small_kernels(const TiledKernels<double>& tiled, const Share& share) {
  using kernels::SmallLoop;
  if (tiled.compute == CudaCompute::hopper)
    return {enqueue_gathered_views<double>, launch_gathered};
  if (tiled.compute == CudaCompute::tensor || (tiled.teams == 0 && share.has_fast_tensor_cores()))
    return portable_small_kernels<double, SmallLoop::tensor>();
  return portable_small_kernels<double, SmallLoop::fma>();
}

/// Returns the kernels of tiled fronts in float for scaled matrices: those in FP16 if `wanted` is
/// automatic, `of_float` is streamed and both have equally many teams, since both run the tasks of
/// one plan; else `of_float`, the kernels for other matrices in float.
TiledKernels<float> choose_scaled(CudaCompute wanted, const Share& share,
                                  const TiledKernels<float>& of_float) {
  if (wanted != CudaCompute::automatic || !of_float.streamed) return of_float;
  const TiledKernels<float> halves = tiled_kernels<float>(CudaCompute::fp16x3, share, false);
  return halves.teams == of_float.teams ? halves : of_float;
}

/// Returns true if sweeps and batches of floats compute in float: where FP64 is slow; and by
/// multiply-adds, asked for or taken for lack of fast tensor cores, unless Hopper's sweeps run,
/// which are in double.
bool floats_stay_in_float(const CudaOptions& options, const Share& share) {
  if (options.compute == CudaCompute::tensor) return false;
  return share.has_slow_double() ||
         ((options.compute == CudaCompute::fma || !share.has_fast_tensor_cores()) &&
          (options.portable || !share.runs_hopper_sweeps()));
}

/// Returns true if sweeps of L in T compute in double.
template <class T>
bool sweeps_in_double(const CudaOptions& options, const Share& share) {
  return sizeof(T) == sizeof(double) || !floats_stay_in_float(options, share);
}

/// Returns the kernel that solves kWidth columns together. In double: Hopper's if it runs and
/// options.portable is false; else the portable one, by FP64 tensor cores if these are asked for,
/// or fast and multiply-adds are not asked for. In float: the portable one by multiply-adds.
template <class T, int kWidth>
GroupKernel<T> group_kernel(const CudaOptions& options, const Share& share) {
  using enum SweepProducts;
  if (sweeps_in_double<T>(options, share)) {
    const int blocks = options.portable ? 0 : share.blocks_of(multi_blocks<T, kWidth, hopper>());
    if (blocks > 0) return multi_kernel<T, kWidth, hopper>(blocks);
    if (options.compute == CudaCompute::tensor ||
        (options.compute != CudaCompute::fma && share.has_fast_tensor_cores()))
      return multi_kernel<T, kWidth, tensor>(share.blocks_of(multi_blocks<T, kWidth, tensor>()));
  }
  return multi_kernel<T, kWidth, fma>(share.blocks_of(multi_blocks<T, kWidth, fma>()));
}

/// Adds the kernels that solve several columns together, as many as options.solves_together allows.
/// Devices of 64 KB a block have none for groups of 32 columns in double: groups of 16 do.
template <class T>
void add_groups(const CudaOptions& options, const Share& share, KernelSet<T>& set) {
  auto& [eight, sixteen, most] = set.group;
  if (options.solves_together >= 8) eight = group_kernel<T, 8>(options, share);
  if (options.solves_together == 32) {
    sixteen = group_kernel<T, 16>(options, share);
    most = group_kernel<T, 32>(options, share);
  }
  set.together = std::min(eight.blocks, sixteen.blocks) > 0 ? 32 : eight.blocks > 0 ? 8 : 1;
  set.group_columns = options.group_columns;
  set.solve_several = enqueue_several<T>;
}

/// Returns the kernel that solves one column. In double: Hopper's if it runs and options.portable
/// is false, else the portable one. In float: the portable one.
template <class T>
SingleKernel<T> single_kernel(const CudaOptions& options, const Share& share) {
  if (!sweeps_in_double<T>(options, share))
    return single_sweeps<T, T, AsyncLoads>(share.of(sweep_blocks<T, T, AsyncLoads>()));
  if (const int blocks = options.portable ? 0 : share.of(sweep_blocks<T, double, BulkLoads>());
      blocks > 0)
    return single_sweeps<T, double, BulkLoads>(blocks);
  return single_sweeps<T, double, AsyncLoads>(share.of(sweep_blocks<T, double, AsyncLoads>()));
}

}  // namespace

void load_kernels(const cudaDeviceProp& device) {
  try {
    load_level_kernels();
    load_verdict_kernels();
    load_tile_inverses();
    load_solve_kernels();
    load_view_kernels();
    load_inverse_kernels();
    load_product_kernels();
    load_determinant_kernels();
    load_schur_kernels();
    load_estimator_kernels();
    load_batch_kernels();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    throw Error(ErrorKind::device, error.what() + (" (" + what_was_built(device) + ")"));
  }
}

void require_valid(const CudaOptions& options, const cudaDeviceProp& device) {
  if (options.solves_together != 1 && options.solves_together != 8 && options.solves_together != 32)
    throw Error(ErrorKind::usage, "cuda_backend: solves_together is " +
                                      std::to_string(options.solves_together) +
                                      ", expected 1, 8 or 32");
  if (options.group_columns != 0 && options.group_columns != 8 && options.group_columns != 16 &&
      options.group_columns != 32)
    throw Error(ErrorKind::usage, "cuda_backend: group_columns is " +
                                      std::to_string(options.group_columns) +
                                      ", expected 0, 8, 16 or 32");
  if (options.multiprocessors < 0 || options.multiprocessors > device.multiProcessorCount)
    throw Error(ErrorKind::usage, "cuda_backend: multiprocessors is " +
                                      std::to_string(options.multiprocessors) + ", expected 0 to " +
                                      std::to_string(device.multiProcessorCount) +
                                      ", which is all that the device has");
  if (!(options.launch_seconds >= 0))
    throw Error(ErrorKind::usage, "cuda_backend: launch_seconds is " +
                                      std::to_string(options.launch_seconds) +
                                      ", expected 0 or more");
}

KernelSets select_kernels(const CudaOptions& options) {
  const int device = current_device();
  const DeviceCard card = card_of(device);
  const Share share(options, card);
  KernelSets sets;
  KernelSet<float>& one = sets.single_precision;
  KernelSet<double>& two = sets.double_precision;
  two.tiled = choose_tiled<double>(options, share);
  // The targets' tables, by which plans count the teams that they can use, are of cards with fast
  // double. Where it is slow products bound more levels, which more teams do faster.
  two.tiled.shares = !share.has_slow_double();
  two.small = small_kernels(two.tiled, share);
  one.small = portable_small_kernels<float, kernels::SmallLoop::fma>();
  if (is_of_double_alone(options.compute))
    one.refusal = std::string("the kernels for ") + name_of(options.compute) +
                  " are for double only; choose another CudaCompute";
  else
    one.tiled = choose_tiled<float>(options, share);
  if (options.fast_solve) {
    two.single = single_kernel<double>(options, share);
    one.single = single_kernel<float>(options, share);
    add_groups(options, share, two), add_groups(options, share, one);
  }
  one.sums_in_double = !floats_stay_in_float(options, share);
  sets.scaled = one;
  sets.scaled.tiled = choose_scaled(options.compute, share, one.tiled);
  const bool has_limit = has_time_limit(device);
  limit_launches(options, card, has_limit, two.tiled);
  limit_launches(options, card, has_limit, one.tiled);
  limit_launches(options, card, has_limit, sets.scaled.tiled);
  return sets;
}

}  // namespace kauri::numeric::cuda
