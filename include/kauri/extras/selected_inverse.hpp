// SelectedInverse: the entries of A^-1 at the positions of the entries of L, for marginal variances
// and gradients of log-determinants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "kauri/solve/factor.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class InverseImpl;
template <Scalar T>
class DeviceInverse;
}  // namespace numeric

/// Entries of the inverse of the A + shift I that was factorised, at all positions at which L + L^T
/// has entries; these include A's entries. They follow from the recurrence of Takahashi, Fagan &
/// Chen (PICA Conf. 1973; Erisman & Tinney, Comm. ACM 18, 1975) by supernodes from the root down
/// (Lin et al., ACM Trans. Math. Softw. 37, 2011). It takes twice the operations of the
/// factorisation and about as much memory as the factor, on the factor's backend, and keeps nothing
/// of the factor but the plan. The bits are the same for any number of threads.
///
/// Several threads may read a SelectedInverse at once, but not while a call fills it; a second call
/// that fills it meanwhile throws Error(usage). Move-only; one that was moved from may only be
/// assigned to and destroyed.
template <Scalar T>
class SelectedInverse {
 public:
  /// Allocates the memory of one inverse, bytes(): that of any factor with the plan and backend of
  /// `factor`, which need not be valid. The inverse is not valid until compute(). Throws
  /// Error(memory) with the bytes asked for.
  static SelectedInverse create(const Factor<T>& factor);
  /// Returns the bytes that create() takes, counted by the backend: the entries of the inverse,
  /// scratch of one front or of one front for each thread, and counters.
  static Offset bytes(const Factor<T>& factor);
  SelectedInverse(SelectedInverse&&) noexcept;
  SelectedInverse& operator=(SelectedInverse&&) noexcept;
  ~SelectedInverse();

  /// Computes the inverse from the present L of the factor. Allocates nothing. Throws
  /// Error(usage) for a factor that is not valid, or of another Plan object or backend, and
  /// Error(cancelled). stop: as for refactorize(); on a device the token is read before the work
  /// begins. If the computation has begun and is cancelled or fails, the inverse is not valid until
  /// the next computation.
  void compute(const Factor<T>& factor, const std::stop_token& stop = {});
  /// Enqueues compute() on the caller's stream, for a factor on a device, and returns as
  /// Factor::enqueue_solve() does, without allocating or waiting. It enqueues some launches for
  /// each level of the tree; the pattern alone determines them. The call may follow
  /// enqueue_refactorize() directly, and the stream may be capturing: a replay reads the L that the
  /// factor holds at that time. Factor and inverse are in use until the work is done. The inverse
  /// is not valid until fetch_verdict(). Throws Error: usage (as compute(), but the factor's
  /// verdict need not be known; a factor on the CPU), device.
  void enqueue_compute(const Factor<T>& factor, StreamHandle stream);
  /// Waits for all work on the stream and returns the verdict of the factor that the last
  /// computation read. The inverse is valid if that verdict is good. Throws Error: usage (on the
  /// CPU), device (that work failed).
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// Returns true after compute() has returned or fetch_verdict() brought a good verdict, until the
  /// next computation begins.
  [[nodiscard]] bool valid() const { return valid_; }
  /// Returns the plan of the factor passed to create(); it lives as long as this object.
  [[nodiscard]] const Plan& plan() const;

  // Rows and columns below are those of A, in the caller's numbering. All three calls throw
  // Error(usage) if the inverse is not valid.
  /// Returns entry (row, col) of A^-1, which is symmetric. Empty if L, the factor of P A P^T, has
  /// no entry at that position: then that of the inverse is not computed. Throws Error(usage) for
  /// a row or column that A does not have. On a device each call copies one number, so it is for a
  /// few entries.
  [[nodiscard]] std::optional<T> entry(Index row, Index col) const;
  /// Returns the diagonal of A^-1, length n. If A is a precision matrix, these are the variances.
  [[nodiscard]] std::vector<T> diagonal() const;
  /// Returns the entries of A^-1 at the entries of A's lower triangle, length nnz, in the order of
  /// a.row. They give d ln det(A) / d A(i,j): the entry itself on the diagonal, and twice the entry
  /// below it, since a stored entry there stands for two of A. Throws Error: usage (`a` is not the
  /// pattern that was analysed), input (`a` is not a sound Pattern).
  [[nodiscard]] std::vector<T> on_pattern_of(const Pattern& a) const;

  /// Enqueues diagonal() on the caller's stream, which may be capturing: writes the same bits to
  /// `there`, length n, in the device's memory. The call may follow enqueue_compute() on that
  /// stream directly: if A turns out not to be positive definite, it writes NaN. It allocates
  /// nothing. Throws Error: usage (the inverse is neither valid nor enqueued; a wrong length;
  /// memory that is not the device's; on the CPU), device.
  void enqueue_diagonal(std::span<T> there, StreamHandle stream) const;
  /// Enqueues on_pattern_of() for the analysed pattern, as enqueue_diagonal() does for diagonal():
  /// writes nnz numbers to `there`, length nnz, in the device's memory.
  void enqueue_on_pattern(std::span<T> there, StreamHandle stream) const;

 private:
  SelectedInverse(std::unique_ptr<numeric::InverseImpl<T>> store,
                  const numeric::Executor& executor);
  void require_valid() const;
  void require_fit(const Factor<T>& factor) const;
  void require_readable(const char* name, std::size_t length, Offset expected) const;
  [[nodiscard]] numeric::DeviceInverse<T>& device() const;
  std::unique_ptr<numeric::InverseImpl<T>> store_;
  const numeric::Executor* executor_;  // keeps its address when the Backend moves
  bool valid_ = false;
  bool awaits_verdict_ = false;  // enqueued, and the verdict not fetched since
};

}  // namespace kauri
