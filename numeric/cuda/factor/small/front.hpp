// Partial Cholesky factorisation of many small fronts (up to 128 rows, symbolic/device/small_layout.hpp) in one launch, FP64.
//
// These are batched POTRF, TRSM and SYRK in one: with p = m POTRF alone. They are not calls of their own, since a front fits on chip:
// fused, its entries are read once and L and the contribution block written once, and that traffic is what bounds them; apart, L would be
// written and read again between the steps, and the contribution block once more.
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

/// A front on the device, whatever it is assembled from; fronts of one launch may all differ.
struct SmallFront {
  double* panel = nullptr;         // out: L, panel_storage() entries, on 16 bytes
  double* contribution = nullptr;  // out: A22 - L21 L21^T, block_storage() entries, on 16 bytes; not used if p = m
  int rows = 0;
  int pivots = 0;
};

/// A front whose entries lie packed in one array. Lives in device memory as an array, one per front.
struct PackedSmallFront : SmallFront {
  const double* source = nullptr;  // whole_units(entries()), on 16 bytes; not changed
};

/// To be called once before the first launch on a device. False if it cannot run the kernels.
bool prepare_small_fronts();

/// Fronts of at most `max_rows` <= 128 rows each (the kernel and the shared memory of a front depend on it: sort fronts by size).
/// failed[f]: the first column without a positive finite pivot, or -1; what else a failed front holds is unspecified. Enqueued on the
/// stream; returns the launch's error.
cudaError_t enqueue_small_fronts(const PackedSmallFront* fronts, int count, int max_rows, int* failed, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
