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

/// Sparse symmetric positive definite systems by direct factorisation: the whole public interface
/// of the library. Start with kauri::Solver (kauri/solve/solver.hpp); the phases behind it are
/// order(), analyze(), factorize() and refine().
namespace kauri {

/// Row and column numbers, zero-based. A matrix has at most 2^31 - 1 rows.
using Index = std::int32_t;

/// Positions in arrays, and counts of entries. Never overflows silently: a count beyond 2^63 - 1
/// throws Error(overflow).
using Offset = std::int64_t;

/// Marks "no such row, column, parent or supernode".
inline constexpr Index kNone = -1;

/// Scalars in which kauri factorises: float and double.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

/// Allocator that default-initialises elements constructed without arguments, so that integers and
/// floating-point numbers stay uninitialised.
template <class T>
struct LeaveUnset : std::allocator<T> {
  LeaveUnset() = default;
  /// Converts from the allocator of another element type; there is no state to copy.
  template <class U>
  LeaveUnset(const LeaveUnset<U>&) noexcept {
  }  // NOLINT(google-explicit-constructor): as allocators are

  /// Names this allocator for elements of type U.
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): as allocator_traits calls it
    using other = LeaveUnset<U>;  ///< the allocator of U
  };
  /// Default-initialises a U at `at`: an integer or floating-point number stays uninitialised.
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  /// Constructs a U at `at` from the arguments.
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};

/// Vector whose resize() leaves new numbers uninitialised. So the threads that later fill a large
/// array, not the one that resizes it, touch its pages first.
template <class T>
using Array = std::vector<T, LeaveUnset<T>>;

}  // namespace kauri
