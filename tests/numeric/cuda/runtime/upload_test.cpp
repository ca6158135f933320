// Tests blocks of a device's memory, and the upload of arrays through shared chunks, on the host
// without a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/common/aligned_bytes.hpp"
#include "numeric/cuda/runtime/resource_pool.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "symbolic/device/schedule.hpp"
#include "tests/numeric/cuda/runtime/host_runtime.hpp"

namespace kauri::numeric::cuda {
namespace {

using test::runtime_calls;

/// Takes 20 bytes, as a task does: not a power of two.
struct Five {
  Index at[5];
};

template <class T>
T item(Offset i, int array) {
  return static_cast<T>(i * 7 + array);
}
template <>
Five item(Offset i, int array) {
  Five out{};
  for (int k = 0; k < 5; ++k) out.at[k] = static_cast<Index>(i * 5 + k + array);
  return out;
}
bool same(const Five& a, const Five& b) { return std::equal(a.at, a.at + 5, b.at); }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

/// Uploads arrays into a block and counts their wrong items.
class Arrays {
 public:
  explicit Arrays(Uploader& uploader) : uploader_(uploader) {}
  template <class T>
  void copy(Offset count) {
    const int k = next_++;
    std::vector<T> host;
    for (Offset i = 0; i < count; ++i) host.push_back(item<T>(i, k));
    remember<T>(uploader_.copy(host), k);
  }
  template <class T>
  void make(Offset count) {
    const int k = next_++;
    remember<T>(uploader_.make<T>(count,
                                  [&](Offset begin, Offset end, T* out) {
                                    if (reinterpret_cast<std::uintptr_t>(out) % alignof(T) != 0)
                                      return;
                                    for (Offset i = begin; i < end; ++i)
                                      out[i - begin] = item<T>(i, k);
                                  }),
                k);
  }
  /// Reserves an array that no upload may write.
  void room(Offset bytes) {
    const auto array = uploader_.room<std::byte>(bytes);
    checks_.push_back([array] {
      return array.size() - std::count(array.data(), array.data() + array.size(), test::kFresh);
    });
  }
  [[nodiscard]] Offset wrong() const {
    Offset sum = 0;
    for (const auto& check : checks_) sum += check();
    return sum;
  }

 private:
  template <class T>
  void remember(DeviceArray<T> array, int k) {
    checks_.push_back([array, k] {
      Offset wrong = reinterpret_cast<std::uintptr_t>(array.data()) % kDeviceAlignment == 0 ? 0 : 1;
      for (Offset i = 0; i < array.size(); ++i)
        wrong += same(array.data()[i], item<T>(i, k)) ? 0 : 1;
      return wrong;
    });
  }

  Uploader& uploader_;
  int next_ = 0;
  std::vector<std::function<Offset()>> checks_;
};

/// Uploads arrays of random lengths and types; returns the number of items that have not arrived.
Offset wrong_items(Staging& staging, const std::shared_ptr<ResourcePool>& pool,
                   const DeviceHeap& heap, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<unsigned, Offset>> lists;
  Offset bytes = 0;
  for (auto arrays = 1 + random() % 14; arrays > 0; --arrays) {
    const auto kind = static_cast<unsigned>(random() % 5);
    const std::uint64_t most = random() % 6 == 0 ? 700000 : random() % 3 == 0 ? 1 : 3000;
    lists.emplace_back(kind, static_cast<Offset>(random() % most));
    bytes += aligned_bytes(lists.back().second, kind == 0 ? 4 : kind < 3 ? 20 : 8);
  }
  const PooledStream stream(pool);
  DeviceBlock block(bytes, heap);
  Uploader uploader(staging, block, *stream);
  Arrays arrays(uploader);
  for (const auto& [kind, count] : lists) {
    if (kind == 0) arrays.copy<Index>(count);
    if (kind == 1) arrays.copy<Five>(count);
    if (kind == 2) arrays.make<Five>(count);
    if (kind == 3) arrays.make<double>(count);
    if (kind == 4) arrays.room(8 * count);
  }
  uploader.finish();
  return arrays.wrong();
}

TEST(Upload, ArraysOfManyThreadsArriveWhole) {
  Staging staging;
  const auto pool = std::make_shared<ResourcePool>();
  MemoryLedger ledger;
  const DeviceHeap heap{{}, {}, &ledger};
  constexpr std::size_t kThreads = 7;  // more than there are chunks
  std::vector<Offset> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t round = 0; round < 25; ++round)
        wrong[t] += wrong_items(staging, pool, heap, 100 * t + round);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<Offset>(kThreads, 0));
  EXPECT_EQ(ledger.in_use(), 0);
}

