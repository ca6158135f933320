// Dynamic shared memory of the kernels of a source file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "tests/emulator/machine/machine.hpp"

#pragma GCC diagnostic ignored \
    "-Wshadow"  // by parameters of the kernels that follow: on a device the array is not there

/// In the namespace of those kernels, before them: what they name by `extern __shared__
/// __align__(alignment) type name[]`. Of `bytes`, which all threads of the host have: with too many
/// of them none can be made.
#define KAURI_SHARED_ARRAY_OF(bytes, alignment, type, name)                           \
  __attribute__((aligned(alignment))) thread_local type name[(bytes) / sizeof(type)]; \
  const kauri::emulator::DynamicShared shared_array_##name(                           \
      []() -> std::span<std::byte> { return std::as_writable_bytes(std::span(name)); })

/// As large as a device has it.
#define KAURI_SHARED_ARRAY(alignment, type, name) \
  KAURI_SHARED_ARRAY_OF(232448, alignment, type, name)
