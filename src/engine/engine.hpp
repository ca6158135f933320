// Engine: from options to a report; the one place where the phases of a job follow each other.
// Solver, the program and the Python package are interfaces to it.
//
//     options -> backend -> analysis -> prepared plan     Symbolic, shared by engines
//         -> factor -> workspace -> refinement -> report  Engine
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/threads/fair_lock.hpp"
#include "kauri/solve/condition.hpp"
#include "kauri/solve/factor.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/refine.hpp"
#include "kauri/solve/report.hpp"
#include "numeric/backend.hpp"
#include "src/engine/held_values.hpp"
#include "src/engine/symbolic.hpp"
#include "src/engine/workspace_pool.hpp"

namespace kauri {

/// Request of one solve: refinement after the sweeps, and what stops the call.
struct SolveRequest {
  /// Most corrections by refinement. None: x is not refined and its error is not measured; the
  /// report then has the status `not_finite` or `none`. Mixed precision refines in any case.
  std::optional<int> corrections = std::nullopt;
  /// Number of columns of the caller's b that earlier calls have solved. If it is > 0, the report
  /// keeps the worst status of these calls and this one.
  Index before = 0;
  std::stop_token stop{};
};

/// Results of a job: see Engine::factorize_and_solve().
template <Scalar T>
struct Solution {
  DeviceVerdict verdict;  ///< the factor's verdict when the solve begins; of status `none` if the
                          ///< factorisation broke down
  std::vector<T> x;       ///< n rows, column after column; empty if the factorisation broke down,
                          ///< NaN if a solve with mixed precision did
  std::optional<Breakdown> breakdown = std::nullopt;
  std::optional<PivotLoss> worst_pivot = std::nullopt;
};

/// A factor of one pattern with its values, workspaces and figures. Any number of threads may solve
/// at once, each with its own workspace. A call that fills the factor waits for solves under way,
/// and solves that begin later wait for it. analyze(), prepare() and adopt() come first and run
/// alone; a call that needs them throws Error(usage) without them. With mixed precision, which is
/// for Engine<double>, the factor is a MixedFactor, and solves run one after another. Sends the
/// messages of SolverOptions::on_message.
///
/// A filling that fails leaves no valid factor, and solves throw Error(usage) until one succeeds;
/// plan, memory and workspaces stay. After a Breakdown the values are those of the failed call, so
/// that factorize_shifted() can try another shift; after a throw they are those of the call before,
/// which also keeps its part of the report. A call that is refused before it writes to the factor,
/// by Error(usage) or a token that was stopped, leaves the last good factor, and can_shift() as it
/// was.
template <Scalar T>
class Engine {
 public:
  /// Makes an engine without a factor, for the plan of `symbolic` or for a later analyze().
  /// `automatic` is Symbolic::precision() of that plan.
  explicit Engine(std::shared_ptr<Symbolic> symbolic, Precision precision = Precision::full);

  /// Frees the factor, then orders and analyses a pattern and chooses the backend. Throws as
  /// kauri::analyze(); there is then no plan.
  void analyze(const Pattern& a, const std::stop_token& stop);
  /// Allocates the factor, from the prepared plan if Symbolic::prepare() was called. nrhs: number
  /// of right-hand sides to make room for, used with mixed precision. refines: also allocates the
  /// residual that the first refinement would allocate otherwise, in full precision. Throws
  /// Error(usage) without a plan, else as Factor::create(), with mixed precision as
  /// MixedFactor::create().
  void prepare(Index nrhs = 1, bool refines = false);
  /// Takes over a factor that was loaded, and its plan.
  void adopt(Factor<T> factor);
  /// Returns true after prepare() or adopt().
  [[nodiscard]] bool is_prepared() const { return factor_ || mixed_; }

