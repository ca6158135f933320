// This header defines what CUDA C++ has and HIP has not, or has with another meaning: a
// thread's number, operations of the 32 lanes of a warp, loads with a cache policy, launch bounds.
//
// The warp of 32 lanes stays the unit of all kernels (decision D088). On wavefronts of 32 lanes a
// warp is a wavefront. On wavefronts of 64 lanes it depends on the source:
//  - With KAURI_WARPS_WAIT (kernels whose warps wait for one another) a warp is the lower half of a
//    wavefront, whose upper half ends as the kernel begins (begin_block()). Lanes of a wavefront
//    run in lockstep: two warps of one wavefront that wait for different numbers, one of which the
//    other warp has to make, would wait forever.
//  - Else two warps are the halves of a wavefront.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/machine_amd.cuh"

namespace kauri::numeric::cuda::hip {

#ifdef KAURI_WARPS_WAIT
inline constexpr bool kWarpsWait = true;
#else
inline constexpr bool kWarpsWait = false;
#endif

// Each kind of sources has its own functions, which the linker keeps apart.
#ifdef KAURI_WARPS_WAIT
inline namespace waiting {
#else
inline namespace passing {
#endif

/// Hardware threads for each thread of a kernel.
inline constexpr unsigned kShare = kWarpsWait ? kWavefront / 32 : 1;

struct Place {
  unsigned x;
};
__device__ inline Place this_thread() {
  const unsigned thread = hardware_thread();
  return {kShare == 1 ? thread : thread / kWavefront * 32 + thread % kWavefront};
}

/// Returns the lane of the wavefront that is lane 0 of the calling warp.
__device__ inline unsigned first_lane() { return hardware_thread() % kWavefront / 32 * 32; }
__device__ inline unsigned lane_of_warp() { return hardware_thread() % 32; }

/// Returns `value` of lane `from` of the warp.
template <class T>
__device__ inline T of_lane(T value, unsigned from) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  std::uint32_t word[sizeof(T) / sizeof(std::uint32_t)];
  __builtin_memcpy(word, &value, sizeof value);
  for (std::uint32_t& w : word) w = word_of_lane(w, first_lane() + from);
  __builtin_memcpy(&value, word, sizeof value);
  return value;
}

// The warp's operations of CUDA. All of its lanes take part, so masks are not passed on.
template <class T>
__device__ inline T shuffle(T value, int from, int width = 32) {
  const unsigned all = static_cast<unsigned>(width) - 1;
  return of_lane(value, (lane_of_warp() & ~all) | (static_cast<unsigned>(from) & all));
}
template <class T>
__device__ inline T shuffle_down(T value, int by) {
  const unsigned lane = lane_of_warp(), from = lane + static_cast<unsigned>(by);
  return of_lane(value, from < 32 ? from : lane);
}
template <class T>
__device__ inline T shuffle_xor(T value, int by) {
  return of_lane(value, lane_of_warp() ^ static_cast<unsigned>(by));
}
__device__ inline std::uint32_t ballot(bool yes) {
  return static_cast<std::uint32_t>(vote(yes) >> first_lane());
}

/// Loads past L1, and of data that is read once.
template <class T>
__device__ inline T load_past_l1(const T* p) {
  if constexpr (sizeof(T) <= 8 && !requires { p->x; })
    return load_device(p);
  else
    return {load_device(&p->x), load_device(&p->y)};
}
template <class T>
__device__ inline T load_once(const T* p) {
  if constexpr (requires { p->x; })
    return {__builtin_nontemporal_load(&p->x), __builtin_nontemporal_load(&p->y)};
  else
    return __builtin_nontemporal_load(p);
}

__device__ inline void sleep(unsigned nanoseconds) {
  constexpr unsigned kPause = 40;  // ns, about
  for (unsigned slept = 0; slept < nanoseconds; slept += kPause) pause();
}

}  // namespace waiting or passing
}  // namespace kauri::numeric::cuda::hip

#undef __launch_bounds__
#define threadIdx (::kauri::numeric::cuda::hip::this_thread())
#define __syncwarp() ::kauri::numeric::cuda::hip::order_wavefront()
#define __shfl_sync(mask, ...) \
  (static_cast<void>(mask), ::kauri::numeric::cuda::hip::shuffle(__VA_ARGS__))
#define __shfl_down_sync(mask, ...) \
  (static_cast<void>(mask), ::kauri::numeric::cuda::hip::shuffle_down(__VA_ARGS__))
#define __shfl_xor_sync(mask, ...) \
  (static_cast<void>(mask), ::kauri::numeric::cuda::hip::shuffle_xor(__VA_ARGS__))
#define __ballot_sync(mask, ...) \
  (static_cast<void>(mask), ::kauri::numeric::cuda::hip::ballot(__VA_ARGS__))
#define __any_sync(mask, ...) static_cast<int>(__ballot_sync(mask, __VA_ARGS__) != 0)
#define __ldcg(...) ::kauri::numeric::cuda::hip::load_past_l1(__VA_ARGS__)
#define __ldcs(...) ::kauri::numeric::cuda::hip::load_once(__VA_ARGS__)
#define __nanosleep(...) ::kauri::numeric::cuda::hip::sleep(__VA_ARGS__)
// The second bound, blocks on a multiprocessor, is left to the compiler.
#define __launch_bounds__(threads, ...) \
  __attribute__((amdgpu_flat_work_group_size(1, (threads) * ::kauri::numeric::cuda::hip::kShare)))
