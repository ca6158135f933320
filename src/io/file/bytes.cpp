// Allocates pages of the system by mmap() and mremap(); under AddressSanitizer allocates by malloc,
// whose bounds it checks.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/io/file/bytes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define KAURI_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KAURI_WATCHED
#endif
#endif

namespace kauri::io {

namespace {

#ifdef KAURI_WATCHED

constexpr bool kIsExact =
    true;  // no capacity beyond the size, so that accesses beyond it are detected
void* larger(void* data, std::size_t /*size*/, std::size_t capacity) {
  return std::realloc(data, capacity);
}
void let_go(void* data, std::size_t /*size*/) { std::free(data); }

#else

constexpr bool kIsExact = false;
void* larger(void* data, std::size_t size, std::size_t capacity) {
  void* pages = data == nullptr ? ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                : ::mremap(data, size, capacity, MREMAP_MAYMOVE);
  return pages == MAP_FAILED ? nullptr : pages;
}
void let_go(void* data, std::size_t size) { ::munmap(data, size); }

#endif

}  // namespace

Bytes::~Bytes() {
  if (data_ != nullptr) let_go(data_, capacity_);
}

void Bytes::resize(std::size_t size) {
  if (size > capacity_) reserve(size);
  size_ = size;
}

void Bytes::append(std::string_view more, std::size_t most) {
  if (more.empty()) return;
  const std::size_t at = size_, needed = at + more.size();
  if (needed > capacity_)
    reserve(kIsExact ? needed : std::max(needed, std::min(most, 2 * capacity_)));
  resize(needed);
  std::memcpy(data_ + at, more.data(), more.size());
}

void Bytes::reserve(std::size_t capacity) {
  if (capacity > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  void* larger_one = larger(data_, capacity_, capacity);
  if (larger_one == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(larger_one);
  capacity_ = capacity;
}

}  // namespace kauri::io
