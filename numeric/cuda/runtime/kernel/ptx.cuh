// The few instructions that C++ has no name for: bulk copies and their barriers, acquire and
// release, tensor cores in FP64, TF32 and FP16.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KAURI_HIP
#include "numeric/cuda/runtime/kernel/ptx_amd.cuh"
#else

#include <cstdint>

#include "numeric/cuda/runtime/kernel/watchdog.cuh"

namespace kauri::numeric::cuda::kernels::ptx {

/// Portable kernels rely on this: all devices have tensor cores and 99 KB for a block, all of whose
/// threads run.
inline constexpr bool kTensorCores = true;
inline constexpr int kBlockKilobytes = 99;
__device__ constexpr bool begin_block() { return true; }

using SharedAddress = std::uint32_t;
__device__ inline SharedAddress shared_address(const void* p) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(p));
}

__device__ inline double* shared_pointer(SharedAddress address) {
  return static_cast<double*>(__cvta_shared_to_generic(address));
}

/// Load one or two doubles from shared memory, by instructions that the compiler does not move.
__device__ inline void load_shared(double& x, SharedAddress address) {
  asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(x) : "r"(address) : "memory");
}
__device__ inline void load_shared(double& x, double& y, SharedAddress address) {
  asm volatile("ld.volatile.shared.v2.f64 {%0, %1}, [%2];"
               : "=d"(x), "=d"(y)
               : "r"(address)
               : "memory");
}

__device__ inline SharedAddress load_shared(const SharedAddress* from) {
  SharedAddress x;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(shared_address(from)) : "memory");
  return x;
}

/// Returns threadIdx.x, which it reads anew, so that the compiler does not keep it in a register
/// from an earlier read.
__device__ inline int thread_index() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

/// Returns true in one lane of the warp; all lanes call it. It does not need the lane's number,
/// which would have to be kept or read.
__device__ inline bool elect() {
  std::uint32_t chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(chosen));
  return chosen != 0;
}

__device__ inline void barrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// Makes initialised barriers visible to bulk copies.
__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

__device__ inline void barrier_arrive_expecting(std::uint64_t* barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// try_wait, which devices have from Hopper on, lets the thread sleep until the phase completes or
// some time has passed; test_wait, for older devices, returns at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define KAURI_BARRIER_WAIT "mbarrier.test_wait.parity.shared::cta.b64"
#else
#define KAURI_BARRIER_WAIT "mbarrier.try_wait.parity.shared::cta.b64"
#endif
/// Waits until the barrier's phase of parity 0 or 1 has completed.
__device__ inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  const SharedAddress address = shared_address(barrier);
  std::uint32_t done = 0;
  watchdog::Watch watch;
  while (done == 0) {
    asm volatile("{\n .reg .pred p;\n " KAURI_BARRIER_WAIT
                 " p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address), "r"(parity)
                 : "memory");
    if (done == 0) watch.look(watchdog::Awaited::barrier, barrier, parity, 0);
  }
}
#undef KAURI_BARRIER_WAIT

/// Starts to copy bytes (a multiple of 16) from global to shared memory, both aligned to 16 bytes.
/// Their arrival is counted on `barrier`, whose phase must expect them
/// (barrier_arrive_expecting()).
__device__ inline void bulk_copy(void* to_shared, const void* from_global, int bytes,
                                 std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// Starts to bring bytes (a multiple of 16) of global memory to the L2 cache; there is no way to
/// wait for their arrival.
__device__ inline void prefetch(const void* from_global, int bytes) {
  asm volatile(
      "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from_global)),
      "r"(bytes)
      : "memory");
}

/// Starts to bring the line of 128 bytes at an address to the L2 cache.
__device__ inline void prefetch_line(const void* from_global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from_global)));
}

/// Starts to copy bytes (a multiple of 16) from shared to global memory, in one group with the
/// thread's other bulk stores since the last finish_stores() or finish_store_reads().
__device__ inline void bulk_store(void* to_global, const void* from_shared, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
}

