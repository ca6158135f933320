// Copies arrays between host and device by chunks of page-locked memory, which several threads fill
// while the chunk before is copied.
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

/// Returns true if `place` is in page-locked, managed or device memory, which the driver copies
/// directly, without staging. Throws Error(device).
bool is_reachable(const void* place);

/// Copies between host and device, for all objects that one backend makes. Thread-safe.
class Staging {
 public:
  /// Writes items [begin, end) of an array to out[0 .. end - begin). Several threads call it at
  /// once.
  using Fill = std::function<void(Offset begin, Offset end, void* out)>;
  /// Takes items [begin, end) of an array from in[0 .. end - begin). Several threads call it at
  /// once.
  using Unpack = std::function<void(Offset begin, Offset end, const void* in)>;

  /// Allocates the chunks and starts the threads that fill them. This and all other calls work on
  /// the current device.
  Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { stream_.wait(); }

  /// Sends `count` items of `item` bytes, which fill() writes, to `device`, in the stream's order.
  /// fill() is not called any more when this returns; the copies may still be under way.
  void send(void* device, Offset count, std::size_t item, const Fill& fill, cudaStream_t stream);
  /// Copies `from` to the device, in the stream's order. Memory that is_reachable() is copied
  /// directly: overwrite it only after the stream has completed the copy. All other memory may be
  /// overwritten when this returns.
  void copy(void* device, std::span<const std::byte> from, cudaStream_t stream);
  /// Copies `from` to the device on a stream of this object, and waits until it has arrived.
  void copy_now(void* device, std::span<const std::byte> from);
  /// Receives `count` items of `item` bytes from the device, in the stream's order; `unpack` has
  /// taken all of them when this returns. Earlier work of the stream should have ended before the
  /// call: while this call waits for that work, it holds chunks that other callers wait for.
  void receive(const void* device, Offset count, std::size_t item, const Unpack& unpack,
               cudaStream_t stream);

 private:
  friend class CoalescedUpload;
  struct Chunk {
    std::byte* memory = nullptr;
    Event copied;  ///< recorded after the last copy from or to the chunk; counts as passed before
                   ///< the first one
  };
  struct Return {
    Staging* staging = nullptr;
    void operator()(Chunk* chunk) const noexcept { staging->give_back(chunk); }
  };
  using ChunkLease = std::unique_ptr<Chunk, Return>;
  static constexpr std::size_t kChunkBytes = std::size_t{4} << 20,
                               kPieceBytes = std::size_t{1} << 15;
  static constexpr std::size_t kChunks = 4;
  static constexpr std::size_t kAlignment =
      256;  ///< a byte's addresses in a chunk and on the device are equal modulo this
  static constexpr int kMostThreads = 16;

  /// Leases the chunk that was given back first; waits until one is idle. A thread that holds a
  /// chunk must not call it, or threads could wait for each other in a ring.
  ChunkLease lease();
  /// Leases a chunk if one is idle, else returns null; does not wait, so that a thread that holds
  /// chunks may call it.
  ChunkLease lease_if_idle();
  ChunkLease first_free();
  void give_back(Chunk* chunk) noexcept;
  /// Calls f(first, last, address of item first) by several threads for pieces [first, last) of
  /// items [begin, end), of up to kPieceBytes each; `memory` is the address of item begin.
  template <class F>
  void by_pieces(std::byte* memory, Offset begin, Offset end, std::size_t item, const F& f);

  Arena arena_;
  Stream stream_;
  PinnedBytes memory_;
  std::array<Chunk, kChunks> chunk_;
  std::mutex mutex_;  // guards the following members: the idle chunks, as a ring of left_ chunks
  std::condition_variable given_back_;
  std::array<Chunk*, kChunks> ring_{};
  std::size_t first_ = 0, left_ = kChunks;
};

/// Copies of one thread to the device on one stream. Arrays that follow each other in one
/// allocation on the device, with gaps below 256 bytes, share a chunk and so a copy: a small array
/// costs no more than filling its bytes. The destructor drops what flush() has not sent.
class CoalescedUpload {
 public:
  CoalescedUpload(Staging& staging, cudaStream_t stream) : staging_(staging), stream_(stream) {}
  CoalescedUpload(const CoalescedUpload&) = delete;
  CoalescedUpload& operator=(const CoalescedUpload&) = delete;

  /// Sends `count` items of `item` bytes, which fill() writes, to `device`, in the stream's order,
  /// the last of them at flush(). fill() is not called any more when this returns.
  void send(void* device, Offset count, std::size_t item, const Staging::Fill& fill);
  /// Sends `from`, which may change when this returns, as send() of items.
  void send(void* device, std::span<const std::byte> from);
  /// Enqueues the copies of all that is still in a chunk.
  void flush();

 private:
  /// Returns how many bytes the chunk can still take, from `place` on the device onwards. Flushes
  /// the chunk first if `place` does not follow the bytes that the chunk holds; leases a chunk if
  /// there is none.
  std::size_t room_at(std::byte* place);
  [[nodiscard]] std::byte* in_chunk(const std::byte* place) const;

  Staging& staging_;
  cudaStream_t stream_;
  Staging::ChunkLease chunk_;
  std::byte* begin_ = nullptr;  // place on the device that the chunk is copied to
  std::size_t used_ = 0;        // bytes of the chunk in use, gaps between arrays included
};

/// Takes arrays from a DeviceBlock and uploads their values, on one stream.
class Uploader {
 public:
  Uploader(Staging& staging, DeviceBlock& block, const Stream& stream)
      : block_(block), stream_(stream), upload_(staging, stream.get()) {}
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  ~Uploader() { stream_.wait(); }

  template <class T>
  [[nodiscard]] DeviceArray<T> room(Offset count) {
    return block_.take<T>(count);
  }
  /// Fills an array: fill(begin, end, out) writes items [begin, end) to out[0 .. end - begin).
  /// Several threads call it at once.
  template <class T, class F>
  void fill(const DeviceArray<T>& array, const F& fill) {
    upload_.send(array.data(), array.size(), sizeof(T), [&](Offset begin, Offset end, void* out) {
      fill(begin, end, static_cast<T*>(out));
    });
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
  /// Sends what has not been sent, and waits until all arrays have arrived. Without this call the
  /// last of them may never arrive.
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
