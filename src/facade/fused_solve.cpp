// FusedSolve: the plan of the bordered matrix, the checks of its calls, and the verdict on A from
// that on the bordered matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/solve/fused_solve.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/analysis.hpp"
#include "numeric/backend.hpp"
#include "numeric/border_shape.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/entry_place.hpp"
#include "src/checks/misuse.hpp"
#include "src/checks/same_pattern.hpp"

namespace kauri {
namespace {

[[noreturn]] void misuse_of_fused(const std::string& what) { misuse("FusedSolve: " + what); }

/// Returns a plan of the bordered matrix [c B^T; B A], whose first nrhs columns, the border, are
/// full and are eliminated last. plan: a plan of A, whose permutation, target and workers it takes.
/// Throws Error(overflow) for too many rows or entries.
std::shared_ptr<const Plan> bordered(const Pattern& a, const Plan& plan, Index nrhs) {
  if (Offset{a.n} + nrhs > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "FusedSolve: " + std::to_string(a.n) + " rows and " +
                                         std::to_string(nrhs) +
                                         " right-hand sides are more than 2^31 - 1");
  const Offset border = (Offset{a.n} + 1) * nrhs;
  if (border + a.nnz() > kMostEntries)
    throw Error(ErrorKind::overflow, "FusedSolve: " + std::to_string(a.nnz()) + " entries and " +
                                         std::to_string(border) + " of " + std::to_string(nrhs) +
                                         " right-hand sides are more than 2^32 - 1");
  std::vector<Offset> col_ptr{0};
  std::vector<Index> row;
  col_ptr.reserve(static_cast<std::size_t>(a.n) + static_cast<std::size_t>(nrhs) + 1);
  row.reserve(static_cast<std::size_t>(border + a.nnz()));
  for (Index r = 0; r < nrhs; ++r) {
    row.push_back(r);
    for (Index i = 0; i < a.n; ++i) row.push_back(nrhs + i);
    col_ptr.push_back(static_cast<Offset>(row.size()));
  }
  for (const Index i : a.row) row.push_back(nrhs + i);
  for (Index j = 0; j < a.n; ++j) col_ptr.push_back(border + a.col_ptr[j + 1]);

  std::vector<Index> old_of;
  old_of.reserve(col_ptr.size() - 1);
  for (const Index i : plan.perm.old_of()) old_of.push_back(nrhs + i);
  for (Index r = 0; r < nrhs; ++r) old_of.push_back(r);
  AnalyzeOptions options;
  options.permutation = Permutation::from_old_of(std::move(old_of));
  options.target = plan.target;
  options.workers = plan.internals->schedule.workers;
  auto made = analyze({a.n + nrhs, col_ptr, row}, options);
  for (Index r = 0; r < nrhs && a.n > 0; ++r)
    if (made->perm.old_of(a.n + r) != r)
      throw std::logic_error("FusedSolve: right-hand sides are not last in their plan");
  return made;
}

/// Returns the verdict on A, given that on the bordered matrix, with columns numbered as in A. A
/// column of the border becomes kNone.
DeviceVerdict without_border(DeviceVerdict verdict, Index n, Index nrhs) {
  const auto of_a = [nrhs](Index column) { return column < nrhs ? kNone : column - nrhs; };
  verdict.column = of_a(verdict.column);
  verdict.smallest_column = of_a(verdict.smallest_column);
  if (n == 0) verdict.smallest_pivot = std::numeric_limits<double>::infinity();
  return verdict;
}

/// Throws Error(input) if a value of the bordered matrix is not finite. Examines b if of_b, else A;
/// the text names the entry.
template <class T>
void require_finite(const Plan& plan, const numeric::BorderShape& shape, std::span<const T> value,
                    bool of_b) {
  const auto border = static_cast<std::size_t>(shape.border());
  const auto part = of_b ? value.first(border) : value.subspan(border);
  require_all_finite<T>(part, [&](Offset k) {
    EntryPlace place = place_of(plan, of_b ? k : k + shape.border());
    place.row -= shape.nrhs;
    if (!of_b) place.column -= shape.nrhs;
    return "FusedSolve: " +
           (of_b ? "entry " + in_words(place) + " of b"
                 : "value " + std::to_string(k) + " of A, entry " + in_words(place) + ",");
  });
}

}  // namespace

template <Scalar T>
struct FusedSolve<T>::FusedState {
  FusedState(const Pattern& a, const Plan& plan, Backend& backend, Index nrhs)
      : shape{a.n, a.nnz(), nrhs},
        factor(Factor<T>::create(bordered(a, plan, nrhs), backend)),
        workspace(Workspace<T>::create(factor, nrhs)),
        store(backend.executor().of<T>().make_border(a.n, a.nnz(), nrhs)) {}

