// Small fronts that are gathered from A's entries and their children's contribution blocks, in
// double on Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/small/front_kernels.cuh"
#include "numeric/cuda/factor/small/gather.cuh"

namespace kauri::numeric::cuda {
namespace {

namespace ptx = kernels::ptx;

/// The Assembly of fronts whose results are stored in bulk.
struct BulkGather : Gather<double, double> {
  __device__ void stored(const FrontRecord& front) const {
    if (front.parent == kNone || watchdog::loses()) return;
    ptx::finish_stores();
    ptx::proxy_fence();
    ptx::release_fence();
    ptx::add_relaxed(done + front.parent, 1);
  }
};

using Kernels = kernels::SmallFrontKernels<BulkGather, false>;

}  // namespace

bool prepare_gathered_fronts() { return Kernels::prepare(); }

cudaError_t enqueue_gathered_fronts(const GatheredFront<double>* fronts, Index count,
                                    Index max_rows, const GatherSource<double>& source,
                                    cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  return Kernels::enqueue(fronts, count, max_rows, BulkGather{{source}}, stream);
}

}  // namespace kauri::numeric::cuda
