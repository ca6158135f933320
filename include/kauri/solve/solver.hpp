// Solver: one object from a matrix to refined solutions, the interface for everyday use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kauri/core/message.hpp"
#include "kauri/solve/mixed.hpp"
#include "kauri/solve/refine.hpp"
#include "kauri/solve/report.hpp"

namespace kauri {

/// Choice of the backend of a Solver. Each compute() makes it anew.
///
/// `automatic` takes the backend that is predicted to end the whole job first:
/// AnalyzeOptions::factorizations factorisations with `solves` solves each. It takes the CPU if
/// there is no device, if the device's seconds cannot be predicted, if its memory is too small or
/// it cannot be started, if AnalyzeOptions::target names a target that is not the CPU's, if the CPU
/// needs less than 0.3 ms for all factorisations and solves, or if the device would be no faster.
/// Seconds are predicted from what the driver reports of a device: multiprocessors, clock and
/// memory, and the rates that its maker publishes. Only the seconds of double on an H200 were
/// measured; others are scaled from them and count twice, so that a device is not taken by mistake.
enum class BackendChoice {
  automatic,  ///< the device if it is predicted to end the whole job first, else the CPU
  cpu,        ///< cpu_backend(SolverOptions::threads, SolverOptions::cpu)
  cuda,       ///< cuda_backend(SolverOptions::cuda)
};

/// Options of a Solver: of its phases, its backend and its threads.
struct SolverOptions {
  AnalyzeOptions analyze{};  ///< options of the analysis; workers = 0: the backend's threads
  RefineOptions refine{};    ///< options of the refinement in solve()
  BackendChoice backend = BackendChoice::automatic;  ///< which backend computes; see BackendChoice
  int threads =
      0;  ///< CPU threads, of orderings too if analyze.ordering.threads is 0; 0: as cpu_backend(0)
  /// `mixed`, for Solver<double> alone, takes a MixedFactor in place of a Factor. Solutions are
  /// then refined by the options `mixed_solve`, not `refine`. report().mixed says how they were
  /// found; its `unconverged` counts the columns that did not converge. `automatic` chooses one of
  /// the two in each analysis, from AnalyzeOptions::factorizations and `solves`;
  /// report().precision says which, report().precision_reason why. With Solver<float> it is `full`.
  Precision precision = Precision::full;
  MixedOptions mixed{};             ///< options with which the MixedFactor is created
  MixedSolveOptions mixed_solve{};  ///< options of solves with mixed precision
  /// Initial token of Solver::set_stop(). It replaces analyze.ordering.stop, refine.stop and
  /// mixed_solve.stop.
  std::stop_token stop{};
  /// Receives a message when a phase of a call begins and ends, with its result, and in an analysis
  /// for each ordering. If it is set, it replaces analyze.on_message. An A that is not positive
  /// definite, or nearly singular (PivotLoss), gives a warning.
  MessageHandler on_message{};
  /// True: reports have Backend::roofline(), with mixed precision Backend::mixed_roofline(). On the
  /// CPU compute() measures it once, in some tenths of a second.
  bool roofline = false;
  CpuOptions cpu{};    ///< the CPU's backend, if it computes
  CudaOptions cuda{};  ///< the device that is asked for, or that `automatic` considers
  /// Name of a file with measured rates of that device (read_card(), `kauri tune`), by which its
  /// seconds are predicted; empty: by what its driver reports. It is read when the Solver is made.
  /// Without a device it has no effect.
  std::string card{};
};

/// Solves systems with A: compute() analyses and factorises A, refactorize() takes new values on
/// the same pattern, solve() solves and refines.
///
///     kauri::Solver<double> solver;
///     if (auto ok = solver.compute(a.view()); !ok) { ... ok.error().column ... }
///     std::vector<double> x = solver.solve(b);
///
/// A Solver keeps a copy of A for refinement and for errors. compute() and refactorize() throw
/// Error(input), naming row and column, if a NaN or infinite entry made the factorisation fail. A
/// compute() that throws leaves no factor and no plan of an earlier compute(). A Solver that was
/// moved from may only be assigned to and destroyed.
///
/// A Solver takes one call at a time: compute(), analyze(), refactorize(), refactorize_shifted(),
/// solve() and set_stop() throw Error(usage), and change nothing, while another of them is under
/// way on the same solver, in another thread or in a call whose message handler calls them. Only
/// solve(b, x, refine) may run in any number of threads at once. Different solvers may be called at
/// the same time. Read the results of const members between calls, not during
/// one. Phases on the CPU throw Error(memory) if the system refuses a thread; with threads = 1 none
/// is asked for.
template <Scalar T>
class Solver {
 public:
  /// Makes a solver without a matrix. Throws Error: usage (threads < 0, a `refine` out of range, an
  /// unknown backend or precision, mixed precision for Solver<float>), device (the device asked for
  /// is not there), input (options.card is a file that is no card; options.cpu as cpu_backend()
  /// refuses them, unless options.backend is cuda). compute() and analyze() throw
  /// Error(usage) if it is the card of another device.
  explicit Solver(SolverOptions options = {});
  /// Makes a solver that computes on this backend, which may serve other solvers and factors too;
  /// the solver keeps it alive. options.backend is not read; options.threads = 0 stands for the
  /// backend's threads; options.cuda must be that of a CUDA backend, for the figures of reports.
  /// Throws Error(usage) for a null backend, and as the other constructor.
  Solver(SolverOptions options, std::shared_ptr<Backend> backend);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Orders, analyses and factorises A, whose arrays are copied. Returns a Breakdown if A is not
  /// positive definite; plan and buffers are kept. Throws Error: input (a bad pattern; a NaN or
  /// infinite entry), usage (a wrong number of values; options as analyze() refuses them),
  /// overflow, memory, device, cancelled.
  Result<void, Breakdown> compute(const SymmetricView<T>& a);
  /// Orders and analyses a pattern, which is copied: the first half of compute(). refactorize()
  /// then allocates the factor and fills it. Frees the plan and factor of before, also if it
  /// throws. Throws as compute() does of the pattern and the options.
  void analyze(const Pattern& a);
  /// Factorises A + shift I with new values on the pattern of the last compute(), length nnz, in
  /// its order. Plan and buffers are reused, also after a Breakdown. Throws Error: usage (before
  /// compute() or analyze(), a wrong length, a shift that is not finite), input (a NaN or infinite
  /// entry), memory (for the factor, after analyze(); with mixed precision, for a factor in
  /// double), device, cancelled.
  Result<void, Breakdown> refactorize(std::span<const T> value, T shift = 0);
  /// Factorises A + shift I as refactorize(a.value, shift), after comparing a's pattern with that
  /// of the last compute() or analyze(), O(n + nnz). Throws also Error(usage) if the patterns
  /// differ, naming the numbers of rows or the first entry that differs, and Error(input) for
  /// arrays that are not a Pattern; the solver is then unchanged.
  Result<void, Breakdown> refactorize(const SymmetricView<T>& a, T shift = 0);
  /// Factorises A + shift I with the values of the last factorisation; shift replaces the last one.
  /// Use it after a Breakdown, for example. No values are copied to a device, except with mixed
  /// precision. Throws Error(usage) before compute(), after a compute() or refactorize() that
  /// threw after it had begun to factorise, and for a shift that is not finite; else as
  /// refactorize().
  Result<void, Breakdown> refactorize_shifted(T shift);
  /// Solves A x = b and returns x, refined by options.refine. b: length n. Throws Error: usage
  /// (before a successful compute(), sizes that do not fit), memory, device, cancelled.
  ///
  /// report().status says whether x is a solution, and report().status_reason why it is not: a NaN
  /// or infinite entry of b, an x too large for T, or backward errors above solved_error(). With
  /// mixed precision it may also be an A that only the factor in double finds not to be positive
  /// definite: x is then NaN, and the solver holds no factor. x is returned in any case, and each
  /// column is as good as if it had been solved alone.
  std::vector<T> solve(std::span<const T> b);
  /// Solves A X = B and refines X, in place: x holds B on entry and X on return, n rows and any
  /// number of columns, of either layout. Reports and throws as solve(b); an Error leaves B in x.
  void solve(MatrixView<T> x);
  /// Solves A X = B for X and, unless `refine` is empty, refines X by these options in place of
  /// options.refine. b and x: n rows and the same number of columns, each of either layout, without
  /// overlap. Any number of threads may call it at once, each with a workspace that the solver
  /// keeps for later calls. Returns the refinement of this call; without `refine` its errors are 0.
  /// report() has the figures of the call that ended last. refine->stop cancels the call, or
  /// without one the token of set_stop(). Throws Error: usage (before a successful factorisation,
  /// with mixed precision, views or options that do not fit), memory, device, cancelled.
  Refinement solve(MatrixView<const T> b, MatrixView<T> x,
                   const std::optional<RefineOptions>& refine) const;

