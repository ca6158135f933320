// Factorization: a factor for Python, with values, workspaces for many threads, and a report.
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

#include "kauri/extras/lower_factor.hpp"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/factor.hpp"
#include "kauri/solve/refiner.hpp"
#include "kauri/solve/report.hpp"
#include "python/src/symbolic.hpp"

namespace kauri::python {

/// A factor with its values and a pool of workspaces. Several threads may solve at once, each with
/// its own workspace. A call that fills the factor waits for solves under way, and solves wait for
/// it.
template <Scalar T>
class Factorization {
 public:
  /// Allocates the factor, which is not valid until refactorize() succeeds.
  explicit Factorization(std::shared_ptr<Symbolic> symbolic);
  /// Loads a factor from the bytes of saved(), or from a file. max_bytes: as LoadOptions; 0: no
  /// bound.
  Factorization(std::shared_ptr<Symbolic> symbolic, std::span<const std::byte> saved);
  Factorization(std::shared_ptr<Symbolic> symbolic, const std::string& path, std::size_t max_bytes);

  /// Factorises A + shift I. value: on the pattern that was analysed, in its order.
  Result<void, Breakdown> refactorize(std::span<const T> value, T shift,
                                      const std::stop_token& stop);
  /// Factorises A + shift I. All entries of A other than 0 must lie in the pattern that was
  /// analysed; else throws Error(usage), which names the first other entry.
  Result<void, Breakdown> refactorize(const SymmetricMatrix<T>& a, T shift,
                                      const std::stop_token& stop);
  /// Factorises A + shift I, with values on the factor's device, on the pattern that was analysed.
  /// They are borrowed until the factor is filled again. Then `owner` is released, by a thread that
  /// holds neither the interpreter's lock nor a lock of this object. stream: the caller's stream,
  /// whose work at the time of the call writes the values; none: they have been written.
  Result<void, Breakdown> refactorize_there(std::shared_ptr<const void> owner,
                                            std::span<const T> value, T shift,
                                            std::optional<StreamHandle> stream,
                                            const std::stop_token& stop);
  /// Returns true if the last call that filled the factor succeeded. Does not wait for a call under
  /// way.
  [[nodiscard]] bool valid() const { return valid_; }
  /// Returns the number of fillings begun. If it is equal before and after some calls, they all
  /// used one filling.
  [[nodiscard]] std::uint64_t fillings() const { return fillings_; }

  /// Solves the system for x. b and x may have any layout, and do not overlap. refine_steps: most
  /// corrections by refinement, for System::A only; -1: as the options say. before: columns of the
  /// caller's b that earlier calls solved; if it is > 0, the report keeps the worst status of all
  /// these calls.
  void solve(System system, MatrixView<const T> b, MatrixView<T> x, int refine_steps, Index before,
             const std::stop_token& stop);
  /// Solves the system on the factor's device. Work that writes b must have ended. b may be x
  /// itself, unless x is refined. meanwhile: called, if not empty, while the device works and this
  /// call holds the lock that fillings wait for.
  void solve_there(System system, MatrixView<const T> b, MatrixView<T> x, int refine_steps,
                   const std::function<void()>& meanwhile, const std::stop_token& stop);
  /// Computes x = L b, or x = L^T b.
  void multiply(System system, MatrixView<const T> b, MatrixView<T> x, const std::stop_token& stop);

  [[nodiscard]] LowerFactor<T> lower() const;
  [[nodiscard]] std::vector<T> diagonal() const;
  [[nodiscard]] double determinant() const;
  [[nodiscard]] double log_determinant() const;
  [[nodiscard]] std::vector<T> inverse_diagonal(const std::stop_token& stop) const;
  /// Returns the entries of A^-1 on the pattern that was analysed, in its order.
  [[nodiscard]] std::vector<T> inverse_entries(const std::stop_token& stop) const;
  /// Writes the diagonal of A^-1, or the entries of inverse_entries(), to memory of the factor's
  /// device. Waits until they are written.
  void inverse_there(bool diagonal, std::span<T> there, const std::stop_token& stop) const;
  [[nodiscard]] ConditionEstimate condition(const std::stop_token& stop);
  [[nodiscard]] std::vector<std::byte> saved() const;
  void save(const std::string& path) const;
  [[nodiscard]] SolverReport report() const;

  /// Returns the values of A + shift I that were factorised last; empty for a loaded factor, which
  /// has no values.
  [[nodiscard]] std::vector<T> values() const;
  /// Sets the values that belong to a loaded factor.
  void set_values(std::span<const T> value);
  [[nodiscard]] const std::shared_ptr<Symbolic>& symbolic() const { return symbolic_; }

 private:
  /// Memory of one solve.
  struct SolveSlot {
    Workspace<T> workspace;
    std::optional<Refiner<T>> refiner;
    std::uint64_t version = 0;  // version_ of the values in the refiner
  };
  class Lease;
  /// Values on the device that another object owns.
  struct Lent {
    std::shared_ptr<const void> owner;
    std::span<const T> value;
    T shift = 0;
  };

  /// Returns values() on the host; copies them from the device if they are only there. Throws
  /// Error(usage), which begins with `what`, if there are none.
  std::span<const T> require_values(const char* what) const;
  std::span<const T> host_values() const;
  void shift_diagonal(T shift) const;
  [[nodiscard]] RefineOptions refine_options(int steps, const std::stop_token& stop) const;
  [[nodiscard]] int corrections(System system, int refine_steps) const;
  Refiner<T>& refiner_for(SolveSlot& slot, Index cols);
  Refinement refine(SolveSlot& slot, MatrixView<const T> b, MatrixView<T> x, int steps,
                    const std::stop_token& stop);
  Refinement refine_there(SolveSlot& slot, MatrixView<const T> b, MatrixView<T> x, int steps,
                          const std::stop_token& stop);
  /// Runs solve(slot) and, if steps > 0, refine(slot), and records times and status in the report.
  template <class Solve, class Refine>
  void measured(const MatrixView<const T>& b, const MatrixView<const T>& x, int steps, Index before,
                Solve&& solve, Refine&& refine);
  template <class Fill>
  double filled(Fill&& fill);
  void after_fill(double seconds);
  void look_for_loss();

  std::shared_ptr<Symbolic> symbolic_;
  Factor<T> factor_;
  std::atomic<bool> valid_ = factor_.valid();
  std::atomic<std::uint64_t> fillings_ = 0;  // written with filling_ held exclusively
  Lent lent_;
  mutable std::vector<T>
      value_;  // also empty if the values are lent and have not been copied to the host
  std::uint64_t version_ = 0;
  mutable std::shared_mutex filling_;
  mutable std::mutex bringing_;  // guards value_ while filling_ is held shared
  mutable std::mutex idle_mutex_;
  std::vector<std::unique_ptr<SolveSlot>> idle_;
  mutable std::mutex report_mutex_;
  SolverReport report_;
};

extern template class Factorization<float>;
extern template class Factorization<double>;

}  // namespace kauri::python
