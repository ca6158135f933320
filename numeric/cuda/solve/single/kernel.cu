// The sweeps of one right-hand side for Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/single/kernel.cuh"

namespace kauri::numeric::cuda {

template int sweep_blocks<float, BulkLoads>();
template int sweep_blocks<double, BulkLoads>();
template void enqueue_sweeps<float, BulkLoads>(const SweepView&, const SweepMemory<float>&, bool,
                                               bool, int, cudaStream_t);
template void enqueue_sweeps<double, BulkLoads>(const SweepView&, const SweepMemory<double>&, bool,
                                                bool, int, cudaStream_t);

}  // namespace kauri::numeric::cuda
