// Backend: where factors and vectors are stored and computed, the CPU (always available) or a CUDA
// device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kauri/core/roofline.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

namespace numeric {
class Executor;  // numeric/backend.hpp
}

/// Kinds of devices that compute.
enum class BackendKind {
  cpu,   ///< threads of the CPU
  cuda,  ///< a CUDA device
};

/// Memory and threads, or streams, of one device. The caller creates it and keeps it alive longer
/// than the prepared plans, factors, workspaces and products made with it; moving it leaves them
/// valid. Move-only; one that was moved from may only be assigned to or destroyed. One backend may
/// serve several factors, and calls on different factors may run at the same time.
class Backend {
 public:
  ~Backend();
  Backend(Backend&&) noexcept;
  Backend& operator=(Backend&&) noexcept;

  /// Returns the kind of device: the CPU or a CUDA device.
  [[nodiscard]] BackendKind kind() const;
  /// Returns the name of the cost table for this device: "cpu-avx512", "cpu-avx2", "cpu-generic",
  /// "sm_90" ... On the CPU this is also the name of the kernels in use; on a device kernels()
  /// returns the name of the kernels.
  [[nodiscard]] std::string target() const;
  /// Returns the name of the kernels that factorise large fronts in a scalar of 4 or 8 bytes. On
  /// the CPU this is target(). On a device it is the arithmetic, "hopper", "tensor", "fma",
  /// "tf32x3", "tf32" or "fp16x3" (see CudaCompute); "levels" if the device can run none of these
  /// kernels, so that all fronts are done level by level; "none" for float if CudaOptions::compute
  /// is an arithmetic for double alone.
  [[nodiscard]] std::string kernels(int scalar_bytes) const;
  /// Returns the name of the kernels for the float factor of a MixedFactor, whose matrix is scaled:
  /// "fp16x3" on Hopper under CudaCompute::automatic, else the same name as kernels(4).
  [[nodiscard]] std::string mixed_kernels() const;
  /// Returns the highest rates of this device for factors in a scalar of 4 or 8 bytes: operations
  /// per second, and bytes read per second from memory, not from caches. On the CPU the first call
  /// of the process for a scalar and a number of threads measures both with all threads, in some
  /// tenths of a second, by reading 256 MB, or the most that can be allocated; it throws
  /// Error(memory) if that is less than 16 MB. On a device the rates follow from clocks,
  /// multiprocessors and memory bus, as the driver reports them; flops_per_s is 0 for a device
  /// whose operations per cycle kauri does not know.
  [[nodiscard]] Roofline roofline(int scalar_bytes = 8) const;
  /// Returns roofline(4), but for the kernels of the float factor of a MixedFactor
  /// (mixed_kernels()).
  [[nodiscard]] Roofline mixed_roofline() const;
  /// Returns the name of the processor or of the CUDA device, for reports.
  [[nodiscard]] std::string device() const;
  /// Returns which code of this build a CUDA device runs: "machine code for 8.6", or "PTX of 9.0,
  /// which the driver compiles when it is first loaded", which can take a minute at the first use
  /// on a machine. Empty on the CPU, and if the build's architectures are not known ("all").
  [[nodiscard]] std::string device_code() const;
  /// Returns the number of CPU threads in use, which may be fewer than asked for; 1 on a device.
  [[nodiscard]] int threads() const;

  /// Returns the bytes that prepared plans, factors, workspaces, batches, selected inverses,
  /// products (SparseProduct) and fused solves (FusedSolve) of this backend hold now. Bytes in a
  /// file (CpuOptions::factor_file) do not count.
  [[nodiscard]] Offset bytes_in_use() const;
  /// Returns the largest bytes_in_use() since reset_peak(), or since the backend was made.
  [[nodiscard]] Offset peak_bytes() const;
  /// Sets the peak to bytes_in_use().
  void reset_peak();

  /// Internal: cpu_backend() and cuda_backend() make backends.
  explicit Backend(std::unique_ptr<numeric::Executor> executor);
  /// Internal.
  [[nodiscard]] numeric::Executor& executor() const { return *executor_; }

 private:
  std::unique_ptr<numeric::Executor> executor_;
};

/// Options of cpu_backend() beside its threads.
struct CpuOptions {
  /// Folder on a disk in which each factor of the backend has a file, for factors that are larger
  /// than the memory; empty: factors lie in memory. Linux only.
  ///
  /// L and the contribution blocks lie in the file, Plan::peak_bytes() without
  /// Plan::counter_bytes(). The system holds as many of these bytes in memory as there is room for,
  /// in the page cache; they are not bytes_in_use(). All calls do the same work as in memory, and
  /// give the same bits. The file has no name, is allocated in full when the factor is made, and is
  /// gone when the factor is destroyed or the process ends, however it ends. A MixedFactor has a
  /// file for each of its factors. In memory remain plans, workspaces, a BatchFactor and a
  /// SelectedInverse.
  ///
  /// If the disk cannot read a part of the file while a call works with it, the system ends the
  /// process (SIGBUS). Parts that could not be written are an Error(input) of the next
  /// factorisation or solve. A child process after fork() shares the file until it refactorises:
  /// its factor then gets a file of its own.
  std::string factor_file{};
};

