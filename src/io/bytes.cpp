// Pages of the system, by mmap() and mremap().
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/bytes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace kauri::io {

Bytes::~Bytes() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

void Bytes::resize(std::size_t size) {
  if (size > capacity_) reserve(size);
  size_ = size;
}

void Bytes::append(std::string_view more, std::size_t most) {
  if (more.empty()) return;
  const std::size_t at = size_, needed = at + more.size();
  if (needed > capacity_) reserve(std::max(needed, std::min(most, 2 * capacity_)));
  resize(needed);
  std::memcpy(data_ + at, more.data(), more.size());
}

void Bytes::reserve(std::size_t capacity) {
  if (capacity > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  void* pages = data_ == nullptr ? ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(pages);
  capacity_ = capacity;
}

}  // namespace kauri::io
