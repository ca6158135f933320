// Solver: the checks of each call, before an engine does the work.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/solver.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/threads/one_call.hpp"
#include "base/threads/stopping.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/find_non_finite.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/refine_options.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/engine/engine.hpp"

namespace kauri {
namespace {

/// Returns the options. Throws Error(usage) for those values that no later analysis or
/// factorisation would refuse.
template <Scalar T>
const SolverOptions& checked(const SolverOptions& options) {
  require_refine_options(options.refine, "Solver");
  const bool mixed = options.precision == Precision::mixed;
  if (options.precision != Precision::full && options.precision != Precision::automatic && !mixed)
    misuse("Solver: unknown Precision " + std::to_string(static_cast<int>(options.precision)) +
           "; expected full, mixed or automatic (0 to 2)");
  if (mixed && !std::is_same_v<T, double>)
    throw Error(
        ErrorKind::usage,
        "Solver: mixed precision is for systems in double; use Solver<double> or Precision::full");
  return options;
}

template <Scalar T>
int scalar_bytes(const SolverOptions& options) {
  return options.precision == Precision::mixed ? sizeof(float) : sizeof(T);
}

}  // namespace

template <Scalar T>
struct Solver<T>::SolverState {
  /// backend: the caller's, or no argument for the one that the options ask for.
  template <class... Given>
  explicit SolverState(const SolverOptions& options, Given&&... backend)
      : symbolic(std::make_shared<Symbolic>(checked<T>(options), scalar_bytes<T>(options),
                                            std::forward<Given>(backend)...)),
        engine(symbolic, options.precision),
        stop(options.stop) {
    if (options.on_message) symbolic->options.analyze.on_message = options.on_message;
  }

  void require_factor(const char* call) const {
    if (!engine.is_prepared())
      throw Error(ErrorKind::usage, "Solver::" + std::string(call) + ": call compute() first");
  }

  /// Throws Error(usage) without a plan. Allocates the factor of a plan that has none.
  void make_factor(const char* call) {
    if (symbolic->analysis.plan && !engine.is_prepared()) engine.prepare();
    require_factor(call);
  }

  Result<void, Breakdown> factorize(std::span<const T> value, T shift) {
    try {
      return engine.factorize(value, shift, stop);
    } catch (const Error& error) {
      // Checks again: with the pattern at hand the message names row and column.
      if (error.kind() == ErrorKind::input)
        require_finite<T>({symbolic->pattern(), value}, "Solver");
      throw;
    }
  }

  std::shared_ptr<Symbolic> symbolic;
  Engine<T> engine;
  std::stop_token stop;
  CallFlag calls;
};

template <Scalar T>
Solver<T>::Solver(SolverOptions options) : state_(std::make_unique<SolverState>(options)) {}
template <Scalar T>
Solver<T>::Solver(SolverOptions options, std::shared_ptr<Backend> backend) {
  if (!backend) misuse("Solver: the backend is null; pass that of cpu_backend() or cuda_backend()");
  state_ = std::make_unique<SolverState>(options, std::move(backend));
}
template <Scalar T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>::~Solver() = default;

template <Scalar T>
Result<void, Breakdown> Solver<T>::compute(const SymmetricView<T>& a) {
  const OneCall call(state_->calls, "Solver::compute", "solver");
  SolverState& s = *state_;
  const StopScope scope(s.stop);
  s.engine.analyze(a.pattern, s.stop);
  s.engine.prepare(1, true);
  return s.factorize(a.value, T(0));
}

template <Scalar T>
void Solver<T>::analyze(const Pattern& a) {
  const OneCall call(state_->calls, "Solver::analyze", "solver");
  const StopScope scope(state_->stop);
  state_->engine.analyze(a, state_->stop);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize(std::span<const T> value, T shift) {
  const OneCall call(state_->calls, "Solver::refactorize", "solver");
  state_->make_factor("refactorize");
  return state_->factorize(value, shift);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize(const SymmetricView<T>& a, T shift) {
  const OneCall call(state_->calls, "Solver::refactorize", "solver");
  if (!state_->symbolic->analysis.plan) state_->require_factor("refactorize");
  require_pattern(a.pattern, *state_->symbolic->analysis.plan,
                  "Solver::refactorize: another pattern than that of compute()");
  state_->make_factor("refactorize");
  return state_->factorize(a.value, shift);
}

template <Scalar T>
Result<void, Breakdown> Solver<T>::refactorize_shifted(T shift) {
  const OneCall call(state_->calls, "Solver::refactorize_shifted", "solver");
  if (!state_->engine.can_shift())
    throw Error(ErrorKind::usage,
                "Solver::refactorize_shifted: no values were factorised; call compute() or "
                "refactorize() first");
  return state_->engine.factorize_shifted(shift, state_->stop);
}

template <Scalar T>
void Solver<T>::solve(MatrixView<T> x) {
  const OneCall call(state_->calls, "Solver::solve", "solver");
  SolverState& s = *state_;
  s.require_factor("solve");
  require_dense<T>(x, "Solver::solve: x", s.symbolic->analysis.plan->n);
  const auto solved = s.engine.solve_in_place(
      x, {.corrections = s.symbolic->options.refine.max_steps, .stop = s.stop});
  static_cast<void>(solved);  // the report holds the breakdown of a mixed solve
}

template <Scalar T>
Refinement Solver<T>::solve(MatrixView<const T> b, MatrixView<T> x,
                            const std::optional<RefineOptions>& refine) const {
  const SharedCall call(state_->calls, "Solver::solve", "solver");
  SolverState& s = *state_;
  s.require_factor("solve");
  require_dense<T>(b, "Solver::solve: b", s.symbolic->analysis.plan->n);
  require_dense<T>(x, "Solver::solve: x", s.symbolic->analysis.plan->n);
  if (b.cols != x.cols)
    misuse("Solver::solve: b has " + std::to_string(b.cols) + " columns, x has " +
           std::to_string(x.cols));
  if (overlap(b, x)) misuse("Solver::solve: x overlaps b; give it memory of its own");
  return s.engine.solve(b, x, refine,
                        refine && refine->stop.stop_possible() ? refine->stop : s.stop);
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
  state_->stop.swap(stop);
}

template <Scalar T>
const Plan& Solver<T>::plan() const {
  const Analysis& analysis = state_->symbolic->analysis;
  if (!analysis.plan) throw Error(ErrorKind::usage, "Solver::plan: call compute() first");
  return *analysis.plan;
}
template <Scalar T>
const Analysis& Solver<T>::analysis() const {
  return state_->symbolic->analysis;
}
template <Scalar T>
const Factor<T>& Solver<T>::factor() const {
  state_->require_factor("factor");
  const Factor<T>* factor = state_->engine.read([](const Factor<T>& of) { return &of; });
  if (!factor->valid())
    throw Error(ErrorKind::usage,
                "Solver::factor: there is no factor, since the last factorisation failed; call "
                "compute() or refactorize() with other values");
  return *factor;
}
template <Scalar T>
const SolverReport& Solver<T>::report() const {
  return state_->engine.last_report();
}
template <Scalar T>
Backend& Solver<T>::backend() const {
  return state_->symbolic->backend();
}

template class Solver<float>;
template class Solver<double>;

}  // namespace kauri
