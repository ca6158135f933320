// Factors made one after another, each with pauses of its own at tasks and warps, by few teams and by many: the same bits of L each time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"
#include "tests/numeric/cuda/runtime.hpp"
#include "tests/support/cuda_ways.hpp"
#include "tests/support/device_plans.hpp"
#include "tests/support/patterns.hpp"

namespace kauri::test {

/// Memory of a device, kept for the next who asks for as much, and given out full of what is no number: nothing of an earlier factor is
/// left in it. It is looked at from outside, since a factor hands out its entries one by one only.
class RecycledMemory {
 public:
  RecycledMemory() = default;
  RecycledMemory(const RecycledMemory&) = delete;
  RecycledMemory& operator=(const RecycledMemory&) = delete;
  ~RecycledMemory() {
    for (const auto& [bytes, data] : idle_) cudaFree(data);
  }
  [[nodiscard]] DeviceAllocator allocator() { return {&RecycledMemory::allocate, &RecycledMemory::release, this}; }
  /// Where the allocation begins in which this address is.
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

/// A number that solves read: of L, or of the inverses beside it, which have no row.
struct StoredNumber {
  Offset place;  ///< in the factor's array
  Index row, column;
};

/// All of them, front by front, in an order that no schedule changes.
inline std::vector<StoredNumber> stored_numbers(const Plan& plan) {
  const Supernodes& nodes = plan.supernodes;
  std::vector<StoredNumber> all;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto rows = nodes.rows(s);
    const Index m = nodes.order(s), p = nodes.pivots(s);
    const bool tiled = plan.device.tiled[s] != kNone;
    const symbolic::FrontCells cells{m, p};
    const symbolic::SmallLayout packed{m, p};
    for (Index c = 0; c < p; ++c)
      for (Index r = c; r < m; ++r)
        all.push_back({plan.device.panel[s] + (tiled ? cells.place(r, c) : packed.place(r, c)), rows[r], nodes.first[s] + c});
    const Offset inverses = plan.device.panel[s] + cells.panel().entries();
    for (Index c = 0; tiled && c < p; ++c)
      for (Index r = c; r < p && r / symbolic::kInverseOrder == c / symbolic::kInverseOrder; ++r)
        all.push_back({inverses + symbolic::FrontCells::inverse_place(r, c), kNone, nodes.first[s] + c});
  }
  return all;
}

/// A system, and how its tasks are run.
struct DisturbedTrial {
  OwnedPattern pattern;
  OrderingMethod method;
  bool amalgamate;
  std::vector<Index> teams;  ///< in turn; 0: all that the device holds
  int runs;
};

template <class W>
class DisturbedRuns : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// Each run is a factor's first, with other pauses than any before.
  void same_bits_of_l(const DisturbedTrial& trial) {
    RecycledMemory memory;
    Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = memory.allocator(), .loops = W::loops});
    const auto made = this->plan(trial.pattern.view(), trial.method, trial.amalgamate);
    ASSERT_FALSE(made->device.task.empty());
    const std::vector<Value> value = random_dominant<Value>(trial.pattern.view(), 5);
    const auto there = DeviceValues<Value>::copy_of(value, backend);
    Reader reader(memory);
    auto undisturbed = Factor<Value>::create(made, backend);
    ASSERT_TRUE(refactorize(undisturbed, there).ok());
    const std::vector<Value> expected = reader.read(undisturbed, stored_numbers(*made));
    expect_l(undisturbed, expected);
    std::vector<std::shared_ptr<const Plan>> plans;
    std::vector<std::vector<StoredNumber>> stored;
    for (const Index teams : trial.teams) {
      plans.push_back(run_by(*made, teams));
      stored.push_back(stored_numbers(*plans.back()));
    }
    for (int run = 0; run < trial.runs; ++run) {
      const std::size_t k = static_cast<std::size_t>(run) % plans.size();
      auto paused = std::make_shared<Plan>(*plans[k]);
      paused->device.pauses = static_cast<unsigned>(run) + 1;
      auto factor = Factor<Value>::create(paused, backend);
      ASSERT_TRUE(refactorize(factor, there).ok()) << "run " << run;
      ASSERT_EQ(factor.verdict(), undisturbed.verdict()) << "run " << run;
      const std::vector<Value> found = reader.read(factor, stored[k]);
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(Value)), 0)
          << "run " << run << ", " << trial.teams[k] << " teams";
    }
  }

 private:
  /// Reads entries of a factor from the beginning of its memory, where its array lies.
  class Reader {
   public:
    explicit Reader(const RecycledMemory& memory) : memory_(memory) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { cudaFreeHost(room_); }
    std::vector<Value> read(const Factor<Value>& factor, const std::vector<StoredNumber>& stored) {
      const auto entries = static_cast<std::size_t>(factor.plan().device.entries);
      if (entries > size_) {
        cudaFreeHost(room_);
        require(cudaHostAlloc(reinterpret_cast<void**>(&room_), entries * sizeof(Value), cudaHostAllocDefault));
        size_ = entries;
      }
      require(cudaMemcpy(room_, memory_.beginning_of(factor.verdict_address()), entries * sizeof(Value), cudaMemcpyDeviceToHost));
      std::vector<Value> found(stored.size());
      for (std::size_t k = 0; k < stored.size(); ++k) found[k] = room_[stored[k].place];
      return found;
    }

   private:
    const RecycledMemory& memory_;
    Value* room_ = nullptr;
    std::size_t size_ = 0;
  };

  /// What was read are numbers, and L indeed: some of its entries.
  static void expect_l(const Factor<Value>& factor, const std::vector<Value>& read) {
    const std::vector<StoredNumber> stored = stored_numbers(factor.plan());
    ASSERT_EQ(read.size(), stored.size());
    ASSERT_TRUE(std::all_of(read.begin(), read.end(), [](Value v) { return std::isfinite(v); }));
    std::mt19937_64 random(3);
    for (std::size_t k = 0; k < stored.size(); k += 1 + random() % (stored.size() / 200 + 1))
      if (stored[k].row != kNone) {
        ASSERT_EQ(read[k], factor.entry(stored[k].row, stored[k].column)) << stored[k].row << " " << stored[k].column;
      }
  }
};

}  // namespace kauri::test
