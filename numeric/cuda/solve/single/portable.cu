// The sweeps of one right-hand side for every device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/single/kernel.cuh"

namespace kauri::numeric::cuda {

template int sweep_blocks<float, AsyncLoads>();
template int sweep_blocks<double, AsyncLoads>();
template void enqueue_sweeps<float, AsyncLoads>(const SweepView&, const SweepMemory<float>&, bool,
                                                bool, int, cudaStream_t);
template void enqueue_sweeps<double, AsyncLoads>(const SweepView&, const SweepMemory<double>&, bool,
                                                 bool, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
