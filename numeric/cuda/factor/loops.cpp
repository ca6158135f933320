// Which kernels do the tiled fronts: those of Hopper where they run, else portable ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/loops.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include "numeric/cuda/factor/small_factor.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Devices whose tensor cores do several times what their other units do, in FP64 and, three products for one, in TF32; elsewhere they are
/// not there, or slow.
bool has_fast_tensor_cores() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "the device");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "the device");
  return minor == 0 && major >= 8 && major <= 10;
}

int enough(int teams, int fewest) { return teams >= fewest ? teams : 0; }

int hopper_teams() { return prepare_gathered_fronts() ? enough(kernels::resident_teams(), symbolic::kFewestTeams) : 0; }

/// Of those that T has.
template <class T>
Loops loops_of(CudaCompute kind) {
  if (kind == CudaCompute::hopper) return {kind, std::is_same_v<T, double> ? hopper_teams() : 0};
  const kernels::portable::Arithmetic arithmetic = kernels::portable::arithmetic_of(kind);
  if constexpr (std::is_same_v<T, float>) {
    if (const int teams = enough(kernels::streamed::resident_teams(arithmetic), symbolic::kFewestEver); teams > 0)
      return {kind, teams, true};
  }
  return {kind, enough(kernels::portable::resident_teams<T>(arithmetic), symbolic::kFewestEver)};
}

constexpr const char* name_of(CudaCompute kind) {
  if (kind == CudaCompute::fp16x3) return "FP16 tensor cores";
  if (is_of_float_alone(kind)) return "TF32 tensor cores";
  return kind == CudaCompute::hopper ? "Hopper" : kind == CudaCompute::tensor ? "FP64 tensor cores" : "fused multiply-adds";
}

/// In the order in which T takes them on its own.
template <class T>
std::vector<CudaCompute> own_choices() {
  if (std::is_same_v<T, float>) return {CudaCompute::tf32x3, CudaCompute::fma};
  return {CudaCompute::hopper, CudaCompute::tensor, CudaCompute::fma};
}

}  // namespace

template <class T>
Loops choose_loops(CudaCompute wanted) {
  if (wanted != CudaCompute::automatic && !(std::is_same_v<T, double> && is_of_float_alone(wanted))) {
    const Loops forced = loops_of<T>(wanted);
    if (forced.teams > 0) return forced;
    throw Error(ErrorKind::usage,
                std::string("the loops for ") + name_of(wanted) +
                    (std::is_same_v<T, float> && is_of_double_alone(wanted) ? " are of double alone" : " do not run on this device"));
  }
  for (const CudaCompute kind : own_choices<T>()) {
    if ((kind == CudaCompute::tensor || kind == CudaCompute::tf32x3) && !has_fast_tensor_cores()) continue;
    if (const Loops chosen = loops_of<T>(kind); chosen.teams > 0) return chosen;
  }
  return {};
}

Loops choose_scaled_loops(CudaCompute wanted, const Loops& of_float) {
  if (wanted != CudaCompute::automatic || !of_float.streamed) return of_float;
  const Loops halves = loops_of<float>(CudaCompute::fp16x3);
  return halves.teams == of_float.teams ? halves : of_float;
}

template Loops choose_loops<float>(CudaCompute);
template Loops choose_loops<double>(CudaCompute);

}  // namespace kauri::numeric::cuda
