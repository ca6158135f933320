// Solver: analyse, factorise, solve and refine behind one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "base/progress/meter.hpp"
#include "base/progress/stopwatch.hpp"
#include "base/threads/one_call.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/dense_view.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/find_non_finite.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/pivot_loss.hpp"
#include "src/checks/refine_options.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/checks/solve_status.hpp"
#include "src/engine/backends.hpp"
#include "src/engine/refine_with.hpp"
#include "src/report/phase_work.hpp"
#include "symbolic/common/in_digits.hpp"

namespace kauri {
namespace {

/// Factorisations with fewer operations, of up to some 50 ms, report no progress.
constexpr double kWatchedFlops = 1e9;

}  // namespace

template <Scalar T>
struct Solver<T>::State {
  explicit State(SolverOptions o)
      : options(std::move(o)), backends(options.backend, options.threads, options.cuda) {
    if (options.analyze.workers == 0) options.analyze.workers = backends.current().threads();
    if (options.analyze.ordering.threads == 0) options.analyze.ordering.threads = options.threads;
    options.analyze.on_message = options.on_message;
    set_stop(options.stop);
    require_refine_options(options.refine, "Solver");
    if (options.precision != Precision::full && !is_mixed())
      misuse("Solver: unknown Precision " + std::to_string(static_cast<int>(options.precision)) +
             "; expected full or mixed (0 or 1)");
    if (is_mixed() && !std::is_same_v<T, double>)
      throw Error(ErrorKind::usage, "Solver: mixed precision is for systems in double");
  }

  [[nodiscard]] bool is_mixed() const { return options.precision == Precision::mixed; }
  /// Returns the size of an entry of L.
  [[nodiscard]] int scalar_bytes() const { return is_mixed() ? sizeof(float) : sizeof(T); }

  /// Sends a message to the caller's handler, which runs without a stop token and uncounted by the
  /// meter. text() is called only if there is a handler.
  template <class Text>
  void tell(Phase phase, double fraction, const Text& text,
            MessageLevel level = MessageLevel::info) const {
    if (!options.on_message) return;
    const StopScope unstoppable(nullptr);
    const MeterScope uncounted(nullptr);
    options.on_message({level, phase, text(), fraction});
  }

  void prepare() {
    tell(Phase::prepare, 0,
         [&] { return "memory for the factor on " + backends.current().device(); });
    report.prepare.seconds = seconds_of([&] {
      if (is_mixed()) {
        mixed.emplace(
            MixedFactor::create(pattern(), analysis.plan, backends.current(), 1, options.mixed));
        return;
      }
      residual = backends.current().executor().of<T>().make_residual(pattern());
      factor = Factor<T>::create(analysis.plan, backends.current());
    });
    tell(Phase::prepare, 1, [&] {
      return "memory for the factor: " + std::to_string(report.prepare.bytes) + " bytes";
    });
  }

  void set_stop(const std::stop_token& stop) {
    options.stop = options.analyze.ordering.stop = options.refine.stop = options.mixed_solve.stop =
        stop;
  }

  Result<void, Breakdown> fill(std::span<const T> fresh, T shift) {
    held = false;
    Result<void, Breakdown> result;
    try {
      result = timed([&] {
        return is_mixed() ? fill_mixed(fresh, shift)
                          : kauri::refactorize<T>(*factor, fresh, shift, options.stop);
      });
    } catch (const Error& error) {
      // Checks again: with the pattern at hand the message names row and column.
      if (error.kind() == ErrorKind::input) require_finite<T>({pattern(), fresh}, "Solver");
      throw;
    }
    value.assign(fresh.begin(), fresh.end());
    const auto columns = static_cast<std::size_t>(analysis.plan->n);
    diagonal.resize(columns);
    largest = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      diagonal[j] = value[pattern().col_ptr[j]];
      largest = std::max(largest, diagonal[j]);
    }
    held = true;
    set_shift(shift);
    look_for_loss(result.ok());
    return told(result);
  }

