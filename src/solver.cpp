// Solver: analyse, factorise, solve and refine behind one object.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solver.hpp"

#include <string>

#include "src/backends.hpp"
#include "src/base/stopwatch.hpp"
#include "src/find_non_finite.hpp"
#include "src/refine_with.hpp"

namespace kauri {

template <Scalar T>
struct Solver<T>::State {
  explicit State(SolverOptions o) : options(std::move(o)), backends(options.backend, options.threads) {
    if (options.analyze.workers == 0) options.analyze.workers = backends.current().threads();
    if (options.analyze.ordering.threads == 0) options.analyze.ordering.threads = options.threads;
  }

  Result<void, Breakdown> fill(std::span<const T> fresh, T shift) {
    held = false;
    Result<void, Breakdown> result;
    try {
      result = timed([&] { return kauri::refactorize<T>(*factor, fresh, shift); });
    } catch (const Error& error) {
      // The pattern is known here, so that row and column can be named.
      if (error.kind() == ErrorKind::input) require_finite<T>({pattern(), fresh}, "Solver");
      throw;
    }
    value.assign(fresh.begin(), fresh.end());
    const auto columns = static_cast<std::size_t>(analysis.plan->n);
    diagonal.resize(columns);
    for (std::size_t j = 0; j < columns; ++j) diagonal[j] = value[col_ptr[j]];
    held = true;
    set_shift(shift);
    return result;
  }

  Result<void, Breakdown> fill_shifted(T shift) {
    const T before = held_shift;
    set_shift(T(0));
    try {
      auto result = timed([&] { return kauri::refactorize_shifted<T>(*factor, value, shift); });
      set_shift(shift);
      return result;
    } catch (...) {  // a shift that is refused changes nothing
      set_shift(before);
      throw;
    }
  }

  template <class F>
  Result<void, Breakdown> timed(const F& f) {
    Result<void, Breakdown> result;
    report.factor_s = seconds_of([&] { result = f(); });
    report.smallest_pivot = factor->verdict().smallest_pivot;
    report.smallest_column = factor->verdict().smallest_column;
    return result;
  }

  /// Refinement works on the matrix that was factorised.
  void set_shift(T shift) {
    held_shift = shift;
    for (std::size_t j = 0; j < diagonal.size(); ++j) value[col_ptr[j]] = shift == T(0) ? diagonal[j] : diagonal[j] + shift;
  }

  [[nodiscard]] Pattern pattern() const { return {analysis.plan->n, col_ptr, row}; }

  SolverOptions options;
  Backends backends;
  Analysis analysis;
  std::vector<Offset> col_ptr;  // the pattern of A, for messages; the diagonal comes first in each column
  std::vector<Index> row;
  std::vector<T> value;  // of A + shift I, as last factorised
  T held_shift = 0;
  std::vector<T> diagonal;  // of A
  bool held = false;        // the factor was filled with these
  std::optional<Factor<T>> factor;
  std::optional<Workspace<T>> workspace;
  std::unique_ptr<numeric::ResidualStore<T>> residual;
  SolverReport report;
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
  State& s = *state_;
  s.factor.reset();
  s.workspace.reset();
  s.residual.reset();
  s.held = false;
  s.analysis = analyze_for(s.backends, s.options.analyze, sizeof(T), 1,
                           [&](const AnalyzeOptions& options) { return analyze_with_report(a.pattern, options); });
  s.report = {};
  s.report.reorder_s = s.analysis.order_s;
  s.report.symbolic_s = s.analysis.symbolic_s;
  s.col_ptr.assign(a.pattern.col_ptr.begin(), a.pattern.col_ptr.end());
  s.row.assign(a.pattern.row.begin(), a.pattern.row.end());
  s.residual = s.backends.current().executor().make_residual(a.pattern, T{});
  s.factor = Factor<T>::create(s.analysis.plan, s.backends.current());
  return s.fill(a.value, T(0));
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize(std::span<const T> value, T shift) {
  if (!state_->factor) throw Error(ErrorKind::usage, "Solver::refactorize: call compute() first");
  return state_->fill(value, shift);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize_shifted(T shift) {
  if (!state_->held) throw Error(ErrorKind::usage, "Solver::refactorize_shifted: there are no values that were factorised");
  return state_->fill_shifted(shift);
}

template <Scalar T>
void Solver<T>::solve(MatrixView<T> x) {
  State& s = *state_;
  if (!s.factor) throw Error(ErrorKind::usage, "Solver::solve: call compute() first");
  const Index n = s.analysis.plan->n;
  if (x.rows != n || x.cols < 0 || x.ld < x.rows)
    throw Error(ErrorKind::usage, "Solver::solve: x is " + std::to_string(x.rows) + " x " + std::to_string(x.cols) +
                                      " with leading dimension " + std::to_string(x.ld) + ", A has n = " + std::to_string(n));
  if (!s.workspace || s.workspace->nrhs() < std::min(x.cols, kSolveBlock))
    s.workspace = Workspace<T>::create(s.analysis.plan, std::max(x.cols, Index{1}), s.backends.current());
  std::vector<T> b;
  b.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(x.cols));
  for (Index c = 0; c < x.cols; ++c) b.insert(b.end(), x.data + c * x.ld, x.data + c * x.ld + n);
  s.report.solve_s = seconds_of([&] { s.factor->solve(x, *s.workspace); });
  const MatrixView<const T> rhs{b.data(), x.rows, x.cols, x.rows};
  s.report.refine_s = seconds_of([&] {
    s.report.refinement = refine_with<T>(*s.residual, {s.pattern(), s.value}, *s.factor, rhs, x, *s.workspace, s.options.refine);
  });
}

template <Scalar T>
std::vector<T> Solver<T>::solve(std::span<const T> b) {
  std::vector<T> x(b.begin(), b.end());
  solve(column_view(std::span<T>(x)));
  return x;
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
