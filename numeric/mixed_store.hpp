// Mixed precision where a backend computes: S A S and vectors in double beside a factor in float. See kauri::MixedFactor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "numeric/backend.hpp"

namespace kauri::numeric {

/// Two products of vectors.
struct Dots {
  double first, second;
};

/// A is H = S A S here, y = S^-1 x 2^-t and c = S b 2^-t with 2^t above the largest entry of S b: H y = c has numbers near 1 throughout,
/// whatever the units of A, x and b. Of up to nrhs() columns at a time there are c, y, the y before, and the residual r; of a search, one
/// column's at a time, its direction p, H p, M^-1 r and the r before. Shapes and addresses were checked by the caller. Calls wait for what
/// they tell and for what is the caller's.
class MixedImpl {
 public:
  virtual ~MixedImpl() = default;
  [[nodiscard]] virtual Index nrhs() const = 0;
  /// Room for so many columns, no fewer than there is for. Vectors hold anything then; values stay. Throws Error(memory), with room for
  /// none.
  virtual void reserve(Index nrhs) = 0;
  /// Of all that it holds where it computes.
  [[nodiscard]] virtual Offset bytes() const = 0;

  /// As that of FactorImpl, for set_values() and what comes after it.
  virtual void begin_after(StreamHandle stream) = 0;
  /// value: of A, length nnz, in the host's memory or the device's. Finds S.
  virtual void set_values(std::span<const double> value) = 0;
  /// H in the order of A's entries, where the backend computes.
  [[nodiscard]] virtual std::span<const float> rounded() const = 0;
  [[nodiscard]] virtual std::span<const double> scaled() = 0;
  /// S(i,i) = 2^-exponent.
  [[nodiscard]] virtual int exponent(Index i) const = 0;
  /// False: A has a diagonal entry that is not positive and finite.
  [[nodiscard]] virtual bool positive_diagonal() const = 0;

  /// c of b's columns, in the host's memory or the device's; y = 0, r = c, and its componentwise error: 1, of c = 0 zero, and NaN where b
  /// is not finite.
  virtual void load(MatrixView<const double> b, std::span<double> error) = 0;
  /// y = 0; all of y NaN.
  virtual void clear(Index column) = 0;
  virtual void spoil(Index column) = 0;
  /// r = c - H y of these columns, and the errors of y.
  virtual void residuals(std::span<const Index> columns, std::span<BackwardError> error) = 0;
  /// x of y, which is not overwritten. False where an entry is not finite.
  virtual bool store(Index column, MatrixView<double> x) = 0;

  /// d = M^-1 r of these columns, with the factor in float; r scaled to what float holds by a power of two.
  virtual void precondition(const FactorImpl<float>& factor, WorkspaceImpl<float>& workspace, std::span<const Index> columns) = 0;
  /// The y before becomes y, and y += d: of the columns of the last precondition().
  virtual void correct(std::span<const Index> columns) = 0;
  /// The same with M^-1 r of a factor in double, which takes the place of r.
  virtual void correct(const FactorImpl<double>& factor, WorkspaceImpl<double>& workspace, Index first, Index count) = 0;
  /// The y before becomes y, or y the one before.
  virtual void keep(Index column) = 0;
  virtual void take_back(Index column) = 0;

  /// z = p = d of the last precondition(), that of this column. Tells z.r.
  virtual double begin_search(Index column) = 0;
  /// Of H p: p.H p and p.r.
  virtual Dots curvature(Index column) = 0;
  /// The r before becomes r; y += step p.
  virtual void advance(Index column, double step) = 0;
  /// z = d. Tells z.r and z.(r before).
  virtual Dots project(Index column) = 0;
  /// p = z + beta p.
  virtual void turn(double beta) = 0;
};

}  // namespace kauri::numeric