/// Makes a backend that computes on the CPU. threads >= 1, or 0 for the default: one per hardware
/// thread that the process may run on, but no more than the quotas of its control groups allow; a
/// limit that the calling program set with tbb::global_control replaces these quotas. If oneTBB
/// allows fewer threads than asked for, the backend uses that number (see Backend::threads()). The
/// threads work in the backend's own oneTBB arena: it reads no environment variable and changes no
/// setting of the program. Results do not depend on the number of threads, bit for bit. Throws
/// Error: usage (threads < 0), input (options.factor_file is no folder, no file can be made there,
/// or its files are memory, as those of tmpfs).
///
/// Calls that compute throw Error(memory) if the system refuses a thread; with threads = 1 they
/// start none. After fork() the child starts no threads if kauri had threads in the parent, or if
/// the parent had called kauri and had other threads than the one that forked: the child then
/// computes with the calling thread alone, on inherited and on new objects, to the same bits. Do
/// not use in the child an object that another thread was using when the process forked.
Backend cpu_backend(int threads = 0, const CpuOptions& options = {});

/// A stream of a backend's device: a cudaStream_t, which converts implicitly. Null is the default
/// stream of the context in which the backend works, see cuda_backend(). Always null on the CPU.
using StreamHandle = void*;

/// Arithmetic of the products in large fronts on a device. In double `automatic` takes `hopper` if
/// the device can run it, else `tensor` if its tensor cores are fast in double (compute capability
/// 8.0, 9.0 and 10.0), else `fma`; in float it takes `tf32x3` on these three, else `fma`. A choice
/// for float alone leaves double on `automatic`; with a choice for double alone the backend makes
/// no factors in float.
enum class CudaCompute {
  automatic,  ///< the best that the device can run, in the order stated above
  hopper,     ///< double: mma.m16n8k16, bulk copies, dedicated kernels of small fronts; compute
              ///< capability 9.0
  tensor,     ///< double: mma.m8n8k4, from 9.0 on mma.m16n8k16; compute capability 8.0 or newer
  fma,        ///< float and double: fused multiply-adds; compute capability 8.0 or newer
  tf32x3,  ///< float: TF32 tensor cores; each operand is a sum of two parts, and three of the four
           ///< products of parts are added: L as accurate as by `fma`; 8.0 or newer
  tf32,    ///< float: TF32 tensor cores; operands rounded to 11 bits, one product: L to about 3
           ///< digits, for a preconditioner; 8.0 or newer
  /// float: FP16 tensor cores, three products of parts as in `tf32x3`, and faster. Entries of L
  /// must be below 31 in magnitude and are exact to within 2^-36; with a larger one A may be
  /// reported as not positive definite. MixedFactor, which scales A, takes it under `automatic`.
  /// Capability 9.0.
  fp16x3,
};

/// Options of cuda_backend().
struct CudaOptions {
  /// Functions from which a CUDA backend takes device memory, in place of cudaMalloc and cudaFree.
  /// It calls them
  ///
  /// - once for each prepared plan, factor, workspace, batch and its workspace, refiner, product,
  ///   selected inverse, FusedSolve (beside those of the factor and workspace that it contains) and
  ///   array of DeviceValues::copy_of();
  /// - for a MixedFactor, in addition to its factors and workspaces, for A and for the vectors that
  ///   depend on nrhs;
  /// - for the duration of a call, in refine(), backward_error(), residual() and multiply(), which
  ///   store A's rows there, in estimate_condition(), lower_diagonal(), determinant(),
  ///   worst_pivot() and log_determinant(), and in calls of a SparseProduct with host memory;
  /// - in each compute() of a Solver, for A's rows, as long as the solver holds that matrix;
  /// - for a short time when the backend is made.
  ///
  /// Both functions are called with the device current, from any thread and by several threads at a
  /// time, but never by calls that enqueue. No call moves or frees memory that is in use on a
  /// stream.
  struct Allocator {
    /// Returns `bytes` > 0 of device memory, aligned to 256 bytes and usable on any stream at once,
    /// or null if there are not as many: then the call that asked throws Error(memory).
    void* (*allocate)(std::size_t bytes, void* user) = nullptr;
    /// Frees memory that allocate() returned; bytes is the size that was asked for.
    void (*release)(void* memory, std::size_t bytes, void* user) = nullptr;
    void* user =
        nullptr;  ///< passed to both functions; must outlive all that is made with the backend
  };