/// Waits until this thread's bulk stores are in global memory.
__device__ inline void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Waits until this thread's bulk stores have read shared memory, which may then be written again
/// or given back.
__device__ inline void finish_store_reads() {
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/// Starts to copy 8 bytes from global to shared memory. finish_async_copies() waits for the copies
/// of this thread.
__device__ inline void copy_8_async(void* to_shared, const void* from_global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(to_shared)),
               "l"(__cvta_generic_to_global(from_global))
               : "memory");
}
/// Starts to copy 16 bytes from global to shared memory, past L1. commit_copies() makes a group of
/// the thread's copies since its previous commit_copies(); wait_for_copies() waits for groups.
__device__ inline void copy_16_async(void* to_shared, const void* from_global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
               "l"(__cvta_generic_to_global(from_global))
               : "memory");
}
/// Arrives at the barrier when all copies that this thread has begun so far have come: one of the
/// arrivals that barrier_init() counts.
__device__ inline void arrive_after_copies(std::uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until all but the last `kLeft` groups of this thread's copies have arrived.
template <int kLeft>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
__device__ inline void finish_async_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Orders this thread's ordinary accesses and bulk copies, both ways.
__device__ inline void proxy_fence() { asm volatile("fence.proxy.async;" ::: "memory"); }

/// Orders this thread's ordinary accesses and bulk copies in shared memory alone: unlike
/// proxy_fence() it does not wait for the thread's stores to global memory.
__device__ inline void shared_proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline int load_acquire(const int* p) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}

__device__ inline void store_release(int* p, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(value)
               : "memory");
}

/// Orders earlier accesses before later stores. Several flags are released by one release_fence()
/// and a store_relaxed() for each; a store_release() for each would wait for memory each time.
__device__ inline void release_fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ inline void store_relaxed(int* p, int value) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(value)
               : "memory");
}

/// Loads a counter without ordering. Several counters are acquired by load_relaxed() of each, then
/// one acquire_fence(), which makes visible all writes that were released with the loaded values.
__device__ inline int load_relaxed(const int* p) {
  int value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}
__device__ inline void acquire_fence() { release_fence(); }

__device__ inline void add_relaxed(int* p, int value) {
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
               "r"(value)
               : "memory");
}

__device__ inline void max_relaxed(int* p, int value) {
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
               "r"(value)
               : "memory");
}

/// Barrier `id` among `threads` threads of the block: named_sync() waits there, named_arrive() only
/// arrives.
__device__ inline void named_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void named_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Raises (take) or lowers (leave) the registers of each thread of this group of four warps from
/// kFrom to kTo (sm_90a). A warp that takes waits until the block has enough free ones, and waiting
/// warps are served in any order: no warp may have to take registers before it leaves others.
template <int kFrom, int kTo>
__device__ inline void take_registers() {
  static_assert(kFrom < kTo);
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kTo));
}
template <int kFrom, int kTo>
__device__ inline void leave_registers() {
  static_assert(kFrom > kTo);
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kTo));
}

/// Returns -x by its sign bit, without an instruction of the FP64 pipe.
__device__ inline double flipped(double x) {
  return __hiloint2double(__double2hiint(x) ^ static_cast<int>(0x80000000u), __double2loint(x));
}
__device__ inline float flipped(float x) { return -x; }

