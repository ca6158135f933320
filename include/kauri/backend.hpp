// Where numbers live and are computed: the CPU (always there) or a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kauri/roofline.hpp"
#include "kauri/types.hpp"

namespace kauri {

namespace numeric {
class Executor;  // numeric/backend.hpp
}

/// What computes.
enum class BackendKind {
  cpu,   ///< threads of the host
  cuda,  ///< a CUDA device
};

/// Memory, threads or streams of one device. Explicit, and outlives the prepared plans, factors, workspaces and products made with it;
/// moving it does not disturb them. Move-only; one moved from may be assigned to and destroyed, nothing else. One backend may serve several
/// factors; calls on different factors may run at the same time.
class Backend {
 public:
  ~Backend();
  Backend(Backend&&) noexcept;
  Backend& operator=(Backend&&) noexcept;

  /// Where this one computes.
  [[nodiscard]] BackendKind kind() const;
  /// "cpu-avx512", "cpu-avx2", "cpu-generic", "sm_90" ...: the name of the cost table, and on the CPU of the kernels used (on a
  /// device CudaOptions::compute says those).
  [[nodiscard]] std::string target() const;
  /// What does large fronts in a scalar of 4 or 8 bytes: on the CPU the target's name, on a device the loops "hopper", "tensor", "fma",
  /// "tf32x3", "tf32" or "fp16x3" (see CudaCompute), "levels" where it can run none of them and all fronts are done level by level, and
  /// "none" where the loops asked for are not those of this scalar.
  [[nodiscard]] std::string kernels(int scalar_bytes) const;
  /// The same for the factor in float of a MixedFactor, whose matrix is scaled: on Hopper "fp16x3".
  [[nodiscard]] std::string mixed_kernels() const;
  /// What bounds phases here, of factors in a scalar of 4 or 8 bytes; memory is what is beyond all caches. On the CPU measured, by all
  /// threads, at the process's first call for a scalar and a number of threads: some tenths of a second, and 256 MB meanwhile, or what
  /// there is of them; Error(memory) where there are not even 16. On a device what its clocks, its multiprocessors and its memory bus come
  /// to, as its maker tells it; on one whose rates kauri does not know 0.
  [[nodiscard]] Roofline roofline(int scalar_bytes = 8) const;
  /// The same for the factor in float of a MixedFactor.
  [[nodiscard]] Roofline mixed_roofline() const;
  /// The device in words, for reports.
  [[nodiscard]] std::string device() const;
  /// Threads really used, which may be fewer than asked for.
  [[nodiscard]] int threads() const;

  /// Bytes that prepared plans, factors, workspaces and products (SparseProduct) of this backend hold now.
  [[nodiscard]] Offset bytes_in_use() const;
  /// The most of them at a time since reset_peak(), or since the backend was made.
  [[nodiscard]] Offset peak_bytes() const;
  /// From now on: peak_bytes() is what is in use.
  void reset_peak();

  /// kauri's own: cpu_backend() and cuda_backend() make backends.
  explicit Backend(std::unique_ptr<numeric::Executor> executor);
  /// kauri's own.
  [[nodiscard]] numeric::Executor& executor() const { return *executor_; }

