// Bytes on a CUDA device copied from the host, in an allocation that no ledger counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/aligned_bytes.hpp"
#include "numeric/cuda/plan/device_plan.hpp"
#include "numeric/cuda/runtime/device_block.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/memory_impl.hpp"

namespace kauri::numeric::cuda {

class CudaBytes final : public DeviceBytes {
 public:
  CudaBytes(std::span<const std::byte> host, const DeviceContext& context)
      : device_(context.device),
        staging_(context.staging),
        heap_{context.device, context.heap->allocator, nullptr},
        block_(aligned_bytes(static_cast<Offset>(host.size()), 1), heap_),
        bytes_(block_.take<std::byte>(static_cast<Offset>(host.size()))) {
    staging_->copy_now(bytes_.data(), host);
  }
  [[nodiscard]] const void* data() const override { return bytes_.data(); }
  void assign(std::span<const std::byte> host) override {
    const CurrentDevice current(device_);
    staging_->copy_now(bytes_.data(), host);
  }

 private:
  Device device_;
  std::shared_ptr<Staging> staging_;
  DeviceHeap heap_;
  DeviceBlock block_;
  DeviceArray<std::byte> bytes_;
};

}  // namespace kauri::numeric::cuda
