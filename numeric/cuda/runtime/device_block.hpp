// One allocation on a device for all arrays of a factor or a workspace.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// A non-owning array in a DeviceBlock.
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

/// One allocation of memory on a device, from which arrays are taken one after another, each of the
/// size that aligned_bytes() gives. The heap's ledger counts the bytes taken, which tests compare
/// with the allocation. The destructor frees the memory without waiting for work that uses it.
class DeviceBlock {
 public:
  /// Allocates `bytes` bytes of the heap, which must outlive the block. Throws Error(memory).
  DeviceBlock(Offset bytes, const DeviceHeap& heap);
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  ~DeviceBlock();

  /// Returns the next array, of `count` uninitialised entries. Its data() is null only in a block
  /// of 0 bytes, where every array is empty. Throws Error(memory) if the rest of the block is too
  /// small.
  template <class T>
  [[nodiscard]] DeviceArray<T> take(Offset count) {
    return {static_cast<T*>(take(count, Offset{sizeof(T)})), count};
  }
  [[nodiscard]] Offset bytes() const { return bytes_; }

 private:
  void* take(Offset count, Offset item_bytes);

  const DeviceHeap& heap_;
  void* data_;
  Offset bytes_, used_ = 0;
};

}  // namespace kauri::numeric::cuda
