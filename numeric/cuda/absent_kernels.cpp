// Kernels that devices other than Hopper cannot run, or, with KAURI_HIP, AMD devices: no block of
// them is resident, and none is launched.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"
#include "numeric/cuda/factor/tiled/streamed/kernel.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("a kernel that this device does not run"); }

}  // namespace

namespace kernels {
int resident_teams() { return 0; }
cudaError_t enqueue_factor(const FrontView*, const symbolic::FrontTask*, int, int*, const Levels&,
                           const Values&, const Sums&, int, int, unsigned, cudaStream_t) {
  refuse();
}
namespace streamed {
int resident_teams(Arithmetic) { return 0; }
cudaError_t enqueue_factor(Arithmetic, const FrontViewOf<float>*, const symbolic::FrontTask*, int,
                           int*, const Levels&, const ValuesOf<float>&, const SumsOf<float>&, int,
                           int, unsigned, cudaStream_t) {
  refuse();
}
}  // namespace streamed
}  // namespace kernels

bool prepare_gathered_fronts() { return false; }
cudaError_t enqueue_gathered_fronts(const GatheredFront<double>*, Index, Index,
                                    const GatherSource<double>&, cudaStream_t) {
  refuse();
}

template <class S, class N, class Loads>
int sweep_blocks() {
  return 0;
}
template <class S, class N, class Loads>
void enqueue_sweeps(const SweepView&, const SweepMemory<S, N>&, bool, bool, int, cudaStream_t) {
  refuse();
}
template <class S, int kWidth, SweepProducts kProducts>
int multi_blocks() {
  return 0;
}
template <class S, int kWidth, SweepProducts kProducts>
void enqueue_multi_sweeps(const SweepView&, const MultiMemory<S, NumberOf<S, kProducts>>&, bool,
                          bool, int, cudaStream_t) {
  refuse();
}

#define KAURI_NO_MULTI(S, kWidth, kProducts)                               \
  template int multi_blocks<S, kWidth, SweepProducts::kProducts>();        \
  template void enqueue_multi_sweeps<S, kWidth, SweepProducts::kProducts>( \
      const SweepView&, const MultiMemory<S, double>&, bool, bool, int, cudaStream_t);
#define KAURI_NO_SWEEPS(S)                                                             \
  template int sweep_blocks<S, double, BulkLoads>();                                   \
  template void enqueue_sweeps<S, double, BulkLoads>(                                  \
      const SweepView&, const SweepMemory<S, double>&, bool, bool, int, cudaStream_t); \
  KAURI_NO_MULTI(S, 8, hopper)                                                         \
  KAURI_NO_MULTI(S, 16, hopper)                                                        \
  KAURI_NO_MULTI(S, 32, hopper)
KAURI_NO_SWEEPS(float)
KAURI_NO_SWEEPS(double)
#ifdef KAURI_HIP
KAURI_NO_MULTI(float, 8, tensor)
KAURI_NO_MULTI(float, 16, tensor)
KAURI_NO_MULTI(float, 32, tensor)
KAURI_NO_MULTI(double, 8, tensor)
KAURI_NO_MULTI(double, 16, tensor)
KAURI_NO_MULTI(double, 32, tensor)
#endif
#undef KAURI_NO_MULTI
#undef KAURI_NO_SWEEPS

}  // namespace kauri::numeric::cuda
