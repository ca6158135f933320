// Error (misuse, input, memory, device: thrown) and Breakdown ("not positive definite": returned by value).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "kauri/types.hpp"

namespace kauri {

/// What an Error is about; the program's exit codes follow it.
enum class ErrorKind {
  usage,      ///< the call is wrong: sizes that do not fit, a factor that is not valid, an unknown option
  input,      ///< the data are wrong: an index out of range, NaN, a broken file (the text names file and line, or row and column)
  overflow,   ///< a count does not fit its type
  memory,     ///< not enough memory for a factor or a workspace (the text names the bytes asked for)
  device,     ///< the accelerator failed or is not there
  cancelled,  ///< the call's std::stop_token was asked to stop: everything may be called again, with another token
};

/// Thrown for everything but "not positive definite" and the ordinary std::bad_alloc: analyses, readers, generators, and the buffers of
/// factors and workspaces, whose bytes a plan tells beforehand, fail with Error(memory); matrices, graphs, orderings called by themselves
/// and other containers of the host fail with std::bad_alloc, as standard containers do. After either, nothing leaks and every argument is
/// as usable as before the call, but for a factor filled with values that are not finite: it is not valid until it is filled again. kauri
/// never prints or aborts.
class Error : public std::runtime_error {
 public:
  /// what: the text of what(), which names the place and the figure.
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  /// What it is about.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A is not positive definite (to working precision).
struct Breakdown {
  Index column = kNone;  ///< the failing column in the caller's numbering; of several, that of least index in Plan::perm
  double pivot = 0;      ///< the diagonal value met there before the square root: zero, negative, or not finite
};

/// A value or an error of type E. value() on an error throws std::logic_error; error() on a value likewise.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  /// A value.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  /// An error.
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  /// True where there is no error.
  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  /// ok().
  explicit operator bool() const noexcept { return ok(); }
  /// The value, in this object; throws std::logic_error on an error.
  [[nodiscard]] T& value() & { return require_value(), std::get<0>(state_); }
  /// The same, to be read.
  [[nodiscard]] const T& value() const& { return require_value(), std::get<0>(state_); }
  /// The same, to be moved from.
  [[nodiscard]] T&& value() && { return require_value(), std::get<0>(std::move(state_)); }
  /// The error, in this object; throws std::logic_error where ok().
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

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  /// Success.
  Result() = default;
  /// An error.
  Result(E error) : error_(std::move(error)), ok_(false) {}
  /// True where there is no error.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// ok().
  explicit operator bool() const noexcept { return ok_; }
  /// The error, in this object; throws std::logic_error where ok().
  [[nodiscard]] const E& error() const {
    if (ok_) throw std::logic_error("kauri::Result: error() called on a success");
    return error_;
  }

 private:
  E error_{};
  bool ok_ = true;
};

}  // namespace kauri
