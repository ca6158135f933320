// The launch of small fronts that lie packed in global memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/small/front_kernels.cuh"
#include "numeric/cuda/factor/small/packed_source.cuh"

namespace kauri::numeric::cuda::kernels {
namespace {

/// The Assembly of packed fronts that brings each by one bulk copy.
struct BulkSource : PackedSource<double> {
  template <class Group>
  __device__ void begin(const FrontRecord& front, double* packed, std::uint64_t* barrier,
                        const Group& group) const {
    if (group.thread != 0) return;
    const int bytes = whole_units(packed_entries(front.rows)) * 8;
    ptx::barrier_arrive_expecting(barrier, bytes);
    ptx::bulk_copy(packed, front.source, bytes, barrier);
  }
  template <class Group>
  __device__ void finish(const FrontRecord&, double*, std::uint64_t* barrier, int parity,
                         const Group&) const {
    ptx::barrier_wait(barrier, parity);
  }
};

using Kernels = SmallFrontKernels<BulkSource>;

}  // namespace

bool prepare_small_fronts() { return Kernels::prepare(); }

cudaError_t enqueue_small_fronts(const PackedSmallFront* fronts, int count, int max_rows,
                                 int* failed_column, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  return Kernels::enqueue(fronts, count, max_rows, BulkSource{{failed_column}}, stream);
}

}  // namespace kauri::numeric::cuda::kernels
