// Permutations of the rows of A, with their direction spelled out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri {

/// A numbering of the rows (and columns) of A. With P the matrix of this permutation,
///
///     B = P A P^T,   B(k,l) = A(old_of(k), old_of(l)),   (P x)(k) = x(old_of(k)),
///     new_of(old_of(k)) == k,   old_of(new_of(i)) == i:
///
/// row old_of(k) of A is eliminated k-th. It is checked to be a bijection when it is built, and
/// read-only afterwards.
class Permutation {
 public:
  /// Makes the permutation of no rows.
  Permutation() = default;
  /// Builds a permutation from old_of[k] = row of A placed k-th. Throws Error(input) naming the
  /// first k whose entry is out of range or repeated. O(n); several threads share the work if other
  /// calls of kauri have started them, else the calling thread does it.
  static Permutation from_old_of(std::vector<Index> old_of);
  /// Returns the identity: old_of(k) = k. n >= 0.
  static Permutation identity(Index n);

  /// Returns the number of rows.
  [[nodiscard]] Index size() const { return static_cast<Index>(old_of_.size()); }
  /// Returns the k for which row i of A is eliminated k-th, 0 <= i < size(); k counts from 0.
  [[nodiscard]] Index new_of(Index i) const { return new_of_[static_cast<std::size_t>(i)]; }
  /// Returns the row of A that is eliminated k-th, 0 <= k < size(); k counts from 0.
  [[nodiscard]] Index old_of(Index k) const { return old_of_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<const Index> old_of() const {
    return old_of_;
  }  ///< returns a view of old_of(k) for all k, length size()
  [[nodiscard]] std::span<const Index> new_of() const {
    return new_of_;
  }  ///< returns a view of new_of(i) for all i, length size()
  /// Returns this numbering followed by `second`: result.old_of(k) = old_of(second.old_of(k)).
  /// Throws Error(usage) if the sizes differ.
  [[nodiscard]] Permutation then(const Permutation& second) const;

  friend bool operator==(const Permutation&, const Permutation&) = default;

 private:
  std::vector<Index> old_of_, new_of_;
};

}  // namespace kauri
