// BatchFactor and BatchWorkspace: checks the public calls before a backend does the work.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/batch.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/progress/phase_range.hpp"
#include "base/threads/stopping.hpp"
#include "numeric/all_known.hpp"
#include "numeric/backend.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {
namespace {

void require_items(Index items) {
  if (items < 0) misuse("BatchFactor: items is " + std::to_string(items) + ", expected 0 or more");
}

void require_columns(Index nrhs) {
  if (nrhs < 1) misuse("BatchWorkspace: nrhs is " + std::to_string(nrhs) + ", expected 1 or more");
}

/// Throws Error(usage) unless the shift is finite, the stride is 0 or more, and `value` holds the
/// values of all items at this stride.
template <class T>
void require_values(const numeric::BatchImpl<T>& batch, std::span<const T> value, Offset stride,
                    T shift) {
  if (!std::isfinite(shift))
    misuse("refactorize: the shift is " + std::to_string(shift) + ", expected a finite number");
  if (stride < 0)
    misuse("refactorize: the stride is " + std::to_string(stride) + ", expected 0 or more");
  const Offset nnz = batch.plan()->nnz, items = batch.items(),
               there = static_cast<Offset>(value.size());
  if (items == 0 || nnz == 0) return;
  if (there < nnz || (items > 1 && stride > (there - nnz) / (items - 1)))
    misuse("refactorize: " + std::to_string(there) + " values are too few for " +
           std::to_string(items) + " items of " + std::to_string(nnz) + " entries, " +
           std::to_string(stride) + " apart");
}

/// Factorises all items. after: the caller's stream, whose work at the time of the call writes the
/// values on the device; none: they have been written.
template <class T>
std::span<const DeviceVerdict> fill(numeric::BatchImpl<T>& batch, std::span<const T> value,
                                    Offset stride, T shift, const std::stop_token& stop,
                                    std::optional<StreamHandle> after = std::nullopt) {
  require_values<T>(batch, value, stride, shift);
  const OneCall call(batch.fillings, "refactorize", "batch");
  if (after) batch.begin_after(*after);
  const StopScope scope(stop);
  stop_here();
  const PhaseRange range(Phase::factor);
  return batch.refactorize({value.data(), stride}, shift);
}

template <class T>
void require_batch_shape(const BatchView<const T>& a, const std::string& name,
                         const numeric::BatchImpl<T>& batch) {
  if (a.items != batch.items())
    misuse("solve: " + name + " has " + std::to_string(a.items) + " items, the batch has " +
           std::to_string(batch.items()));
  if (a.rows != batch.plan()->n)
    misuse("solve: " + name + " has " + std::to_string(a.rows) + " rows, A has " +
           std::to_string(batch.plan()->n));
  if (!has_room(a) || a.stride < 0)
    misuse("solve: " + name + " has " + std::to_string(a.cols) + " columns, leading dimension " +
           std::to_string(a.ld) + " and stride " + std::to_string(a.stride) + " for " +
           std::to_string(a.rows) + " rows" + in_words(a.layout) +
           (has_room(a) ? ", expected a stride of 0 or more" : expected_room(a)));
  if (a.data == nullptr && a.items > 0 && a.rows > 0 && a.cols > 0)
    misuse("solve: " + name + " is null, expected an address");
}

/// Returns true if x begins at b's first entry but has other strides, and so overlaps b without
/// being b.
template <class T>
bool overlaps_from_the_first(const BatchView<const T>& b, const BatchView<const T>& x) {
  if (b.data != x.data || x.items == 0 || x.rows == 0 || x.cols == 0) return false;
  return (x.items > 1 && b.stride != x.stride) || overlaps_from_the_first(b.item(0), x.item(0));
}

/// Throws Error(usage) if two entries of x have one address. Items may follow each other in memory,
/// or have their columns (rows if row-major) interleaved with those of other items.
template <class T>
void require_apart(const BatchView<T>& x) {
  if (x.items < 2 || x.rows == 0 || x.cols == 0) return;
  const bool by_rows = x.layout == Layout::row_major;
  const Offset length = by_rows ? x.cols : x.rows, lines = by_rows ? x.rows : x.cols;
  const Offset item = (lines - 1) * x.ld + length, items = (x.items - 1) * x.stride + length;
  if (x.stride < item && (x.stride < length || (lines > 1 && x.ld < items)))
    misuse("solve: items of x overlap: stride " + std::to_string(x.stride) +
           ", leading dimension " + std::to_string(x.ld) + "; expected larger ones");
}

}  // namespace

template <Scalar T>
BatchWorkspace<T>::BatchWorkspace(std::unique_ptr<numeric::BatchWorkspaceImpl<T>> store,
                                  std::weak_ptr<const numeric::BatchImpl<T>> batch)
    : store_(std::move(store)), batch_(std::move(batch)) {}
