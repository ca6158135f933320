// Chooses the kernels of a device: those for Hopper (in float the streamed ones) if they run there,
// else portable ones, else the fallback, which goes level by level.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns true for compute capabilities 8.0, 9.0 and 10.0. There the tensor cores are no slower
/// than other units in FP64 (on 8.0 and 9.0 twice as fast), and more than twice as fast in TF32
/// even with three products for one. On other devices they are absent or slow.
bool has_fast_tensor_cores() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "the device");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "the device");
  return minor == 0 && major >= 8 && major <= 10;
}

int enough(int teams, int fewest) { return teams >= fewest ? teams : 0; }

int hopper_teams() {
  return prepare_gathered_fronts() ? enough(kernels::resident_teams(), symbolic::kFewestTeams) : 0;
}

/// Returns the kernels of tiled fronts of T by `compute`, which must exist for T; teams is 0 if the
/// device does not hold enough teams of them.
template <class T>
TiledKernels tiled_kernels(CudaCompute compute) {
  if (compute == CudaCompute::hopper)
    return {compute, std::is_same_v<T, double> ? hopper_teams() : 0};
  const kernels::portable::Arithmetic arithmetic = kernels::portable::arithmetic_of(compute);
  if constexpr (std::is_same_v<T, float>) {
    if (const int teams =
            enough(kernels::streamed::resident_teams(arithmetic), symbolic::kFewestEver);
        teams > 0)
      return {compute, teams, true};
  }
  return {compute, enough(kernels::portable::resident_teams<T>(arithmetic), symbolic::kFewestEver)};
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

template <class T>
TiledKernels choose_tiled(CudaCompute wanted) {
  if (wanted != CudaCompute::automatic &&
      !(std::is_same_v<T, double> && is_of_float_alone(wanted))) {
    const TiledKernels forced = tiled_kernels<T>(wanted);
    if (forced.teams > 0) return forced;
    throw Error(ErrorKind::usage, std::string("the kernels for ") + name_of(wanted) +
                                      " do not run on this device; choose another CudaCompute");
  }
  for (const CudaCompute compute : own_choices<T>()) {
    if ((compute == CudaCompute::tensor || compute == CudaCompute::tf32x3) &&
        !has_fast_tensor_cores())
      continue;
    if (const TiledKernels chosen = tiled_kernels<T>(compute); chosen.teams > 0) return chosen;
  }
  return {};
}

/// Returns the kernels for scaled matrices: those in FP16 if `wanted` is automatic, of_float is
/// streamed and both have equally many teams, since both run the tasks of one plan; else of_float.
TiledKernels choose_scaled(CudaCompute wanted, const TiledKernels& of_float) {
  if (wanted != CudaCompute::automatic || !of_float.streamed) return of_float;
  const TiledKernels halves = tiled_kernels<float>(CudaCompute::fp16x3);
  return halves.teams == of_float.teams ? halves : of_float;
}

void add_groups(const CudaOptions& options, KernelSet& set) {
  if (options.solves_together >= 8) set.group_blocks[0] = multi_blocks<8>();
  if (options.solves_together == 32)
    set.group_blocks[1] = multi_blocks<16>(), set.group_blocks[2] = multi_blocks<32>();
  set.together = *std::min_element(set.group_blocks.begin(), set.group_blocks.end()) > 0 ? 32
                 : set.group_blocks[0] > 0                                               ? 8
                                                                                         : 1;
  set.group_columns = options.group_columns;
}

}  // namespace

KernelSets select_kernels(const CudaOptions& options) {
  KernelSets sets;
  KernelSet &one = sets.single_precision, &two = sets.double_precision;
  two.tiled = choose_tiled<double>(options.compute);
  two.gathered = two.tiled.compute == CudaCompute::hopper;
  if (is_of_double_alone(options.compute))
    one.refusal = std::string("the kernels for ") + name_of(options.compute) +
                  " are for double only; choose another CudaCompute";
  else
    one.tiled = choose_tiled<float>(options.compute);
  if (options.fast_solve) {
    two.single_blocks = sweep_blocks<double>(), one.single_blocks = sweep_blocks<float>();
    add_groups(options, two);
  }
  sets.scaled = one;
  sets.scaled.tiled = choose_scaled(options.compute, one.tiled);
  return sets;
}

}  // namespace kauri::numeric::cuda
