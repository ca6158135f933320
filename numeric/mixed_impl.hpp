// Mixed precision in a backend's memory: S A S and vectors in double beside a factor in float. See
// kauri::MixedFactor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "numeric/backend.hpp"

namespace kauri::numeric {

/// Two inner products.
struct Dots {
  double first, second;
};

/// Vectors and operations of a mixed solve. The matrix is H = S A S, with y = S^-1 x 2^-t and
/// c = S b 2^-t; for each column of b, 2^t exceeds the largest magnitude in S b, so the numbers of
/// H y = c are near 1 whatever the units of A, x and b. For each of up to nrhs() columns this
/// object holds c, y, the previous y, and the residual r. A search by conjugate gradients, of one
/// column at a time, adds its direction p, H p, z = M^-1 r and the previous r. The caller has
/// checked shapes and addresses. Each call waits for the numbers it returns and for its accesses to
/// the caller's memory.
class MixedImpl {
 public:
  virtual ~MixedImpl() = default;
  [[nodiscard]] virtual Index nrhs() const = 0;
  /// Makes room for nrhs columns; does nothing if there is room. If it makes room, the contents of
  /// vectors are unspecified; values of A stay. Throws Error(memory), after which nrhs() is 0.
  virtual void reserve(Index nrhs) = 0;
  /// Returns the bytes that this object holds in the memory of the backend.
  [[nodiscard]] virtual Offset bytes() const = 0;

  /// Makes set_values() and later calls start on the device after the work that is on the caller's
  /// stream now; the host does not wait. Throws Error(usage) if the stream is capturing, and on the
  /// CPU if it is not null.
  virtual void begin_after(StreamHandle stream) = 0;
  /// Copies the values of A, length nnz, from host or device memory, and computes S and H.
  virtual void set_values(std::span<const double> value) = 0;
  /// Returns the values of H rounded to float, in the order of A's entries, in the backend's
  /// memory; scaled() returns those in double.
  [[nodiscard]] virtual std::span<const float> rounded() const = 0;
  [[nodiscard]] virtual std::span<const double> scaled() = 0;
  /// Returns the exponent e of S(i,i) = 2^-e.
  [[nodiscard]] virtual int exponent(Index i) const = 0;
  /// Returns false if A has a diagonal entry that is not positive and finite.
  [[nodiscard]] virtual bool positive_diagonal() const = 0;

  /// Loads b, from host or device memory, into columns 0 to b.cols - 1: sets c, y = 0 and r = c.
  /// error receives the componentwise error of y = 0 of each column: 1, or 0 if c = 0, or NaN if
  /// the column of b is not finite.
  virtual void load(MatrixView<const double> b, std::span<double> error) = 0;
  /// clear() sets y of a column to 0; spoil() sets all its entries to NaN.
  virtual void clear(Index column) = 0;
  virtual void spoil(Index column) = 0;
  /// Computes r = c - H y of these columns, and the backward errors of y: error[k] of columns[k].
  virtual void residuals(std::span<const Index> columns, std::span<BackwardError> error) = 0;
  /// Writes x = S y 2^t, one column in host or device memory; y is unchanged. Returns false if an
  /// entry of x is not finite.
  virtual bool store(Index column, MatrixView<double> x) = 0;

  /// Computes d = M^-1 r of these columns with the factor M in float, and keeps it in float. r is
  /// divided by a power of two before it is rounded to float; uses of d multiply by that power.
  virtual void precondition(const FactorImpl<float>& factor, WorkspaceImpl<float>& workspace,
                            std::span<const Index> columns) = 0;
  /// Saves y as the previous y, then adds y += d. `columns` are those of the last precondition().
  virtual void correct(std::span<const Index> columns) = 0;
  /// Saves y as the previous y, then adds y += M^-1 r with the factor M in double, for columns
  /// [first, first + count). M^-1 r overwrites r.
  virtual void correct(const FactorImpl<double>& factor, WorkspaceImpl<double>& workspace,
                       Index first, Index count) = 0;
  /// keep() saves y as the previous y; take_back() restores the previous y.
  virtual void keep(Index column) = 0;
  virtual void take_back(Index column) = 0;

  /// Sets z = p = d, with d of the last precondition(), which must have been of this column alone.
  /// Returns z.r.
  virtual double begin_search(Index column) = 0;
  /// Computes H p, and returns (p.H p, p.r).
  virtual Dots curvature(Index column) = 0;
  /// Saves r as the previous r, then adds y += step p.
  virtual void advance(Index column, double step) = 0;
  /// Sets z = d, with d as in begin_search(), and returns (z.r, z.(previous r)).
  virtual Dots project(Index column) = 0;
  /// Sets p = z + beta p.
  virtual void turn(double beta) = 0;
};

}  // namespace kauri::numeric
