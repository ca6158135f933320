// SchurComplement: what is left of A on its last rows once all others are eliminated, and the solves with those others.
//
// With the rows of OrderingOptions::last as block 2 and all others as block 1:  S = A22 - A21 A11^-1 A12 = L22 L22^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "kauri/factor.hpp"

namespace kauri {

/// L22 of one factorisation, copied from the factor to the host's memory, dense: count^2 numbers. For A + shift I where that was
/// factorised. Copies are as good as the original; the factor may go or be filled again, but condense(), expand() and solve() take one of
/// the plan and the values that it was read from (they throw Error(usage) for another plan).
///
/// Calls with DeviceMatrixView have the same bits, for a factor on a device: they read L22 where that factor has it, whatever was copied,
/// and take no memory. What writes their matrices has ended before, and what they write is there when they return. Those that enqueue are
/// on the caller's stream, which may be capturing, and all holds that is said of Factor::enqueue_solve() about verdicts, streams, captures
/// and what is in use until the work is done: so they may follow enqueue_refactorize() at once, with NaN in all that they write, but
/// for what is left alone, where A is not positive definite. Errors are those of the same call with the host's matrices, and Error(usage)
/// for a factor on the CPU and for matrices that do not lie on the factor's device. One moved from has no rows.
template <Scalar T>
class SchurComplement {
 public:
  /// On the `count` rows that the plan has last: those of OrderingOptions::last, in its sequence, where count is their number; of other
  /// counts the last ones of its permutation. O(count^2) and a copy of the fronts that hold them. Throws Error(usage) for a factor that is
  /// not valid and a count that is negative or beyond n.
  SchurComplement(const Factor<T>& factor, Index count);
  /// For a factor on a device, valid or not yet, without a copy: for the calls with DeviceMatrixView alone. Throws Error(usage) for a
  /// factor on the CPU, and for such counts.
  static SchurComplement on_device(const Factor<T>& factor, Index count);

  SchurComplement(const SchurComplement&) = default;
  SchurComplement& operator=(const SchurComplement&) = default;
  /// Leaves an empty one: of no rows, without a copy, for no factor.
  SchurComplement(SchurComplement&& other) noexcept
      : plan_(std::move(other.plan_)),
        order_(std::exchange(other.order_, 0)),
        copied_(std::exchange(other.copied_, false)),
        l_(std::move(other.l_)) {}
  /// The same.
  SchurComplement& operator=(SchurComplement&& other) noexcept {
    plan_ = std::move(other.plan_);
    order_ = std::exchange(other.order_, 0);
    copied_ = std::exchange(other.copied_, false);
    l_ = std::move(other.l_);
    return *this;
  }
  ~SchurComplement() = default;

  /// Rows and columns of S.
  [[nodiscard]] Index order() const { return order_; }
  /// S to its lower triangle; the upper one is left alone. s: order() x order(). Row i is that of the i-th row of `last`. Computed as L22
  /// L22^T, by count^3 / 3 operations of one thread. Throws Error(usage) for other sizes; stop: as for Factor::solve().
  void write(MatrixView<T> s, const std::stop_token& stop = {}) const;
  /// S of the factor, which has this plan, on its device.
  void write(const Factor<T>& factor, DeviceMatrixView<T> s) const;
  /// The same on the caller's stream.
  void enqueue_write(const Factor<T>& factor, DeviceMatrixView<T> s, StreamHandle stream) const;

  /// y = L^-1 P b, which expand() takes, and g = b2 - A21 A11^-1 b1: then x2 with S x2 = g is A^-1 b on `last`. b and y: n rows; g: order()
  /// rows; as many columns each. y is b itself or does not overlap it. Throws what Factor::solve() throws; stop: the same.
  void condense(const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> y, MatrixView<T> g, Workspace<T>& workspace,
                const std::stop_token& stop = {}) const;
  /// The same with all matrices on the factor's device: the same bits.
  void condense(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> y, DeviceMatrixView<T> g,
                Workspace<T>& workspace) const;
  /// The same on the caller's stream, without waiting.
  void enqueue_condense(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> y, DeviceMatrixView<T> g,
                        Workspace<T>& workspace, StreamHandle stream) const;

  /// S x2 = g, of any g, by a solve with zeros for all other rows: S^-1 is a block of A^-1. g and x2: order() rows; x2 is g itself or does
  /// not overlap it. y: n rows, as many columns, for what is made on the way; it overlaps neither.
  void solve(const Factor<T>& factor, MatrixView<const T> g, MatrixView<T> x2, MatrixView<T> y, Workspace<T>& workspace,
             const std::stop_token& stop = {}) const;
  /// The same on the factor's device.
  void solve(const Factor<T>& factor, DeviceMatrixView<const T> g, DeviceMatrixView<T> x2, DeviceMatrixView<T> y,
             Workspace<T>& workspace) const;
  /// The same on the caller's stream.
  void enqueue_solve(const Factor<T>& factor, DeviceMatrixView<const T> g, DeviceMatrixView<T> x2, DeviceMatrixView<T> y,
                     Workspace<T>& workspace, StreamHandle stream) const;

  /// Given any x2 (order() rows), all of x: x1 = A11^-1 (b1 - A12 x2), and x2, in the caller's numbering. y: as condense() left it; it is
  /// changed. x: n rows, does not overlap the others, or is y itself.
  void expand(const Factor<T>& factor, MatrixView<T> y, MatrixView<const T> x2, MatrixView<T> x, Workspace<T>& workspace,
              const std::stop_token& stop = {}) const;
  /// The same on the factor's device.
  void expand(const Factor<T>& factor, DeviceMatrixView<T> y, DeviceMatrixView<const T> x2, DeviceMatrixView<T> x,
              Workspace<T>& workspace) const;
  /// The same on the caller's stream.
  void enqueue_expand(const Factor<T>& factor, DeviceMatrixView<T> y, DeviceMatrixView<const T> x2, DeviceMatrixView<T> x,
                      Workspace<T>& workspace, StreamHandle stream) const;

 private:
  SchurComplement(std::shared_ptr<const Plan> plan, Index count);
  void require_shape(const char* name, const MatrixView<const T>& a, Index rows, Index cols) const;
  void require_plan(const Factor<T>& factor) const;
  void require_copy() const;
  /// or_awaited: a verdict that nobody has looked at will do.
  static void require_valid(const Factor<T>& factor, bool or_awaited = false);
  const numeric::DeviceSolves<T>& device_of(const Factor<T>& factor) const;
  /// enqueue(stream), and waits.
  template <class Enqueue>
  void now(const Factor<T>& factor, const Enqueue& enqueue) const;
  std::shared_ptr<const Plan> plan_;
  Index order_ = 0;
  bool copied_ = false;
  std::vector<T> l_;  // L22, column-major, order_ x order_; zeros above the diagonal
};

}  // namespace kauri
