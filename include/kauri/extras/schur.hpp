// SchurComplement: the Schur complement of A on its last rows, and the solves that eliminate and
// recover all other rows.
//
// Block 2 is the rows of OrderingOptions::last, block 1 all others:  S = A22 - A21 A11^-1 A12 = L22
// L22^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "kauri/solve/factor.hpp"

namespace kauri {

/// L22 of one factorisation as a dense matrix, copied from the factor to the host's memory: count^2
/// scalars. If A + shift I was factorised, S is that of A + shift I. The object may be copied, and
/// does not depend on the factor's lifetime: the factor may be destroyed or filled again.
/// condense(), expand() and solve() take a factor of the same Plan object, which must hold the L
/// from which L22 was read; they throw Error(usage) for another plan. An object that was moved from
/// has no rows.
///
/// Calls with DeviceMatrixView take a factor on a device and give the same bits. They read L22 from
/// that factor, not from the copy, and allocate nothing. Work that writes their matrices must have
/// ended before the call; their results are complete when they return.
///
/// Calls that enqueue run on the caller's stream, which may be capturing. Verdicts, streams,
/// captures and the lifetime of their arguments are as for Factor::enqueue_solve(). So they may
/// follow enqueue_refactorize() directly; if A then is not positive definite, all entries that they
/// write are NaN.
///
/// Calls on a device throw the errors of the same call with matrices in the host's memory, and
/// Error(usage) for a factor on the CPU and for matrices that are not in the memory of the factor's
/// device.
template <Scalar T>
class SchurComplement {
 public:
  /// Copies L22 of the `count` rows that are eliminated last. If count is the length of
  /// OrderingOptions::last, these are the rows of `last`, in its sequence. O(count^2), and a copy
  /// of the fronts that hold these rows. Throws Error: usage (a factor that is not valid, a count
  /// that is negative or beyond n), device (the copy from the device fails).
  SchurComplement(const Factor<T>& factor, Index count);
  /// Makes an object for the calls with DeviceMatrixView alone, without a copy of L22. factor: on a
  /// device, valid or not. count: number of rows of S, those eliminated last. Without the copy,
  /// write(), condense() and expand() with matrices in the host's memory throw Error(usage). Throws
  /// Error(usage) for a factor on the CPU, and for a count that is negative or beyond n.
  static SchurComplement on_device(const Factor<T>& factor, Index count);

  SchurComplement(const SchurComplement&) = default;
  SchurComplement& operator=(const SchurComplement&) = default;
  /// Moves; the source then has no rows, no plan and no copy of L22.
  SchurComplement(SchurComplement&& other) noexcept
      : plan_(std::move(other.plan_)),
        order_(std::exchange(other.order_, 0)),
        copied_(std::exchange(other.copied_, false)),
        l_(std::move(other.l_)) {}
  /// Moves; the source then has no rows, no plan and no copy of L22.
  SchurComplement& operator=(SchurComplement&& other) noexcept {
    plan_ = std::move(other.plan_);
    order_ = std::exchange(other.order_, 0);
    copied_ = std::exchange(other.copied_, false);
    l_ = std::move(other.l_);
    return *this;
  }
  ~SchurComplement() = default;

  /// Returns the number of rows and columns of S.
  [[nodiscard]] Index order() const { return order_; }
  /// Writes the lower triangle of S to s, an order() x order() matrix in the host's memory, whose
  /// upper triangle is left unchanged. Row i of S is the row of A that is eliminated (n - order() +
  /// i)-th, counted from 0: row last[i] if S is on the rows of `last`. S is computed as
  /// L22 L22^T, with count^3 / 3 operations on one thread. Throws Error: usage (wrong sizes, no
  /// copy of L22), cancelled; stop: as for Factor::solve().
  void write(MatrixView<T> s, const std::stop_token& stop = {}) const;
  /// Writes the lower triangle of the factor's S to s, an order() x order() matrix on the factor's
  /// device. The factor must be valid and have this object's plan.
  void write(const Factor<T>& factor, DeviceMatrixView<T> s) const;
  /// Enqueues write() on the caller's stream and does not wait.
  void enqueue_write(const Factor<T>& factor, DeviceMatrixView<T> s, StreamHandle stream) const;

