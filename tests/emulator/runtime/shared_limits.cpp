// Limits of dynamic shared memory, kernel by kernel, of the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <mutex>

#include "tests/emulator/device/cuda_runtime_api.h"
#include "tests/emulator/machine/machine.hpp"

namespace {

constexpr std::size_t kDefaultShared = 48 << 10;
constexpr std::size_t kMostOfHopper = 227 << 10;
// AMD's devices have 64 KB for a block, with the arrays that a kernel declares. The kernels that
// take more than 48 KB declare less than 1 KB, but for batches, which count their own.
constexpr std::size_t kMostInWavefronts = 63 << 10;

struct SharedLimits {
  std::mutex mutex;
  std::map<void (*)(), std::size_t> bytes;
};

SharedLimits& limits() {
  static SharedLimits all;
  return all;
}

}  // namespace

bool emulated_allow_shared(void (*kernel)(), std::size_t bytes) {
  if (bytes > (kauri::emulator::wavefront() == 64 ? kMostInWavefronts : kMostOfHopper))
    return false;
  const std::lock_guard lock(limits().mutex);
  limits().bytes[kernel] = bytes;
  return true;
}

bool emulated_allows_shared(void (*kernel)(), std::size_t bytes) {
  if (bytes <= kDefaultShared) return true;
  const std::lock_guard lock(limits().mutex);
  const auto found = limits().bytes.find(kernel);
  return found != limits().bytes.end() && bytes <= found->second;
}
