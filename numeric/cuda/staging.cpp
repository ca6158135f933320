// Copies from and to the host in chunks.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/staging.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "numeric/allowed_threads.hpp"

namespace kauri::numeric::cuda {

bool is_reachable(const void* place) { return attributes_of(place).type != cudaMemoryTypeUnregistered; }

Staging::Staging() : arena_(std::min(kMostThreads, allowed_threads())), memory_(kChunks * kChunkBytes) {}

template <class F>
void Staging::by_pieces(std::byte* memory, Offset begin, Offset end, std::size_t item, const F& f) {
  const auto piece = static_cast<Offset>(kPieceBytes / item);
  const Offset pieces = (end - begin + piece - 1) / piece;
  const auto work = [&](Offset k) {
    const Offset first = begin + k * piece;
    f(first, std::min(end, first + piece), memory + static_cast<std::size_t>(k * piece) * item);
  };
  if (pieces == 1) return work(0);
  arena_.execute([&] { tbb::parallel_for(Offset{0}, pieces, work); });
}

void Staging::send(void* device, Offset count, std::size_t item, const Fill& fill, cudaStream_t stream) {
  const std::scoped_lock lock(mutex_);
  const auto most = static_cast<Offset>(kChunkBytes / item);
  for (Offset begin = 0; begin < count; begin += most) {
    const Offset end = std::min(count, begin + most);
    std::byte* memory = chunk(next_);
    const cudaEvent_t copied = copied_[next_].get();
    next_ = (next_ + 1) % kChunks;
    check(cudaEventSynchronize(copied), "a copy to the device");
    by_pieces(memory, begin, end, item, fill);
    check(cudaMemcpyAsync(static_cast<std::byte*>(device) + static_cast<std::size_t>(begin) * item, memory,
                          static_cast<std::size_t>(end - begin) * item, cudaMemcpyHostToDevice, stream),
          "a copy to the device");
    check(cudaEventRecord(copied, stream), "a copy to the device");
  }
}

void Staging::send(void* device, std::span<const std::byte> from, cudaStream_t stream) {
  const auto fill = [from](Offset begin, Offset end, void* out) {
    std::memcpy(out, from.data() + begin, static_cast<std::size_t>(end - begin));
  };
  send(device, static_cast<Offset>(from.size()), 1, fill, stream);
}

void Staging::copy(void* device, std::span<const std::byte> from, cudaStream_t stream) {
  if (from.empty()) return;
  if (is_reachable(&from.front()) && is_reachable(&from.back()))
    return check(cudaMemcpyAsync(device, from.data(), from.size(), cudaMemcpyDefault, stream), "a copy to the device");
  send(device, from, stream);
}

/// Chunk k of the array is in chunk first + k of the ring; as many as there are may be on their way at once.
void Staging::receive(const void* device, Offset count, std::size_t item, const Drain& drain, cudaStream_t stream) {
  const std::scoped_lock lock(mutex_);
  const auto most = static_cast<Offset>(kChunkBytes / item), chunks = (count + most - 1) / most;
  const std::size_t first = next_;
  const auto place = [&](Offset k) { return (first + static_cast<std::size_t>(k)) % kChunks; };
  const auto items_end = [&](Offset k) { return std::min(count, (k + 1) * most); };
  const auto fetch = [&](Offset k) {
    const cudaEvent_t copied = copied_[place(k)].get();
    check(cudaEventSynchronize(copied), "a copy to the device");
    check(cudaMemcpyAsync(chunk(place(k)), static_cast<const std::byte*>(device) + static_cast<std::size_t>(k * most) * item,
                          static_cast<std::size_t>(items_end(k) - k * most) * item, cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
    check(cudaEventRecord(copied, stream), "a copy from the device");
  };
  for (Offset k = 0; k < std::min(chunks, Offset{kChunks}); ++k) fetch(k);
  for (Offset k = 0; k < chunks; ++k) {
    check(cudaEventSynchronize(copied_[place(k)].get()), "a copy from the device");
    by_pieces(chunk(place(k)), k * most, items_end(k), item, drain);
    if (k + Offset{kChunks} < chunks) fetch(k + Offset{kChunks});
  }
  next_ = place(chunks);
}

void Staging::copy_now(void* device, std::span<const std::byte> from) {
  copy(device, from, stream_.get());
  stream_.synchronize();
}

}  // namespace kauri::numeric::cuda