  /// Computes y = L^-1 P b, which expand() takes, and g = b2 - A21 A11^-1 b1. The x2 with S x2 = g
  /// is A^-1 b on the rows of `last`. b and y have n rows, g has order() rows, and all have the
  /// same number of columns. y is b itself or does not overlap it; g must not overlap y. Throws as
  /// Factor::solve() does, and Error(usage) for another plan or without a copy of L22; stop: as for
  /// Factor::solve().
  void condense(const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> y, MatrixView<T> g,
                Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// Does condense() with all matrices on the factor's device, with the same bits.
  void condense(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> y,
                DeviceMatrixView<T> g, Workspace<T>& workspace) const;
  /// Enqueues condense() on the caller's stream and does not wait.
  void enqueue_condense(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> y,
                        DeviceMatrixView<T> g, Workspace<T>& workspace, StreamHandle stream) const;

  /// Solves S x2 = g for any g, by a solve with A whose right-hand side is zero on all other rows,
  /// since S^-1 is a block of A^-1. g and x2 have order() rows; x2 is g itself or does not overlap
  /// it. y: scratch of n rows and as many columns as g, overlapping neither. Throws as
  /// Factor::solve() does, and Error(usage) for another plan; stop: as for Factor::solve().
  void solve(const Factor<T>& factor, MatrixView<const T> g, MatrixView<T> x2, MatrixView<T> y,
             Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// Does solve() with all matrices, the scratch y among them, on the factor's device.
  void solve(const Factor<T>& factor, DeviceMatrixView<const T> g, DeviceMatrixView<T> x2,
             DeviceMatrixView<T> y, Workspace<T>& workspace) const;
  /// Enqueues solve() on the caller's stream and does not wait.
  void enqueue_solve(const Factor<T>& factor, DeviceMatrixView<const T> g, DeviceMatrixView<T> x2,
                     DeviceMatrixView<T> y, Workspace<T>& workspace, StreamHandle stream) const;

  /// Computes x in the caller's numbering from any x2 (order() rows): x is x2 on the rows of `last`
  /// and x1 = A11^-1 (b1 - A12 x2) on all others. y: the result of condense() for b, n rows; the
  /// call overwrites it. x: n rows; it is y itself or overlaps neither y nor x2. All have the same
  /// number of columns. Throws as condense() does; stop: as for Factor::solve().
  void expand(const Factor<T>& factor, MatrixView<T> y, MatrixView<const T> x2, MatrixView<T> x,
              Workspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// Does expand() with all matrices on the factor's device.
  void expand(const Factor<T>& factor, DeviceMatrixView<T> y, DeviceMatrixView<const T> x2,
              DeviceMatrixView<T> x, Workspace<T>& workspace) const;
  /// Enqueues expand() on the caller's stream and does not wait.
  void enqueue_expand(const Factor<T>& factor, DeviceMatrixView<T> y, DeviceMatrixView<const T> x2,
                      DeviceMatrixView<T> x, Workspace<T>& workspace, StreamHandle stream) const;

 private:
  SchurComplement(std::shared_ptr<const Plan> plan, Index count);
  void require_shape(const char* name, const MatrixView<const T>& a, Index rows, Index cols) const;
  void require_plan(const Factor<T>& factor) const;
  void require_copy() const;
  /// Throws Error(usage) unless the factor is valid or, with or_awaited, was filled by enqueued
  /// work whose verdict the host has not fetched yet.
  static void require_valid(const Factor<T>& factor, bool or_awaited = false);
  const numeric::DeviceSolves<T>& device_of(const Factor<T>& factor) const;
  /// Runs enqueue(stream) on a stream of the device and waits for the work.
  template <class Enqueue>
  void now(const Factor<T>& factor, const Enqueue& enqueue) const;
  std::shared_ptr<const Plan> plan_;
  Index order_ = 0;
  bool copied_ = false;
  std::vector<T> l_;  // L22, column-major, order_ x order_; zeros above the diagonal
};

}  // namespace kauri
