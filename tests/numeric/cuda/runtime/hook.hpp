// An allocator of the caller, for CudaOptions::allocator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "kauri/core/backend.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"

namespace kauri::test {

/// Allocates by cudaMalloc, keeps a ledger, and fails at one chosen call.
class Hook {
 public:
  [[nodiscard]] CudaOptions::Allocator allocator() {
    return {&Hook::allocate, &Hook::release, this};
  }
  void fail_at(long call) { left_ = call; }
  /// Returns whether the call that should fail has been made.
  bool failed() const { return left_ < 0; }
  [[nodiscard]] std::size_t alive() const { return size_.size(); }
  [[nodiscard]] Offset bytes() const {
    Offset sum = 0;
    for (const auto& [data, bytes] : size_) sum += static_cast<Offset>(bytes);
    return sum;
  }
  [[nodiscard]] bool sound() const { return sound_; }
  /// Returns the number of allocations since the previous call of taken().
  long taken() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(taken_, 0);
  }

 private:
  static void* allocate(std::size_t bytes, void* user) {
    Hook& hook = *static_cast<Hook*>(user);
    const std::scoped_lock lock(hook.mutex_);
    ++hook.taken_;
    if (hook.left_-- == 0) return nullptr;
    void* data = nullptr;
    require(cudaMalloc(&data, bytes));
    hook.size_[data] = bytes;
    return data;
  }
  static void release(void* data, std::size_t bytes, void* user) {
    Hook& hook = *static_cast<Hook*>(user);
    const std::scoped_lock lock(hook.mutex_);
    const auto found = hook.size_.find(data);
    hook.sound_ = hook.sound_ && found != hook.size_.end() && found->second == bytes;
    if (found != hook.size_.end()) hook.size_.erase(found);
    cudaFree(data);
  }

  std::mutex mutex_;
  std::map<void*, std::size_t> size_;
  long left_ = std::numeric_limits<long>::max();
  long taken_ = 0;
  bool sound_ = true;
};

}  // namespace kauri::test
