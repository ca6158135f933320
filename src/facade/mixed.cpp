// MixedFactor: owns the factors in float and in double, checks the calls, and reports on solves.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/common/digits.hpp"
#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backward_error.hpp"
#include "numeric/dense_view.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/same_pattern.hpp"
#include "src/facade/mixed_solve.hpp"

namespace kauri {
namespace {

const MixedOptions& require_mixed_options(const MixedOptions& options) {
  if (!(options.first_shift > 0) || !(options.shift_growth > 1) || options.shifts < 0 ||
      !std::isfinite(
          static_cast<float>(options.first_shift * std::pow(options.shift_growth, options.shifts))))
    misuse("MixedFactor: shifts of " + digits(options.first_shift) + ", growing " +
           digits(options.shift_growth) + " times, " + std::to_string(options.shifts) +
           " of them; expected a first shift above 0, a growth above 1 and 0 or more shifts, all "
           "finite in float");
  return options;
}

MixedLimits mixed_limits(const MixedSolveOptions& options, const Plan& plan, bool allow_double) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr int kMixedSteps = 200;
  if (options.max_steps < 1 || std::isnan(options.target) || std::isnan(options.accept))
    misuse("MixedFactor: max_steps is " + std::to_string(options.max_steps) + ", target is " +
           digits(options.target) + ", accept is " + digits(options.accept) +
           "; expected 1 step or more, and no nan");
  // Conjugate gradients may take as long as a factorisation in double is predicted to take, but at
  // least kPatience steps.
  const double factor = plan.cost.predicted_factor_s / plan.cost.predicted_solve_s;
  const int steps = !allow_double        ? kMixedSteps
                    : factor > kPatience ? static_cast<int>(std::min(factor, double{kMixedSteps}))
                                         : kPatience;
  const double target = options.target > 0 ? options.target : kEpsilon;
  return {options.max_steps, options.max_cg_steps < 0 ? steps : options.max_cg_steps, target,
          std::max(options.accept > 0 ? options.accept : 4 * kEpsilon, target)};
}

template <class T>
void require_vectors(const MatrixView<T>& a, const char* name, Index n) {
  if (a.rows == n && has_room(a) && (a.data != nullptr || a.rows == 0 || a.cols == 0)) return;
  misuse(std::string("MixedFactor: ") + name + " is " + std::to_string(a.rows) + " x " +
         std::to_string(a.cols) + " with leading dimension " + std::to_string(a.ld) +
         in_words(a.layout) + (a.data == nullptr ? ", null" : "") +
         "; A has n = " + std::to_string(n));
}

/// Adds one column to the report: maxima over columns of errors, steps and contractions, and
/// numbers of columns.
void add_column(MixedReport& report, const MixedColumn& column) {
  report.path = std::max(report.path, column.path);
  report.unrefined = numeric::worse(column.unrefined, report.unrefined);
  report.steps = std::max(report.steps, column.steps);
  report.cg_steps = std::max(report.cg_steps, column.cg_steps);
  report.contraction = std::max(report.contraction, column.contraction);
  report.cg_contraction = std::max(report.cg_contraction, column.cg_contraction);
  report.conjugate_gradients += column.path == MixedPath::conjugate_gradients ? 1 : 0;
  report.in_double += column.path == MixedPath::factor_in_double ? 1 : 0;
  report.unconverged += column.stuck || status_of<double>(column.error) != SolveStatus::ok ? 1 : 0;
  report.error = numeric::worse(column.error, report.error);
}

/// Throws Error(usage) unless there is one value for each entry of the plan's pattern.
void require_as_many(std::span<const double> value, const Plan& plan) {
  if (static_cast<Offset>(value.size()) != plan.nnz)
    misuse("MixedFactor: " + std::to_string(value.size()) + " values, the pattern has " +
           std::to_string(plan.nnz) + " entries");
}

constexpr double kNoError = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::string_view name_of(MixedPath path) {
  switch (path) {
    case MixedPath::refinement:
      return "refinement";
    case MixedPath::conjugate_gradients:
      return "cg";
    case MixedPath::factor_in_double:
      return "double";
  }
  misuse("name_of: unknown MixedPath " + std::to_string(static_cast<int>(path)) +
         "; expected refinement, conjugate_gradients or factor_in_double (0 to 2)");
}

struct MixedFactor::MixedState {
  MixedState(const Pattern& a, const PreparedPlan& prepared, Index nrhs,
             const MixedOptions& made_with)
      : options(require_mixed_options(made_with)),
        plan(prepared),
        factor(prepared.executor_->make_scaled_factor(prepared.store_), *prepared.executor_),
        kernels(factor.executor().scaled_kernels()),
        store(factor.executor().make_mixed(a, nrhs)),
        block{*store, {}, {}, {}, {}} {
    make_room(nrhs);
  }

