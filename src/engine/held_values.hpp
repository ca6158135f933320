// HeldValues: the values that a factor was filled with, copied or borrowed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kauri/solve/factor.hpp"

namespace kauri {

/// Values of A in the order of the pattern analysed, in the caller's memory. The caller leaves them
/// unchanged until the factor is filled again or destroyed.
template <Scalar T>
struct BorrowedValues {
  std::span<const T> value;
  bool on_device = false;  ///< true: in the memory of the backend's device; false: on the host
  std::shared_ptr<const void> owner = nullptr;  ///< keeps the values alive; may be null
};

/// The values of A + shift I that the factor was last filled with, for residuals and for another
/// shift: a copy, or a reference to the caller's.
template <Scalar T>
class HeldValues {
 public:
  /// Copies the values, which may be empty, and adds the shift to the diagonal of the copy.
  void copy(const Pattern& a, std::span<const T> value, T shift);
  /// Refers to the caller's values of A in place of a copy; on_host() makes the values of A + shift
  /// I.
  void borrow(BorrowedValues<T> value, T shift);
  /// Sets another shift in place of the present one, for values that were copied.
  void set_shift(const Pattern& a, T shift);
  /// Returns the reference to the caller's values and forgets it. The caller destroys the returned
  /// owner only after releasing all locks.
  [[nodiscard]] BorrowedValues<T> give_back() { return std::exchange(borrowed_, {}); }

  /// Returns the values of A + shift I in host memory. The first call copies them if they are on
  /// the device of `factor`, or borrowed with a shift other than 0. `factor` may be null if no
  /// values are on a device. Any number of threads may call it. Empty if there are no values.
  [[nodiscard]] std::span<const T> on_host(const Pattern& a, const Factor<T>* factor) const;
  /// Returns the values of A + shift I if they are in host memory already, so that on_host() would
  /// copy nothing; else an empty span.
  [[nodiscard]] std::span<const T> if_on_host() const;
  [[nodiscard]] const BorrowedValues<T>& borrowed() const { return borrowed_; }
  [[nodiscard]] T shift() const { return shift_; }

 private:
  [[nodiscard]] std::span<const T> here() const;

  BorrowedValues<T> borrowed_;
  T shift_ = 0;
  std::vector<T> diagonal_;       // diagonal of A; empty for borrowed values
  mutable std::mutex mutex_;      // guards value_ in const members
  mutable std::vector<T> value_;  // A + shift I on the host, if copied; else empty
};

}  // namespace kauri
