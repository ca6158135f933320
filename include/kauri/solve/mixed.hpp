// MixedFactor: a factor in float, half the memory, and solutions in double by refinement or
// conjugate gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "kauri/solve/factor.hpp"
#include "kauri/solve/refinement.hpp"

namespace kauri {

namespace numeric {
class MixedImpl;
}

/// Precisions of the factor for systems in double.
enum class Precision {
  full,   ///< the factor is in double
  mixed,  ///< the factor is in float, see MixedFactor
  /// `mixed` on a device if a factor in double does not fit there and one in float does; or if the
  /// whole job is predicted to end clearly earlier with it on a device whose double is slow. That
  /// is so of most cards for displays. It is so of an A100, H100, H200 or B200 only if its measured
  /// rates (SolverOptions::card) say so. Else `full`, and always on the CPU.
  automatic,
};

/// Ways in which a column was solved, by ascending cost.
enum class MixedPath {
  refinement,           ///< refinement with the factor in float, whose corrections shrank the
                        ///< error fast enough
  conjugate_gradients,  ///< conjugate gradients preconditioned by the factor in float, since its
                        ///< refinement contracted too slowly
  factor_in_double,     ///< a factor in double, with refinement, since the factor in float failed
};
/// Returns "refinement", "cg" or "double".
std::string_view name_of(MixedPath path);

/// Options of MixedFactor::create().
struct MixedOptions {
  /// First shift of the factor in float: if the factorisation of S A S breaks down, S A S + shift I
  /// is tried, with growing shifts. They affect the preconditioner alone: solutions are those of A.
  /// Must be > 0, and the largest shift must be finite in float. The default is eight times the eps
  /// of float, some roundings of the diagonal.
  double first_shift = 0x1p-20;
  double shift_growth = 16;  ///< factor from one shift to the next, > 1
  int shifts = 4;  ///< most shifts to try, >= 0; with the defaults up to 0.004 of the diagonal
  /// True: if the factor in float fails, a factor in double is made, in additional memory twice as
  /// large. False: the failure of the factor in float is the Breakdown, and columns that do not
  /// converge are reported as unconverged.
  bool allow_double = true;
};

/// Stopping criteria of MixedFactor::solve(). Errors are those of the scaled system, see
/// MixedReport.
struct MixedSolveOptions {
  int max_steps = 30;  ///< most refinement steps of a column, >= 1
  /// Most conjugate gradient steps of a column. 0: none. Negative: as many as are predicted to take
  /// no longer than a factor in double, from 16 to 200; 200 if no factor in double is allowed.
  int max_cg_steps = -1;
  double target = 0;  ///< a column is done when its componentwise backward error is at most this;
                      ///< 0 or less: eps of double
  /// Componentwise backward error with which a column is done if its path makes no more progress;
  /// above it the column takes the next path. 0 or less: 4 eps of double; values below `target`
  /// count as `target`. A column whose error exceeds solved_error<double>() never counts as
  /// converged.
  double accept = 0;
  /// Token: if any thread requests a stop, solve() throws Error(cancelled) within some 50 ms (on a
  /// device between steps); the contents of x are then undefined.
  std::stop_token stop{};
};

/// Outcome of a solve, over its columns. Backward errors are those of the scaled system S A S y = S
/// b with y = S^-1 x. The componentwise error is also that of A x = b, except in rows that take the
/// second denominator of BackwardError::componentwise, which contains ||x||; the normwise error is
/// that of the scaled system only. Entries of y below 1e-38 of the largest one, which float cannot
/// represent beside it, may be lost.
struct MixedReport {
  MixedPath path = MixedPath::refinement;  ///< costliest path of all columns
  double shift = 0;         ///< shift of the factor in float, in units of A's diagonal
  BackwardError unrefined;  ///< error of x after one solve with the first factor tried, the worst
                            ///< over the columns
  int steps = 0;     ///< most corrections of one column that were kept, by the last factor that the
                     ///< column used; its first solve counts as one
  int cg_steps = 0;  ///< most conjugate gradient steps of one column
  /// Largest ratio of the componentwise errors after and before a refinement step with the factor
  /// in float that began above `accept`; infinite if a ratio was NaN, 0 if there was no such step.
  /// The first solve, whose ratio shows the accuracy of that factor, is left out. Steps with a
  /// factor in double do not count.
  double contraction = 0;
  double cg_contraction = 0;  ///< geometric mean of the ratios of errors after and before each
                              ///< conjugate gradient step up to the best x, in the worst column; 1
                              ///< if no step improved x, 0 if no column took this path
  Index conjugate_gradients = 0;  ///< columns whose last path was conjugate gradients
  Index in_double = 0;            ///< columns whose last path was the factor in double
  Index unconverged = 0;          ///< columns whose error is NaN or above `accept` or
                                  ///< solved_error<double>(): these are no solutions
  BackwardError error;            ///< error of x as returned, the worst over the columns
  /// Kernels of large fronts of the factor in float, as Backend::mixed_kernels() names them; with
  /// "tf32" contractions are those of a factor to three digits.
  std::string kernels{};