  /// Factorises A + shift I and keeps a copy of `value`, the values of A in the order of the
  /// pattern analysed. Throws as kauri::refactorize(), but with mixed precision Error(input) names
  /// no entry.
  Result<void, Breakdown> factorize(std::span<const T> value, T shift, const std::stop_token& stop);
  /// Factorises A + shift I with values that the caller keeps in memory. This thread releases the
  /// owner of the previous values once the engine holds no lock. stream: the caller's stream, whose
  /// work at the time of the call writes values on a device; none: they have been written. Throws
  /// Error(usage) also for a shift other than 0 with mixed precision and values on a device.
  Result<void, Breakdown> factorize(BorrowedValues<T> value, T shift,
                                    std::optional<StreamHandle> stream,
                                    const std::stop_token& stop);
  /// Factorises the values of the last factorize() that copied them, with another shift. A shift
  /// that is refused changes nothing. Throws Error(usage) unless can_shift().
  Result<void, Breakdown> factorize_shifted(T shift, const std::stop_token& stop);
  /// Returns true if factorize_shifted() has values.
  [[nodiscard]] bool can_shift() const { return can_shift_; }
  /// Sets the values that belong to an adopted factor: copies them, or borrows them. An empty span
  /// means no values; throws Error(usage) for another length than that of the pattern.
  void set_values(std::span<const T> value);
  void set_values(BorrowedValues<T> value);

  /// Solves the system for x. b and x may have any layout; x must not overlap b, unless it is b
  /// itself and is not refined. Returns 0. With mixed precision it solves A x = b whatever `system`
  /// is, and returns the number of columns that did not converge, or the breakdown of a factor in
  /// double: then x is NaN. Throws as Factor::solve(), and Error(usage) for a refinement without
  /// values.
  Result<Index, Breakdown> solve(System system, MatrixView<const T> b, MatrixView<T> x,
                                 const SolveRequest& request);
  /// Solves A X = B for X, and refines X by these options unless they are empty. x must not overlap
  /// b. Returns the refinement of this call alone, whereas concurrent calls share the report.
  /// refine->stop is not read. Throws Error(usage) with mixed precision.
  Refinement solve(MatrixView<const T> b, MatrixView<T> x,
                   const std::optional<RefineOptions>& refine, const std::stop_token& stop);
  /// Solves A X = B in place, and throws, as solve() does. x holds B on entry, and again if the
  /// call throws.
  Result<Index, Breakdown> solve_in_place(MatrixView<T> x, const SolveRequest& request);
  /// Solves the system as solve() does, with b and x on the factor's device. Work that writes b
  /// must have ended. Throws Error(usage) for a factor on the CPU in full precision. meanwhile:
  /// called, if not empty, while the device works and this call holds the lock that fillings wait
  /// for; it may solve with this engine. It is not called if another call waits for that lock. With
  /// mixed precision `meanwhile` is not called, and for a mixed factor on the CPU b and x are in
  /// ordinary memory.
  Result<Index, Breakdown> solve_on_device(System system, MatrixView<const T> b, MatrixView<T> x,
                                           const SolveRequest& request,
                                           const std::function<void()>& meanwhile = {});
  /// Runs the phases of a job that follow its plan: prepare() and factorize(), or set_values() for
  /// an adopted factor, then factorized(), if it is not empty, then solve() of A X = B and
  /// worst_pivot(). A breakdown ends the job. Called once for an engine. x is allocated after the
  /// factorisation, whose peak of memory it would raise.
  Solution<T> factorize_and_solve(BorrowedValues<T> value, MatrixView<const T> b,
                                  const SolveRequest& request,
                                  const std::function<void()>& factorized = {});
  /// Estimates the condition number of A + shift I in the 1-norm. Throws Error(usage) without
  /// values and with mixed precision.
  [[nodiscard]] ConditionEstimate condition(const std::stop_token& stop);
  /// Returns the worst pivot relative to A's diagonal; none without a valid factor, without values
  /// on the host, and if mixed precision keeps L in float.
  [[nodiscard]] std::optional<PivotLoss> worst_pivot() const;

  /// Returns f(factor). The call waits for calls that fill the factor, and they wait for it. Throws
  /// Error(usage) without a factor and with mixed precision.
  template <class F>
  auto read(F&& f) const {
    require_full();
    const std::shared_lock lock(filling_);
    return f(std::as_const(*factor_));
  }
  /// Returns f(factor, workspace for `cols` right-hand sides, at most kSolveBlock); waits and
  /// throws as read() does.
  template <class F>
  auto with_workspace(Index cols, F&& f) {
    require_full();
    const std::shared_lock lock(filling_);
    typename WorkspacePool<T>::Lease memory(pool_, *factor_, cols);
    return f(std::as_const(*factor_), *memory->workspace);
  }