  int device = 0;                                ///< number of the device as CUDA counts, from 0
  Allocator allocator{};                         ///< both functions null: cudaMalloc and cudaFree
  CudaCompute compute = CudaCompute::automatic;  ///< arithmetic of large fronts
  /// True: solves run as sweeps at the speed of memory. False: they run level by level, which is
  /// slow; the lists of sweeps are then not allocated, and workspaces have other sizes. For factors
  /// in float, sweeps read L in float and store all intermediate vectors in double, except y
  /// between the forward and the backward sweep; b and x are in float, too. Where FP64 is slow (on
  /// all devices but 8.0, 9.0 and 10.0, and on one of these if its driver says so) all of such a
  /// sweep is in float. So it is if `compute` is `fma`, on a Hopper device only with `portable`.
  bool fast_solve = true;
  /// Most right-hand sides that the sweeps of fast_solve solve together: 1, 8 or 32. A workspace
  /// for more than one has room for that many solutions at once (Plan::workspace_bytes()). With 1
  /// each column has the bits of its solve alone, and workspaces are smaller.
  Index solves_together = 32;
  /// Columns that one block group solves if 9 to 32 columns are solved together: 8 (four groups
  /// side by side), 16 (two) or 32 (one). 0 chooses by size: with at most 2^24 entries of L, 8 up
  /// to 2^14 rows of A and 16 up to 2^16 rows; otherwise 32. The bits of a column depend on this.
  Index group_columns = 0;
  /// Multiprocessors that kernels take whose blocks wait for one another: those of large fronts and
  /// of sweeps. 0: all. With fewer than the device has, kernels of other libraries that never end
  /// can keep the rest; give an allocator then, since cudaFree() waits for such kernels, too. Bits
  /// do not depend on this. Small fronts, products and residuals run in ordinary launches, on all
  /// multiprocessors that are free. Predicted seconds (BackendChoice::automatic,
  /// Precision::automatic) are those of this part of the device.
  int multiprocessors = 0;
  /// True: runs the kernels that all devices run, also on a device that has faster ones of its own;
  /// to compare them, and to test them where no other device is. Predicted seconds depend on
  /// neither this nor `compute`: they are those of the kernels that the device takes by itself.
  bool portable = false;
  /// Most seconds that one launch of large fronts is predicted to take: displays end a kernel that
  /// runs longer than some seconds. Launches end where a level of fronts ends; a level that takes
  /// longer is one launch nevertheless. 0: no limit, which is one launch; but 0.5 on a device that
  /// ends long kernels (cudaDevAttrKernelExecTimeout). Infinite: no limit on any device. Bits do
  /// not depend on this. Nothing else is divided. A solve by sweeps takes some milliseconds. These
  /// may take longer than a display allows where FP64 is slow: a launch of a SelectedInverse, which
  /// does all tiles of a level that fit into its scratch, or all divisions by L11; a BatchFactor,
  /// which factorises all its items in one launch, and solves them in one; and fronts and solves
  /// level by level, a launch for each step of a level.
  double launch_seconds = 0;
};

/// Makes a backend that computes on a CUDA device.
///
/// In addition to the device memory of factors and workspaces, the backend keeps 16 MB of
/// page-locked host memory, through which it copies pageable memory at the speed of the bus, and
/// pools of streams and of page-locked memory for verdicts, which grow to the largest number in use
/// at the same time. No byte count of a Plan includes these.
///
/// The backend works in the CUDA context that the calling thread has on that device, if it has one:
/// either its own (cuCtxCreate), which then must outlive all that is made with the backend and to
/// which the backend's streams and arrays belong, or the primary one. Otherwise it works in the
/// device's primary context, that of the CUDA runtime and of the libraries built on it; it creates
/// this context if necessary and keeps it until the process ends. Each call, from any thread,
/// enters the backend's context and afterwards restores the thread's own context, or none; it
/// touches no other device. Calls and destructors that do not themselves take a capturing stream
/// neither disturb captures of any thread nor are disturbed by them.
///
/// Throws Error: device (kauri was built without CUDA; the device does not exist, with the driver's
/// reason; this build has no code for it), usage (only one function of the allocator is null;
/// solves_together, group_columns, multiprocessors or launch_seconds is out of range, or
/// multiprocessors so few that not even the smallest list of tasks runs; the device cannot run the
/// kernels that options.compute asks for, or these are Hopper's and options.portable is true),
/// memory. If options.compute is for double alone, Factor<float>::create() throws Error(usage).
Backend cuda_backend(const CudaOptions& options);
/// Makes a backend on this device, which CUDA counts from 0, with all other options at their
/// defaults. Throws as the form with options.
Backend cuda_backend(int device = 0);

/// Returns true if cuda_backend(0) would succeed, as far as that is known without creating a CUDA
/// context: device 0 exists, and this build has code for it. Other devices are not tested.
bool cuda_available();

/// Returns the CPU target of this machine: "cpu-avx512", "cpu-avx2" or "cpu-generic".
std::string host_target();

}  // namespace kauri
