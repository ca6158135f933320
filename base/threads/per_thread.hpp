// Memory that each thread of a computation keeps between pieces of work.
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

/// A T for each thread that calls local(), for the lifetime of this object. Replaces oneTBB's
/// enumerable_thread_specific, whose allocator has locks that a thread may hold while another one
/// forks. local() takes a lock: call it per piece of work, not in inner loops.
template <class T>
class EachThread {
 public:
  /// Returns the calling thread's T. The first call of a thread makes the T by make(), which
  /// returns a std::unique_ptr<T>.
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

/// A T for each thread that calls use(), constructed by that thread's first call. A thread uses its
/// T for one piece of work after the other, also after an exception ended a piece. So a T that an
/// exception leaves half changed is destroyed, and the thread's next use() constructs a new one.
template <class T>
class PerThread {
 public:
  /// Each T is constructed from copies of args.
  template <class... Args>
  explicit PerThread(const Args&... args)
      : make_([args...](std::optional<T>& own) { own.emplace(args...); }) {}

  /// The calling thread's T during a scope. Scopes on one thread may nest; they share the T. If an
  /// exception leaves the scope, the T is destroyed.
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

  /// Opens a scope. Throws what the construction of T throws.
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
