// SelectedInverse: entries of A^-1 where L has entries. Marginal variances, gradients of log-determinants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "kauri/factor.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class InverseImpl;
template <Scalar T>
class DeviceInverse;
}  // namespace numeric

/// Entries of the inverse of the A + shift I that was factorised, at all places where its L has entries, the entries of A among them: the
/// recurrence of Takahashi, Fagan & Chen (PICA Conf. 1973; Erisman & Tinney, Comm. ACM 18, 1975) by supernodes from the root down (Lin et
/// al., ACM Trans. Math. Softw. 37, 2011). It takes twice the operations of the factorisation and about as much memory as the factor, lives
/// where that lives, and keeps nothing of it but the plan. Move-only; one moved from may be assigned to and destroyed, nothing else. Reads
/// are safe from several threads, but not beside a call that fills it; of two calls that fill it at a time one gets Error(usage). The same
/// bits for any number of threads.
template <Scalar T>
class SelectedInverse {
 public:
  /// Memory alone, for factors of that plan on that backend, valid or not yet: not valid until compute(). Throws Error(memory) with the
  /// bytes asked for, those of bytes().
  static SelectedInverse create(const Factor<T>& factor);
  /// What create() takes through the backend's ledger: Z, scratch of one front or of one for each thread, counters.
  static Offset bytes(const Factor<T>& factor);
  SelectedInverse(SelectedInverse&&) noexcept;
  SelectedInverse& operator=(SelectedInverse&&) noexcept;
  ~SelectedInverse();

  /// Fills it, from what the factor holds now. Allocates nothing. Throws Error(usage) for a factor that is not valid, or of another plan or
  /// backend. stop: as for refactorize(); once it has thrown, this is not valid until it is filled again. On a device the token is looked
  /// at before the work begins.
  void compute(const Factor<T>& factor, const std::stop_token& stop = {});
  /// Enqueues the same on the caller's stream, for a factor on a device, and returns as Factor::enqueue_solve() does: some launches for
  /// each level of the tree, which the pattern alone decides, and nothing is allocated or waited for. Also straight after
  /// enqueue_refactorize(), and where the stream is capturing: a replay reads the numbers that the factor holds then. Factor and inverse
  /// are in use until the work is done. This is not valid until fetch_verdict(). Throws Error: usage (as compute(), but that the factor's
  /// verdict need not be known; a factor on the CPU), device.
  void enqueue_compute(const Factor<T>& factor, StreamHandle stream);
  /// Waits for all work on the stream, and tells the verdict of the factor that the last computation read, which makes this valid or not.
  /// Throws Error: usage (on the CPU), device (that work failed).
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// True once compute() has returned, or fetch_verdict() brought a good verdict; until the next computation begins.
  [[nodiscard]] bool valid() const { return valid_; }
  /// What it was made for.
  [[nodiscard]] const Plan& plan() const;

  // Rows and columns are the caller's, those of A. All throw Error(usage) if this is not valid.
  /// Entry (row, col) of A^-1, which is symmetric; none where L, which is that of P A P^T, has no place for it: such entries are not
  /// computed. Throws Error(usage) for rows and columns that A does not have. On a device one copy each: for a few of them.
  [[nodiscard]] std::optional<T> entry(Index row, Index col) const;
  /// The diagonal of A^-1, length n: where A is a precision, the variances.
  [[nodiscard]] std::vector<T> diagonal() const;
  /// The entries of A^-1 at those of A's lower triangle, length nnz, in the order of a.row: d ln det(A) / d A(i,j), once for an entry on
  /// the diagonal and twice for one below it, which stands for two. Throws Error(usage) if `a` is not the pattern analysed.
  [[nodiscard]] std::vector<T> on_pattern_of(const Pattern& a) const;

  /// Enqueue diagonal(), and on_pattern_of() the pattern analysed, on the caller's stream, which may be capturing: the same bits, left in
  /// the device's memory, of length n and nnz. Also straight after enqueue_compute() on that stream: where A then was not positive
  /// definite, all is NaN. Nothing is allocated. Throw Error: usage (neither valid nor enqueued; another length; memory that is not the
  /// device's; on the CPU), device.
  void enqueue_diagonal(std::span<T> there, StreamHandle stream) const;
  void enqueue_on_pattern(std::span<T> there, StreamHandle stream) const;  ///< As said above, length nnz.

 private:
  SelectedInverse(std::unique_ptr<numeric::InverseImpl<T>> store, const numeric::Executor& executor);
  void require_valid() const;
  void require_fit(const Factor<T>& factor) const;
  void require_readable(const char* name, std::size_t length, Offset expected) const;
  [[nodiscard]] numeric::DeviceInverse<T>& device() const;
  std::unique_ptr<numeric::InverseImpl<T>> store_;
  const numeric::Executor* executor_;  // stays where it is when a Backend moves
  bool valid_ = false;
  bool awaits_verdict_ = false;  // enqueued, and not fetched since
};

}  // namespace kauri
