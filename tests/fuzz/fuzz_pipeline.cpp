// Reads arbitrary bytes as a small system and runs it from its pattern to refined solutions. Plans
// must be sound. Verdicts, L and solutions must equal the naive ones within the rounding errors of
// the scalar. Nothing may depend on threads or on earlier contents of the factor. Values that are
// not finite must give an Error or a Breakdown.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "kauri/kauri.hpp"
#include "src/checks/same_pattern.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/fuzz/outcome.hpp"
#include "tests/fuzz/pipeline_oracle.hpp"
#include "tests/fuzz/pipeline_system.hpp"
#include "tests/support/process/many_threads.hpp"

namespace {

using namespace kauri;
using fuzz::Dense;
using fuzz::require;

/// Backends, made once, since making a thread arena takes longer than a small system.
struct Backends {
  test::ManyThreads many;
  Backend one = cpu_backend(1), four = cpu_backend(4);
};
Backends& backends() {
  static Backends these;
  return these;
}

template <class T>
struct Input {
  SymmetricMatrix<T> a;
  SymmetricMatrix<T> other;  // strictly dominant
  AnalyzeOptions options;
  fuzz::Checks checks;
};

/// Decodes scalar and checks, size, options, then shape, values, scales, and spoilt entries. Most
/// sizes give few fronts.
template <class T>
Input<T> input_of(fuzz::Bytes bytes) {
  Input<T> input;
  const std::uint8_t kind = bytes.next(), size = bytes.next();
  input.checks = {.threads = kind / 2 % 4 == 3,
                  .solver = kind / 8 % 8 == 7,
                  .mixed = kind / 8 % 8 == 6,
                  .device_plan = kind / 64 == 3};
  const Index n = size < 192 ? size % 24 : size - 192;
  input.options = fuzz::options_of(bytes, n);
  const std::uint8_t shape = bytes.next();
  input.a = fuzz::matrix_of<T>(n, fuzz::edges_of_shape(bytes, n, shape));
  input.other = input.a;
  const std::uint8_t values = bytes.next(), scales = bytes.next(), seed = bytes.next();
  fuzz::fill(input.a, values, seed);
  fuzz::scale(input.a, scales, seed);
  fuzz::spoil(input.a, bytes);
  fuzz::fill(input.other, 0, seed + 1);
  return input;
}

template <class Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

template <class T>
bool are_finite(std::span<const T> values) {
  return std::ranges::all_of(values, [](T v) { return std::isfinite(v); });
}

std::shared_ptr<const Plan> checked_plan(const Pattern& pattern, const AnalyzeOptions& options,
                                         const fuzz::Checks& checks) {
  const auto plan = analyze(pattern, options);
  require(find_flaw(*plan).empty() && plan->n == pattern.n && plan->nnz == pattern.nnz() &&
          same_pattern(plan->pattern(), pattern));
  const std::vector<Index>& last = options.ordering.last;
  if (!options.permutation)
    require(std::equal(last.rbegin(), last.rend(), plan->perm.old_of().rbegin()));
  if (!checks.device_plan) return plan;
  AnalyzeOptions device = options;
  device.target = "sm_90";
  require(find_flaw(*analyze(pattern, device)).empty());
  return plan;
}

/// Outcome of a call: success; a Breakdown; or `refused`, if it threw because of a value that is
/// not finite.
struct Ending {
  bool ok = false, refused = false;
  Breakdown breakdown;
  bool operator==(const Ending& other) const {
    return ok == other.ok && refused == other.refused &&
           breakdown.column == other.breakdown.column &&
           same_bits(std::span(&breakdown.pivot, 1), std::span(&other.breakdown.pivot, 1));
  }
};

template <class F>
Ending ending_of(F&& call) {
  try {
    const Result<void, Breakdown> result = call();
    if (result.ok()) return {.ok = true, .breakdown = {}};
    return {.breakdown = result.error()};
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::input &&
            std::string_view(error.what()).find("entry (") != std::string_view::npos);
    return {.refused = true, .breakdown = {}};
  }
}

/// Requires the naive verdict, within the effect of rounding. b: the factorised matrix in the
/// plan's numbering.
template <class T>
void check_ending(const Ending& ending, const Factor<T>& factor, std::span<const T> value,
                  const Dense& b) {
  const bool finite = are_finite(value);
  require(ending.ok == factor.valid() && !(ending.refused && finite) && !(ending.ok && !finite));
  if (!ending.ok && !ending.refused) {
    const double pivot = ending.breakdown.pivot;
    require(ending.breakdown.column >= 0 && ending.breakdown.column < b.n);
    require(std::isfinite(pivot) ? pivot <= 0 : finite);
  }
  if (ending.refused || !fuzz::are_ordinary<T>(b)) return;
  const fuzz::Ends ends = fuzz::ends_of<T>(b);
  const Index column = ending.ok ? b.n : factor.plan().perm.new_of(ending.breakdown.column);
  require(ends.least <= column && column <= ends.most);
}

