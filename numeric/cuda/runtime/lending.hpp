// What is slow to make on a device and idle between uses: streams, and page-locked places for verdicts and reports. Lent by an executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kauri/refinement.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "numeric/cuda/runtime/owned.hpp"

namespace kauri::numeric::cuda {

/// Safe from several threads. Makes more where all are lent, and keeps what it has made.
class Lending {
 public:
  /// On the current device, as all calls. Makes what a first factor and its first workspace need.
  Lending();

 private:
  friend class LentStream;
  template <class V>
  friend class LentPlace;
  static constexpr std::size_t kPlaceBytes = 128, kSlabBytes = 4096;  ///< a place has its cache lines for itself

  Stream* lend_stream();
  void* lend_place();
  void give_back(Stream* stream) noexcept;
  void give_back(void* place) noexcept;
  void make_stream();
  void make_places();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> stream_;
  std::vector<std::unique_ptr<PinnedBytes>> slab_;
  std::vector<Stream*> idle_stream_;  // capacity for all there are, so that giving back cannot fail
  std::vector<void*> idle_place_;
};

/// A stream without work; waited for before it goes back.
class LentStream {
 public:
  explicit LentStream(std::shared_ptr<Lending> lending) : lending_(std::move(lending)), stream_(lending_->lend_stream()) {}
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;
  ~LentStream() {
    stream_->wait();
    lending_->give_back(stream_);
  }
  [[nodiscard]] const Stream& operator*() const { return *stream_; }
  [[nodiscard]] const Stream* operator->() const { return stream_; }

 private:
  std::shared_ptr<Lending> lending_;
  Stream* stream_;
};

/// A few numbers that the device writes and the host reads. To be given back when no work writes them any more; where some does all the
/// same, the next owner's read() says so.
template <class V>
class LentPlace {
 public:
  explicit LentPlace(std::shared_ptr<Lending> lending) : lending_(std::move(lending)) {
    const std::uint64_t owner = next_owner();
    place_ = {new (lending_->lend_place()) Owned<V>{V(), owner}, owner};
  }
  LentPlace(const LentPlace&) = delete;
  LentPlace& operator=(const LentPlace&) = delete;
  ~LentPlace() { lending_->give_back(static_cast<void*>(place_.there)); }
  [[nodiscard]] const OwnedPlace<V>& place() const { return place_; }
  [[nodiscard]] const V& read(const char* name) const { return cuda::read(place_, name); }

 private:
  static_assert(sizeof(Owned<V>) <= Lending::kPlaceBytes);
  std::shared_ptr<Lending> lending_;
  OwnedPlace<V> place_{};
};
using LentVerdict = LentPlace<DeviceVerdict>;
using LentReport = LentPlace<DeviceRefinement>;

}  // namespace kauri::numeric::cuda