/// c (16x8) += a (16x16) b (16x8).
__device__ inline void mma(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

/// d (16x8) = c + a (16x16) b (16x8).
__device__ inline void mma(double (&d)[4], const double (&a)[8], const double (&b)[4],
                           const double (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, "
      "{%16,%17,%18,%19};"
      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
}

/// c (16x8) += a (16x8) b (8x8).
__device__ inline void mma(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/// c (8x8) += a (8x4) b (4x8).
__device__ inline void mma(double (&c)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}

/// Returns x rounded to the 11 bits of TF32, to nearest, ties away from zero. Keeps infinities
/// and NaN.
__device__ inline float to_tf32(float x) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

/// c (16x8) += a (16x8) b (8x8) in TF32, which ignores the lowest 13 bits of the operands. `upper`:
/// rows 0-7 of c; `lower`: rows 8-15.
__device__ inline void mma_tf32(float (&upper)[2], float (&lower)[2], const float (&a)[4],
                                const float (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Returns x and y, rounded to nearest, as two fp16 in one word, x in the lower half. from_halves()
/// sets x and y to the two numbers of a word.
__device__ inline std::uint32_t to_halves(float x, float y) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(y), "f"(x));
  return halves;
}
__device__ inline void from_halves(float& x, float& y, std::uint32_t halves) {
  asm("{\n .reg .f16 lower, upper;\n mov.b32 {lower, upper}, %2;\n cvt.f32.f16 %0, lower;\n "
      "cvt.f32.f16 %1, upper;\n}"
      : "=f"(x), "=f"(y)
      : "r"(halves));
}

/// Descriptor of the right operand of multiply_group() (wgmma) in shared memory, 64 rows in groups
/// of 8. Of floats it is (64,8): a group is 8 x 4 entries by rows, then 8 x 4 more. Of halves it is
/// (64,16): a group is 8 x 8 entries, then 8 x 8 more. `stride`: distance of two groups; `step`:
/// distance of a group's two parts. Both count units of 4 bytes, for halves too.
struct GroupOperand {
  std::uint64_t descriptor;
};
__device__ inline GroupOperand group_operand(const float* first, int stride, int step) {
  const auto field = [](int entries) {
    return static_cast<std::uint64_t>(entries) * sizeof(float) / 16;
  };
  return {(shared_address(first) & 0x3ffffU) >> 4 | field(step) << 16 | field(stride) << 32};
}

/// Bracket multiply_group() of a group of four warps. begin_group() comes before the products, when
/// the registers that they use have been computed; commit_group() after they have been issued.
/// finish_group() waits for all products but those of the last `kLeft` commits; until then no
/// thread may access the registers and the shared memory that the products read or write.
__device__ inline void begin_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kLeft>
__device__ inline void finish_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

// Operands of a group's products: 32 registers of c, rows 0-7 and 8-15 by columns of 8, "+f" or
// "=f"; four registers of a.
#define KAURI_GROUP_ROWS(how, n) \
  how(upper[n][0]), how(upper[n][1]), how(lower[n][0]), how(lower[n][1])
#define KAURI_GROUP_SUM(how)                                                        \
  KAURI_GROUP_ROWS(how, 0), KAURI_GROUP_ROWS(how, 1), KAURI_GROUP_ROWS(how, 2),     \
      KAURI_GROUP_ROWS(how, 3), KAURI_GROUP_ROWS(how, 4), KAURI_GROUP_ROWS(how, 5), \
      KAURI_GROUP_ROWS(how, 6), KAURI_GROUP_ROWS(how, 7)
#define KAURI_GROUP_PRODUCT(shape, adds, rest)                                                    \
  "{\n .reg .pred p;\n setp.ne.b32 p, " adds ", 0;\n wgmma.mma_async.sync.aligned." shape         \
  " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%" \
  "25,%26,%27,%28,%29,%30,%31}, "                                                                 \
  "{%32,%33,%34,%35}, %36, p, 1, 1" rest ";\n}"
#define KAURI_GROUP_TF32(adds) KAURI_GROUP_PRODUCT("m64n64k8.f32.tf32.tf32", adds, "")
#define KAURI_GROUP_HALVES(adds) KAURI_GROUP_PRODUCT("m64n64k16.f32.f16.f16", adds, ", 0")

/// c (16x64) += a (16x8) b (64x8)^T for each warp of a group, in TF32 as in mma_tf32(). `upper`:
/// rows 0-7 of c, by columns of 8; `lower`: rows 8-15.
__device__ inline void multiply_group(float (&upper)[8][2], float (&lower)[8][2],
                                      const float (&a)[4], GroupOperand b) {
  asm volatile(KAURI_GROUP_TF32("1")
               : KAURI_GROUP_SUM("+f")
               : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
                 "r"(__float_as_uint(a[3])), "l"(b.descriptor));
}
/// c (16x64) = a (16x8) b (64x8)^T for each warp of a group, in TF32; operands of multiply_group().
__device__ inline void multiply_group_from_zero(float (&upper)[8][2], float (&lower)[8][2],
                                                const float (&a)[4], GroupOperand b) {
  asm volatile(KAURI_GROUP_TF32("0")
               : KAURI_GROUP_SUM("=f")
               : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
                 "r"(__float_as_uint(a[3])), "l"(b.descriptor));
}
/// c (16x64) += a (16x16) b (64x16)^T for each warp of a group, in fp16 with sums in float; c as in
/// multiply_group() of floats. Each word of a lane's `a` holds two columns, 2 (lane % 4) and the
/// next one: of row lane / 4, of row lane / 4 + 8, then of both rows 8 columns further right.
__device__ inline void multiply_group(float (&upper)[8][2], float (&lower)[8][2],
                                      const std::uint32_t (&a)[4], GroupOperand b) {
  asm volatile(KAURI_GROUP_HALVES("1")
               : KAURI_GROUP_SUM("+f")
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor));
}
/// c (16x64) = a (16x16) b (64x16)^T for each warp of a group; operands of multiply_group() in
/// fp16.
__device__ inline void multiply_group_from_zero(float (&upper)[8][2], float (&lower)[8][2],
                                                const std::uint32_t (&a)[4], GroupOperand b) {
  asm volatile(KAURI_GROUP_HALVES("0")
               : KAURI_GROUP_SUM("=f")
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor));
}
#undef KAURI_GROUP_ROWS
#undef KAURI_GROUP_SUM
#undef KAURI_GROUP_PRODUCT
#undef KAURI_GROUP_TF32
#undef KAURI_GROUP_HALVES

/// Returns x unchanged and hides its value from the compiler, which so computes expressions of the
/// result where they are used, not ahead of a loop to keep them in registers. renew() hides the
/// value of its argument in place.
__device__ __forceinline__ int anew(int x) {
  asm volatile("" : "+r"(x));
  return x;
}
__device__ __forceinline__ unsigned anew(unsigned x) {
  return static_cast<unsigned>(anew(static_cast<int>(x)));
}
__device__ __forceinline__ void renew(float& x) { asm volatile("" : "+f"(x)::"memory"); }
__device__ __forceinline__ void renew(std::uint32_t& x) { asm volatile("" : "+r"(x)::"memory"); }

/// Computes y of 20 or more bits, and e, such that 1/x is y (1 + e) to about 60 bits. x must be
/// positive and normal.
__device__ inline void reciprocal_parts(double x, double& y, double& e) {
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double r = fma(-x, y, 1.0);
  e = fma(r, r, r);
}

/// Returns 1/sqrt(x) to a few units in the last place, by a cubic step on an estimate of 20 or more
/// bits. x must be positive and normal.
__device__ inline double reciprocal_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double r = fma(-x * y, y, 1.0);
  return fma(y * r, fma(0.375, r, 0.5), y);
}

/// Returns 1/x to 22 or more bits. x and 1/x must be normal.
__device__ inline float rough_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Returns 1/sqrt(x) to a unit or two in the last place. x must be positive and normal.
__device__ inline float reciprocal_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float r = fma(-(x * y), y, 1.0F);
  return fma(0.5F * y, r, y);
}

}  // namespace kauri::numeric::cuda::kernels::ptx

#endif
