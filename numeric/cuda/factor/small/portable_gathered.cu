// Small fronts that are gathered from A's entries and their children's contribution blocks, on any
// device from 8.0 on, in double and float.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/small/gather.cuh"
#include "numeric/cuda/factor/small/portable_fronts.cuh"

namespace kauri::numeric::cuda {
namespace {

namespace ptx = kernels::ptx;

/// The Assembly of fronts whose results all lanes of a warp store.
template <class T>
struct PlainGather : Gather<T, T> {
  /// Called by one lane after a barrier of the warp, which puts all lanes' stores before the fence.
  __device__ void stored(const GatheredFront<T>& front) const {
    if (front.parent == kNone || watchdog::loses()) return;
    ptx::release_fence();
    ptx::add_relaxed(this->done + front.parent, 1);
  }
};

/// Calls use() with the kernels of T and the loop, and returns its result.
template <class T, class Use>
auto with_kernels(kernels::SmallLoop loop, const Use& use) {
  using kernels::portable::PortableFronts;
  if constexpr (ptx::kTensorCores && sizeof(T) == sizeof(double))
    if (loop == kernels::SmallLoop::tensor)
      return use(PortableFronts<kernels::PortableCore, PlainGather<T>>());
  return use(PortableFronts<kernels::MultiplyAdds<T>, PlainGather<T>>());
}

}  // namespace

template <class T>
bool prepare_portable_gathered(kernels::SmallLoop loop) {
  return with_kernels<T>(loop, [](auto of_loop) { return of_loop.prepare(); });
}

template <class T>
cudaError_t enqueue_portable_gathered(kernels::SmallLoop loop, const GatheredFront<T>* fronts,
                                      Index count, Index max_rows, const GatherSource<T>& source,
                                      cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  return with_kernels<T>(loop, [&](auto of_loop) {
    return of_loop.enqueue(fronts, count, max_rows, PlainGather<T>{{source}}, stream);
  });
}

#define KAURI_PORTABLE(T)                                                                     \
  template bool prepare_portable_gathered<T>(kernels::SmallLoop);                             \
  template cudaError_t enqueue_portable_gathered(kernels::SmallLoop, const GatheredFront<T>*, \
                                                 Index, Index, const GatherSource<T>&,        \
                                                 cudaStream_t);
KAURI_PORTABLE(float)
KAURI_PORTABLE(double)
#undef KAURI_PORTABLE

}  // namespace kauri::numeric::cuda
