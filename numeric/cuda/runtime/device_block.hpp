// One allocation on a device for all arrays of a factor or a workspace.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// An array that lies in a DeviceBlock.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(T* data, Offset size) : data_(data), size_(size) {}
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Offset size() const { return size_; }

 private:
  T* data_ = nullptr;
  Offset size_ = 0;
};

/// Its arrays follow each other, each as symbolic::aligned_bytes() tells, and come to `bytes`. The ledger counts what they take, which
/// tests compare with the allocation.
class DeviceBlock {
 public:
  /// Throws Error(memory). The heap outlives the block.
  DeviceBlock(Offset bytes, const DeviceHeap& heap);
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  ~DeviceBlock();

  /// The next array. Throws Error(memory) where the block ends.
  template <class T>
  [[nodiscard]] DeviceArray<T> take(Offset count) {
    return {static_cast<T*>(take(count, Offset{sizeof(T)})), count};
  }

 private:
  void* take(Offset count, Offset item_bytes);

  const DeviceHeap& heap_;
  void* data_;
  Offset bytes_, used_ = 0;
};

}  // namespace kauri::numeric::cuda
