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

/// Values of A on the pattern analysed, in its order. The caller keeps them unchanged until the
/// factor is filled again.
template <Scalar T>
struct BorrowedValues {
  std::span<const T> value;
  bool on_device = false;  ///< true: in the memory of the backend's device; false: on the host
  std::shared_ptr<const void> owner = nullptr;  ///< keeps the values alive; may be null
};

/// The values of A + shift I of the last factorisation, for residuals and for another shift.
template <Scalar T>
class HeldValues {
 public:
  /// Copies the values, or none, and adds the shift to the diagonal of the copy.
  void copy(const Pattern& a, std::span<const T> value, T shift);
  /// Refers to the caller's values in place of a copy.
  void borrow(BorrowedValues<T> value, T shift);
  /// Changes the shift of values that were copied.
  void set_shift(const Pattern& a, T shift);
  /// Returns the values that are borrowed now, and forgets them. The caller lets go of their owner
  /// once it holds no lock.
  [[nodiscard]] BorrowedValues<T> give_back() { return std::exchange(borrowed_, {}); }

  /// Returns the values of A + shift I on the host. Copies them at the first call if they are on
  /// the factor's device, or borrowed with a shift. Any number of threads may call it. Empty if
  /// there are no values.
  [[nodiscard]] std::span<const T> on_host(const Pattern& a, const Factor<T>* factor) const;
  /// Returns the values of A + shift I if the host has them already, so that on_host() would copy
  /// nothing; else an empty span.
  [[nodiscard]] std::span<const T> if_on_host() const;
  [[nodiscard]] const BorrowedValues<T>& borrowed() const { return borrowed_; }
  [[nodiscard]] T shift() const { return shift_; }

 private:
  [[nodiscard]] std::span<const T> here() const;

  BorrowedValues<T> borrowed_;
  T shift_ = 0;
  std::vector<T> diagonal_;       // of A; of values that were copied
  mutable std::mutex mutex_;      // guards value_ in const members
  mutable std::vector<T> value_;  // of A + shift I; empty if they are borrowed and were not needed
};

}  // namespace kauri
