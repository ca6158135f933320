// A pool of streams and of page-locked places for verdicts and reports: slow to make, and idle
// between uses. An executor owns one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kauri/solve/refinement.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/owned.hpp"

namespace kauri::numeric::cuda {

/// Thread-safe. Makes another resource when all are in use; never shrinks.
class ResourcePool {
 public:
  /// Makes the resources of a first factor and its workspace. This and all other calls work on the
  /// current device.
  ResourcePool();

 private:
  friend class PooledStream;
  template <class V>
  friend class PooledPlace;
  static constexpr std::size_t kPlaceBytes = 128,
                               kSlabBytes = 4096;  ///< a place has its cache lines for itself

  /// Leases a stream or a place, an idle one if there is one, else a new one; never null.
  Stream* take_stream();
  void* take_place();
  void give_back(Stream* stream) noexcept;
  void give_back(void* place) noexcept;
  void make_stream();
  void make_places();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> stream_;
  std::vector<std::unique_ptr<PinnedBytes>> slab_;
  std::vector<Stream*>
      idle_stream_;  // has capacity for all streams, so that giving back cannot fail
  std::vector<void*> idle_place_;
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

/// Leases a page-locked place that the device writes and the host reads. Destroy it when no work on
/// the device writes the place any more; if some does, read() of the next owner throws.
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
using PooledVerdict = PooledPlace<DeviceVerdict>;
using PooledReport = PooledPlace<DeviceRefinement>;

}  // namespace kauri::numeric::cuda