  /// Calls enqueue(stream) with a stream of the device, or with null on the CPU. Waits for the work
  /// and reads the verdict.
  template <class Enqueue>
  void now(const Enqueue& enqueue) {
    const auto run = [&](StreamHandle stream) {
      enqueue(stream);
      fetch(stream);
    };
    if (const numeric::DeviceSolves<T>* device = factor.store().device_solves())
      device->run_now(run);
    else
      run(nullptr);
  }
  /// Enqueues the factorisation of the bordered matrix and the backward sweep, for the values and
  /// right-hand sides that `store` holds.
  void enqueue(numeric::WorkspaceImpl<T>& scratch, StreamHandle stream) {
    verdict = {};
    const PhaseRange range("factor and solve");
    factor.store().stream_calls().enqueue_refactorize(store->values(), T(0), stream);
    store->enqueue_solve(factor.store(), scratch, stream);
  }
  /// Enqueues copies of values and b from device memory, the factorisation and backward sweep, and
  /// the copy of x to device memory.
  void enqueue(const DeviceValues<T>& value, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
               numeric::WorkspaceImpl<T>& scratch, StreamHandle stream) {
    store->require_device_data(value.span(), b.view(), x.view());
    store->enqueue_set(value.span(), b.view(), stream);
    enqueue(scratch, stream);
    store->enqueue_get(x.view(), stream);
  }
  void fetch(StreamHandle stream) {
    verdict = without_border(factor.fetch_verdict(stream), shape.n, shape.nrhs);
  }

