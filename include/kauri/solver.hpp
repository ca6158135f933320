// The everyday door: one object from matrix to refined solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "kauri/message.hpp"
#include "kauri/mixed.hpp"
#include "kauri/refine.hpp"
#include "kauri/report.hpp"

namespace kauri {

/// automatic: what is predicted to be done first with the job that AnalyzeOptions tells of (factorizations, solves); the CPU where there
/// is no device, none whose seconds can be predicted (H100s, H200s and their like, A100s), its memory is too small, or it would do no
/// better. Only the seconds of double on an H200 were measured; others are scaled from them and count twice, so that a device is not taken
/// by mistake. Chosen anew by each compute().
enum class BackendChoice {
  automatic,  ///< as said above
  cpu,        ///< cpu_backend(SolverOptions::threads)
  cuda,       ///< cuda_backend(SolverOptions::cuda)
};

/// Of each phase, where it is done, and by how many threads.
struct SolverOptions {
  AnalyzeOptions analyze{};                          ///< of compute()
  RefineOptions refine{};                            ///< of solve()
  BackendChoice backend = BackendChoice::automatic;  ///< chosen by compute()
  int threads = 0;  ///< CPU threads, of orderings too where analyze.ordering names none; 0: as cpu_backend(0)
  /// mixed: of Solver<double> alone, a MixedFactor in place of a Factor; solutions are refined by `mixed_solve`, not by `refine`. report()
  /// tells how they came about; where columns did not converge, report().mixed.unconverged is not 0.
  Precision precision = Precision::full;
  MixedOptions mixed{};             ///< of its making
  MixedSolveOptions mixed_solve{};  ///< of solve()
  std::stop_token stop{};           ///< Solver::set_stop() at first; in place of analyze.ordering.stop, refine.stop and mixed_solve.stop
  /// Told when a phase of a call begins and ends, how it went, and in analyses of each ordering; in place of analyze.on_message. An A that
  /// is not positive definite, or nearly singular (PivotLoss), is a warning.
  MessageHandler on_message{};
  bool roofline =
      false;           ///< reports have Backend::roofline(), with mixed precision mixed_roofline(): on the CPU compute() measures it once
  CudaOptions cuda{};  ///< of the device that is asked for, or that `automatic` looks at and may take
};

/// compute = analyse + factorise; refactorize = new values on the same pattern.
///
///     kauri::Solver<double> solver;
///     if (auto ok = solver.compute(a.view()); !ok) { ... ok.error().column ... }
///     std::vector<double> x = solver.solve(b);
///
/// Keeps a copy of A for refinement and for messages. Both throw Error(input) naming row and column of a NaN or infinite entry that made
/// them fail. A compute() that throws leaves no factor and no plan of an earlier one. One moved from may be assigned to and destroyed,
/// nothing else.
///
/// One call at a time: compute(), refactorize(), refactorize_shifted(), solve() and set_stop() throw Error(usage), and change nothing,
/// while another of them is under way on the same solver, in another thread or as the call whose message handler they are called by.
/// Different solvers may be called at the same time. Threads that solve with one factor take a Factor with a Workspace each, or an
/// eigen::LLT. What const members return is read between calls, not during one. CPU phases throw Error(memory) where the system refuses
/// a thread; with threads = 1 none is asked for.
template <Scalar T>
class Solver {
 public:
  /// Computes nothing yet. Throws Error(usage) for threads < 0, a `refine` out of range, a backend or a precision that there is not, and
  /// mixed precision of float, Error(device) where the device asked for is not there.
  explicit Solver(SolverOptions options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Orders, analyses and factorises A, whose arrays are copied.
  Result<void, Breakdown> compute(const SymmetricView<T>& a);
  /// value: length nnz of the pattern last computed. Plan and buffers are reused, also after a Breakdown.
  Result<void, Breakdown> refactorize(std::span<const T> value, T shift = 0);
  /// The same with the pattern, O(n + nnz) more: Error(usage) that names rows, or the first entry, that differ from those last computed,
  /// and Error(input) for arrays that are no Pattern; then the solver is as before.
  Result<void, Breakdown> refactorize(const SymmetricView<T>& a, T shift = 0);
  /// The values last factorised once more with another shift in place of theirs, as after a Breakdown: nothing is copied to a device.
  /// Throws Error(usage) where there are none, or they were refused.
  Result<void, Breakdown> refactorize_shifted(T shift);
  /// b: length n. Refined by options.refine. Throws Error(usage) before a successful compute() and for sizes that do not fit.
  /// report().status tells whether x is a solution, and report().status_reason why not: a NaN or infinite entry of b, an x too large for T,
  /// backward errors above solved_error(); with mixed precision also an A that only the factor in double finds not to be positive definite:
  /// x is NaN then, and the solver holds no factor. x is returned all the same, each column as good as it is by itself.
  std::vector<T> solve(std::span<const T> b);
  /// In place, any number of columns, of either layout: B on entry, X on return.
  void solve(MatrixView<T> x);

  /// Asked to stop, by any thread, the calls after this one throw Error(cancelled) within some 50 ms (on a device
  /// between phases: what is enqueued runs on). compute() leaves what it leaves when it throws; where it was cancelled in the
  /// factorisation, refactorize() goes on from there. refactorize() that has begun leaves no valid factor until the next one, solve() has x
  /// be B again. A token that was asked to stop stays so: give another one, and go on.
  void set_stop(std::stop_token stop);

  /// Of the last compute(). Throws Error(usage) before.
  [[nodiscard]] const Plan& plan() const;
  /// Of the last compute(); its plan is null before.
  [[nodiscard]] const Analysis& analysis() const;
  /// Of the last calls; a call that throws leaves phases that it has not come to as they were, but for compute(), which begins anew.
  [[nodiscard]] const SolverReport& report() const;
  /// That of the last compute(); analysis().target_reason says why. Before: the CPU's, or the device's if that was asked for.
  [[nodiscard]] Backend& backend() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kauri
