// Factor: the values of L with their shared Plan; refactorisation and solves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "kauri/backend.hpp"
#include "kauri/device_values.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "kauri/plan.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class FactorStore;
template <Scalar T>
class SolveStore;
}  // namespace numeric

template <Scalar T>
class Factor;

/// Scratch memory of solves on one factor at a time, for up to nrhs right-hand sides at once (more are done in blocks).
/// Allocated here and nowhere else; move-only; one per thread that solves.
template <Scalar T>
class Workspace {
 public:
  static Workspace create(std::shared_ptr<const Plan> plan, Index nrhs, Backend& backend);
  /// For the factor's plan, where the factor lives.
  static Workspace create(const Factor<T>& factor, Index nrhs);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();
  [[nodiscard]] Index nrhs() const;

 private:
  friend class Factor<T>;
  explicit Workspace(std::unique_ptr<numeric::SolveStore<T>> store);
  std::unique_ptr<numeric::SolveStore<T>> store_;
};

/// P A P^T = L L^T. Move-only; one moved from may be assigned to and destroyed, nothing else. create() allocates; refactorize() fills;
/// solve() is const and safe from several threads with a workspace each.
template <Scalar T>
class Factor {
 public:
  /// Buffers only: not valid until refactorize() succeeds. Throws Error(memory) with the bytes asked for.
  static Factor create(std::shared_ptr<const Plan> plan, Backend& backend);
  Factor(Factor&&) noexcept;
  Factor& operator=(Factor&&) noexcept;
  ~Factor();

  [[nodiscard]] const Plan& plan() const;
  [[nodiscard]] std::shared_ptr<const Plan> shared_plan() const;
  /// True after a successful refactorize().
  [[nodiscard]] bool valid() const;

  /// x holds B (n rows, any number of columns) on entry and X with A X = B on return. Throws Error(usage) if the factor is not valid,
  /// the sizes do not fit, or the workspace belongs to another plan.
  void solve(MatrixView<T> x, Workspace<T>& workspace) const;

  /// Entry (row, col) of L as stored, for tests and extraction; rows and columns of B = P A P^T; zero outside the pattern of L.
  [[nodiscard]] T entry(Index row, Index col) const;

  [[nodiscard]] numeric::FactorStore<T>& store() const { return *store_; }
  [[nodiscard]] numeric::Executor& executor() const { return *executor_; }

 private:
  Factor(std::unique_ptr<numeric::FactorStore<T>> store, numeric::Executor& executor);
  std::unique_ptr<numeric::FactorStore<T>> store_;
  numeric::Executor* executor_;  // stays where it is when a Backend moves
};

/// Fills the factor with the Cholesky factor of A + shift*I. value: length plan.nnz, in the order of the pattern analysed. No allocation.
/// A Breakdown leaves the factor invalid, with plan and buffers kept: try again with a larger shift.
/// Throws Error(usage) for a wrong length or a shift that is not finite, Error(input) naming row and column of a NaN or infinite entry that
/// made it fail: then too the factor is not valid until it is filled again. Only the number of values can be checked here; the form below
/// sees the pattern too.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, std::span<const T> value, std::type_identity_t<T> shift = 0);

/// The same with values that lie on the factor's device.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const DeviceValues<T>& value, std::type_identity_t<T> shift = 0);

/// The same, and Error(usage) if a's pattern is not the one analysed (by its fingerprint). O(n + nnz) more.
template <Scalar T>
Result<void, Breakdown> refactorize(Factor<T>& factor, const SymmetricView<T>& a, std::type_identity_t<T> shift = 0);

/// create + refactorize.
template <Scalar T>
Result<Factor<T>, Breakdown> factorize(std::shared_ptr<const Plan> plan, std::span<const T> value, Backend& backend,
                                       std::type_identity_t<T> shift = 0);

}  // namespace kauri
