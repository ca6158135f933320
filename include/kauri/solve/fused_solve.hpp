// FusedSolve: a factorisation and one solve in a single pass, for matrices that are solved with
// once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "kauri/solve/factor.hpp"

namespace kauri {

/// A factorisation and a solve of A X = B in one pass, for an A that is solved with only once, as
/// in Newton's method or in time steps of a diffusion that changes. The forward elimination of B is
/// part of the factorisation: b is an additional row of A, in the bordered matrix [C B^T; B A] of
/// George & Liu 1981 with B's rows ordered last, so that the factorisation yields y = L^-1 P b as a
/// row of L, and only the backward sweep remains. Factor::solve() reads L twice, a FusedSolve reads
/// it once.
///
///     auto step = kauri::FusedSolve<double>::create(a.pattern(), plan, backend);
///     for (...) if (auto ok = step.solve(value, b, x); !ok) { ... ok.error().column ... }
///
/// The solution has the accuracy of Factor::solve(), but other bits: the forward elimination sums
/// in the order of the factorisation. Use a Factor for further solves with the same A, for a
/// determinant, or for anything else that needs L. The bits of a column of b depend on its position
/// among the columns. One column that is not finite makes the call fail for all columns: an Error,
/// or NaN in all of x.
///
/// The largest eigenvalue of B^T A^-1 B, for one column b^T A^-1 b, must be below 2^960, in float
/// below 2^120. It is far smaller if b has reasonable units. Otherwise the call reports that b is
/// too large, and b must be scaled.
///
/// In addition to the memory of a Factor of A this takes, for each right-hand side, a row of L, n
/// values and their positions in the plan, the vectors of a workspace and three more vectors; and
/// once a copy of A's values. On a device two small copies and a gather accompany the sweep. Hence
/// on a device, below some 30,000 rows or with eight right-hand sides, a Factor that is filled and
/// solved with once is faster, by up to an eighth.
///
/// Takes one call at a time: a second one throws Error(usage). Move-only; one that was moved from
/// may only be assigned to or destroyed.
template <Scalar T>
class FusedSolve {
 public:
  /// Allocates all memory for calls with exactly nrhs >= 1 right-hand sides; no other call
  /// allocates. a: the pattern that the plan was made for. The plan supplies permutation, target
  /// and workers for a plan of the bordered matrix, which takes as long to make as the symbolic
  /// phase did. Throws Error: input (a bad pattern), usage (nrhs < 1, a null plan, another pattern
  /// than the plan's, CudaCompute::fp16x3 in float, and wherever Factor<T>::create() throws it),
  /// memory, overflow (n + nrhs beyond 2^31 - 1; more than kMostEntries entries, with those of B).
  static FusedSolve create(const Pattern& a, const std::shared_ptr<const Plan>& plan,
                           Backend& backend, Index nrhs = 1);
  FusedSolve(FusedSolve&&) noexcept;
  FusedSolve& operator=(FusedSolve&&) noexcept;
  ~FusedSolve();

  /// Solves A X = B. value: the values of A, length nnz, in the order of the pattern. b and x: n
  /// rows and nrhs() columns each, of either layout; x may be b or overlap it. Returns a Breakdown
  /// in A's numbering if A is not positive definite; the contents of x are then undefined. Throws
  /// Error: usage (other sizes; another call under way), input (an entry of A or of b is not
  /// finite, with its row and column; b is too large), device, cancelled (`stop`, as for
  /// refactorize(): on the CPU within some 50 ms, on a device only before the work begins).
  Result<void, Breakdown> solve(std::span<const T> value, MatrixView<const T> b, MatrixView<T> x,
                                const std::stop_token& stop = {});
  /// Solves A X = B with values, b and x in the memory of the backend's device, on the CPU in
  /// ordinary memory. The work that writes values and b must have ended before the call; the call
  /// returns when x is complete. Throws as the other solve(), and Error(usage) for other memory.
  Result<void, Breakdown> solve(const DeviceValues<T>& value, DeviceMatrixView<const T> b,
                                DeviceMatrixView<T> x, const std::stop_token& stop = {});
  /// Enqueues the solve on the caller's stream, which may be capturing, and does not wait; on the
  /// CPU the stream must be null, and the work is done on return. The verdict stays on the device
  /// until fetch_verdict(); unless it is good, all of x is NaN. A value that is not finite is no
  /// Error here. The rules of enqueue_refactorize() and Factor::enqueue_solve() on objects in use
  /// until the work is done apply. Throws Error: usage (other sizes or memory, another call under
  /// way, a stream for the CPU), device.
  void enqueue_solve(const DeviceValues<T>& value, DeviceMatrixView<const T> b,
                     DeviceMatrixView<T> x, StreamHandle stream);

  /// Returns the verdict of the last call as the host last read it, with columns in A's numbering;
  /// `none` from enqueue_solve() until fetch_verdict(). If it is not_positive_definite with column
  /// kNone, A is positive definite, but b is not finite or too large. The smallest pivot is that of
  /// A; if a pivot in the rows of b is smaller, since A or b is near the limit, it is that one,
  /// with column kNone.
  [[nodiscard]] const DeviceVerdict& verdict() const;
  /// Waits for all work on the stream, then copies the verdict from the device and returns it.
  /// Throws Error: device (that work failed), usage (a stream for the CPU).
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// Returns the address of a verdict on the device (on the CPU in ordinary memory), for later work
  /// on the stream. That verdict is on the bordered matrix: its columns 0 to nrhs() - 1 are those
  /// of b, and nrhs() + j is column j of A.
  [[nodiscard]] const DeviceVerdict* verdict_address() const;

  /// Returns the plan of the bordered matrix. A call of solve() costs one factorisation by this
  /// plan and the backward half of its solves.
  [[nodiscard]] const Plan& plan() const;
  /// Returns the number of right-hand sides.
  [[nodiscard]] Index nrhs() const;
  /// Returns the bytes of the copy of A's values and of vectors, without those of the factor and
  /// the workspace that this object contains; Backend::bytes_in_use() includes all of them.
  [[nodiscard]] Offset bytes() const;

 private:
  struct FusedState;
  explicit FusedSolve(std::unique_ptr<FusedState> state);
  void require_call(std::size_t values, const MatrixView<const T>& b,
                    const MatrixView<const T>& x) const;
  Result<void, Breakdown> outcome();
  std::unique_ptr<FusedState> state_;
};

}  // namespace kauri