  /// Sets the token by which any thread may cancel the calls after this one: they throw
  /// Error(cancelled) within some 50 ms of a stop request (on a device between phases; enqueued
  /// work runs to its end). A cancelled compute() leaves the solver as any error in it does; if it
  /// was cancelled in the factorisation, refactorize() may follow, with its plan. A cancelled
  /// refactorize() that has begun leaves no valid factor until the next one. A cancelled solve()
  /// leaves B in x. A token stays stopped: set another one to continue.
  void set_stop(std::stop_token stop);

  /// Returns the plan of the last compute() or analyze(). Throws Error(usage) if there is none.
  [[nodiscard]] const Plan& plan() const;
  /// Returns the analysis of the last compute() or analyze(); its plan is null before.
  [[nodiscard]] const Analysis& analysis() const;
  /// Returns the factor, for its L, determinant and selected inverse, among others. It lives until
  /// the next compute() or analyze(). Throws Error(usage) if the last factorisation did not
  /// succeed, and with mixed precision, also if Precision::automatic chose it.
  [[nodiscard]] const Factor<T>& factor() const;
  /// Returns the report of the last calls. A call that throws leaves the figures of the phases that
  /// it did not reach unchanged, except that compute() begins with an empty report.
  [[nodiscard]] const SolverReport& report() const;
  /// Returns the backend of the last compute() or analyze(); analysis().target_reason says why it
  /// was chosen. Before, it is the caller's backend or the device's if that was asked for, else the
  /// CPU's.
  [[nodiscard]] Backend& backend() const;

 private:
  struct SolverState;
  std::unique_ptr<SolverState> state_;
};

}  // namespace kauri
