// Other headers of this folder are made of these instructions of AMD devices: hardware threads and
// wavefronts, words read from other lanes, and accesses, fences and pauses with the scopes of
// AMD's memory model (LLVM, "User Guide for AMDGPU Backend"). The emulated device replaces this
// header (tests/emulator/wavefronts).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::numeric::cuda::hip {

/// Lanes of a wavefront: 64 on gfx9 (CDNA), 32 on gfx10 and later. In code for the host the value
/// has no meaning.
#if defined(__GFX8__) || defined(__GFX9__)
inline constexpr unsigned kWavefront = 64;
#else
inline constexpr unsigned kWavefront = 32;
#endif

/// Returns the number of the hardware thread in its block.
__device__ inline unsigned hardware_thread() { return __builtin_amdgcn_workitem_id_x(); }

/// Returns `word` of lane `from` of the wavefront, which must run now.
__device__ inline std::uint32_t word_of_lane(std::uint32_t word, unsigned from) {
  return static_cast<std::uint32_t>(
      __builtin_amdgcn_ds_bpermute(static_cast<int>(4 * from), static_cast<int>(word)));
}

/// Returns one bit for each lane of the wavefront that runs now: whether its argument is true.
__device__ inline std::uint64_t vote(bool yes) {
#if !defined(__AMDGCN__)  // code for the host
  return yes ? 1 : 0;
#elif !__has_builtin(__builtin_amdgcn_ballot_w64)  // Clang before 16
  return __builtin_amdgcn_uicmp(static_cast<unsigned>(yes), 0U, 33);  // 33: not equal
#elif defined(__GFX8__) || defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(yes);
#else
  return __builtin_amdgcn_ballot_w32(yes);
#endif
}

/// Orders all accesses of the lanes of a wavefront before it and after it. Lanes run in lockstep,
/// so this is no instruction: it keeps the compiler from moving accesses.
__device__ inline void order_wavefront() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/// Fences among the threads of a block, and of a device.
__device__ inline void release_to_block() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }
__device__ inline void acquire_from_block() {
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline void release_to_device() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
__device__ inline void acquire_from_device() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }

/// Load and store a number past L1, without ordering.
template <class T>
__device__ inline T load_device(const T* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ inline void store_device(T* p, T value) {
  __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void add_device(int* p, int value) {
  __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void max_device(int* p, int value) {
  __hip_atomic_fetch_max(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Load, add to and set a word that the threads of a block share. add_shared() returns the word
/// before.
__device__ inline std::uint32_t load_shared_word(const std::uint32_t* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
__device__ inline std::uint32_t add_shared(std::uint32_t* p, std::uint32_t value) {
  return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

/// Lets other wavefronts run for 64 cycles, in a loop that waits.
__device__ inline void pause() { __builtin_amdgcn_s_sleep(1); }

/// Copies 8 or 16 bytes from global to shared memory, both aligned to them.
template <int kBytes>
__device__ inline void copy_to_shared(void* to_shared, const void* from_global) {
  using Unit = std::uint32_t __attribute__((ext_vector_type(kBytes / 4)));
  using Shared = __attribute__((address_space(3))) Unit;
  using Global = const __attribute__((address_space(1))) Unit;
  *(Shared*)to_shared = *(Global*)from_global;  // C's casts alone convert address spaces
}

/// Estimates of 1/x and 1/sqrt(x): of doubles to 20 bits and more, of floats to a unit or two.
__device__ inline double estimate_reciprocal(double x) { return __builtin_amdgcn_rcp(x); }
__device__ inline float estimate_reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
__device__ inline double estimate_reciprocal_root(double x) { return __builtin_amdgcn_rsq(x); }
__device__ inline float estimate_reciprocal_root(float x) { return __builtin_amdgcn_rsqf(x); }

/// Ends the kernel with an error.
__device__ inline void trap() { __builtin_trap(); }

}  // namespace kauri::numeric::cuda::hip