  Result<void, Breakdown> fill_shifted(T shift) {
    const T before = held_shift;
    set_shift(T(0));
    Result<void, Breakdown> result;
    try {
      result = timed([&] {
        return is_mixed() ? fill_mixed(value, shift)
                          : kauri::refactorize_shifted<T>(*factor, value, shift, options.stop);
      });
    } catch (...) {  // a refused shift changes nothing
      set_shift(before);
      throw;
    }
    set_shift(shift);
    look_for_loss(result.ok());
    return told(result);
  }

  /// Fills the mixed factor with A + shift I.
  Result<void, Breakdown> fill_mixed(std::span<const T> fresh, T shift) {
    if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(shift))
        throw Error(ErrorKind::usage, "refactorize: the shift is " + std::to_string(shift) +
                                          ", expected a finite number");
      if (shift == 0 || static_cast<Offset>(fresh.size()) != analysis.plan->nnz)
        return mixed->refactorize(fresh, options.stop);
      std::vector<double> shifted(fresh.begin(), fresh.end());
      for (Index j = 0; j < analysis.plan->n; ++j)
        shifted[static_cast<std::size_t>(analysis.plan->pattern.col_ptr[j])] += shift;
      return mixed->refactorize(shifted, options.stop);
    }
    return {};
  }

  template <class F>
  Result<void, Breakdown> timed(const F& f) {
    Result<void, Breakdown> result;
    tell(Phase::factor, 0, [&] {
      return "factorisation of " + symbolic::in_digits(analysis.plan->cost.flops) + " operations";
    });
    Meter meter([this](double fraction) {
      tell(Phase::factor, fraction, [&] {
        return "factorising, operations done: " +
               symbolic::in_digits(fraction * analysis.plan->cost.flops);
      });
    });
    const bool watched = options.on_message && analysis.plan->cost.flops >= kWatchedFlops;
    report.factor.seconds = seconds_of([&] {
      const MeterScope scope(watched ? &meter : metering::current);
      result = f();
    });
    count_factor(report.factor, *analysis.plan, scalar_bytes());
    take_verdict();
    return result;
  }

  void take_verdict() {
    const DeviceVerdict verdict = is_mixed() ? mixed->verdict() : factor->verdict();
    report.smallest_pivot = verdict.smallest_pivot;
    report.smallest_column = verdict.smallest_column;
  }

  /// Looks for nearly singular pivots of the values and the shift that were factorised.
  void look_for_loss(bool good) {
    report.nearly_singular.reset();
    if (!good) return;
    if (!is_mixed()) {
      report.nearly_singular = find_nearly_singular<T>(
          {pattern(), value}, static_cast<double>(largest + held_shift), *factor);
      return;
    }
    if (!mixed->in_double() || report.smallest_column == kNone) return;
    const PivotLoss loss =
        loss_at<T>({pattern(), value}, report.smallest_column, report.smallest_pivot);
    if (loss.nearly_singular()) report.nearly_singular = loss;
  }

  void tell_loss() const {
    if (!report.nearly_singular) return;
    const auto words = [&] {
      const PivotLoss& loss = *report.nearly_singular;
      return "A is nearly singular: elimination reduced the diagonal entry " +
             symbolic::in_digits(loss.diagonal) + " of column " + std::to_string(loss.column) +
             " to the pivot " + symbolic::in_digits(loss.pivot) + ", " +
             symbolic::in_digits(loss.ratio()) + " of it";
    };
    tell(Phase::factor, 1, words, MessageLevel::warning);
  }

  /// Reports the outcome of a factorisation. Called once all that the call keeps is consistent,
  /// since the handler may throw.
  Result<void, Breakdown> told(Result<void, Breakdown> result) const {
    if (result)
      tell(Phase::factor, 1, [&] {
        return "factorised, smallest pivot " + symbolic::in_digits(report.smallest_pivot);
      });
    else
      tell(
          Phase::factor, 1,
          [&] {
            return "not positive definite: column " + std::to_string(result.error().column) +
                   " met the pivot " + symbolic::in_digits(result.error().pivot);
          },
          MessageLevel::warning);
    tell_loss();
    return result;
  }

  /// Solves in mixed precision: X from B. If A turns out not to be positive definite, X is NaN.
  void solve_mixed(MatrixView<const T> b, MatrixView<T> x) {
    if constexpr (std::is_same_v<T, double>) {
      tell(Phase::solve, 0,
           [&] { return "solve in mixed precision, right-hand sides: " + std::to_string(x.cols); });
      mixed->reserve(std::min(x.cols, kSolveBlock));
      std::optional<Breakdown> found;
      report.solve.seconds = seconds_of([&] {
        const Result<MixedReport, Breakdown> solved = mixed->solve(b, x, options.mixed_solve);
        if (!solved) found = solved.error();
        report.mixed = solved ? solved.value() : report_of_breakdown(x.cols);
      });
      take_verdict();
      count_mixed_solve(report.solve, *analysis.plan, x.cols,
                        report.mixed.steps + report.mixed.cg_steps);
      report.solve.bytes = mixed->bytes();
      report.right_hand_sides = x.cols;
      judge_mixed(report, found, b);
      const bool told_before = report.nearly_singular.has_value();
      look_for_loss(mixed->valid());
      if (!told_before) tell_loss();  // pivot loss of a factor in double that this solve made
      tell_refinement();
    }
  }

  /// Solves and refines. x: B on entry, X on return; b: B.
  void solve(MatrixView<const T> b, MatrixView<T> x) {
    tell(Phase::solve, 0, [&] { return "solve, right-hand sides: " + std::to_string(x.cols); });
    report.solve.seconds = seconds_of([&] { factor->solve(x, *workspace, options.stop); });
    count_solves(report.solve, *analysis.plan, sizeof(T), x.cols);
    report.solve.bytes =
        analysis.plan->workspace_bytes(sizeof(T), workspace->nrhs(), options.cuda.solves_together);
    report.right_hand_sides = x.cols;
    tell(Phase::refine, 0, [&] {
      return "refinement, corrections at most: " + std::to_string(options.refine.max_steps);
    });
    report.refine.seconds = seconds_of([&] {
      report.refinement =
          refine_with<T>(*residual, {pattern(), value}, *factor, b, x, *workspace, options.refine);
    });
    count_refinement(report.refine, *analysis.plan, sizeof(T), x.cols, report.refinement.tried);
    judge<T>(report, SolveStatus::ok, b);
    report.refine.bytes = 3 * Offset{x.rows} * x.cols * Offset{sizeof(T)};
    tell_refinement();
  }

  void tell_refinement() const {
    const double error = report.refinement.final_error.componentwise;
    tell(
        Phase::refine, 1,
        [&] {
          return "refined, corrections kept: " + std::to_string(report.refinement.steps) +
                 ", componentwise backward error " + symbolic::in_digits(error) +
                 (report.status_reason.empty() ? "" : "; " + report.status_reason);
        },
        report.status == SolveStatus::ok ? MessageLevel::info : MessageLevel::warning);
  }

  /// Adds the shift to the held values, since refinement needs the matrix that was factorised.
  void set_shift(T shift) {
    held_shift = shift;
    const std::vector<Offset>& col_ptr = analysis.plan->pattern.col_ptr;
    for (std::size_t j = 0; j < diagonal.size(); ++j)
      value[col_ptr[j]] = shift == T(0) ? diagonal[j] : diagonal[j] + shift;
  }

  [[nodiscard]] Pattern pattern() const { return analysis.plan->pattern.view(); }

  SolverOptions options;
  Backends backends;
  Analysis analysis;
  std::vector<T> value;  // values of A + shift I, as last factorised
  T held_shift = 0;
  std::vector<T> diagonal;  // diagonal of A
  T largest = 0;            // largest entry of `diagonal`
  bool held = false;        // the factor was filled with `value`
  std::optional<Factor<T>> factor;
  std::optional<Workspace<T>> workspace;
  std::optional<MixedFactor>
      mixed;  // with mixed precision, in place of factor, workspace and residual
  std::unique_ptr<numeric::ResidualImpl<T>> residual;
  SolverReport report;
  CallFlag calls;
};