/// The arrays need more chunks than exist, and more threads than chunks copy them.
TEST(Upload, ArraysComeBackWhole) {
  Staging staging;
  const auto pool = std::make_shared<ResourcePool>();
  const DeviceHeap heap{{}, {}, nullptr};
  constexpr Offset kCount = 2500000;
  constexpr std::size_t kThreads = 6;
  std::vector<Offset> right(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const PooledStream stream(pool);
      DeviceBlock block(aligned_bytes(kCount, 8), heap);
      Uploader uploader(staging, block, *stream);
      const auto array = uploader.make<double>(kCount, [&](Offset begin, Offset end, double* out) {
        for (Offset i = begin; i < end; ++i) out[i - begin] = item<double>(i, static_cast<int>(t));
      });
      uploader.finish();
      std::vector<double> back(kCount, -1);
      const auto unpack = [&](Offset begin, Offset end, const void* in) {
        std::copy_n(static_cast<const double*>(in), end - begin, back.begin() + begin);
      };
      staging.receive(array.data(), kCount, sizeof(double), unpack, stream->get());
      for (Offset i = 0; i < kCount; ++i)
        right[t] +=
            back[static_cast<std::size_t>(i)] == item<double>(i, static_cast<int>(t)) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<Offset>(kThreads, kCount));
}

TEST(Upload, SmallArraysShareACopyAndNothingIsMadeTwice) {
  Staging staging;
  const auto pool = std::make_shared<ResourcePool>();
  MemoryLedger ledger;
  const DeviceHeap heap{{}, {}, &ledger};
  runtime_calls() = {};
  for (int factor = 0; factor < 3; ++factor) {
    const PooledStream stream(pool), other(pool);
    const PooledVerdict verdict(pool);
    EXPECT_EQ(verdict.read("a verdict"), DeviceVerdict{});
    verdict.place().there->value.status = VerdictStatus::positive_definite;
    DeviceBlock block(30 * aligned_bytes(1000, 4), heap);
    EXPECT_EQ(ledger.in_use(), 0);
    Uploader uploader(staging, block, *stream);
    Arrays arrays(uploader);
    for (int k = 0; k < 30; ++k) arrays.copy<Index>(1000);
    uploader.finish();
    EXPECT_EQ(arrays.wrong(), 0);
    EXPECT_EQ(ledger.in_use(), 30 * 4096);
    EXPECT_EQ(runtime_calls().copies, factor + 1);
    EXPECT_EQ(runtime_calls().allocations, factor + 1);
  }
  EXPECT_EQ(runtime_calls().streams, 0);
  EXPECT_EQ(runtime_calls().pinned, 0);
}

TEST(Upload, ABlockEndsWhereItsArraysEnd) {
  MemoryLedger ledger;
  const DeviceHeap heap{{}, {}, &ledger};
  DeviceBlock block(512, heap);
  EXPECT_EQ(block.take<double>(0).size(), 0);
  const auto first = block.take<std::byte>(1), second = block.take<std::byte>(256);
  EXPECT_EQ(second.data() - first.data(), kDeviceAlignment);
  EXPECT_EQ(ledger.in_use(), 512);
  EXPECT_THROW(static_cast<void>(block.take<std::byte>(1)), Error);
  EXPECT_EQ(ledger.in_use(), 512);
}

/// More verdicts are in use at once than a page has places for; each is independent.
TEST(Upload, ManyVerdictsAtOnce) {
  const auto pool = std::make_shared<ResourcePool>();
  std::vector<std::unique_ptr<PooledVerdict>> verdicts;
  for (Index k = 0; k < 100; ++k) {
    verdicts.push_back(std::make_unique<PooledVerdict>(pool));
    ASSERT_EQ(verdicts.back()->read("a verdict"), DeviceVerdict{});
    verdicts.back()->place().there->value.column = k;
  }
  for (Index k = 0; k < 100; ++k)
    EXPECT_EQ(verdicts[static_cast<std::size_t>(k)]->read("a verdict").column, k);
}

}  // namespace
}  // namespace kauri::numeric::cuda