/// Checks the figures that a factor reports about L: diagonal, smallest pivot, log-determinant,
/// single entries.
template <class T>
void check_figures(const Factor<T>& factor, const Dense& l) {
  double least = std::numeric_limits<double>::infinity();
  fuzz::Real logarithm = 0, size = 0;
  const std::vector<T> diagonal = lower_diagonal(factor);
  for (Index k = 0; k < l.n; ++k) {
    require(diagonal[k] > 0 && std::isfinite(diagonal[k]) && diagonal[k] == l(k, k));
    least = std::min(least, static_cast<double>(diagonal[k]) * static_cast<double>(diagonal[k]));
    const fuzz::Real term = 2 * std::log(l(k, k));
    logarithm += term, size += std::abs(term);
  }
  require(factor.verdict().smallest_pivot == least);
  require(std::abs(log_determinant(factor) - logarithm) <= size * 0x1p-51L);
  if (l.n > 0) require(factor.entry(l.n - 1, 0) == l(l.n - 1, 0));
}

/// b and X of A X = B, column by column.
template <class T>
struct Solution {
  std::vector<T> b, x;
  Index columns = 1;
};

template <class T>
Solution<T> solved(const Factor<T>& factor, Index columns) {
  const Index n = factor.plan().n;
  auto workspace = Workspace<T>::create(factor, columns);
  Solution<T> solution{
      std::vector<T>(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns)), {}, columns};
  for (std::size_t k = 0; k < solution.b.size(); ++k)
    solution.b[k] = static_cast<T>(k * 7 % 16) - T(7.5);
  solution.x = solution.b;
  factor.solve({solution.x.data(), n, columns, n}, workspace);
  return solution;
}

/// Requires that solves with P, L, L^T and P^T in turn give the bits of a whole solve, and
/// row-major storage the bits of column-major storage.
template <class T>
void check_parts(const Factor<T>& factor, const Solution<T>& solution) {
  const Index n = factor.plan().n, columns = solution.columns;
  auto workspace = Workspace<T>::create(factor, columns);
  std::vector<T> x = solution.b, rows(x.size());
  const MatrixView<T> view{x.data(), n, columns, n};
  for (const System part : {System::P, System::L, System::Lt, System::Pt})
    factor.solve(part, view, view, workspace);
  require(same_bits(x, solution.x));
  factor.solve(MatrixView<const T>{solution.b.data(), n, columns, n},
               {rows.data(), n, columns, columns, Layout::row_major}, workspace);
  std::vector<T> turned(rows.size());
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < columns; ++c)
      turned[i + static_cast<std::size_t>(c) * n] = rows[static_cast<std::size_t>(i) * columns + c];
  require(same_bits(turned, solution.x));
}

/// Requires that refinement reports the true errors and never increases them.
template <class T>
std::vector<T> check_refinement(const SymmetricView<T>& a, const Factor<T>& factor,
                                const Solution<T>& solution, const Dense& b) {
  const Index n = a.pattern.n, columns = solution.columns;
  auto workspace = Workspace<T>::create(factor, columns);
  std::vector<T> x = solution.x;
  const MatrixView<const T> rhs{solution.b.data(), n, columns, n};
  const MatrixView<T> refined{x.data(), n, columns, n};
  const Refinement told = refine(a, factor, rhs, refined, workspace);
  require(told.steps <= told.tried && told.tried <= RefineOptions{}.max_steps);
  if (!are_finite<T>(solution.x)) {
    require(told.steps == 0 && !std::isfinite(told.final_error.normwise) &&
            same_bits(x, solution.x));
    return x;
  }
  require(are_finite<T>(x) && !(told.final_error.componentwise > told.unrefined.componentwise));
  if (told.steps == 0) require(same_bits(x, solution.x));
  if (!fuzz::are_ordinary<T>(b)) return x;
  const auto near = [&](double error, const std::vector<T>& of) {
    const fuzz::Real naive =
        fuzz::normwise_error(b, factor.plan().perm, rhs, {of.data(), n, columns, n});
    return std::abs(error - naive) <= naive / 64 + fuzz::gamma_of<T>(n) / 64;
  };
  require(near(told.unrefined.normwise, solution.x) && near(told.final_error.normwise, x));
  return x;
}

/// Checks all properties of a factor of A. b: P (A + shift I) P^T.
template <class T>
void check_factor(const Factor<T>& factor, const Dense& b) {
  const Dense l = fuzz::lower_of(factor);
  check_figures(factor, l);
  const bool ordinary = fuzz::are_ordinary<T>(b);
  if (ordinary) require(fuzz::is_factor_of<T>(l, b));
  for (const Index columns : {1, 3}) {
    const Solution<T> solution = solved(factor, columns);
    check_parts(factor, solution);
    for (Index c = 0; ordinary && are_finite<T>(solution.x) && c < columns; ++c)
      require(fuzz::solves<T>(l, b, factor.plan().perm, solution.b.data() + c * b.n,
                              solution.x.data() + c * b.n));
  }
}

