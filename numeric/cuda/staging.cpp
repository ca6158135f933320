// Copies from the host in chunks.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/staging.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "numeric/allowed_threads.hpp"

namespace kauri::numeric::cuda {
namespace {

/// True for memory that the device may copy by itself.
bool is_reachable(const std::byte* place) { return attributes_of(place).type != cudaMemoryTypeUnregistered; }

}  // namespace

Staging::Staging() : arena_(std::min(kMostThreads, allowed_threads())), memory_(kChunks * kChunkBytes) {}

void Staging::fill_chunk(std::byte* memory, Offset begin, Offset end, std::size_t item, const Fill& fill) {
  const auto piece = static_cast<Offset>(kPieceBytes / item);
  const Offset pieces = (end - begin + piece - 1) / piece;
  const auto work = [&](Offset k) {
    const Offset first = begin + k * piece;
    fill(first, std::min(end, first + piece), memory + static_cast<std::size_t>(k * piece) * item);
  };
  if (pieces == 1) return work(0);
  arena_.execute([&] { tbb::parallel_for(Offset{0}, pieces, work); });
}

void Staging::send(void* device, Offset count, std::size_t item, const Fill& fill, cudaStream_t stream) {
  const std::scoped_lock lock(mutex_);
  const auto most = static_cast<Offset>(kChunkBytes / item);
  for (Offset begin = 0; begin < count; begin += most) {
    const Offset end = std::min(count, begin + most);
    std::byte* chunk = static_cast<std::byte*>(memory_.data()) + next_ * kChunkBytes;
    const cudaEvent_t copied = copied_[next_].get();
    next_ = (next_ + 1) % kChunks;
    check(cudaEventSynchronize(copied), "a copy to the device");
    fill_chunk(chunk, begin, end, item, fill);
    check(cudaMemcpyAsync(static_cast<std::byte*>(device) + static_cast<std::size_t>(begin) * item, chunk,
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

void Staging::copy_now(void* device, std::span<const std::byte> from) {
  copy(device, from, stream_.get());
  stream_.synchronize();
}

}  // namespace kauri::numeric::cuda
