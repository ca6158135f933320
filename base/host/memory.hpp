// Aligned memory for numeric arrays, with its bytes counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri {

/// Counts bytes in use and their peak. All buffers of a backend share one ledger. Thread-safe.
class MemoryLedger {
 public:
  void add(Offset bytes);
  void remove(Offset bytes) { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] Offset in_use() const { return in_use_.load(std::memory_order_relaxed); }
  [[nodiscard]] Offset peak() const { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() { peak_.store(in_use(), std::memory_order_relaxed); }

 private:
  std::atomic<Offset> in_use_{0}, peak_{0};
};

/// Returns count * size in bytes. Throws Error(overflow) if the product does not fit, or if count
/// is negative.
Offset byte_count(Offset count, Offset size);

/// Adds `bytes`, the size of memory that is not a Buffer, to a ledger for its own lifetime. The
/// ledger must outlive it.
class Counted {
 public:
  Counted(Offset bytes, MemoryLedger& ledger) : bytes_(bytes), ledger_(ledger) {
    ledger_.add(bytes_);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { ledger_.remove(bytes_); }
  [[nodiscard]] Offset bytes() const { return bytes_; }

 private:
  Offset bytes_;
  MemoryLedger& ledger_;
};

/// Allocates `bytes` and adds them to the ledger. Aligned to 64 bytes, or to a huge page (2 MB)
/// from 4 MB on. release_counted() frees the block, with the same bytes and ledger. Throws
/// Error(memory) that names the bytes.
void* allocate_counted(Offset bytes, MemoryLedger& ledger);
void release_counted(void* data, Offset bytes, MemoryLedger& ledger) noexcept;

/// Advises the system to back a block with huge pages. Call it before the block is first written.
/// Does nothing for less than 4 MB and on systems without huge pages. Page faults of small pages
/// would take a third of an analysis.
void prefer_huge_pages(const void* data, std::size_t bytes) noexcept;

/// Resizes a vector to `size` elements, at least values.size(). New elements are zero, or
/// uninitialised in an Array. A vector that must be reallocated to 4 MB or more gets huge pages.
template <class T, class Allocator>
void resize_large(std::vector<T, Allocator>& values, Offset size) {
  const auto count = static_cast<std::size_t>(size);
  if (count > values.capacity()) {
    std::vector<T, Allocator> grown;
    grown.reserve(std::max(count, 2 * values.size()));
    prefer_huge_pages(grown.data(), grown.capacity() * sizeof(T));
    grown.assign(values.begin(), values.end());
    values = std::move(grown);
  }
  values.resize(count);
}

/// A block of `count` uninitialised T (trivial), whose bytes are counted in a ledger that must
/// outlive it. Move-only.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Offset count, MemoryLedger& ledger)
      : data_(static_cast<T*>(allocate_counted(byte_count(count, Offset{sizeof(T)}), ledger))),
        count_(count),
        ledger_(&ledger) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Buffer() {
    if (ledger_) release_counted(data_, count_ * Offset{sizeof(T)}, *ledger_);
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Offset size() const { return count_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(ledger_, other.ledger_);
  }
  T* data_ = nullptr;
  Offset count_ = 0;
  MemoryLedger* ledger_ = nullptr;
};

}  // namespace kauri
