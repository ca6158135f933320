// FusedSolve: a factorisation and one solve by it in one pass, for values that are solved with once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "kauri/factor.hpp"

namespace kauri {

/// A X = B where each A meets one B alone, as in Newton's method or steps of a diffusion that changes: the forward elimination of B goes
/// along with the factorisation, in which b is a row more of A (the bordered matrix [C B^T; B A] of George & Liu 1981, with B's rows
/// ordered last), so that when L is there so is y = L^-1 P b, as a row of L; what is left is the backward sweep. A Factor reads L twice for
/// a solve, this once.
///
///     auto step = kauri::FusedSolve<double>::create(a.pattern(), plan, backend);
///     for (...) if (auto ok = step.solve(value, b, x); !ok) { ... ok.error().column ... }
///
/// The solution has the accuracy of Factor::solve(), but not its bits: sums of the forward elimination are those of the factorisation.
/// More solves with the same A, a determinant or anything else that wants L, are a Factor's. A column of b has the bits of its place, and
/// one that is not finite is an Error, or NaN, of all.
///
/// The columns of B together have b . A^-1 b less than 2^960, of floats 2^120 (the largest eigenvalue of B^T A^-1 B is), which b in sane
/// units keep by far; where they do not, that is told, and scaling b helps.
///
/// Memory beside that of a Factor of A, for each right-hand side: a row of L and n values and their places in the plan; a workspace's
/// vectors; three more vectors; and once a copy of A's values. On a device two small copies and a gather surround the sweep. So below some
/// 30,000 rows, and with eight right-hand sides, a factorisation and a solve are faster, by up to an eighth. Move-only; one moved from may
/// be assigned to and destroyed, nothing else; one call at a time: a second one throws Error(usage).
template <Scalar T>
class FusedSolve {
 public:
  /// For nrhs >= 1 right-hand sides together. a: the pattern that the plan was made for; of the plan its permutation, target and workers
  /// are taken, and a plan of the bordered matrix is made, which takes as long as the symbolic phase did. The only call that allocates.
  /// Throws Error: input (a bad pattern), usage (nrhs < 1, another pattern than the plan's, CudaCompute::fp16x3 for floats, where
  /// Factor<T>::create does), memory,
  /// overflow (n + nrhs beyond 2^31 - 1; more than kMostEntries entries with those of B).
  static FusedSolve create(const Pattern& a, const std::shared_ptr<const Plan>& plan, Backend& backend, Index nrhs = 1);
  FusedSolve(FusedSolve&&) noexcept;
  FusedSolve& operator=(FusedSolve&&) noexcept;
  ~FusedSolve();

  /// value: of A, length nnz, in the order of the pattern. b and x: n rows and nrhs() columns, of either layout; x may be b or overlap it.
  /// A Breakdown, in A's numbering: A is not positive definite, and x is anything. Throws Error: usage (other sizes), input (an entry of A
  /// or of b that is not finite, by name, and a b that is too large), cancelled (`stop`, as for refactorize(): on the CPU within some
  /// 50 ms, on a device before the work begins).
  Result<void, Breakdown> solve(std::span<const T> value, MatrixView<const T> b, MatrixView<T> x, const std::stop_token& stop = {});
  /// The same with all of it where the backend computes, on the CPU ordinary memory. What writes them has ended before; x is there when
  /// this returns.
  Result<void, Breakdown> solve(const DeviceValues<T>& value, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                                const std::stop_token& stop = {});
  /// The same on the caller's stream, without waiting, also a capturing one (null for the CPU, where all is done when this returns). The
  /// verdict stays on the device until fetch_verdict(); where it is not good, all of x is NaN. A value that is not finite is no Error here.
  /// All holds that is said of enqueue_refactorize() and Factor::enqueue_solve() of what is in use until the work is done.
  void enqueue_solve(const DeviceValues<T>& value, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, StreamHandle stream);

  /// Of the last call, as far as the host knows: `none` from enqueue_solve() on. Columns are A's; not positive definite with kNone as its
  /// column: A is, but b is not finite or too large. The smallest pivot is A's, but that of the border (and then of column kNone) where
  /// that is less, of an A or a b near the limit.
  [[nodiscard]] const DeviceVerdict& verdict() const;
  /// Waits for all work on the stream, and takes over the verdict that lies on the device. Throws Error(device) if that work failed.
  const DeviceVerdict& fetch_verdict(StreamHandle stream);
  /// Where the device keeps the verdict, for the stream's own use; columns there are nrhs() more than A's, and those below it of b.
  [[nodiscard]] const DeviceVerdict* verdict_address() const;

  /// Of the bordered matrix: its costs are those of a call, but that of solves the forward half is not done.
  [[nodiscard]] const Plan& plan() const;
  /// Right-hand sides.
  [[nodiscard]] Index nrhs() const;
  /// Of values and vectors, beside those of the factor and its workspace; counted in the backend's.
  [[nodiscard]] Offset bytes() const;

 private:
  struct State;
  explicit FusedSolve(std::unique_ptr<State> state);
  void require_call(std::size_t values, const MatrixView<const T>& b, const MatrixView<const T>& x) const;
  Result<void, Breakdown> outcome();
  std::unique_ptr<State> state_;
};

}  // namespace kauri
