// Arrays that are reused from one subgraph to the next and never initialised.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace kauri::ordering {

/// An array that only grows. T is trivial.
template <class T>
class Scratch {
 public:
  /// Returns at least `size` elements of unspecified content; growing discards the old content.
  T* require(std::size_t size) {
    if (size > size_) {
      data_.reset();
      size_ = 0;  // in case the allocation throws
      data_ = std::make_unique_for_overwrite<T[]>(size);
      size_ = size;
    }
    return data_.get();
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace kauri::ordering
