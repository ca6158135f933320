// Memory that each thread of a computation keeps from one piece of work to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kauri {

/// A T for each thread that asks, as long as this lives. Not oneTBB's enumerable_thread_specific, whose memory comes from an allocator with
/// locks that a thread may hold while another one forks; for pieces of work, not for inner loops.
template <class T>
class EachThread {
 public:
  /// The calling thread's: make(), which returns a std::unique_ptr<T>, when it first asks.
  template <class Make>
  T& local(const Make& make) {
    const std::thread::id thread = std::this_thread::get_id();
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = own_.find(thread); found != own_.end()) return *found->second;
    }
    std::unique_ptr<T> fresh = make();
    const std::lock_guard lock(mutex_);
    return *(own_[thread] = std::move(fresh));
  }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, std::unique_ptr<T>> own_;
};

/// A T for each thread that asks, made when it first does.
///
/// What fails in one piece of work does not stop those beside it (blocks.hpp), and the thread goes on to the next of them. So a T that an
/// exception leaves half done is thrown away.
template <class T>
class PerThread {
 public:
  /// Each T is made of copies of these.
  template <class... Args>
  explicit PerThread(const Args&... args) : make_([args...](std::optional<T>& own) { own.emplace(args...); }) {}

  /// The calling thread's T, for the scope that holds this. Scopes on one thread may nest; they share it.
  class Use {
   public:
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      if (std::uncaught_exceptions() > exceptions_) own_.reset();
    }
    T& operator*() const { return *own_; }
    T* operator->() const { return &*own_; }

   private:
    friend class PerThread;
    explicit Use(std::optional<T>& own) : own_(own) {}

    std::optional<T>& own_;
    const int exceptions_ = std::uncaught_exceptions();
  };

  /// What making a T throws comes out of here.
  [[nodiscard]] Use use() {
    std::optional<T>& own = own_.local([] { return std::make_unique<std::optional<T>>(); });
    if (!own) make_(own);
    return Use(own);
  }

 private:
  std::function<void(std::optional<T>&)> make_;
  EachThread<std::optional<T>> own_;
};

}  // namespace kauri