template <Scalar T>
BatchWorkspace<T>::BatchWorkspace(BatchWorkspace&&) noexcept = default;
template <Scalar T>
BatchWorkspace<T>& BatchWorkspace<T>::operator=(BatchWorkspace&&) noexcept = default;
template <Scalar T>
BatchWorkspace<T>::~BatchWorkspace() = default;

template <Scalar T>
BatchWorkspace<T> BatchWorkspace<T>::create(const BatchFactor<T>& batch, Index nrhs) {
  require_columns(nrhs);
  const PhaseRange range(Phase::prepare);
  return BatchWorkspace(batch.store().make_workspace(nrhs), batch.store_);
}

template <Scalar T>
Offset BatchWorkspace<T>::bytes(const BatchFactor<T>& batch, Index nrhs) {
  require_columns(nrhs);
  return batch.store().workspace_bytes(nrhs);
}

template <Scalar T>
BatchFactor<T>::BatchFactor(std::unique_ptr<numeric::BatchImpl<T>> store)
    : store_(std::move(store)) {}
template <Scalar T>
BatchFactor<T>::BatchFactor(BatchFactor&&) noexcept = default;
template <Scalar T>
BatchFactor<T>& BatchFactor<T>::operator=(BatchFactor&&) noexcept = default;
template <Scalar T>
BatchFactor<T>::~BatchFactor() = default;

template <Scalar T>
BatchFactor<T> BatchFactor<T>::create(const PreparedPlan& plan, Index items, BatchWay way) {
  require_items(items);
  const PhaseRange range(Phase::prepare);
  return BatchFactor(plan.executor_->of<T>().make_batch(plan.store_, items, way));
}
template <Scalar T>
BatchFactor<T> BatchFactor<T>::create(std::shared_ptr<const Plan> plan, Index items,
                                      Backend& backend, BatchWay way) {
  require_items(items);
  return create(PreparedPlan::create(std::move(plan), backend), items, way);
}
template <Scalar T>
Offset BatchFactor<T>::bytes(const PreparedPlan& plan, Index items, BatchWay way) {
  require_items(items);
  return plan.executor_->of<T>().batch_bytes(*plan.store_, items, way);
}

template <Scalar T>
const Plan& BatchFactor<T>::plan() const {
  return *store_->plan();
}
template <Scalar T>
Index BatchFactor<T>::items() const {
  return store_->items();
}
template <Scalar T>
BatchWay BatchFactor<T>::way() const {
  return store_->way();
}
template <Scalar T>
std::span<const DeviceVerdict> BatchFactor<T>::verdicts() const {
  return store_->verdicts();
}
template <Scalar T>
std::span<const DeviceVerdict> BatchFactor<T>::fetch_verdicts(StreamHandle stream) {
  return store_->fetch_verdicts(stream);
}
template <Scalar T>
const DeviceVerdict* BatchFactor<T>::verdict_address(Index k) const {
  if (k < 0 || k >= items())
    misuse("verdict_address: item " + std::to_string(k) + ", expected 0 to " +
           std::to_string(items() - 1));
  return store_->verdict_address(k);
}

/// Checks the arguments of a solve. Throws Error(usage); returns false if x has no entries, so that
/// there is nothing to solve.
template <Scalar T>
bool BatchFactor<T>::fits(const BatchView<const T>& b, const BatchView<T>& x,
                          const BatchWorkspace<T>& workspace) const {
  require_batch_shape<T>(x, "x", *store_);
  require_batch_shape<T>(b, "b", *store_);
  if (b.cols != x.cols)
    misuse("solve: b has " + std::to_string(b.cols) + " columns, x has " + std::to_string(x.cols));
  require_apart(x);
  if (overlaps_from_the_first<T>(b, x))
    misuse(
        "solve: x begins where b does, with another leading dimension, stride or layout; give both "
        "the same, or x memory of its own");
  if (workspace.batch_.lock() != store_)
    misuse("solve: the workspace was made for another batch; make one for this batch");
  if (!numeric::all_known(verdicts()) && !store_->awaits_verdicts())
    misuse("solve: the batch has not been factorised: call refactorize() first");
  return x.items > 0 && x.rows > 0 && x.cols > 0;
}

template <Scalar T>
void BatchFactor<T>::solve(BatchView<T> x, BatchWorkspace<T>& workspace,
                           const std::stop_token& stop) const {
  solve(x, x, workspace, stop);
}
template <Scalar T>
void BatchFactor<T>::solve(BatchView<const T> b, BatchView<T> x, BatchWorkspace<T>& workspace,
                           const std::stop_token& stop) const {
  if (!fits(b, x, workspace)) return;
  const OneCall call(workspace.store_->calls, "BatchFactor::solve", "workspace");
  if (store_->awaits_verdicts())
    misuse(
        "solve: the verdicts have not been fetched since enqueue_refactorize(): call "
        "fetch_verdicts() first");
  const StopScope scope(stop);
  stop_here();
  const PhaseRange range(Phase::solve);
  store_->solve(b, x, *workspace.store_);
}

