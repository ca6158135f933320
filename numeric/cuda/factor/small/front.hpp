// Partial Cholesky factorisation of many small fronts (up to 128 rows,
// symbolic/device/small_layout.hpp) in one launch.
//
// The kernel fuses batched POTRF, TRSM and SYRK; with p = m it is POTRF alone. A front fits on
// chip: fused, the kernel reads the front's entries once and writes L and the contribution block
// once, and this traffic bounds the time. Separate calls would write and read L again between the
// steps, and the contribution block once more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "base/common/host_device.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::numeric::cuda::kernels {

using symbolic::packed_column;
using symbolic::packed_entries;
using symbolic::SmallLayout;
using symbolic::whole_units;

inline constexpr int kMaxSmallRows = 128;

/// A front on the device, without the source that its kernel assembles it from. Fronts of one
/// launch may differ in rows and pivots.
template <class T>
struct SmallFrontOf {
  T* panel = nullptr;         // out: L, panel_storage() entries, aligned to two entries
  T* contribution = nullptr;  // out: A22 - L21 L21^T, block_storage() entries, aligned to two
                              // entries; unused if p = m
  int rows = 0;
  int pivots = 0;
};

/// A front whose entries lie packed in one array. Lives in device memory as an array, one per
/// front.
template <class T>
struct PackedSmallFrontOf : SmallFrontOf<T> {
  const T* source = nullptr;  // whole_units(entries()), aligned to two entries; not changed
};
using PackedSmallFront = PackedSmallFrontOf<double>;

/// Arithmetic by which the portable kernels (portable_fronts.cuh), which all devices from 8.0 on
/// run, factorise fronts of up to 64 rows.
enum class SmallLoop {
  tensor,  // doubles: FP64 tensor cores
  fma,     // doubles or floats: fused multiply-adds in that scalar
  wide,  // floats: fused multiply-adds in double; no factorisation uses it, since floats are to be
         // fast where doubles are slow (small_fronts --loops in bench/cuda tells what it costs)
};

/// Lets the kernels have the shared memory that they need. Call it once on a device before the
/// first launch there. Returns false if the device cannot run them.
bool prepare_small_fronts();

/// Enqueues the factorisation of `count` fronts of at most `max_rows` <= 128 rows each. max_rows
/// chooses the kernel and each front's shared memory: group fronts by size. Sets failed_column[f]
/// to the first column of front f whose pivot is not in (1e-290, 1e290), or -1; the other contents
/// of a failed front are unspecified. Returns the launch's error.
cudaError_t enqueue_small_fronts(const PackedSmallFront* fronts, int count, int max_rows,
                                 int* failed_column, cudaStream_t stream);

/// Enqueues the same by a portable kernel: max_rows <= 64; of floats, pivots count as failures if
/// they are not in (1e-35, 1e35), but for SmallLoop::wide. `loop` must be one for T.
template <class T>
cudaError_t enqueue_portable_fronts(SmallLoop loop, const PackedSmallFrontOf<T>* fronts, int count,
                                    int max_rows, int* failed_column, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
