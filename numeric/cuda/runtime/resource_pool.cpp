// Leases streams, and page-locked memory for verdicts and reports.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/resource_pool.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

namespace kauri::numeric::cuda {

static_assert(sizeof(Owned<DeviceVerdict>) <= 64);

std::uint64_t next_owner() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void throw_foreign(const char* name) {
  throw Error(
      ErrorKind::usage,
      std::string(name) +
          " was overwritten by work of an object that has ended: a graph "
          "that was captured from a factor, a batch "
          "or a refiner was launched after its end; keep the object until its graphs have run");
}

ResourcePool::ResourcePool() {
  make_stream();
  make_stream();
  make_places();
}

void ResourcePool::make_stream() {
  idle_stream_.reserve(stream_.size() + 1);
  stream_.push_back(std::make_unique<Stream>());
  idle_stream_.push_back(stream_.back().get());
}

void ResourcePool::make_places() {
  idle_place_.reserve((slab_.size() + 1) * (kSlabBytes / kPlaceBytes));
  slab_.push_back(std::make_unique<PinnedBytes>(kSlabBytes));
  for (std::size_t at = 0; at < kSlabBytes; at += kPlaceBytes)
    idle_place_.push_back(static_cast<std::byte*>(slab_.back()->data()) + at);
}

Stream* ResourcePool::take_stream() {
  const std::scoped_lock lock(mutex_);
  if (idle_stream_.empty()) make_stream();
  Stream* stream = idle_stream_.back();
  idle_stream_.pop_back();
  return stream;
}

void* ResourcePool::take_place() {
  const std::scoped_lock lock(mutex_);
  if (idle_place_.empty()) make_places();
  void* place = idle_place_.back();
  idle_place_.pop_back();
  return place;
}

ResourcePool::Array* ResourcePool::take_array(std::size_t bytes) {
  const std::size_t size = std::bit_ceil(std::max(bytes, kSlabBytes));
  const std::scoped_lock lock(mutex_);
  const auto idle = std::find_if(idle_array_.begin(), idle_array_.end(),
                                 [&](const Array* array) { return array->bytes == size; });
  if (idle != idle_array_.end()) {
    Array* const array = *idle;
    idle_array_.erase(idle);
    return array;
  }
  idle_array_.reserve(array_.size() + 1);
  array_.push_back(std::make_unique<Array>(size));
  return array_.back().get();
}

void ResourcePool::give_back(Stream* stream) noexcept {
  const std::scoped_lock lock(mutex_);
  idle_stream_.push_back(stream);
}

void ResourcePool::give_back(void* place) noexcept {
  const std::scoped_lock lock(mutex_);
  idle_place_.push_back(place);
}

void ResourcePool::give_back(Array* array) noexcept {
  const std::scoped_lock lock(mutex_);
  idle_array_.push_back(array);
}

}  // namespace kauri::numeric::cuda
