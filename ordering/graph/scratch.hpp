// Memory that is kept from one subgraph to the next and never initialised for nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace kauri::ordering {

/// An array that only grows. T is trivial.
template <class T>
class Scratch {
 public:
  /// At least `size` elements of unspecified content; what was there is lost if it has to grow.
  T* require(std::size_t size) {
    if (size > size_) {
      data_.reset();
      size_ = 0;  // in case there is no memory
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
