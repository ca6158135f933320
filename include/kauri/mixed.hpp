// Mixed precision: a factor in float, half the memory, and solutions in double by refinement or conjugate gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "kauri/factor.hpp"
#include "kauri/refinement.hpp"

namespace kauri {

namespace numeric {
class MixedImpl;
}

/// In which precision systems in double are factorised.
enum class Precision {
  full,   ///< in double
  mixed,  ///< in float, see MixedFactor
};

/// How a column was solved, in the order of what it costs.
enum class MixedPath {
  refinement,           ///< x += M^-1 (b - A x), with M the factor in float, contracted well enough
  conjugate_gradients,  ///< it did not, but conjugate gradients with M as preconditioner did
  factor_in_double,     ///< nor did these: a factor in double, refined
};
/// "refinement", "cg", "double".
std::string_view name_of(MixedPath path);

/// Of the making of factors.
struct MixedOptions {
  /// Shifts of the factor in float: where S A S breaks down, S A S + shift I is tried instead, with growing shifts. They belong to the
  /// preconditioner alone: solutions are those of A. The least one is eight times the eps of float, some roundings of the diagonal.
  double first_shift = 0x1p-20;
  double shift_growth = 16;  ///< from one to the next, > 1
  int shifts = 4;            ///< at most so many, >= 0: up to 0.004 of the diagonal
  /// A factor in double where the one in float fails, in memory of its own, twice as much. Else such an A is a Breakdown of the float's,
  /// and columns that do not converge are told as such.
  bool allow_double = true;
};

/// When MixedFactor::solve() stops. Errors are those of the scaled system, see MixedReport.
struct MixedSolveOptions {
  int max_steps = 30;  ///< of refinement, >= 1
  /// Of conjugate gradients, a column. 0: none; less: as many as take no longer than a factor in double is predicted to, at least 16; 200
  /// at most, and where there is to be no such factor.
  int max_cg_steps = -1;
  double target = 0;  ///< a column is done when its componentwise backward error is at most this; 0: eps of double
  /// The error that is accepted where nothing is gained any more; above it the next path is taken. 0: 4 eps of double. It does not change
  /// when a column has converged: one with an error above solved_error<double>() has not, as for Solver.
  double accept = 0;
  /// Asked to stop, by any thread, solve() throws Error(cancelled) within some 50 ms (on a device between steps), with x anything.
  std::stop_token stop{};
};

/// What a solve came to, over its columns. Backward errors are those of S A S (S^-1 x) = S b, whose numbers have one size: componentwise
/// that of A x = b, but for rows of the second kind of BackwardError, which take ||x||; normwise of its own. Entries of S^-1 x below 1e-38
/// of the largest one, which float does not hold beside that, may be lost.
struct MixedReport {
  MixedPath path = MixedPath::refinement;  ///< the costliest that a column took
  double shift = 0;                        ///< of the factor in float, in units of A's diagonal
  BackwardError unrefined;                 ///< of x after one solve with the first factor tried, the worst over the columns
  int steps = 0;                           ///< corrections by a factor that were kept, of all paths: the most of a column
  int cg_steps = 0;                        ///< of conjugate gradients: the most of a column
  /// By how much a step of refinement shrank the componentwise error: the worst that was measured above `accept`, from the second
  /// correction on, since the first one's is that of the factor alone; 0 where there was none.
  double contraction = 0;
  double cg_contraction = 0;      ///< a step of conjugate gradients in the geometric mean, the worst column's; 0 where there was none
  Index conjugate_gradients = 0;  ///< columns that took that path, and ended there
  Index in_double = 0;            ///< columns solved by the factor in double
  Index unconverged = 0;          ///< columns of an error above `accept` or solved_error<double>(), or NaN: not to be taken for solutions
  BackwardError error;            ///< of x as returned, the worst over the columns
  /// What did large fronts of the factor in float, as Backend::mixed_kernels() names it: with "tf32" contractions are those of a factor
  /// to three digits.
  std::string kernels{};

