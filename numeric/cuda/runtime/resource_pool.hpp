// A pool of streams and of page-locked memory for verdicts and reports, which are slow to make.
// Factors and calls lease them. All objects that an executor makes share its pool.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "kauri/solve/refinement.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/owned.hpp"

namespace kauri::numeric::cuda {

/// Streams and page-locked memory to lease. Thread-safe. Makes more if none is idle; never shrinks.
class ResourcePool {
 public:
  /// Makes two streams and one slab, enough for a first factor and its workspace. This and all
  /// other calls work on the current device.
  ResourcePool();

 private:
  friend class PooledStream;
  template <class V>
  friend class PooledPlace;
  template <class V>
  friend class PooledPlaces;
  /// Page-locked memory for the values of one PooledPlaces, one after another.
  struct Array {
    explicit Array(std::size_t size) : memory(size), bytes(size) {}
    PinnedBytes memory;
    std::size_t bytes;  ///< a power of two
  };
  static constexpr std::size_t kPlaceBytes = 128,
                               kSlabBytes = 4096;  ///< bytes of a place; of a slab of many places

  /// Leases a stream, or kPlaceBytes page-locked bytes: idle ones, or else new ones. Never null.
  Stream* take_stream();
  void* take_place();
  /// Leases an array of a power of two of bytes: the least that is >= bytes and >= 4096. Makes one
  /// if none of that size is idle.
  Array* take_array(std::size_t bytes);
  void give_back(Stream* stream) noexcept;
  void give_back(void* place) noexcept;
  void give_back(Array* array) noexcept;
  void make_stream();
  void make_places();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> stream_;
  std::vector<std::unique_ptr<PinnedBytes>> slab_;
  std::vector<std::unique_ptr<Array>> array_;
  // Idle resources. Each list has capacity for all of its kind, so that giving back cannot fail.
  std::vector<Stream*> idle_stream_;
  std::vector<void*> idle_place_;
  std::vector<Array*> idle_array_;
};

/// Leases an idle stream; the destructor waits for the stream and returns it to the pool.
class PooledStream {
 public:
  explicit PooledStream(std::shared_ptr<ResourcePool> pool)
      : pool_(std::move(pool)), stream_(pool_->take_stream()) {}
  PooledStream(const PooledStream&) = delete;
  PooledStream& operator=(const PooledStream&) = delete;
  ~PooledStream() {
    stream_->wait();
    pool_->give_back(stream_);
  }
  [[nodiscard]] const Stream& operator*() const { return *stream_; }
  [[nodiscard]] const Stream* operator->() const { return stream_; }

 private:
  std::shared_ptr<ResourcePool> pool_;
  Stream* stream_;
};

/// Leases page-locked memory for one V, which the device writes and the host reads. Destroy it when
/// no work on the device writes there any more; if later work does, read() of the next owner of
/// the memory throws Error(usage).
template <class V>
class PooledPlace {
 public:
  explicit PooledPlace(std::shared_ptr<ResourcePool> pool) : pool_(std::move(pool)) {
    const std::uint64_t owner = next_owner();
    place_ = {new (pool_->take_place()) Owned<V>{V(), owner}, owner};
  }
  PooledPlace(const PooledPlace&) = delete;
  PooledPlace& operator=(const PooledPlace&) = delete;
  ~PooledPlace() { pool_->give_back(static_cast<void*>(place_.there)); }
  [[nodiscard]] const OwnedPlace<V>& place() const { return place_; }
  [[nodiscard]] const V& read(const char* name) const { return cuda::read(place_, name); }

 private:
  static_assert(sizeof(Owned<V>) <= ResourcePool::kPlaceBytes);
  std::shared_ptr<ResourcePool> pool_;
  OwnedPlace<V> place_{};
};

/// Leases page-locked memory for `count` values of V, one for each item of a batch. Late work of an
/// owner that has ended may still write there, since the pool keeps the memory; then read() of the
/// next owner throws Error(usage).
template <class V>
class PooledPlaces {
 public:
  PooledPlaces(std::shared_ptr<ResourcePool> pool, Index count)
      : pool_(std::move(pool)),
        array_(pool_->take_array(static_cast<std::size_t>(count) * sizeof(Owned<V>))) {
    const std::uint64_t owner = next_owner();
    auto* const there = static_cast<Owned<V>*>(array_->memory.data());
    std::uninitialized_fill_n(there, count, Owned<V>{V(), owner});
    first_ = {there, owner};
  }
  PooledPlaces(const PooledPlaces&) = delete;
  PooledPlaces& operator=(const PooledPlaces&) = delete;
  ~PooledPlaces() { pool_->give_back(array_); }
  /// Returns the address of the first value and the owner of all; the other values follow it.
  [[nodiscard]] const OwnedPlace<V>& first() const { return first_; }
  [[nodiscard]] const V& read(Index k, const char* name) const {
    return cuda::read(OwnedPlace<V>{first_.there + k, first_.owner}, name);
  }

 private:
  static_assert(std::is_trivially_destructible_v<V>);
  std::shared_ptr<ResourcePool> pool_;
  ResourcePool::Array* array_;
  OwnedPlace<V> first_{};
};
using PooledVerdict = PooledPlace<DeviceVerdict>;
using PooledVerdicts = PooledPlaces<DeviceVerdict>;
using PooledReport = PooledPlace<DeviceRefinement>;

}  // namespace kauri::numeric::cuda
