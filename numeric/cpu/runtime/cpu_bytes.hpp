// DeviceBytes of the CPU backend: bytes in the host's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "numeric/memory_impl.hpp"

namespace kauri::numeric::cpu {

class CpuBytes final : public DeviceBytes {
 public:
  explicit CpuBytes(std::span<const std::byte> host) : bytes_(host.begin(), host.end()) {}
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override {
    std::copy(host.begin(), host.end(), bytes_.begin());
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace kauri::numeric::cpu