  /// All columns are solved.
  [[nodiscard]] bool converged() const { return unconverged == 0; }
};

/// A factor of S A S in float, S a scaling by powers of two (SymmetricScaling), for systems in double: half the memory of Factor<double>,
/// half the traffic of its solves, and up to twice the speed of its factorisation. Solutions are as good as those that refine() leaves.
///
///     auto mixed = MixedFactor::create(a.pattern(), plan, backend);
///     if (auto ok = mixed.refactorize(a.value()); !ok) { ... ok.error().column ... }
///     auto report = mixed.solve(b, x);
///     if (!report || !report.value().converged()) { ... }
///
/// Each column goes its own way, as measured: refinement (Skeel 1980) while an error shrinks to an eighth or less a step, which it does up
/// to condition numbers of S A S of about 1e6 (to half, where it is accepted or there are to be no conjugate gradients); beyond, flexible
/// conjugate gradients (Golub & Ye 1999; Notay 2000) on what is left, in double, with the factor as preconditioner, since that is another
/// operator at each step; where these too gain less than a factor of two in sixteen steps, meet p.A p <= 0, or have taken as long as it
/// would, a factor in double, made by the first call that needs it and kept for the next ones. It is filled at most once for each
/// refactorize(), which begins with float again. All of it is a function of A, b and options.
///
/// Where refactorize() succeeds without a shift A is positive definite to the precision of float; with one, or for a lesser negative
/// eigenvalue, only a factor in double can tell, which solve() then makes where it does not converge: it returns the Breakdown.
/// Move-only; one moved from may be assigned to and destroyed, nothing else. One call at a time: reserve(), refactorize() and solve() throw
/// Error(usage), and change nothing, while another of them is under way on the same object.
class MixedFactor {
 public:
  /// For up to nrhs >= 1 right-hand sides together (more are done in blocks). a: the pattern analysed, copied as far as it is needed. The
  /// only call that allocates, but for a factor in double: a Factor<float> and a workspace, counted as those are; and A and vectors in
  /// double, bytes(), which are counted in no backend's bytes. Throws Error: input (a bad pattern), usage (options or nrhs out of range;
  /// another pattern than the plan's; where Factor<float>::create does), memory, overflow.
  static MixedFactor create(const Pattern& a, const PreparedPlan& plan, Index nrhs = 1, const MixedOptions& options = {});
  /// With a plan prepared for this factor alone.
  static MixedFactor create(const Pattern& a, std::shared_ptr<const Plan> plan, Backend& backend, Index nrhs = 1,
                            const MixedOptions& options = {});
  MixedFactor(MixedFactor&&) noexcept;
  MixedFactor& operator=(MixedFactor&&) noexcept;
  ~MixedFactor();

  /// Room for more right-hand sides together: allocates anew what depends on their number. Fewer change nothing. Throws Error(memory): then
  /// nrhs() is 0 until it succeeds.
  void reserve(Index nrhs);

  /// value: of A, length nnz, in the order of the pattern; copied. Scales, rounds and factorises in float, then with each shift in turn,
  /// then in double. A Breakdown has the column and the pivot that Factor<double> would tell of A, without scaling (those of float where no
  /// factor in double is allowed; a pivot may be infinite where A's diagonal is next to nothing), and leaves no valid factor. Shifts are
  /// left out where A's diagonal is not positive. Throws as the refactorize() of Factor does, and Error(memory) where a factor in double
  /// cannot be had.
  Result<void, Breakdown> refactorize(std::span<const double> value, const std::stop_token& stop = {});
  /// The same with values that lie where the backend computes.
  Result<void, Breakdown> refactorize(const DeviceValues<double>& value, const std::stop_token& stop = {});
  /// The same with values that work on the caller's stream writes, enqueued by now: as the refactorize() of Factor that takes a stream.
  Result<void, Breakdown> refactorize(const DeviceValues<double>& value, StreamHandle stream, const std::stop_token& stop = {});

  /// X with A X = B, n rows and as many columns each; b may be x itself, else they do not overlap. A Breakdown: A is not positive definite,
  /// as a factor in double found; all of x is NaN, and the factor is not valid any more. Columns that did not converge hold the best x
  /// found, or NaN, and are told. Throws Error: usage (no valid factor, sizes that do not fit, an x that begins at b's first entry but has
  /// others elsewhere, options out of range), memory (of a factor in double), cancelled.
  Result<MixedReport, Breakdown> solve(MatrixView<const double> b, MatrixView<double> x, const MixedSolveOptions& options = {});
  /// The same with b and x on the factor's device, where all vectors stay: the host sees a few numbers a step. On the CPU ordinary memory.
  Result<MixedReport, Breakdown> solve(DeviceMatrixView<const double> b, DeviceMatrixView<double> x, const MixedSolveOptions& options = {});

  /// True after a successful refactorize().
  [[nodiscard]] bool valid() const;
  /// True where the factor in double is filled with the values of the last refactorize(): solves use it alone.
  [[nodiscard]] bool in_double() const;
  /// Of the factor in float, in units of A's diagonal; 0 where it needed none, or there is none.
  [[nodiscard]] double shift() const;
  /// Of the factor that solves use, in the units of A, but that of all pivots the one that is smallest beside A's diagonal is told.
  [[nodiscard]] DeviceVerdict verdict() const;
  /// What it was made for.
  [[nodiscard]] const Plan& plan() const;
  /// Right-hand sides together.
  [[nodiscard]] Index nrhs() const;
  /// Of A and of vectors, where the backend computes.
  [[nodiscard]] Offset bytes() const;

 private:
  struct State;
  explicit MixedFactor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kauri