  /// Allocates the data of a block of nrhs columns that are in host memory, and the workspaces of
  /// the factors for nrhs columns. The vectors are in `store`.
  void make_room(Index nrhs) {
    const auto columns = static_cast<std::size_t>(nrhs);
    block.column.reserve(columns);
    block.active.reserve(columns);
    block.error.reserve(columns);
    error_of_zero.reserve(columns);
    workspace.reset();
    workspace = factor.executor().of<float>().make_workspace(plan.shared_plan(), nrhs);
    if (full)
      full_workspace = full->executor().of<double>().make_workspace(plan.shared_plan(), nrhs);
  }

  /// Returns the pivot of A in column i, given that of the scaled matrix S A S: S(i,i)^-2 times as
  /// large. i is `column`; the pivot is returned unchanged if that is kNone.
  [[nodiscard]] double unscaled(double pivot, Index column) const {
    return column == kNone ? pivot : std::scalbn(pivot, 2 * store->exponent(column));
  }
  [[nodiscard]] Breakdown unscaled(const Breakdown& breakdown) const {
    return {breakdown.column, unscaled(breakdown.pivot, breakdown.column)};
  }

  Result<void, Breakdown> fill(std::span<const double> value, const std::stop_token& stop);
  Result<void, Breakdown> fill_double(const std::stop_token& stop);
  void load(MatrixView<const double> b);
  std::optional<Breakdown> rescue(const std::stop_token& stop);
  Result<MixedReport, Breakdown> solve(MatrixView<const double> b, MatrixView<double> x,
                                       const MixedSolveOptions& how);

