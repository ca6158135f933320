// The way of the host's arrays to the device: chunks of page-locked memory, filled by several threads while the one before is copied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/threads/host_threads.hpp"
#include "numeric/cuda/runtime/device_block.hpp"

namespace kauri::numeric::cuda {

/// True for memory that the device may copy by itself.
bool is_reachable(const void* place);

/// Shared by all that one backend makes, from any thread.
class Staging {
 public:
  /// Writes items [begin, end) of an array to `out`. Called by several threads at once.
  using Fill = std::function<void(Offset begin, Offset end, void* out)>;
  /// Takes items [begin, end) of an array from `in`. Called by several threads at once.
  using Unpack = std::function<void(Offset begin, Offset end, const void* in)>;

  /// On the current device, as all calls. Starts the threads that fill.
  Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { stream_.wait(); }

  /// `count` items of `item` bytes to the device, in the stream's order: what fill reads may change when this returns.
  void send(void* device, Offset count, std::size_t item, const Fill& fill, cudaStream_t stream);
  /// To the device, in the stream's order: what is page-locked or on a device is copied as it lies, and may change when the stream has come
  /// past the copy; all else may change when this returns.
  void copy(void* device, std::span<const std::byte> from, cudaStream_t stream);
  /// The same, there when this returns.
  void copy_now(void* device, std::span<const std::byte> from);
  /// `count` items of `item` bytes from the device, in the stream's order: unpack has taken all of them when this returns. What the stream
  /// has to do before has best ended: others wait for chunks as long.
  void receive(const void* device, Offset count, std::size_t item, const Unpack& unpack, cudaStream_t stream);

 private:
  friend class CoalescedUpload;
  struct Chunk {
    std::byte* memory = nullptr;
    Event copied;  ///< from or to it; never recorded counts as done
  };
  struct Return {
    Staging* staging = nullptr;
    void operator()(Chunk* chunk) const noexcept { staging->give_back(chunk); }
  };
  using ChunkLease = std::unique_ptr<Chunk, Return>;
  static constexpr std::size_t kChunkBytes = std::size_t{4} << 20, kPieceBytes = std::size_t{1} << 15;
  static constexpr std::size_t kChunks = 4;
  static constexpr std::size_t kAlignment = 256;  ///< in a chunk a byte lies as it will on the device, to this
  static constexpr int kMostThreads = 16;

  /// The chunk that was given back first; waits until there is one, so not to be called by who has one: threads would wait in a ring.
  ChunkLease lease();
  /// The same, or null.
  ChunkLease lease_if_idle();
  ChunkLease first_free();
  void give_back(Chunk* chunk) noexcept;
  /// f(first, last, place) for pieces of items [begin, end), which lie at `memory`.
  template <class F>
  void by_pieces(std::byte* memory, Offset begin, Offset end, std::size_t item, const F& f);

  Arena arena_;
  Stream stream_;
  PinnedBytes memory_;
  std::array<Chunk, kChunks> chunk_;
  std::mutex mutex_;  // of what follows: a ring of the chunks that nobody has
  std::condition_variable given_back_;
  std::array<Chunk*, kChunks> ring_{};
  std::size_t first_ = 0, left_ = kChunks;
};

/// Copies of one thread on one stream. Arrays that follow each other on the device, up to alignment, and in one allocation, share a chunk
/// and so a copy: a small array costs no more than the filling of its bytes. What flush() has not sent is dropped at the end.
class CoalescedUpload {
 public:
  CoalescedUpload(Staging& staging, cudaStream_t stream) : staging_(staging), stream_(stream) {}
  CoalescedUpload(const CoalescedUpload&) = delete;
  CoalescedUpload& operator=(const CoalescedUpload&) = delete;

  /// `count` items of `item` bytes, in the stream's order: what fill reads may change when this returns.
  void send(void* device, Offset count, std::size_t item, const Staging::Fill& fill);
  /// The same of an array.
  void send(void* device, std::span<const std::byte> from);
  /// Everything is on its way when this returns.
  void flush();

 private:
  /// Free bytes for what goes to `place`, which the chunk then holds the way to.
  std::size_t room_at(std::byte* place);
  [[nodiscard]] std::byte* in_chunk(const std::byte* place) const;

  Staging& staging_;
  cudaStream_t stream_;
  Staging::ChunkLease chunk_;
  std::byte* begin_ = nullptr;  // on the device: where the chunk goes
  std::size_t used_ = 0;
};

/// Makes the arrays of a block on one stream.
class Uploader {
 public:
  Uploader(Staging& staging, DeviceBlock& block, const Stream& stream) : block_(block), stream_(stream), upload_(staging, stream.get()) {}
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  ~Uploader() { stream_.wait(); }

  template <class T>
  [[nodiscard]] DeviceArray<T> room(Offset count) {
    return block_.take<T>(count);
  }
  /// fill(begin, end, out) writes items [begin, end) to out[0 .. end - begin); called by several threads at once.
  template <class T, class F>
  void fill(const DeviceArray<T>& array, const F& fill) {
    upload_.send(array.data(), array.size(), sizeof(T),
                 [&](Offset begin, Offset end, void* out) { fill(begin, end, static_cast<T*>(out)); });
  }
  template <class T, class F>
  [[nodiscard]] DeviceArray<T> make(Offset count, const F& fill) {
    const DeviceArray<T> array = room<T>(count);
    this->fill(array, fill);
    return array;
  }
  template <class T>
  [[nodiscard]] DeviceArray<T> copy(std::span<const T> host) {
    const DeviceArray<T> array = room<T>(static_cast<Offset>(host.size()));
    upload_.send(array.data(), std::as_bytes(host));
    return array;
  }
  template <class T, class Allocator>
  [[nodiscard]] DeviceArray<T> copy(const std::vector<T, Allocator>& host) {
    return copy(std::span<const T>(host));
  }
  /// Waits until all arrays have arrived.
  void finish() {
    upload_.flush();
    stream_.synchronize();
  }

 private:
  DeviceBlock& block_;
  const Stream& stream_;
  CoalescedUpload upload_;
};

}  // namespace kauri::numeric::cuda