 private:
  std::unique_ptr<numeric::Executor> executor_;
};

/// threads >= 1, or 0 for one per hardware thread that is the process's, no more than quotas of its control groups pay for, or for what the
/// host program set with tbb::global_control. More than oneTBB allows are cut, see threads(). They are this backend's (an own arena): no
/// environment variable is read, no setting of the host program is changed. The result does not depend on their number, bit for bit.
///
/// Calls that compute throw Error(memory) where the system refuses a thread; with threads = 1 none is asked for. A child that fork()
/// made of a process in which kauri had threads, or which had called kauri and had other threads than the one that forked, starts none:
/// what the child was given, and what it makes, goes on with the calling thread alone, to the same bits. What another thread was calling
/// when the process forked is not to be used in the child.
Backend cpu_backend(int threads = 0);

/// A stream of a backend's device: a cudaStream_t, which converts by itself; null is the default stream of the context that the
/// backend works in, see cuda_backend(). On the CPU always null.
using StreamHandle = void*;

/// Where a CUDA backend takes the device's memory from, in place of cudaMalloc and cudaFree: once for each prepared plan, factor,
/// workspace, refiner, product, selected inverse, FusedSolve (beside what it has of the former) and array of DeviceValues; for the time of
/// a call, by refine(), backward_error() and multiply(), which keep A's rows there, by Factor::multiply(), lower_diagonal() and
/// log_determinant(), and by what a SparseProduct does with the host's memory; for A's rows by each compute() of a Solver, as long as it
/// holds that matrix; and for a short time when the backend is made. Both functions are called with the device current, from any thread,
/// and by several at a time, but never by calls that enqueue. No call moves or frees what is in use on a stream.
struct DeviceAllocator {
  /// `bytes` > 0 on the device, aligned to 256, usable on any stream at once; null where there are not that many: then the call that asked
  /// throws Error(memory).
  void* (*allocate)(std::size_t bytes, void* user) = nullptr;
  /// Takes back what allocate() gave, with the same number of bytes.
  void (*release)(void* memory, std::size_t bytes, void* user) = nullptr;
  void* user = nullptr;  ///< passed on; lives as long as anything made with the backend
};

/// Arithmetic of the products in large fronts on a device. `automatic` takes in double `hopper` on compute capability 9.0, else `tensor`
/// where tensor cores are fast in double (8.0, 9.0, 10.0), else `fma`; in float it takes `tf32x3` on these, else `fma`. A choice that is
/// for float alone leaves double on `automatic`; with a choice that is for double alone, the backend makes no factors in float.
enum class CudaCompute {
  automatic,  ///< the choice above
  hopper,  ///< double: mma.m16n8k16, bulk copies; small fronts too have kernels of their own. Compute capability 9.0, 114 multiprocessors
  tensor,  ///< double: mma.m8n8k4. From 8.0 on
  fma,     ///< fused multiply-adds. From 8.0 on
  tf32x3,  ///< float: tensor cores in TF32, operands in two parts, three products of four: errors of L about those of `fma`. From 8.0 on
  tf32,    ///< float: the same with operands of 11 bits and one product: L to about 3 digits, for a preconditioner. From 8.0 on
  /// float: as tf32x3 by tensor cores in FP16, faster, for entries of L below 31 in magnitude, to 2^-36; with a larger one the matrix
  /// may count as not positive definite. What MixedFactor, whose matrices are scaled, takes on its own. Compute capability 9.0
  fp16x3,
};

/// How cuda_backend() uses a device.
struct CudaOptions {
  int device = 0;                                ///< as CUDA numbers them
  DeviceAllocator allocator{};                   ///< both functions null: cudaMalloc and cudaFree
  CudaCompute compute = CudaCompute::automatic;  ///< for large fronts
  /// Solves on Hopper by sweeps that are as fast as memory, in place of simple kernels level by level, the way of everything else. Of
  /// factors in float these read L as it is, and keep all numbers of a solve in double but b, x and, between the two sweeps, y. Without it
  /// what DeviceSchedule::Sweeps::bytes says is not taken, and workspaces are of other sizes.
  bool fast_solve = true;
  /// Right-hand sides that these sweeps take together at most, of factors in double: 1, 8 or 32. A workspace for more than one has room for
  /// as many solutions at once (Plan::workspace_bytes). With 1 each column has the bits of its solve alone, and less room is taken.
  Index solves_together = 32;
  /// Columns that one group of thread blocks solves, when 9 to 32 columns are solved together: 8 (four groups side by side), 16 (two) or 32
  /// (one). 0 chooses by size: with at most 2^24 entries of L, 8 up to 2^14 rows of A and 16 up to 2^16 rows; else 32. The bits of a column
  /// depend on this.
  Index group_columns = 0;
};

/// Beside what factors and workspaces hold on the device, a backend keeps 16 MB of page-locked memory of the host, through which ordinary
/// memory is copied at the speed of the bus, and streams and page-locked places for verdicts, as many as factors and workspaces have had
/// at a time. These belong to no plan's bytes.
///
/// The backend works in the CUDA context that the calling thread has on that device, if it has one: a context of its own (cuCtxCreate),
/// which then lives as long as anything made with the backend, and which its streams and arrays belong to. Else it works in the device's
/// primary context, that of the CUDA runtime and of the libraries built on it, made where it is not there and kept until the process ends.
/// Each call enters that context, from any thread, and leaves the thread the context that it had, or none: no other device is touched.
/// Calls that are not on a capturing stream themselves do not disturb captures, of any thread, and are not disturbed by them; destructors
/// too, wherever they run.
///
/// Throws Error(device) where kauri was built without CUDA, the device is not there, with the driver's reason, or this build has no code
/// for it, Error(usage) where one function of the allocator is null and the other is not, or the device
/// cannot run the loops; Factor<float>::create throws it where these are of double alone.
Backend cuda_backend(const CudaOptions& options);
/// The same with all other options as they are by default. device: as CUDA numbers them, from 0.
Backend cuda_backend(int device = 0);

/// True if cuda_backend(0) would succeed, as far as that is known without a CUDA context on the device, which is not made: the device is
/// there, and this build has code for it. Of several devices it is the first that is asked.
bool cuda_available();

/// The CPU target of this machine: "cpu-avx512", "cpu-avx2" or "cpu-generic".
std::string host_target();

}  // namespace kauri
