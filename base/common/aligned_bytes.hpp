// Bytes of arrays that share one allocation on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/checked.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Arrays on a device begin at multiples of this number of bytes.
inline constexpr Offset kDeviceAlignment = 256;

/// Returns the bytes that an array takes of the one block of device memory of a factor or a
/// workspace: whole units of kDeviceAlignment. Throws Error(overflow).
inline Offset aligned_bytes(Offset count, Offset item_bytes) {
  const Offset bytes = checked_mul(count, item_bytes, "bytes of an array");
  return checked_add(bytes, kDeviceAlignment - 1, "bytes of an array") / kDeviceAlignment *
         kDeviceAlignment;
}

}  // namespace kauri
