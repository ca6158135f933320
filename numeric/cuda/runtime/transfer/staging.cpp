// Copies between host and device through chunks of page-locked memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/transfer/staging.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>

#include "base/threads/allowed_threads.hpp"

namespace kauri::numeric::cuda {
namespace {

/// A chunk that holds at least this many bytes is sent, so that its copy runs while the next chunk
/// is filled.
constexpr std::size_t kSentBytes = std::size_t{1} << 20;

}  // namespace

bool is_reachable(const void* place) {
  return attributes_of(place).type != cudaMemoryTypeUnregistered;
}

Staging::Staging()
    : arena_(std::min(kMostThreads, allowed_threads())),
      memory_(kChunks * (kChunkBytes + kAlignment)) {
  for (std::size_t k = 0; k < kChunks; ++k) {
    chunk_[k].memory = static_cast<std::byte*>(memory_.data()) + k * (kChunkBytes + kAlignment);
    ring_[k] = &chunk_[k];
  }
  // oneTBB makes its threads when it first has work for them; without this loop that is in the
  // middle of the first upload.
  arena_.execute([] { tbb::parallel_for(0, kMostThreads, [](int) {}); });
}

Staging::ChunkLease Staging::first_free() {
  Chunk* chunk = ring_[first_];
  first_ = (first_ + 1) % kChunks;
  --left_;
  return {chunk, Return{this}};
}

Staging::ChunkLease Staging::lease() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [&] { return left_ > 0; });
  return first_free();
}

Staging::ChunkLease Staging::lease_if_idle() {
  const std::scoped_lock lock(mutex_);
  return left_ > 0 ? first_free() : ChunkLease();
}

void Staging::give_back(Chunk* chunk) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    ring_[(first_ + left_) % kChunks] = chunk;
    ++left_;
  }
  given_back_.notify_one();
}

template <class F>
void Staging::by_pieces(std::byte* memory, Offset begin, Offset end, std::size_t item, const F& f) {
  const auto piece = static_cast<Offset>(kPieceBytes / item);
  const Offset pieces = (end - begin + piece - 1) / piece;
  const auto work = [&](Offset k) {
    const Offset first = begin + k * piece;
    f(first, std::min(end, first + piece), memory + static_cast<std::size_t>(k * piece) * item);
  };
  if (pieces == 1) return work(0);
  arena_.execute([&] {
    auto own = own_context();
    tbb::parallel_for(Offset{0}, pieces, work, own);
  });
}

void Staging::send(void* device, Offset count, std::size_t item, const Fill& fill,
                   cudaStream_t stream) {
  CoalescedUpload gathering(*this, stream);
  gathering.send(device, count, item, fill);
  gathering.flush();
}

/// Keeps copies in flight to one chunk, and to others as long as some are idle; unpacks chunks in
/// the order of their copies.
void Staging::receive(const void* device, Offset count, std::size_t item, const Unpack& unpack,
                      cudaStream_t stream) {
  struct StagedRange {
    ChunkLease chunk;
    Offset begin, end;
  };
  const auto most = static_cast<Offset>(kChunkBytes / item);
  std::deque<StagedRange> under_way;
  Offset next = 0;
  const auto fetch = [&](ChunkLease chunk) {
    const Offset end = std::min(count, next + most);
    check(cudaEventSynchronize(chunk->copied.get()), "a copy to the device");
    check(cudaMemcpyAsync(
              chunk->memory,
              static_cast<const std::byte*>(device) + static_cast<std::size_t>(next) * item,
              static_cast<std::size_t>(end - next) * item, cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
    check(cudaEventRecord(chunk->copied.get(), stream), "a copy from the device");
    under_way.push_back({std::move(chunk), next, end});
    next = end;
  };
  while (next < count || !under_way.empty()) {
    if (under_way.empty()) fetch(lease());
    for (ChunkLease more; next < count && (more = lease_if_idle());) fetch(std::move(more));
    const StagedRange part = std::move(under_way.front());
    under_way.pop_front();
    check(cudaEventSynchronize(part.chunk->copied.get()), "a copy from the device");
    by_pieces(part.chunk->memory, part.begin, part.end, item, unpack);
  }
}

void Staging::copy(void* device, std::span<const std::byte> from, cudaStream_t stream) {
  if (from.empty()) return;
  if (is_reachable(&from.front()) && is_reachable(&from.back()))
    return check(cudaMemcpyAsync(device, from.data(), from.size(), cudaMemcpyDefault, stream),
                 "a copy to the device");
  CoalescedUpload gathering(*this, stream);
  gathering.send(device, from);
  gathering.flush();
}

void Staging::copy_now(void* device, std::span<const std::byte> from) {
  copy(device, from, stream_.get());
  stream_.synchronize();
}

std::byte* CoalescedUpload::in_chunk(const std::byte* place) const {
  return chunk_->memory + reinterpret_cast<std::uintptr_t>(begin_) % Staging::kAlignment +
         (place - begin_);
}

std::size_t CoalescedUpload::room_at(std::byte* place) {
  // Addresses are subtracted as integers, since the place may be in another allocation: if it is
  // below the end of the chunk's bytes, the difference wraps to a large gap.
  const auto address = [](const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p); };
  if (chunk_ && address(place) - (address(begin_) + used_) >= Staging::kAlignment) flush();
  if (!chunk_) {
    chunk_ = staging_.lease();
    check(cudaEventSynchronize(chunk_->copied.get()), "a copy to the device");
    begin_ = place;
    used_ = 0;
  }
  const auto at = static_cast<std::size_t>(place - begin_);
  return at < Staging::kChunkBytes ? Staging::kChunkBytes - at : 0;
}

void CoalescedUpload::send(void* device, Offset count, std::size_t item,
                           const Staging::Fill& fill) {
  auto* place = static_cast<std::byte*>(device);
  for (Offset begin = 0; begin < count;) {
    const Offset end = std::min(count, begin + static_cast<Offset>(room_at(place) / item));
    if (end > begin) {
      staging_.by_pieces(in_chunk(place), begin, end, item, fill);
      place += static_cast<std::size_t>(end - begin) * item;
      used_ = static_cast<std::size_t>(place - begin_);
    }
    if (end == begin || used_ >= kSentBytes) flush();
    begin = end;
  }
}

void CoalescedUpload::send(void* device, std::span<const std::byte> from) {
  const auto fill = [from](Offset begin, Offset end, void* out) {
    std::memcpy(out, from.data() + begin, static_cast<std::size_t>(end - begin));
  };
  send(device, static_cast<Offset>(from.size()), 1, fill);
}

void CoalescedUpload::flush() {
  if (!chunk_) return;
  check(cudaMemcpyAsync(begin_, in_chunk(begin_), used_, cudaMemcpyHostToDevice, stream_),
        "a copy to the device");
  check(cudaEventRecord(chunk_->copied.get(), stream_), "a copy to the device");
  chunk_.reset();
}

}  // namespace kauri::numeric::cuda