  numeric::BorderShape shape;
  Factor<T> factor;
  Workspace<T> workspace;
  std::unique_ptr<numeric::BorderImpl<T>> store;
  DeviceVerdict verdict;
  CallFlag calls;
};

template <Scalar T>
FusedSolve<T>::FusedSolve(std::unique_ptr<FusedState> state) : state_(std::move(state)) {}
template <Scalar T>
FusedSolve<T>::FusedSolve(FusedSolve&&) noexcept = default;
template <Scalar T>
FusedSolve<T>& FusedSolve<T>::operator=(FusedSolve&&) noexcept = default;
template <Scalar T>
FusedSolve<T>::~FusedSolve() = default;

template <Scalar T>
FusedSolve<T> FusedSolve<T>::create(const Pattern& a, const std::shared_ptr<const Plan>& plan,
                                    Backend& backend, Index nrhs) {
  if (!plan) misuse_of_fused("the plan is null; pass that of an analysis");
  if (nrhs < 1) misuse_of_fused("nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
  require_pattern(a, *plan, "FusedSolve: the plan belongs to a matrix of another pattern");
  if (sizeof(T) == sizeof(float) && backend.executor().kernels(sizeof(T)).starts_with("fp16x3"))
    misuse_of_fused(
        "CudaCompute::fp16x3 needs a scaled matrix, and right-hand sides are not scaled; choose "
        "another CudaCompute");
  return FusedSolve(std::make_unique<FusedState>(a, *plan, backend, nrhs));
}

template <Scalar T>
void FusedSolve<T>::require_call(std::size_t values, const MatrixView<const T>& b,
                                 const MatrixView<const T>& x) const {
  const numeric::BorderShape& shape = state_->shape;
  if (static_cast<Offset>(values) != shape.nnz)
    misuse_of_fused(std::to_string(values) + " values, the pattern has " +
                    std::to_string(shape.nnz) + " entries");
  require_dense(b, "FusedSolve: b", shape.n);
  require_dense(x, "FusedSolve: x", shape.n);
  for (const auto& [name, a] : {std::pair("b", &b), std::pair("x", &x)})
    if (a->cols != shape.nrhs)
      misuse_of_fused(std::string(name) + " has " + std::to_string(a->cols) +
                      " columns, this was made for " + std::to_string(shape.nrhs));
}

/// Turns the verdict of a completed call into a result: success, a Breakdown of A, or Error(input)
/// for values that are not finite and for a b that is too large.
template <Scalar T>
Result<void, Breakdown> FusedSolve<T>::outcome() {
  const DeviceVerdict& verdict = state_->verdict;
  if (verdict.status == VerdictStatus::positive_definite) return {};
  const Factor<T>& factor = state_->factor;
  const bool of_b = verdict.column == kNone;
  if (of_b || !std::isfinite(
                  verdict.pivot)) {  // a finite pivot cannot come from a value that is not finite
    std::vector<T> room;
    require_finite(factor.plan(), state_->shape,
                   factor.store().on_host(state_->store->values(), room), of_b);
  }
  if (of_b)
    throw Error(ErrorKind::input, "FusedSolve: b . A^-1 b, of columns 0 to " +
                                      std::to_string(factor.verdict().column) +
                                      " together, is not below 2^" +
                                      (sizeof(T) == sizeof(float) ? "120" : "960") + ": scale b");
  return Breakdown{verdict.column, verdict.pivot};
}

template <Scalar T>
Result<void, Breakdown> FusedSolve<T>::solve(std::span<const T> value, MatrixView<const T> b,
                                             MatrixView<T> x, const std::stop_token& stop) {
  require_call(value.size(), b, x);
  const OneCall call(state_->calls, "FusedSolve::solve", "object");
  const StopScope scope(stop);
  stop_here();
  state_->store->set(value, b);
  state_->now([&](StreamHandle stream) { state_->enqueue(*state_->workspace.store_, stream); });
  const Result<void, Breakdown> ended = outcome();
  if (ended) state_->store->get(x);
  return ended;
}

template <Scalar T>
Result<void, Breakdown> FusedSolve<T>::solve(const DeviceValues<T>& value,
                                             DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                                             const std::stop_token& stop) {
  require_call(value.span().size(), b.view(), x.view());
  const OneCall call(state_->calls, "FusedSolve::solve", "object");
  const StopScope scope(stop);
  stop_here();
  state_->now([&](StreamHandle stream) {
    state_->enqueue(value, b, x, *state_->workspace.store_, stream);
  });
  return outcome();
}

template <Scalar T>
void FusedSolve<T>::enqueue_solve(const DeviceValues<T>& value, DeviceMatrixView<const T> b,
                                  DeviceMatrixView<T> x, StreamHandle stream) {
  require_call(value.span().size(), b.view(), x.view());
  const OneCall call(state_->calls, "FusedSolve::enqueue_solve", "object");
  state_->enqueue(value, b, x, *state_->workspace.store_, stream);
}

template <Scalar T>
const DeviceVerdict& FusedSolve<T>::verdict() const {
  return state_->verdict;
}

template <Scalar T>
const DeviceVerdict& FusedSolve<T>::fetch_verdict(StreamHandle stream) {
  const OneCall call(state_->calls, "FusedSolve::fetch_verdict", "object");
  state_->fetch(stream);
  return state_->verdict;
}

template <Scalar T>
const DeviceVerdict* FusedSolve<T>::verdict_address() const {
  return state_->factor.verdict_address();
}

template <Scalar T>
const Plan& FusedSolve<T>::plan() const {
  return state_->factor.plan();
}

template <Scalar T>
Index FusedSolve<T>::nrhs() const {
  return state_->shape.nrhs;
}

template <Scalar T>
Offset FusedSolve<T>::bytes() const {
  return state_->store->bytes();
}

template class FusedSolve<float>;
template class FusedSolve<double>;

}  // namespace kauri