  /// Returns true if all columns are solved.
  [[nodiscard]] bool converged() const { return unconverged == 0; }
};

/// A factor of S A S in float, with S a scaling by powers of two (SymmetricScaling), for systems in
/// double: half the memory of Factor<double>, half the memory traffic of its solves, and up to
/// twice the speed of its factorisation. Solutions are as accurate as those of refine().
///
///     auto mixed = MixedFactor::create(a.pattern(), plan, backend);
///     if (auto ok = mixed.refactorize(a.value()); !ok) { ... ok.error().column ... }
///     auto report = mixed.solve(b, x);
///     if (!report || !report.value().converged()) { ... }
///
/// The measured errors decide the path of each column:
///
/// - Refinement (Skeel 1980) while a step shrinks the error to an eighth or less, which holds up to
///   condition numbers of S A S of about 1e6; to a half or less suffices for the first step, if the
///   error is accepted already, and if conjugate gradients are excluded.
/// - Then flexible conjugate gradients (Golub & Ye 1999; Notay 2000) on the remaining error, in
///   double, with the factor as preconditioner; flexible because rounding in float makes the
///   preconditioner another operator at each step.
/// - Then a factor in double, if conjugate gradients gain less than a factor of two in sixteen
///   steps, meet p.A p <= 0, or are predicted to have taken as long. The first call that needs it
///   allocates it, and it is kept; it is computed at most once for each refactorize(), after which
///   solves begin with float again.
///
/// The result depends on A, b, the plan and the options alone, not on times.
///
/// If refactorize() succeeds without a shift, A is positive definite to the precision of float.
/// With a shift, or if A has a negative eigenvalue of smaller magnitude, only a factor in double
/// can decide; solve() makes it if it does not converge, and then returns the Breakdown.
///
/// Takes one call at a time: reserve(), refactorize() and solve() throw Error(usage), and change
/// nothing, while another of them is under way on the same object. Move-only; one that was moved
/// from may only be assigned to or destroyed.
class MixedFactor {
 public:
  /// Creates a factor for up to nrhs >= 1 right-hand sides together; solves of more columns proceed
  /// in blocks. a: the pattern analysed; the factor copies what it needs of it. Apart from
  /// reserve() and a factor in double, this is the only call that allocates: a Factor<float> and a
  /// workspace, which the backend counts; and A and vectors in double, bytes(), which no backend
  /// counts. Throws Error: input (a bad pattern), usage (options or nrhs out of range; another
  /// pattern than the plan's; wherever Factor<float>::create() throws it), memory, overflow.
  static MixedFactor create(const Pattern& a, const PreparedPlan& plan, Index nrhs = 1,
                            const MixedOptions& options = {});
  /// Prepares the plan for this factor alone, then creates the factor. Throws also as
  /// PreparedPlan::create().
  static MixedFactor create(const Pattern& a, std::shared_ptr<const Plan> plan, Backend& backend,
                            Index nrhs = 1, const MixedOptions& options = {});
  MixedFactor(MixedFactor&&) noexcept;
  MixedFactor& operator=(MixedFactor&&) noexcept;
  ~MixedFactor();

