// The launch of small fronts that lie packed in global memory, by the portable kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/small/packed_source.cuh"
#include "numeric/cuda/factor/small/portable_fronts.cuh"

namespace kauri::numeric::cuda::kernels {
namespace {

/// The Assembly of packed fronts that all lanes of a warp load.
template <class T, class S>
struct PlainSource : PackedSource<T> {
  __device__ void finish(const PackedSmallFrontOf<T>& front, S* packed, std::uint64_t*, int,
                         const WarpGroup& group) const {
    const int entries = whole_units(packed_entries(front.rows));
    for (int e = group.thread; e < entries; e += WarpGroup::kThreads)
      packed[e] = static_cast<S>(front.source[e]);
    WarpGroup::sync();
  }
};

template <class Loop, class T>
cudaError_t enqueue(const PackedSmallFrontOf<T>* fronts, int count, int max_rows,
                    int* failed_column, cudaStream_t stream) {
  return portable::PortableFronts<Loop, PlainSource<T, typename Loop::LoopScalar>>::enqueue(
      fronts, count, max_rows, {{failed_column}}, stream);
}

}  // namespace

template <>
cudaError_t enqueue_portable_fronts(SmallLoop loop, const PackedSmallFrontOf<float>* fronts,
                                    int count, int max_rows, int* failed_column,
                                    cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  if (loop == SmallLoop::wide)
    return enqueue<MultiplyAdds<double>>(fronts, count, max_rows, failed_column, stream);
  return enqueue<MultiplyAdds<float>>(fronts, count, max_rows, failed_column, stream);
}

template <>
cudaError_t enqueue_portable_fronts(SmallLoop loop, const PackedSmallFrontOf<double>* fronts,
                                    int count, int max_rows, int* failed_column,
                                    cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  if (loop == SmallLoop::tensor)
    return enqueue<PortableCore>(fronts, count, max_rows, failed_column, stream);
  return enqueue<MultiplyAdds<double>>(fronts, count, max_rows, failed_column, stream);
}

}  // namespace kauri::numeric::cuda::kernels
