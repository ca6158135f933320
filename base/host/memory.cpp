// Aligned memory for numeric arrays, with its bytes counted.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/host/memory.hpp"

#include <cstdint>
#include <new>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "kauri/core/error.hpp"

namespace kauri {
namespace {

constexpr Offset kHugePage = Offset{1} << 21;

/// Returns the alignment of a block of `bytes`: a huge page (2 MB) from 4 MB on, else 64 bytes.
/// Huge pages pay off from two on, since a factor is streamed and its panels are read by columns.
std::align_val_t alignment_of(Offset bytes) {
  return std::align_val_t(bytes >= 2 * kHugePage ? kHugePage : 64);
}

}  // namespace

void MemoryLedger::add(Offset bytes) {
  const Offset now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  Offset peak = peak_.load(std::memory_order_relaxed);
  while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

Offset byte_count(Offset count, Offset size) {
  Offset bytes = 0;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes))
    throw Error(ErrorKind::overflow, "memory: " + std::to_string(count) + " items of " +
                                         std::to_string(size) + " bytes");
  return bytes;
}

void prefer_huge_pages([[maybe_unused]] const void* data,
                       [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < static_cast<std::size_t>(2 * kHugePage)) return;
  constexpr std::uintptr_t kPage =
      4096;  // madvise() takes whole pages; other data on the first and last page is not affected
  const auto address = reinterpret_cast<std::uintptr_t>(data), begin = address / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), address + bytes - begin, MADV_HUGEPAGE);
#endif
}

void* allocate_counted(Offset bytes, MemoryLedger& ledger) {
  void* data = ::operator new(static_cast<std::size_t>(bytes), alignment_of(bytes), std::nothrow);
  if (!data)
    throw Error(ErrorKind::memory, "out of memory: " + std::to_string(bytes) + " bytes asked for");
  prefer_huge_pages(data, static_cast<std::size_t>(bytes));
  ledger.add(bytes);
  return data;
}

void release_counted(void* data, Offset bytes, MemoryLedger& ledger) noexcept {
  ::operator delete(data, alignment_of(bytes));
  ledger.remove(bytes);
}

}  // namespace kauri