/// Requires the same outcome, L and x with four threads as with one.
template <class T>
void check_threads(const Input<T>& input, const Factor<T>& alone, const Ending& ending) {
  auto factor = Factor<T>::create(alone.shared_plan(), backends().four);
  require(ending_of([&] { return refactorize(factor, input.a.value()); }) == ending);
  require(factor.verdict() == alone.verdict() || std::isnan(alone.verdict().pivot));
  if (!ending.ok) return;
  require(same_bits(lower_factor(factor).value, lower_factor(alone).value));
  for (const Index columns : {1, 3})
    require(same_bits(solved(factor, columns).x, solved(alone, columns).x));
}

/// Refills the factor with other values and back, and with A + shift I for a shift that makes it
/// dominant: earlier contents must not matter.
template <class T>
void check_refills(const Input<T>& input, Factor<T>& factor, const Ending& ending) {
  const auto before = ending.ok ? lower_factor(factor).value : std::vector<T>();
  require(refactorize<T>(factor, input.other.value()).ok());
  const Dense other = fuzz::permuted<T>(input.other.view(), factor.plan().perm, T(0));
  require(fuzz::is_factor_of<T>(fuzz::lower_of(factor), other));
  require(ending_of([&] { return refactorize(factor, input.a.view()); }) == ending);
  if (ending.ok) return require(same_bits(lower_factor(factor).value, before));
  T sum = 0;
  for (const T v : input.a.value()) sum += 2 * std::abs(v);
  if (!(sum <= std::numeric_limits<T>::max() / 8) || sum == 0) return;
  require(refactorize_shifted<T>(factor, input.a.value(), sum).ok());
  const Dense shifted = fuzz::permuted<T>(input.a.view(), factor.plan().perm, sum);
  if (fuzz::are_ordinary<T>(shifted))
    require(fuzz::is_factor_of<T>(fuzz::lower_of(factor), shifted));
}

SolverOptions solver_options(const AnalyzeOptions& analyze) {
  SolverOptions options;
  options.analyze = analyze;
  options.backend = BackendChoice::cpu;
  options.threads = 1;
  return options;
}

/// Requires that Solver gives the results of the separate phases.
template <class T>
void check_solver(const Input<T>& input, const Factor<T>& factor, const Ending& ending,
                  const std::vector<T>& refined) {
  Solver<T> solver(solver_options(input.options));
  require(ending_of([&] { return solver.compute(input.a.view()); }) == ending);
  require(solver.plan().perm == factor.plan().perm);
  if (ending.ok) require(same_bits(solver.solve(std::span<const T>(solved(factor, 1).b)), refined));
  require(solver.refactorize(input.other.value()).ok());
  require(ending_of([&] { return solver.refactorize(input.a.value()); }) == ending);
}

/// Checks mixed precision: if x is reported as converged, its error is small.
void check_mixed(const Input<double>& input, const Dense& b, const Permutation& perm,
                 const Solution<double>& solution) {
  SolverOptions options = solver_options(input.options);
  options.precision = Precision::mixed;
  Solver<double> solver(options);
  const Ending ending = ending_of([&] { return solver.compute(input.a.view()); });
  require(!ending.ok || are_finite(input.a.value()));
  if (!ending.ok || !fuzz::are_ordinary<double>(b)) return;
  const std::vector<double> x = solver.solve(solution.b);
  if (!are_finite<double>(x) || solver.report().mixed.unconverged > 0) return;
  const Index n = b.n;
  require(fuzz::normwise_error<double>(b, perm, {solution.b.data(), n, 1, n},
                                       {x.data(), n, 1, n}) <= fuzz::gamma_of<double>(n));
}

template <class T>
void run(fuzz::Bytes bytes) {
  const Input<T> input = input_of<T>(bytes);
  const auto plan = checked_plan(input.a.pattern(), input.options, input.checks);
  auto factor = Factor<T>::create(plan, backends().one);
  const Ending ending = ending_of([&] { return refactorize(factor, input.a.value()); });
  const Dense b = fuzz::permuted<T>(input.a.view(), plan->perm, T(0));
  check_ending(ending, factor, input.a.value(), b);
  std::vector<T> refined;
  if (ending.ok) {
    check_factor(factor, b);
    check_refinement(input.a.view(), factor, solved(factor, 3), b);
    refined = check_refinement(input.a.view(), factor, solved(factor, 1), b);
  }
  if (input.checks.threads) check_threads(input, factor, ending);
  if (input.checks.solver) check_solver(input, factor, ending, refined);
  if constexpr (sizeof(T) == 8)
    if (input.checks.mixed && ending.ok) check_mixed(input, b, plan->perm, solved(factor, 1));
  check_refills(input, factor, ending);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  backends();
  const bool is_float = size > 0 && data[0] % 2 == 1;
  is_float ? run<float>({data, size}) : run<double>({data, size});
  return 0;
}
