// Engine: whole jobs, solves, refinement, and the status of x. Residuals are those of the backend:
// matrix/residual.cpp in numeric/cpu or numeric/cuda.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>

#include "base/matrix/dense_lines.hpp"
#include "base/progress/phase_range.hpp"
#include "base/progress/stopwatch.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/backend.hpp"
#include "numeric/dense_view.hpp"
#include "numeric/refine_rule.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/refine_options.hpp"
#include "src/checks/solve_status.hpp"
#include "src/engine/engine.hpp"
#include "src/engine/messages.hpp"
#include "src/report/phase_work.hpp"

namespace kauri {
namespace {

/// Returns a view with the same shape and null data, for a matrix that is not on the host.
template <Scalar T>
MatrixView<const T> elsewhere(MatrixView<const T> a) {
  a.data = nullptr;
  return a;
}

}  // namespace

template <Scalar T>
Result<Index, Breakdown> Engine<T>::solve(System system, MatrixView<const T> b, MatrixView<T> x,
                                          const SolveRequest& request) {
  require_prepared();
  if (is_mixed()) return solve_mixed(b, x, true, request.stop);
  const std::shared_lock lock(filling_);
  if (request.corrections) require_values("refinement");
  measured(
      b, x, request,
      [&](Workspace<T>& workspace) {
        if (system == System::A)
          factor_->solve(b, x, workspace, request.stop);
        else
          factor_->solve(system, b, x, workspace, request.stop);
      },
      [&](SolveMemory<T>& memory) { return refine(memory, b, x, refine_options(request)); });
  return Index{0};
}

template <Scalar T>
Refinement Engine<T>::solve(MatrixView<const T> b, MatrixView<T> x,
                            const std::optional<RefineOptions>& refine,
                            const std::stop_token& stop) {
  require_full();
  SolveRequest request{.stop = stop};
  RefineOptions options;
  if (refine) {
    options = *refine;
    options.stop = stop;
    request.corrections = options.max_steps;
    require_refine_options(options, "refine");
  }
  const std::shared_lock lock(filling_);
  if (refine) require_values("refinement");
  return measured(
      b, x, request, [&](Workspace<T>& workspace) { factor_->solve(b, x, workspace, stop); },
      [&](SolveMemory<T>& memory) { return this->refine(memory, b, x, options); });
}

template <Scalar T>
Result<Index, Breakdown> Engine<T>::solve_in_place(MatrixView<T> x, const SolveRequest& request) {
  require_prepared();
  Array<T> held(static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  const MatrixView<T> b = numeric::compact_view(held.data(), x.rows, x.cols, x.layout);
  copy_entries<T>(x, b);
  try {
    if (is_mixed()) return solve_mixed(b, x, true, request.stop);
    const std::shared_lock lock(filling_);
    if (request.corrections) require_values("refinement");
    measured(
        b, x, request, [&](Workspace<T>& workspace) { factor_->solve(x, workspace, request.stop); },
        [&](SolveMemory<T>& memory) { return refine(memory, b, x, refine_options(request)); });
    return Index{0};
  } catch (...) {
    copy_entries<T>(b, x);
    throw;
  }
}

template <Scalar T>
Result<Index, Breakdown> Engine<T>::solve_on_device(System system, MatrixView<const T> b,
                                                    MatrixView<T> x, const SolveRequest& request,
                                                    const std::function<void()>& meanwhile) {
  require_prepared();
  if (is_mixed()) return solve_mixed(b, x, false, request.stop);
  const std::shared_lock lock(filling_);
  if (request.corrections && !values_.borrowed().on_device) require_values("refinement");
  const DeviceMatrixView<const T> from(b);
  const DeviceMatrixView<T> to(x);
  const numeric::DeviceSolves<T>* device = factor_->store().device_solves();
  if (!device)
    throw Error(ErrorKind::usage,
                "a solve on a device: the factor is on the CPU; pass views of the host's memory");
  measured(
      elsewhere(b), elsewhere(MatrixView<const T>(x)), request,
      [&](Workspace<T>& workspace) {
        device->run_now([&](StreamHandle stream) {
          factor_->enqueue_solve(system, from, to, workspace, stream);
          if (meanwhile) filling_.call_back(meanwhile);
        });
      },
      [&](SolveMemory<T>& memory) { return refine_on_device(memory, b, x, request); });
  return Index{0};
}

template <Scalar T>
Solution<T> Engine<T>::factorize_and_solve(BorrowedValues<T> value, MatrixView<const T> b,
                                           const SolveRequest& request,
                                           const std::function<void()>& factorized) {
  Solution<T> out;
  if (is_prepared()) {
    set_values(std::move(value));
  } else {
    prepare(std::min(b.cols, kSolveBlock));
    if (const auto filled = factorize(std::move(value), T(0), {}, request.stop); !filled) {
      out.breakdown = filled.error();
      return out;
    }
  }
  out.verdict = verdict();
  if (factorized) factorized();
  out.x.resize(static_cast<std::size_t>(b.rows) * static_cast<std::size_t>(b.cols));
  const auto solved = solve(System::A, b, {out.x.data(), b.rows, b.cols, b.rows}, request);
  if (!solved) out.breakdown = solved.error();
  out.worst_pivot = worst_pivot();
  return out;
}

/// Calls sweeps(workspace) and, if the request asks for refinement, refine(memory), whose result it
/// returns; then sets figures and status in the report. b, x: views of host memory; with null data
/// if they are on a device. The caller holds filling_.
template <Scalar T>
template <class Sweeps, class Refine>
Refinement Engine<T>::measured(const MatrixView<const T>& b, const MatrixView<const T>& x,
                               const SolveRequest& request, const Sweeps& sweeps,
                               const Refine& refine) {
  const Index cols = x.cols;
  typename WorkspacePool<T>::Lease memory(pool_, *factor_, cols);
  tell(handler(), Phase::solve, 0,
       [&] { return "solve, right-hand sides: " + std::to_string(cols); });
  SolverReport::PhaseReport solve{seconds_of([&] { sweeps(*memory->workspace); })}, refining;
  count_solves(solve, plan(), sizeof(T), cols);
  solve.bytes = plan().workspace_bytes(sizeof(T), memory->workspace->nrhs(),
                                       symbolic_->options.cuda.solves_together);
  const auto report_solve = [&] { report_.solve = solve, report_.right_hand_sides = cols; };
  Refinement refinement;
  SolveStatus status = SolveStatus::none;
  if (request.corrections) {
    {
      const std::lock_guard lock(report_mutex_);
      report_solve();  // these figures stay if the refinement throws
    }
    tell(handler(), Phase::refine, 0, [&] {
      return "refinement, corrections at most: " + std::to_string(*request.corrections);
    });
    refining.seconds = seconds_of([&] { refinement = refine(*memory); });
    count_refinement(refining, plan(), sizeof(T), cols, refinement.tried);
    refining.bytes = 3 * Offset{x.rows} * cols * Offset{sizeof(T)};
    status = status_of<T>(refinement.final_error);
  } else if (x.data != nullptr && !all_finite(x)) {  // x on a device is not copied for this test
    status = SolveStatus::not_finite;
  }
  {
    const std::lock_guard lock(report_mutex_);
    report_solve();
    report_.refine = refining;
    report_.refinement = refinement;
    if (request.before == 0 || report_.status < status) {  // statuses ascend from good to bad
      report_.status = status;
      report_.status_reason = why_not<T>(status, refinement.final_error, b, request.before);
    }
  }
  if (handler() && request.corrections) tell_refinement(handler(), report());
  return refinement;
}

template <Scalar T>
Refinement refine_by(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                     MatrixView<const T> b, MatrixView<T> x, MatrixView<T> r, MatrixView<T> better,
                     const RefineOptions& options, const std::function<void()>& solve) {
  const numeric::RefineLimits limits = numeric::limits_of<T>(options);
  const numeric::StridedView<T> entry = numeric::strided(x);
  numeric::RefineProgress progress =
      numeric::begin_refinement(residual.residual(a, x, b, r, numeric::ValuesAre::fresh), limits);
  while (progress.going != 0) {
    solve();
    for (Index c = 0; c < x.cols; ++c) {
      stop_here();
      for (Index i = 0; i < x.rows; ++i)
        better.data[c * better.ld + i] = entry(i, c) + r.data[c * r.ld + i];
    }
    numeric::take_step(progress, residual.residual(a, better, b, r, numeric::ValuesAre::unchanged),
                       limits);
    if (progress.helped) copy_entries<T>(better, x);
  }
  return progress.done;
}

template <Scalar T>
Refinement refine_with(const numeric::ResidualImpl<T>& residual, const SymmetricView<T>& a,
                       const Factor<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                       Workspace<T>& workspace, const RefineOptions& options) {
  const StopScope scope(options.stop);
  stop_here();
  const PhaseRange range(Phase::refine);
  const Offset n = x.rows, size = n * x.cols;
  // Arrays are not initialised: zeros would cost a pass over all of them.
  Array<T> correction(static_cast<std::size_t>(size)), better(static_cast<std::size_t>(size));
  const MatrixView<T> r{correction.data(), x.rows, x.cols, n}, y{better.data(), x.rows, x.cols, n};
  const auto solve = [&] { factor.solve(r, workspace, options.stop); };
  return refine_by<T>(residual, a, b, x, r, y, options, std::ref(solve));
}

template <Scalar T>
std::span<const T> Engine<T>::require_values(const char* what) const {
  const std::span<const T> value = values_.on_host(pattern(), &*factor_);
  if (value.empty() && plan().n > 0)
    throw Error(ErrorKind::usage,
                std::string(what) +
                    ": a factor loaded from a file has no values of A: refactorize it first");
  return value;
}

template <Scalar T>
RefineOptions Engine<T>::refine_options(const SolveRequest& request) const {
  RefineOptions options = symbolic_->options.refine;
  options.max_steps = *request.corrections;
  options.stop = request.stop;
  require_refine_options(options, "refine");
  return options;
}

template <Scalar T>
Refinement Engine<T>::refine(SolveMemory<T>& memory, MatrixView<const T> b, MatrixView<T> x,
                             const RefineOptions& options) {
  const StopScope scope(options.stop);
  const SymmetricView<T> a{pattern(), values_.on_host(pattern(), &*factor_)};
  if (!memory.residual)
    memory.residual = factor_->executor().template of<T>().make_residual(a.pattern);
  return refine_with<T>(*memory.residual, a, *factor_, b, x, *memory.workspace, options);
}

template <Scalar T>
Refinement Engine<T>::refine_on_device(SolveMemory<T>& memory, MatrixView<const T> b,
                                       MatrixView<T> x, const SolveRequest& request) {
  if (x.cols == 0 || x.rows == 0) return {};
  if (!memory.refiner || memory.refiner->nrhs() < x.cols) {
    memory.refiner = Refiner<T>::create(pattern(), *factor_, x.cols);
    memory.version = 0;
  }
  Refiner<T>& refiner = *memory.refiner;
  if (memory.version != version_) {
    const BorrowedValues<T>& borrowed = values_.borrowed();
    const bool as_borrowed = borrowed.on_device && values_.shift() == T(0);
    refiner.set_values(as_borrowed ? DeviceValues<T>::borrow(borrowed.value)
                                   : DeviceValues<T>::copy_of(values_.on_host(pattern(), &*factor_),
                                                              symbolic_->backend()));
  }
  memory.version = version_;
  return refiner.refine(*factor_, DeviceMatrixView<const T>(b), DeviceMatrixView<T>(x),
                        *memory.workspace, refine_options(request));
}

/// Solves A X = B in mixed precision. on_host: b is in host memory, where it is read to explain why
/// x is no solution.
template <Scalar T>
Result<Index, Breakdown> Engine<T>::solve_mixed(MatrixView<const T> b, MatrixView<T> x,
                                                bool on_host, const std::stop_token& stop) {
  if constexpr (std::is_same_v<T, double>) {
    const std::unique_lock lock(filling_);
    tell(handler(), Phase::solve, 0,
         [&] { return "solve in mixed precision, right-hand sides: " + std::to_string(x.cols); });
    mixed_->reserve(std::min(x.cols, kSolveBlock));
    MixedSolveOptions options = symbolic_->options.mixed_solve;
    options.stop = stop;
    const Stopwatch watch;
    const Result<MixedReport, Breakdown> solved = mixed_->solve(b, x, options);
    const double seconds = watch.seconds();
    valid_ = mixed_->valid();
    const bool told_before = report_.nearly_singular.has_value();
    {
      const std::lock_guard report_lock(report_mutex_);
      report_.solve.seconds = seconds;
      report_.mixed = solved ? solved.value() : report_of_breakdown(x.cols);
      take_verdict();
      count_mixed_solve(report_.solve, plan(), x.cols,
                        report_.mixed.steps + report_.mixed.cg_steps);
      report_.solve.bytes = mixed_->bytes();
      report_.right_hand_sides = x.cols;
      judge_mixed(report_, solved ? std::nullopt : std::optional<Breakdown>(solved.error()),
                  on_host ? b : MatrixView<const double>{});
    }
    look_for_loss();
    if (!told_before) tell_loss(handler(), report_);  // loss in L in double, made by this solve
    tell_refinement(handler(), report_);
    if (!solved) return solved.error();
    return solved.value().unconverged;
  }
  return Index{0};
}

template <Scalar T>
ConditionEstimate Engine<T>::condition(const std::stop_token& stop) {
  require_full();
  const std::shared_lock lock(filling_);
  const std::span<const T> value = require_values("condition");
  typename WorkspacePool<T>::Lease memory(pool_, *factor_, 1);
  return estimate_condition<T>({pattern(), value}, *factor_, *memory->workspace, stop);
}

#define KAURI_INSTANTIATE(T)                                                                       \
  template Refinement refine_by(const numeric::ResidualImpl<T>&, const SymmetricView<T>&,          \
                                MatrixView<const T>, MatrixView<T>, MatrixView<T>, MatrixView<T>,  \
                                const RefineOptions&, const std::function<void()>&);               \
  template Refinement refine_with(const numeric::ResidualImpl<T>&, const SymmetricView<T>&,        \
                                  const Factor<T>&, MatrixView<const T>, MatrixView<T>,            \
                                  Workspace<T>&, const RefineOptions&);                            \
  template Result<Index, Breakdown> Engine<T>::solve(System, MatrixView<const T>, MatrixView<T>,   \
                                                     const SolveRequest&);                         \
  template Refinement Engine<T>::solve(MatrixView<const T>, MatrixView<T>,                         \
                                       const std::optional<RefineOptions>&,                        \
                                       const std::stop_token&);                                    \
  template Result<Index, Breakdown> Engine<T>::solve_in_place(MatrixView<T>, const SolveRequest&); \
  template Result<Index, Breakdown> Engine<T>::solve_on_device(System, MatrixView<const T>,        \
                                                               MatrixView<T>, const SolveRequest&, \
                                                               const std::function<void()>&);      \
  template Solution<T> Engine<T>::factorize_and_solve(                                             \
      BorrowedValues<T>, MatrixView<const T>, const SolveRequest&, const std::function<void()>&);  \
  template ConditionEstimate Engine<T>::condition(const std::stop_token&);
KAURI_INSTANTIATE(float)
KAURI_INSTANTIATE(double)
#undef KAURI_INSTANTIATE

}  // namespace kauri
