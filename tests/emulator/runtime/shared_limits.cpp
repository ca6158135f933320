// Limits of dynamic shared memory, kernel by kernel, of the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <mutex>

#include "tests/emulator/device/cuda_runtime_api.h"

namespace {

constexpr std::size_t kDefaultShared = 48 << 10;

struct SharedLimits {
  std::mutex mutex;
  std::map<void (*)(), std::size_t> bytes;
};

SharedLimits& limits() {
  static SharedLimits all;
  return all;
}

}  // namespace

void emulated_allow_shared(void (*kernel)(), std::size_t bytes) {
  const std::lock_guard lock(limits().mutex);
  limits().bytes[kernel] = bytes;
}

bool emulated_allows_shared(void (*kernel)(), std::size_t bytes) {
  if (bytes <= kDefaultShared) return true;
  const std::lock_guard lock(limits().mutex);
  const auto found = limits().bytes.find(kernel);
  return found != limits().bytes.end() && bytes <= found->second;
}
