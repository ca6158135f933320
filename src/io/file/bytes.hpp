// Bytes of files in pages of the system, which grow without copies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace kauri::io {

/// A contiguous array of bytes that grows. A std::string holds its bytes twice while it grows; here
/// the system moves the pages. Only bytes that were written use memory, unused capacity uses none.
class Bytes {
 public:
  Bytes() = default;
  ~Bytes();
  Bytes(Bytes&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)),
        size_(std::exchange(from.size_, 0)),
        capacity_(std::exchange(from.capacity_, 0)) {}
  Bytes& operator=(Bytes&& from) noexcept {
    std::swap(data_, from.data_), std::swap(size_, from.size_),
        std::swap(capacity_, from.capacity_);
    return *this;
  }

  [[nodiscard]] char* data() { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {data_, size_}; }
  operator std::string_view() const { return view(); }  // NOLINT: as a std::string converts
  friend bool operator==(const Bytes& a, std::string_view b) { return a.view() == b; }

  /// Changes the size. New bytes are not initialised. Capacity grows to no more than `size`. Throws
  /// std::bad_alloc.
  void resize(std::size_t size);
  /// Appends bytes. Capacity doubles when it is exceeded, up to `most`, which is at least the final
  /// size. Throws std::bad_alloc.
  void append(std::string_view more, std::size_t most);

 private:
  void reserve(std::size_t capacity);

  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace kauri::io
