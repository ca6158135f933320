// Bytes of files, in pages that move where they grow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace kauri::io {

/// Contiguous bytes of unknown number. Those of a std::string are there twice while it grows; these never: the system moves their pages.
/// Memory is used by what was written, capacity alone takes none.
class Bytes {
 public:
  Bytes() = default;
  ~Bytes();
  Bytes(Bytes&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)), capacity_(std::exchange(from.capacity_, 0)) {}
  Bytes& operator=(Bytes&& from) noexcept {
    std::swap(data_, from.data_), std::swap(size_, from.size_), std::swap(capacity_, from.capacity_);
    return *this;
  }

  [[nodiscard]] char* data() { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {data_, size_}; }
  operator std::string_view() const { return view(); }  // NOLINT: as of a std::string
  friend bool operator==(const Bytes& a, std::string_view b) { return a.view() == b; }

  /// Bytes that are new have no set value. Capacity grows to no more than `size`. Throws std::bad_alloc.
  void resize(std::size_t size);
  /// Capacity grows to twice its size, but never beyond `most`, which is enough for all of it. Throws std::bad_alloc.
  void append(std::string_view more, std::size_t most);

 private:
  void reserve(std::size_t capacity);

  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace kauri::io
