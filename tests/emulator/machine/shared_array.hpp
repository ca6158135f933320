// Dynamic shared memory of the kernels of a source file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "tests/emulator/machine/machine.hpp"

#pragma GCC diagnostic ignored \
    "-Wshadow"  // by parameters of the kernels that follow; on a device this array does not exist

/// Declares the dynamic shared memory that kernels name by `extern __shared__ __align__(alignment)
/// type name[]`; use it in the kernels' namespace, before them. Every thread of the host has
/// `bytes` of it; too many bytes make it impossible to create a thread.
#define KAURI_SHARED_ARRAY_OF(bytes, alignment, type, name)                           \
  __attribute__((aligned(alignment))) thread_local type name[(bytes) / sizeof(type)]; \
  const kauri::emulator::DynamicShared shared_array_##name(                           \
      []() -> std::span<std::byte> { return std::as_writable_bytes(std::span(name)); })

/// Declares an array of the size that a device has.
#define KAURI_SHARED_ARRAY(alignment, type, name) \
  KAURI_SHARED_ARRAY_OF(232448, alignment, type, name)
