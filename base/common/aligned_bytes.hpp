// Byte sizes, rounded up to the alignment, of arrays that share one allocation on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/checked.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Unit of bytes in which arrays are allotted in the one block of device memory of a factor or a
/// workspace: each array begins at a multiple of this unit.
inline constexpr Offset kDeviceAlignment = 256;

/// Returns count * item_bytes, rounded up to whole units of kDeviceAlignment. Throws
/// Error(overflow) beyond 2^63 - 1 bytes.
inline Offset aligned_bytes(Offset count, Offset item_bytes) {
  const Offset bytes = checked_mul(count, item_bytes, "bytes of an array");
  return checked_add(bytes, kDeviceAlignment - 1, "bytes of an array") / kDeviceAlignment *
         kDeviceAlignment;
}

}  // namespace kauri