  MixedOptions options;
  PreparedPlan plan;
  Factor<float> factor;
  std::string kernels;  // names the kernels that made `factor`
  std::unique_ptr<numeric::WorkspaceImpl<float>> workspace;
  std::unique_ptr<numeric::MixedImpl> store;
  MixedBlock block;
  std::vector<double>
      error_of_zero;  // for each column of the block: the componentwise error of y = 0
  std::optional<Factor<double>> full;
  std::unique_ptr<numeric::WorkspaceImpl<double>> full_workspace;
  double shift = 0;
  bool valid = false, in_double = false;
  bool full_tells = false;  // verdict() is that of the factor in double
  CallFlag calls;
};

Result<void, Breakdown> MixedFactor::MixedState::fill(std::span<const double> value,
                                                      const std::stop_token& stop) {
  const StopScope scope(stop);
  stop_here();
  valid = in_double = full_tells = false;
  shift = 0;
  store->set_values(value);
  Result<void, Breakdown> outcome = kauri::refactorize<float>(factor, store->rounded(), 0, stop);
  double next = options.first_shift;
  for (int k = 0; !outcome && k < options.shifts && store->positive_diagonal();
       ++k, next *= options.shift_growth) {
    shift = next;
    outcome =
        kauri::refactorize_shifted<float>(factor, store->rounded(), static_cast<float>(next), stop);
  }
  if (outcome) {
    valid = true;
    return {};
  }
  shift = 0;
  if (!options.allow_double) return unscaled(outcome.error());
  return fill_double(stop);
}

/// Factorises S A S in double, in a factor that the first call allocates. Returns a Breakdown in
/// units of A; the mixed factor is then not valid. An exception leaves the factor in float as it
/// was.
Result<void, Breakdown> MixedFactor::MixedState::fill_double(const std::stop_token& stop) {
  if (!full) {
    Factor<double> made = Factor<double>::create(plan);
    full_workspace = made.executor().of<double>().make_workspace(plan.shared_plan(), store->nrhs());
    full.emplace(std::move(made));
  }
  const Result<void, Breakdown> outcome =
      kauri::refactorize<double>(*full, store->scaled(), 0, stop);
  valid = in_double = outcome.ok();
  full_tells = true;
  if (!outcome) return unscaled(outcome.error());
  return {};
}

void MixedFactor::MixedState::load(MatrixView<const double> b) {
  block.column.assign(static_cast<std::size_t>(b.cols), {});
  error_of_zero.resize(block.column.size());
  store->load(b, error_of_zero);
  for (std::size_t c = 0; c < block.column.size(); ++c)
    block.column[c].error = block.column[c].unrefined = {error_of_zero[c], error_of_zero[c]};
}

/// Solves the columns of the block that are marked `stuck` by the factor in double, which it makes
/// if there is none for the present values. Returns the Breakdown if that fails.
std::optional<Breakdown> MixedFactor::MixedState::rescue(const std::stop_token& stop) {
  if (!in_double)
    if (auto outcome = fill_double(stop); !outcome) return outcome.error();
  const auto columns = static_cast<Index>(block.column.size());
  for (Index c = 0; c < columns; ++c)
    if (block.column[c].stuck) {
      store->clear(c);  // start from zero, independent of the other stages
      store->residuals({&c, 1}, {&block.column[c].error, 1});
      solve_in_double(block, full->store(), *full_workspace, c, 1);
    }
  return {};
}

Result<MixedReport, Breakdown> MixedFactor::MixedState::solve(MatrixView<const double> b,
                                                              MatrixView<double> x,
                                                              const MixedSolveOptions& how) {
  MixedReport report;
  block.limits = mixed_limits(how, plan.plan(), options.allow_double);
  report.shift = shift;
  report.kernels = kernels;
  if (x.rows == 0 || x.cols == 0) return report;
  const StopScope scope(how.stop);
  stop_here();
  for (Index first = 0; first < x.cols; first += store->nrhs()) {
    const Index count = std::min(store->nrhs(), x.cols - first);
    load(numeric::columns(b, first, count));
    if (in_double)
      solve_in_double(block, full->store(), *full_workspace, 0, count);
    else
      solve_in_float(block, factor.store(), *workspace);
    const bool stuck = std::any_of(block.column.begin(), block.column.end(),
                                   [](const MixedColumn& c) { return c.stuck; });
    std::optional<Breakdown> breakdown;
    if (stuck && options.allow_double && !in_double) breakdown = rescue(how.stop);
    if (breakdown) {
      store->spoil(0);
      for (Index c = 0; c < x.cols; ++c) store->store(0, numeric::columns(x, c, 1));
      return *breakdown;
    }
    for (Index c = 0; c < count; ++c) {
      MixedColumn& column = block.column[c];
      if (std::isnan(column.error.componentwise)) store->spoil(c);
      if (!store->store(c, numeric::columns(x, first + c, 1))) column.error = {kNoError, kNoError};
      add_column(report, column);
    }
  }
  return report;
}

MixedFactor::MixedFactor(std::unique_ptr<MixedState> state) : state_(std::move(state)) {}
MixedFactor::MixedFactor(MixedFactor&&) noexcept = default;
MixedFactor& MixedFactor::operator=(MixedFactor&&) noexcept = default;
MixedFactor::~MixedFactor() = default;

MixedFactor MixedFactor::create(const Pattern& a, const PreparedPlan& plan, Index nrhs,
                                const MixedOptions& options) {
  if (nrhs < 1) misuse("MixedFactor: nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
  require_pattern(a, plan.plan(), "MixedFactor: the plan belongs to a matrix of another pattern");
  const PhaseRange range(Phase::prepare);
  return MixedFactor(std::make_unique<MixedState>(a, plan, nrhs, options));
}

MixedFactor MixedFactor::create(const Pattern& a, std::shared_ptr<const Plan> plan,
                                Backend& backend, Index nrhs, const MixedOptions& options) {
  return create(a, PreparedPlan::create(std::move(plan), backend), nrhs, options);
}

void MixedFactor::reserve(Index more) {
  const OneCall call(state_->calls, "MixedFactor::reserve", "factor");
  if (more <= nrhs()) return;
  state_->workspace.reset();
  state_->store->reserve(more);
  state_->make_room(more);
}

Result<void, Breakdown> MixedFactor::refactorize(std::span<const double> value,
                                                 const std::stop_token& stop) {
  const OneCall call(state_->calls, "MixedFactor::refactorize", "factor");
  require_as_many(value, plan());
  return state_->fill(value, stop);
}

Result<void, Breakdown> MixedFactor::refactorize(const DeviceValues<double>& value,
                                                 const std::stop_token& stop) {
  return refactorize(value.span(), stop);
}

Result<void, Breakdown> MixedFactor::refactorize(const DeviceValues<double>& value,
                                                 StreamHandle stream, const std::stop_token& stop) {
  const OneCall call(state_->calls, "MixedFactor::refactorize", "factor");
  require_as_many(value.span(), plan());
  state_->store->begin_after(stream);
  return state_->fill(value.span(), stop);
}

Result<MixedReport, Breakdown> MixedFactor::solve(MatrixView<const double> b, MatrixView<double> x,
                                                  const MixedSolveOptions& options) {
  const OneCall call(state_->calls, "MixedFactor::solve", "factor");
  if (!valid())
    misuse(
        "MixedFactor: the factor is not valid (no successful factorisation yet, or the last one "
        "broke down): call refactorize() first");
  if (nrhs() == 0) misuse("MixedFactor: there is no room for right-hand sides, see reserve()");
  require_vectors(b, "b", plan().n);
  require_vectors(x, "x", plan().n);
  if (b.cols != x.cols)
    misuse("MixedFactor: b has " + std::to_string(b.cols) + " columns, x has " +
           std::to_string(x.cols));
  if (overlaps_from_the_first<double>(b, x))
    misuse(
        "MixedFactor: x begins where b does, with another leading dimension or layout; give both "
        "the same, or x memory of its own");
  const PhaseRange range(Phase::solve);
  return state_->solve(b, x, options);
}

Result<MixedReport, Breakdown> MixedFactor::solve(DeviceMatrixView<const double> b,
                                                  DeviceMatrixView<double> x,
                                                  const MixedSolveOptions& options) {
  return solve(b.view(), x.view(), options);
}

bool MixedFactor::valid() const { return state_->valid; }
bool MixedFactor::in_double() const { return state_->in_double; }
double MixedFactor::shift() const { return state_->shift; }

DeviceVerdict MixedFactor::verdict() const {
  DeviceVerdict verdict = state_->full_tells ? state_->full->verdict() : state_->factor.verdict();
  verdict.pivot = state_->unscaled(verdict.pivot, verdict.column);
  verdict.smallest_pivot = state_->unscaled(verdict.smallest_pivot, verdict.smallest_column);
  return verdict;
}

const Plan& MixedFactor::plan() const { return state_->plan.plan(); }
Index MixedFactor::nrhs() const { return state_->workspace ? state_->store->nrhs() : 0; }
Offset MixedFactor::bytes() const { return state_->store->bytes(); }

}  // namespace kauri
