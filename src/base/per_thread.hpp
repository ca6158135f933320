// Memory that each thread of a computation keeps from one piece of work to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <exception>
#include <functional>
#include <optional>

namespace kauri {

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
    std::optional<T>& own = own_.local();
    if (!own) make_(own);
    return Use(own);
  }

 private:
  std::function<void(std::optional<T>&)> make_;
  tbb::enumerable_thread_specific<std::optional<T>> own_;
};

}  // namespace kauri
