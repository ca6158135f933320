// A factor's device memory, seen from outside through a caller's allocator, and the numbers in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"

namespace kauri::test {

/// Device memory that is reused for later requests of the same size and filled with NaN first, so
/// that nothing of an earlier factor remains. Tests read it directly, since a factor returns single
/// entries only.
class RecycledMemory {
 public:
  RecycledMemory() = default;
  RecycledMemory(const RecycledMemory&) = delete;
  RecycledMemory& operator=(const RecycledMemory&) = delete;
  ~RecycledMemory() {
    for (const auto& [bytes, data] : idle_) cudaFree(data);
  }
  [[nodiscard]] CudaOptions::Allocator allocator() {
    return {&RecycledMemory::allocate, &RecycledMemory::release, this};
  }
  /// Returns the beginning of the allocation that contains this address.
  [[nodiscard]] const std::byte* beginning_of(const void* place) const {
    const auto next = used_.upper_bound(const_cast<void*>(place));
    return next == used_.begin() ? nullptr : static_cast<const std::byte*>(std::prev(next)->first);
  }

 private:
  static void* allocate(std::size_t bytes, void* user) {
    RecycledMemory& self = *static_cast<RecycledMemory*>(user);
    void* data = nullptr;
    if (const auto found = self.idle_.find(bytes); found != self.idle_.end()) {
      data = found->second;
      self.idle_.erase(found);
    } else if (cudaMalloc(&data, bytes) != cudaSuccess) {
      return nullptr;
    }
    require(cudaMemsetAsync(data, 0xff, bytes, nullptr));
    require(cudaStreamSynchronize(nullptr));
    self.used_[data] = bytes;
    return data;
  }
  static void release(void* data, std::size_t bytes, void* user) {
    RecycledMemory& self = *static_cast<RecycledMemory*>(user);
    self.used_.erase(data);
    self.idle_.emplace(bytes, data);
  }

  std::multimap<std::size_t, void*> idle_;
  std::map<void*, std::size_t> used_;
};

/// A number that solves read: an entry of L, or, without a row, of the inverses beside it, their
/// flags and the products for sweeps.
struct StoredNumber {
  Offset place;  ///< place in the factor's array
  Index row, column;
};

/// Returns all stored numbers, front by front, in an order that no schedule changes. products:
/// includes the products for sweeps.
inline std::vector<StoredNumber> stored_numbers(const Plan& plan, bool products) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<StoredNumber> all;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto rows = nodes.rows(s);
    const Index m = nodes.order(s), p = nodes.pivots(s);
    const bool tiled = plan.internals->device.tiled[s] != kNone;
    const symbolic::FrontCells cells{m, p};
    const symbolic::SmallLayout packed{m, p};
    for (Index c = 0; c < p; ++c)
      for (Index r = c; r < m; ++r)
        all.push_back(
            {plan.internals->device.panel[s] + (tiled ? cells.place(r, c) : packed.place(r, c)),
             rows[r], nodes.first[s] + c});
    const Offset inverses = plan.internals->device.inverses[s];
    for (Index c = 0; tiled && c < p; ++c) {
      for (Index r = c; r < p && r / symbolic::kTile == c / symbolic::kTile; ++r)
        all.push_back(
            {inverses + symbolic::FrontCells::inverse_place(r, c), kNone, nodes.first[s] + c});
      if (c % symbolic::kTile == 0)
        all.push_back({inverses + symbolic::FrontCells::inverse_place(c, c) +
                           symbolic::FrontCells::kInverseFlag,
                       kNone, nodes.first[s] + c});
    }
    for (Index k = 1; products && tiled && k < cells.pivot_tiles(); ++k)
      for (const Offset product : {cells.forward_product(k), cells.backward_product(k - 1)})
        for (Index e = 0; e < symbolic::kTileProductEntries; ++e)
          all.push_back({inverses + product + e, kNone, nodes.first[s] + k * symbolic::kTile});
  }
  return all;
}

/// Reads entries of a factor's array, which lies at the beginning of its memory.
template <class Value>
class FactorReader {
 public:
  explicit FactorReader(const RecycledMemory& memory) : memory_(memory) {}
  FactorReader(const FactorReader&) = delete;
  FactorReader& operator=(const FactorReader&) = delete;
  ~FactorReader() { cudaFreeHost(room_); }
  std::vector<Value> read(const Factor<Value>& factor, const std::vector<StoredNumber>& stored) {
    const auto entries = static_cast<std::size_t>(factor.plan().internals->device.entries);
    if (entries > size_) {
      cudaFreeHost(room_);
      require(cudaHostAlloc(reinterpret_cast<void**>(&room_), entries * sizeof(Value),
                            cudaHostAllocDefault));
      size_ = entries;
    }
    require(cudaMemcpy(room_, memory_.beginning_of(factor.verdict_address()),
                       entries * sizeof(Value), cudaMemcpyDeviceToHost));
    std::vector<Value> found(stored.size());
    for (std::size_t k = 0; k < stored.size(); ++k) found[k] = room_[stored[k].place];
    return found;
  }

 private:
  const RecycledMemory& memory_;
  Value* room_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kauri::test
