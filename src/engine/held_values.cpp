// HeldValues: the values that a factor was filled with, copied or borrowed.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/held_values.hpp"

#include <utility>

#include "numeric/factor_impl.hpp"

namespace kauri {
namespace {

std::size_t place_of_diagonal(const Pattern& a, std::size_t column) {
  return static_cast<std::size_t>(a.col_ptr[column]);
}

}  // namespace

template <Scalar T>
void HeldValues<T>::copy(const Pattern& a, std::span<const T> value, T shift) {
  borrowed_ = {};
  value_.assign(value.begin(), value.end());
  diagonal_.resize(value.empty() ? 0 : static_cast<std::size_t>(a.n));
  for (std::size_t j = 0; j < diagonal_.size(); ++j) diagonal_[j] = value_[place_of_diagonal(a, j)];
  set_shift(a, shift);
}

template <Scalar T>
void HeldValues<T>::borrow(BorrowedValues<T> value, T shift) {
  borrowed_ = std::move(value);
  value_.clear();
  diagonal_.clear();
  shift_ = shift;
}

template <Scalar T>
void HeldValues<T>::set_shift(const Pattern& a, T shift) {
  shift_ = shift;
  for (std::size_t j = 0; j < diagonal_.size(); ++j)
    value_[place_of_diagonal(a, j)] = shift == T(0) ? diagonal_[j] : diagonal_[j] + shift;
}

template <Scalar T>
std::span<const T> HeldValues<T>::here() const {
  const bool as_borrowed = !borrowed_.value.empty() && !borrowed_.on_device && shift_ == T(0);
  return as_borrowed ? borrowed_.value : std::span<const T>(value_);
}

template <Scalar T>
std::span<const T> HeldValues<T>::if_on_host() const {
  const std::lock_guard lock(mutex_);
  return here();
}

template <Scalar T>
std::span<const T> HeldValues<T>::on_host(const Pattern& a, const Factor<T>* factor) const {
  const std::lock_guard lock(mutex_);
  if (const std::span<const T> there = here(); !there.empty() || borrowed_.value.empty())
    return there;
  std::vector<T> room;
  const std::span<const T> host =
      borrowed_.on_device ? factor->store().on_host(borrowed_.value, room) : borrowed_.value;
  value_.assign(host.begin(), host.end());
  if (shift_ != T(0))
    for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j)
      value_[place_of_diagonal(a, j)] += shift_;
  return value_;
}

template class HeldValues<float>;
template class HeldValues<double>;

}  // namespace kauri
