// Integer and scalar types shared by every phase.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if __cplusplus < 201709L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error kauri needs C++20
#endif

#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

/// Sparse symmetric positive definite systems by direct factorisation: everything public of the library. kauri/solver.hpp is the everyday
/// door; the phases behind it are order(), analyze(), factorize() and refine().
namespace kauri {

/// Row and column numbers, zero-based. A matrix has at most 2^31 - 1 rows.
using Index = std::int32_t;

/// Positions in arrays and counts of entries; never overflows silently: counts beyond 2^63 - 1 are an Error of kind overflow.
using Offset = std::int64_t;

/// "No such row, column, parent or supernode".
inline constexpr Index kNone = -1;

/// The scalars kauri factorises in.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

/// Leaves elements that are given no value as they are, where their type has no constructor to call.
template <class T>
struct LeaveUnset : std::allocator<T> {
  LeaveUnset() = default;
  /// Of another type: there is no state.
  template <class U>
  LeaveUnset(const LeaveUnset<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators are

  /// The same allocator for elements of type U.
  template <class U>
  struct rebind {                 // NOLINT(readability-identifier-naming): as allocator_traits calls it
    using other = LeaveUnset<U>;  ///< for U
  };
  /// A U of default initialisation: a number keeps the bits that lie there.
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  /// A U made of the arguments.
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};

/// A vector whose resize() sets nothing: what is large is touched first by the threads that fill it.
template <class T>
using Array = std::vector<T, LeaveUnset<T>>;

}  // namespace kauri
