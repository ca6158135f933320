// The sweeps of one right-hand side for every device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/single/kernel.cuh"

namespace kauri::numeric::cuda {

template int sweep_blocks<float, float, AsyncLoads>();
template int sweep_blocks<float, double, AsyncLoads>();
template int sweep_blocks<double, double, AsyncLoads>();
template void enqueue_sweeps<float, float, AsyncLoads>(const SweepView&,
                                                       const SweepMemory<float, float>&, bool, bool,
                                                       int, cudaStream_t);
template void enqueue_sweeps<float, double, AsyncLoads>(const SweepView&,
                                                        const SweepMemory<float, double>&, bool,
                                                        bool, int, cudaStream_t);
template void enqueue_sweeps<double, double, AsyncLoads>(const SweepView&,
                                                         const SweepMemory<double, double>&, bool,
                                                         bool, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