template <Scalar T>
void BatchFactor<T>::solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace) const {
  solve(x, x, workspace);
}
template <Scalar T>
void BatchFactor<T>::solve(DeviceBatchView<const T> b, DeviceBatchView<T> x,
                           BatchWorkspace<T>& workspace) const {
  if (!fits(b.view(), x.view(), workspace)) return;
  const OneCall call(workspace.store_->calls, "BatchFactor::solve", "workspace");
  if (store_->awaits_verdicts())
    misuse(
        "solve: the verdicts have not been fetched since enqueue_refactorize(): call "
        "fetch_verdicts() first");
  const PhaseRange range(Phase::solve);
  store_->solve_on_device(b.view(), x.view(), *workspace.store_);
}

template <Scalar T>
void BatchFactor<T>::enqueue_solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace,
                                   StreamHandle stream) const {
  enqueue_solve(x, x, workspace, stream);
}
template <Scalar T>
void BatchFactor<T>::enqueue_solve(DeviceBatchView<const T> b, DeviceBatchView<T> x,
                                   BatchWorkspace<T>& workspace, StreamHandle stream) const {
  if (!fits(b.view(), x.view(), workspace)) return;
  const OneCall call(workspace.store_->calls, "BatchFactor::enqueue_solve", "workspace");
  const PhaseRange range(Phase::solve);
  store_->enqueue_solve(b.view(), x.view(), *workspace.store_, stream);
}

template <Scalar T>
T BatchFactor<T>::entry(Index k, Index row, Index col) const {
  if (k < 0 || k >= items() || row < 0 || row >= plan().n || col < 0 || col >= plan().n)
    misuse("entry (" + std::to_string(row) + ", " + std::to_string(col) + ") of item " +
           std::to_string(k) + " of a batch of " + std::to_string(items()) +
           " with n = " + std::to_string(plan().n) + ", expected indices of 0 or more below these");
  return store_->entry(k, row, col);
}

template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, std::span<const T> value,
                                           Offset stride, std::type_identity_t<T> shift,
                                           const std::stop_token& stop) {
  return fill<T>(batch.store(), value, stride, shift, stop);
}

template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value,
                                           Offset stride, std::type_identity_t<T> shift,
                                           const std::stop_token& stop) {
  return refactorize<T>(batch, value.span(), stride, shift, stop);
}

template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value,
                                           Offset stride, std::type_identity_t<T> shift,
                                           StreamHandle stream, const std::stop_token& stop) {
  return fill<T>(batch.store(), value.span(), stride, shift, stop, stream);
}

template <Scalar T>
void enqueue_refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value, Offset stride,
                         std::type_identity_t<T> shift, StreamHandle stream) {
  require_values<T>(batch.store(), value.span(), stride, shift);
  const OneCall call(batch.store().fillings, "enqueue_refactorize", "batch");
  const PhaseRange range(Phase::factor);
  batch.store().enqueue_refactorize({value.span().data(), stride}, shift, stream);
}

template class BatchWorkspace<float>;
template class BatchWorkspace<double>;
template class BatchFactor<float>;
template class BatchFactor<double>;
template std::span<const DeviceVerdict> refactorize(BatchFactor<float>&, std::span<const float>,
                                                    Offset, float, const std::stop_token&);
template std::span<const DeviceVerdict> refactorize(BatchFactor<double>&, std::span<const double>,
                                                    Offset, double, const std::stop_token&);
template std::span<const DeviceVerdict> refactorize(BatchFactor<float>&, const DeviceValues<float>&,
                                                    Offset, float, const std::stop_token&);
template std::span<const DeviceVerdict> refactorize(BatchFactor<double>&,
                                                    const DeviceValues<double>&, Offset, double,
                                                    const std::stop_token&);
template std::span<const DeviceVerdict> refactorize(BatchFactor<float>&, const DeviceValues<float>&,
                                                    Offset, float, StreamHandle,
                                                    const std::stop_token&);
template std::span<const DeviceVerdict> refactorize(BatchFactor<double>&,
                                                    const DeviceValues<double>&, Offset, double,
                                                    StreamHandle, const std::stop_token&);
template void enqueue_refactorize(BatchFactor<float>&, const DeviceValues<float>&, Offset, float,
                                  StreamHandle);
template void enqueue_refactorize(BatchFactor<double>&, const DeviceValues<double>&, Offset, double,
                                  StreamHandle);

}  // namespace kauri
