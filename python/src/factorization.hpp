// A factor as Python holds it: values, workspaces for any number of threads, and a report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "kauri/condition.hpp"
#include "kauri/factor.hpp"
#include "kauri/lower_factor.hpp"
#include "kauri/refiner.hpp"
#include "kauri/report.hpp"
#include "python/src/symbolic.hpp"

namespace kauri::python {

/// Solves may be called from several threads, each with a workspace of its own; what fills the factor waits for them, and they for it.
template <Scalar T>
class Factorization {
 public:
  /// Buffers: not valid until refactorize() succeeds.
  explicit Factorization(std::shared_ptr<Symbolic> symbolic);
  /// A factor that was saved, in bytes.
  Factorization(std::shared_ptr<Symbolic> symbolic, std::span<const std::byte> saved);
  Factorization(std::shared_ptr<Symbolic> symbolic, const std::string& path, std::size_t max_bytes);

  /// Of A + shift I. value: on the pattern analysed.
  Result<void, Breakdown> refactorize(std::span<const T> value, T shift, const std::stop_token& stop);
  /// Refactorises A + shift I, where all entries of A are in the pattern analysed.
  Result<void, Breakdown> refactorize(const SymmetricMatrix<T>& a, T shift, const std::stop_token& stop);
  /// The same with values on the factor's device, on the pattern analysed. They stay where they are until the factor
  /// is filled anew; then the owner is let go of, by a thread that holds neither the interpreter's lock nor one of these.
  /// stream: the caller's, whose work by now writes them; none: they are there.
  Result<void, Breakdown> refactorize_there(std::shared_ptr<const void> owner, std::span<const T> value, T shift,
                                            std::optional<StreamHandle> stream, const std::stop_token& stop);
  /// As of the last call that filled it, without waiting for one under way.
  [[nodiscard]] bool valid() const { return valid_; }
  /// Fillings begun. Calls between two looks at an equal number were all of one filling.
  [[nodiscard]] std::uint64_t fillings() const { return fillings_; }

  /// x = solution of the system with b, of any layout each; x does not overlap b. refine_steps > 0: of System::A, at most as many
  /// corrections; -1: as many as the options say.
  /// before > 0: calls before this one were part of it, with so many columns; the status in the report is the worst of them all.
  void solve(System system, MatrixView<const T> b, MatrixView<T> x, int refine_steps, Index before, const std::stop_token& stop);
  /// The same on the factor's device; what writes b has ended. b may be x itself, unless it is refined. meanwhile, if there is one, is
  /// called while the device is at work, with the lock that fillings wait for.
  void solve_there(System system, MatrixView<const T> b, MatrixView<T> x, int refine_steps, const std::function<void()>& meanwhile,
                   const std::stop_token& stop);
  /// x = L b or L^T b.
  void multiply(System system, MatrixView<const T> b, MatrixView<T> x, const std::stop_token& stop);

  [[nodiscard]] LowerFactor<T> lower() const;
  [[nodiscard]] std::vector<T> diagonal() const;
  [[nodiscard]] double determinant() const;
  [[nodiscard]] double log_determinant() const;
  [[nodiscard]] std::vector<T> inverse_diagonal(const std::stop_token& stop) const;
  /// On the pattern analysed, in its order.
  [[nodiscard]] std::vector<T> inverse_entries(const std::stop_token& stop) const;
  /// The diagonal, or that, to memory of the factor's device.
  void inverse_there(bool diagonal, std::span<T> there, const std::stop_token& stop) const;
  [[nodiscard]] ConditionEstimate condition(const std::stop_token& stop);
  [[nodiscard]] std::vector<std::byte> saved() const;
  void save(const std::string& path) const;
  [[nodiscard]] SolverReport report() const;

  /// Of A + shift I, as last factorised; empty if a loaded factor has none.
  [[nodiscard]] std::vector<T> values() const;
  /// Those that belong to a factor that was saved.
  void set_values(std::span<const T> value);
  [[nodiscard]] const std::shared_ptr<Symbolic>& symbolic() const { return symbolic_; }

 private:
  /// What one solve needs at a time.
  struct Slot {
    Workspace<T> workspace;
    std::optional<Refiner<T>> refiner;
    std::uint64_t version = 0;  // of the values that the refiner has
  };
  class Lease;
  /// Values on the device, somebody else's.
  struct Lent {
    std::shared_ptr<const void> owner;
    std::span<const T> value;
    T shift = 0;
  };

  /// Those of values(), brought from the device where they are there alone. Throws Error(usage) where there are none.
  std::span<const T> require_values(const char* what) const;
  std::span<const T> host_values() const;
  void shift_diagonal(T shift) const;
  [[nodiscard]] RefineOptions refine_options(int steps, const std::stop_token& stop) const;
  [[nodiscard]] int corrections(System system, int refine_steps) const;
  Refiner<T>& refiner_for(Slot& slot, Index cols);
  Refinement refine(Slot& slot, MatrixView<const T> b, MatrixView<T> x, int steps, const std::stop_token& stop);
  Refinement refine_there(Slot& slot, MatrixView<const T> b, MatrixView<T> x, int steps, const std::stop_token& stop);
  /// solve(slot) and refine(slot, corrections), for the report.
  template <class Solve, class Refine>
  void measured(const MatrixView<const T>& b, const MatrixView<const T>& x, int steps, Index before, Solve&& solve, Refine&& refine);
  template <class Fill>
  double filled(Fill&& fill);
  void after_fill(double seconds);
  void look_for_loss();

  std::shared_ptr<Symbolic> symbolic_;
  Factor<T> factor_;
  std::atomic<bool> valid_ = factor_.valid();
  std::atomic<std::uint64_t> fillings_ = 0;  // under filling_
  Lent lent_;
  mutable std::vector<T> value_;  // empty also where they were lent, and not asked for on the host
  std::uint64_t version_ = 0;
  mutable std::shared_mutex filling_;
  mutable std::mutex bringing_;  // value_, under filling_
  mutable std::mutex idle_mutex_;
  std::vector<std::unique_ptr<Slot>> idle_;
  mutable std::mutex report_mutex_;
  SolverReport report_;
};

extern template class Factorization<float>;
extern template class Factorization<double>;

}  // namespace kauri::python
