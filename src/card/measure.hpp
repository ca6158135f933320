// The sizes of the systems by which a device is measured.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/backend.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::card {

/// Sizes of the made systems, and how long a call is repeated.
struct Sizes {
  Index rows = 1024;  ///< rows of a large front: 16 tiles, so that products are half of the work
  Index fronts =
      1;  ///< large fronts of the smaller of two systems; the larger one has twice as many
  Index levels = 1000;            ///< levels of narrow fronts in a chain
  Index copied = Index{1} << 22;  ///< numbers in double of a large copy
  double seconds = 0.02;          ///< a call is repeated until its calls took as long together
};

/// Throws Error(usage) if a backend with these options would take a part of its device, or other
/// kernels than by default: a card holds no such options, and later jobs have their own.
void require_whole(const CudaOptions& options);

/// Returns sizes for a device: as many fronts as multiprocessors, but at most a quarter of the free
/// memory in the larger system.
Sizes sizes_for(int processors, Offset free_bytes);
/// Returns the sizes by which a card is measured in double: smaller fronts where double is slow,
/// with an eighth of the operations, since large ones would take seconds there.
Sizes sizes_in_double(const DeviceCard& card, Sizes sizes);

/// Returns the card with the rates that a backend on its device reaches, in double measured by
/// sizes_in_double().
DeviceCard measured(DeviceCard card, Backend& backend, const Sizes& sizes);

}  // namespace kauri::card
