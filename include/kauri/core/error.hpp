// Error, which is thrown (usage, input, overflow, memory, device, cancelled), and Breakdown ("not
// positive definite"), which is returned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "kauri/core/types.hpp"

namespace kauri {

/// Kinds of errors; the exit status of the program `kauri` follows from them.
enum class ErrorKind {
  usage,     ///< the call is wrong: sizes that do not fit, a factor that is not valid, an unknown
             ///< option
  input,     ///< the data are wrong: an index out of range, NaN, a broken file (the text names file
             ///< and line, or row and column)
  overflow,  ///< a count does not fit its type
  memory,    ///< not enough memory, as for a factor or a workspace (the text names the bytes asked
             ///< for)
  device,    ///< the device failed or does not exist; any call that works on a device may throw it
  cancelled,  ///< the std::stop_token of the call was asked to stop; all objects may be used again,
              ///< with another token
};

/// Exception for every failure, except that "not positive definite" is returned as a Breakdown, and
/// some allocations throw std::bad_alloc. Analyses, readers, generators and the buffers of factors
/// and workspaces throw Error(memory); matrices, graphs, orderings called directly and other
/// containers in host memory throw std::bad_alloc, as standard containers do. After either
/// exception nothing leaks, and every argument is as usable as before the call, with one exception:
/// a factor whose refactorisation failed, as by values that are not finite, is not valid until it
/// is refactorised. kauri never prints and never aborts.
class Error : public std::runtime_error {
 public:
  /// Makes an error. what: the text for the user, which names the argument or entry at fault.
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  /// Returns the kind of the error.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A failed factorisation: A is not positive definite to working precision.
struct Breakdown {
  Index column = kNone;  ///< the failing column in the caller's numbering; of several, that of
                         ///< least index in Plan::perm
  double pivot =
      0;  ///< the pivot of that column before the square root: zero, negative, or not finite
};

/// A value, or an error of type E. value() throws std::logic_error if there is an error, error() if
/// there is a value.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  /// Holds a value.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  /// Holds an error.
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  /// Returns true if there is no error.
  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  /// Converts to ok().
  explicit operator bool() const noexcept { return ok(); }
  /// Returns the value, by reference into this object. Throws std::logic_error if there is an
  /// error.
  [[nodiscard]] T& value() & { return require_value(), std::get<0>(state_); }
  /// Returns the value for reading, by reference into this object. Throws std::logic_error if there
  /// is an error.
  [[nodiscard]] const T& value() const& { return require_value(), std::get<0>(state_); }
  /// Returns the value to be moved from, by reference into this object. Throws std::logic_error if
  /// there is an error.
  [[nodiscard]] T&& value() && { return require_value(), std::get<0>(std::move(state_)); }
  /// Returns the error, by reference into this object. Throws std::logic_error if ok().
  [[nodiscard]] const E& error() const {
    if (ok()) throw std::logic_error("kauri::Result: error() called on a value");
    return std::get<1>(state_);
  }

 private:
  void require_value() const {
    if (!ok()) throw std::logic_error("kauri::Result: value() called on an error");
  }
  std::variant<T, E> state_;
};

/// Success without a value, or an error of type E.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  /// Holds success.
  Result() = default;
  /// Holds an error.
  Result(E error) : error_(std::move(error)), ok_(false) {}
  /// Returns true if there is no error.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// Converts to ok().
  explicit operator bool() const noexcept { return ok_; }
  /// Returns the error, by reference into this object. Throws std::logic_error if ok().
  [[nodiscard]] const E& error() const {
    if (ok_) throw std::logic_error("kauri::Result: error() called on a success");
    return error_;
  }

 private:
  E error_{};
  bool ok_ = true;
};

}  // namespace kauri