template <Scalar T>
Solver<T>::Solver(SolverOptions options) : state_(std::make_unique<State>(std::move(options))) {}
template <Scalar T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>::~Solver() = default;

template <Scalar T>
Result<void, Breakdown> Solver<T>::compute(const SymmetricView<T>& a) {
  const OneCall call(state_->calls, "Solver::compute", "solver");
  State& s = *state_;
  const StopScope scope(s.options.stop);
  s.factor.reset();
  s.workspace.reset();
  s.mixed.reset();
  s.residual.reset();
  s.held = false;
  s.analysis = {};
  s.report = {};
  s.tell(Phase::ordering, 0, [&] {
    return "rows: " + std::to_string(a.pattern.n) + ", entries: " + std::to_string(a.pattern.nnz());
  });
  s.analysis = analyze_for(
      s.backends, s.options.analyze, s.scalar_bytes(), 1,
      [&](const AnalyzeOptions& options) { return analyze_with_report(a.pattern, options); });
  s.report = report_of(s.analysis, s.backends.current(), s.scalar_bytes());
  s.report.precision = s.options.precision;
  if (s.is_mixed()) s.report.kernels = s.backends.current().mixed_kernels();
  if (s.options.roofline)
    s.report.roofline = s.is_mixed() ? s.backends.current().mixed_roofline()
                                     : s.backends.current().roofline(s.scalar_bytes());
  s.tell(Phase::symbolic, 1, [&] { return "entries of L: " + std::to_string(s.report.nnz_l); });
  s.prepare();
  return s.fill(a.value, T(0));
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize(std::span<const T> value, T shift) {
  const OneCall call(state_->calls, "Solver::refactorize", "solver");
  if (!state_->factor && !state_->mixed)
    throw Error(ErrorKind::usage, "Solver::refactorize: call compute() first");
  return state_->fill(value, shift);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize(const SymmetricView<T>& a, T shift) {
  const OneCall call(state_->calls, "Solver::refactorize", "solver");
  if (!state_->factor && !state_->mixed)
    throw Error(ErrorKind::usage, "Solver::refactorize: call compute() first");
  require_pattern(a.pattern, *state_->analysis.plan,
                  "Solver::refactorize: another pattern than that of compute()");
  return state_->fill(a.value, shift);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize_shifted(T shift) {
  const OneCall call(state_->calls, "Solver::refactorize_shifted", "solver");
  if (!state_->held)
    throw Error(ErrorKind::usage,
                "Solver::refactorize_shifted: no values were factorised; call compute() or "
                "refactorize() first");
  return state_->fill_shifted(shift);
}

template <Scalar T>
void Solver<T>::solve(MatrixView<T> x) {
  const OneCall call(state_->calls, "Solver::solve", "solver");
  State& s = *state_;
  if (!s.factor && !s.mixed) throw Error(ErrorKind::usage, "Solver::solve: call compute() first");
  const Index n = s.analysis.plan->n;
  require_dense<T>(x, "Solver::solve: x", n);
  if (!s.mixed && (!s.workspace || s.workspace->nrhs() < std::min(x.cols, kSolveBlock)))
    s.workspace =
        Workspace<T>::create(s.analysis.plan, std::max(x.cols, Index{1}), s.backends.current());
  Array<T> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(x.cols));
  const MatrixView<T> rhs = numeric::compact_view(b.data(), n, x.cols, x.layout);
  numeric::copy_entries<T>(x, rhs);
  try {
    s.is_mixed() ? s.solve_mixed(rhs, x) : s.solve(rhs, x);
  } catch (...) {
    numeric::copy_entries<T>(rhs, x);
    throw;
  }
}

template <Scalar T>
std::vector<T> Solver<T>::solve(std::span<const T> b) {
  std::vector<T> x(b.begin(), b.end());
  solve(column_view(std::span<T>(x)));
  return x;
}

template <Scalar T>
void Solver<T>::set_stop(std::stop_token stop) {
  const OneCall call(state_->calls, "Solver::set_stop", "solver");
  state_->set_stop(stop);
}

template <Scalar T>
const Plan& Solver<T>::plan() const {
  if (!state_->analysis.plan) throw Error(ErrorKind::usage, "Solver::plan: call compute() first");
  return *state_->analysis.plan;
}
template <Scalar T>
const Analysis& Solver<T>::analysis() const {
  return state_->analysis;
}
template <Scalar T>
const SolverReport& Solver<T>::report() const {
  return state_->report;
}
template <Scalar T>
Backend& Solver<T>::backend() const {
  return state_->backends.current();
}

template class Solver<float>;
template class Solver<double>;

}  // namespace kauri
