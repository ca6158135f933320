// The way of the host's arrays to the device and back: chunks of page-locked memory, filled or emptied by several threads while others are
// copied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <array>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "numeric/cuda/device.hpp"

namespace kauri::numeric::cuda {

/// True for memory that the device may copy by itself.
bool is_reachable(const void* place);

/// Shared by all that one backend makes; copies of several threads take turns.
class Staging {
 public:
  /// Writes items [begin, end) of an array to `out`. Called by several threads at once.
  using Fill = std::function<void(Offset begin, Offset end, void* out)>;
  /// Takes items [begin, end) of an array from `in`. Called by several threads at once.
  using Drain = std::function<void(Offset begin, Offset end, const void* in)>;

  /// On the current device, as all calls.
  Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { stream_.wait(); }

  /// `count` items of `item` bytes to the device, in the stream's order: what fill reads may change when this returns.
  void send(void* device, Offset count, std::size_t item, const Fill& fill, cudaStream_t stream);
  /// The same of an array.
  void send(void* device, std::span<const std::byte> from, cudaStream_t stream);
  /// The same, but what is page-locked or on a device is copied as it lies: it may change when the stream has come past the copy.
  void copy(void* device, std::span<const std::byte> from, cudaStream_t stream);
  /// The same, there when this returns.
  void copy_now(void* device, std::span<const std::byte> from);
  /// `count` items of `item` bytes from the device, in the stream's order: drain has taken all of them when this returns. What the stream
  /// has to do before has best ended: others wait for their turn as long.
  void receive(const void* device, Offset count, std::size_t item, const Drain& drain, cudaStream_t stream);

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{4} << 20, kPieceBytes = std::size_t{1} << 18;
  static constexpr std::size_t kChunks = 4;
  static constexpr int kMostThreads = 16;

  /// f(first, last, place) for pieces of items [begin, end), which lie at `memory`.
  template <class F>
  void by_pieces(std::byte* memory, Offset begin, Offset end, std::size_t item, const F& f);
  [[nodiscard]] std::byte* chunk(std::size_t k) const { return static_cast<std::byte*>(memory_.data()) + k * kChunkBytes; }

  std::mutex mutex_;
  tbb::task_arena arena_;
  Stream stream_;
  PinnedBytes memory_;
  std::array<Event, kChunks> copied_;  ///< per chunk, from or to it; never recorded counts as done
  std::size_t next_ = 0;
};

/// Makes arrays on the device on one stream; all have arrived once it is destroyed.
class Uploader {
 public:
  Uploader(Staging& staging, const DeviceHeap& heap, const Stream& stream) : staging_(staging), heap_(heap), stream_(stream) {}
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  ~Uploader() { stream_.wait(); }

  template <class T>
  [[nodiscard]] DeviceBuffer<T> room(Offset count) const {
    return DeviceBuffer<T>(count, heap_);
  }
  /// fill(begin, end, out) writes items [begin, end) to out[0 .. end - begin); called by several threads at once.
  template <class T, class F>
  void fill(const DeviceBuffer<T>& buffer, const F& fill) const {
    staging_.send(
        buffer.data(), buffer.size(), sizeof(T), [&](Offset begin, Offset end, void* out) { fill(begin, end, static_cast<T*>(out)); },
        stream_.get());
  }
  template <class T, class F>
  [[nodiscard]] DeviceBuffer<T> make(Offset count, const F& fill) const {
    DeviceBuffer<T> buffer = room<T>(count);
    this->fill(buffer, fill);
    return buffer;
  }
  template <class T>
  [[nodiscard]] DeviceBuffer<T> copy(std::span<const T> host) const {
    DeviceBuffer<T> buffer = room<T>(static_cast<Offset>(host.size()));
    staging_.send(buffer.data(), std::as_bytes(host), stream_.get());
    return buffer;
  }
  template <class T>
  [[nodiscard]] DeviceBuffer<T> copy(const std::vector<T>& host) const {
    return copy(std::span<const T>(host));
  }

 private:
  Staging& staging_;
  const DeviceHeap& heap_;
  const Stream& stream_;
};

}  // namespace kauri::numeric::cuda