  /// Returns true if the factor can solve: the last call that filled it succeeded. Does not wait
  /// for a call under way.
  [[nodiscard]] bool valid() const { return valid_; }
  /// Returns how often a call began to change the factor or its values. If the number is equal
  /// before and after some calls, they all used one filling.
  [[nodiscard]] std::uint64_t fillings() const { return fillings_; }
  /// Returns the verdict of the factor that solves use.
  [[nodiscard]] DeviceVerdict verdict() const;
  /// Returns true if a mixed factor solves by L in double.
  [[nodiscard]] bool in_double() const;
  /// Returns the values of A + shift I on the host; empty for an adopted factor without values, and
  /// with mixed precision for values on a device.
  [[nodiscard]] std::vector<T> values() const;
  [[nodiscard]] SolverReport report() const;
  /// Returns a reference to the report, which calls under way may change.
  [[nodiscard]] const SolverReport& last_report() const { return report_; }
  [[nodiscard]] Symbolic& symbolic() const { return *symbolic_; }

 private:
  [[nodiscard]] bool is_mixed() const { return precision_ == Precision::mixed; }
  [[nodiscard]] Pattern pattern() const { return symbolic_->pattern(); }
  [[nodiscard]] const Plan& plan() const { return *symbolic_->analysis.plan; }
  [[nodiscard]] const MessageHandler& handler() const { return symbolic_->options.on_message; }
  void take_precision();
  void begin_report();
  void require_prepared() const;
  void require_full() const;
  void require_length(std::span<const T> value) const;

  Result<void, Breakdown> fill_mixed(std::span<const T> value, T shift,
                                     const std::stop_token& stop);
  Result<void, Breakdown> fill_borrowed(const BorrowedValues<T>& value, T shift,
                                        std::optional<StreamHandle> stream,
                                        const std::stop_token& stop);
  template <class Fill>
  Result<void, Breakdown> filled(const Fill& fill);
  void take_verdict();
  [[nodiscard]] std::optional<PivotLoss> mixed_loss() const;
  void look_for_loss();
  void after_filling(const Result<void, Breakdown>& result);

  std::span<const T> require_values(const char* what) const;
  [[nodiscard]] RefineOptions refine_options(const SolveRequest& request) const;
  Refinement refine(SolveMemory<T>& memory, MatrixView<const T> b, MatrixView<T> x,
                    const RefineOptions& options);
  Refinement refine_on_device(SolveMemory<T>& memory, MatrixView<const T> b, MatrixView<T> x,
                              const SolveRequest& request);
  template <class Sweeps, class Refine>
  Refinement measured(const MatrixView<const T>& b, const MatrixView<const T>& x,
                      const SolveRequest& request, const Sweeps& sweeps, const Refine& refine);
  Result<Index, Breakdown> solve_mixed(MatrixView<const T> b, MatrixView<T> x, bool on_host,
                                       const std::stop_token& stop);

  const std::shared_ptr<Symbolic> symbolic_;
  const Precision asked_;
  Precision precision_;  // not `automatic`
  std::optional<Factor<T>> factor_;
  std::optional<MixedFactor> mixed_;  // with mixed precision, in place of factor_ and pool_
  WorkspacePool<T> pool_;
  HeldValues<T> values_;       // written with filling_ held exclusively
  std::uint64_t version_ = 0;  // counts changes of values_
  bool can_shift_ = false;     // the factor was filled with values that values_ copied
  mutable FairLock filling_;
  std::atomic<bool> valid_ = false;
  std::atomic<std::uint64_t> fillings_ = 0;  // written with filling_ held exclusively
  mutable std::mutex report_mutex_;
  SolverReport report_;
};

/// Computes x += A^-1 (b - A x) while that reduces the error: the loop of refinement of vectors in
/// host memory, for all backends. r and better are scratch of x's shape, column-major; solve()
/// replaces r by A^-1 r. Checks the call's stop token between columns; if it throws
/// Error(cancelled), x is the best one so far.
template <Scalar T>
Refinement refine_by(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                     MatrixView<const T> b, MatrixView<T> x, MatrixView<T> r, MatrixView<T> better,
                     const RefineOptions& options, const std::function<void()>& solve);

/// Refines x as refine() does, with a residual that was made from the pattern of `a` by the
/// factor's backend. Does not check shapes and options.
template <Scalar T>
Refinement refine_with(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                       const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                       Workspace<T>& workspace, const RefineOptions& options);

}  // namespace kauri
