// Takes arrays from one allocation.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/device_block.hpp"

#include <string>

#include "base/common/aligned_bytes.hpp"

namespace kauri::numeric::cuda {

DeviceBlock::DeviceBlock(Offset bytes, const DeviceHeap& heap)
    : heap_(heap), data_(heap.allocate(bytes)), bytes_(bytes) {}

DeviceBlock::~DeviceBlock() {
  heap_.release(data_, bytes_);
  if (heap_.ledger) heap_.ledger->remove(used_);
}

void* DeviceBlock::take(Offset count, Offset item_bytes) {
  const Offset bytes = aligned_bytes(count, item_bytes);
  if (bytes > bytes_ - used_)
    throw Error(ErrorKind::memory, "a block of " + std::to_string(bytes_) +
                                       " bytes on the device is too small for its arrays");
  void* place = static_cast<std::byte*>(data_) + used_;
  used_ += bytes;
  if (heap_.ledger) heap_.ledger->add(bytes);
  return place;
}

}  // namespace kauri::numeric::cuda