  /// Makes room for nrhs right-hand sides together: reallocates what depends on their number. Does
  /// nothing if nrhs <= nrhs(). Throws Error(memory); then nrhs() is 0, and solve() throws
  /// Error(usage), until a later call succeeds.
  void reserve(Index nrhs);

  /// Factorises A. value: the values of A, length nnz, in the order of the pattern; copied. Scales
  /// them, rounds them to float and factorises; after a breakdown tries each shift in turn, then
  /// double. Shifts are skipped if A's diagonal is not positive. A Breakdown has the column and the
  /// pivot that Factor<double> reports for A, without scaling (those of the factor in float if no
  /// factor in double is allowed; the pivot may be infinite if A's diagonal is nearly zero), and
  /// leaves no valid factor. Throws as refactorize() of Factor, and Error(memory) if a factor in
  /// double is needed and does not fit.
  Result<void, Breakdown> refactorize(std::span<const double> value,
                                      const std::stop_token& stop = {});
  /// Factorises A from values in the memory of the backend's device, on the CPU in ordinary memory;
  /// copied. Work that writes them must have ended before the call.
  Result<void, Breakdown> refactorize(const DeviceValues<double>& value,
                                      const std::stop_token& stop = {});
  /// Factorises A from device values that the work already enqueued on the caller's stream writes,
  /// as the refactorize() of Factor that takes a stream.
  Result<void, Breakdown> refactorize(const DeviceValues<double>& value, StreamHandle stream,
                                      const std::stop_token& stop = {});

  /// Solves A X = B; b and x, in host memory, have n rows and equally many columns. x must not
  /// overlap b unless it is b itself. Returns a Breakdown if a factor in double shows that A is not
  /// positive definite: then all of x is NaN and the factor is no longer valid. Columns that did
  /// not converge hold the best x found, or NaN; the report counts them. Throws Error: usage (no
  /// valid factor, no room after a failed reserve(), sizes that do not fit, an x that begins at b's
  /// first entry but is laid out differently, options out of range), memory (for a factor in
  /// double), cancelled.
  Result<MixedReport, Breakdown> solve(MatrixView<const double> b, MatrixView<double> x,
                                       const MixedSolveOptions& options = {});
  /// Solves A X = B with b and x in the memory of the factor's device, on the CPU in ordinary
  /// memory. All vectors stay there; the host receives a few numbers for each step.
  Result<MixedReport, Breakdown> solve(DeviceMatrixView<const double> b, DeviceMatrixView<double> x,
                                       const MixedSolveOptions& options = {});

  /// Returns true after a successful refactorize(), until the next refactorize() begins or a
  /// solve() returns a Breakdown.
  [[nodiscard]] bool valid() const;
  /// Returns true if the factor in double holds the values of the last refactorize(): solves then
  /// use it alone.
  [[nodiscard]] bool in_double() const;
  /// Returns the shift of the factor in float, in units of A's diagonal; 0 if it needed none or if
  /// there is no such factor.
  [[nodiscard]] double shift() const;
  /// Returns the verdict of the factor that was computed last since refactorize() began, in float
  /// or in double, also if it broke down, with pivots in the units of A. Its smallest_column is the
  /// one with the smallest pivot of S A S: the smallest relative to A's diagonal, not the smallest
  /// in the units of A.
  [[nodiscard]] DeviceVerdict verdict() const;
  /// Returns the plan, which lives as long as the factor.
  [[nodiscard]] const Plan& plan() const;
  /// Returns the number of right-hand sides that are solved together: nrhs of create() or of the
  /// last reserve() that made room for more; 0 after a reserve() that failed.
  [[nodiscard]] Index nrhs() const;
  /// Returns the bytes of A and of the vectors in double, in the memory of the backend; factors and
  /// their workspaces are not included.
  [[nodiscard]] Offset bytes() const;

 private:
  struct MixedState;
  explicit MixedFactor(std::unique_ptr<MixedState> state);
  std::unique_ptr<MixedState> state_;
};

}  // namespace kauri
