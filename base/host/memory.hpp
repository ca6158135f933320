// Counted, aligned memory for numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kauri/types.hpp"

namespace kauri {

/// Bytes held now and the most held at a time. Shared by all buffers of a backend; safe from several threads.
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

/// count * size. Throws Error(overflow) where that does not fit, or the count is negative.
Offset byte_count(Offset count, Offset size);

/// Bytes of arrays that are not Buffers, counted as long as this lives in a ledger that outlives it.
class Counted {
 public:
  Counted(Offset bytes, MemoryLedger& ledger) : bytes_(bytes), ledger_(ledger) { ledger_.add(bytes_); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { ledger_.remove(bytes_); }
  [[nodiscard]] Offset bytes() const { return bytes_; }

 private:
  Offset bytes_;
  MemoryLedger& ledger_;
};

/// `bytes` aligned to a cache line, or to a huge page from 4 MB on. Throws Error(memory) naming the bytes.
void* allocate_counted(Offset bytes, MemoryLedger& ledger);
void release_counted(void* data, Offset bytes, MemoryLedger& ledger) noexcept;

/// Asks for huge pages behind memory not touched yet, from 4 MB on; elsewhere, or where the system has none, nothing happens. Faults of
/// small pages would take a third of an analysis.
void prefer_huge_pages(const void* data, std::size_t bytes) noexcept;

/// A vector to `size` elements, no fewer than it has, the new ones zeros, or unset in an Array; on huge pages if it is large.
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

/// A block of `count` uninitialised T (trivial), counted in a ledger that outlives it. Move-only.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Offset count, MemoryLedger& ledger)
      : data_(static_cast<T*>(allocate_counted(byte_count(count, Offset{sizeof(T)}), ledger))), count_(count), ledger_(&ledger) {}
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
