// A batch on a CUDA device whose items are done together.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/batch/batch.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "base/matrix/dense_lines.hpp"
#include "numeric/all_known.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/runtime/unwinding.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Seconds that a thread block takes for a level of the assembly tree (a solve passes it twice),
/// and for a flop. Items are done together if the predicted seconds of one block for a
/// factorisation are at most kMostTimes those of the whole device.
constexpr double kLevelSeconds = 4e-6, kFlopSeconds = 1e-10, kMostTimes = 64;

/// Least number of entries, or of update rows, with which items cannot be done together: places of
/// entries take 32 bits.
constexpr Offset kMostShort = Offset{1} << 31;

Index most_rows(const Plan& plan) { return plan.cost.largest_front; }
Index update_rows(const Plan& plan) {
  return static_cast<Index>(plan.internals->device.update_rows);
}

/// Returns the stride from the panels and blocks of an item to those of the next, in entries of
/// type T, rounded up to whole cache lines.
template <class T>
Offset item_stride(const Plan& plan) {
  constexpr Offset line = 128 / sizeof(T);
  return checked_add(plan.internals->device.entries, line - 1, "entries of a batch") / line * line;
}

std::vector<BatchLevel> levels_of(const Plan& plan) {
  std::vector<BatchLevel> out;
  for (const Level& level : plan.internals->device.level)
    out.push_back({level.first, level.small32, level.count});
  return out;
}

/// Writes elements [begin, end) of BatchPlan::entry_place, which has the order of
/// Assembly::entry_row (by columns of B = P A P^T), to out[0 .. end - begin).
void place_entries(const Plan& plan, Offset begin, Offset end, std::uint32_t* out) {
  const std::vector<Offset>& ptr = plan.internals->assembly.entry_ptr;
  const Array<Index>& entry_row = plan.internals->assembly.entry_row;
  auto column =
      static_cast<Index>(std::upper_bound(ptr.begin(), ptr.end(), begin) - ptr.begin() - 1);
  const std::vector<Index>& first = plan.supernodes.first;
  auto s =
      static_cast<Index>(std::upper_bound(first.begin(), first.end(), column) - first.begin() - 1);
  for (Offset e = begin; e < end; ++e) {
    while (e >= ptr[column + 1]) ++column;
    while (column >= first[s + 1]) ++s;
    const Index place =
        symbolic::packed_column(column - first[s], plan.supernodes.order(s)) + entry_row[e];
    out[e - begin] = static_cast<std::uint32_t>(place);
  }
}

/// Calls f(k, place, count) for runs of entries [begin, end) of a batch's matrices on the host,
/// counted item by item: entry begin + k + h is at offset place + h lines.from_entry, h < count,
/// from the first entry of item 0. `lines`: those of each item's matrix; `stride`: entries from
/// item to item.
template <class F>
void each_item_run(const DenseLines& lines, Offset stride, Offset begin, Offset end, const F& f) {
  const Offset entries = lines.count * lines.length;
  for (Offset at = begin; at < end;) {
    const Offset item = at / entries, last = std::min(end, (item + 1) * entries);
    for_each_run(lines, at - item * entries, last - item * entries,
                 [&](Offset k, Offset place, Offset count) {
                   f(at - begin + k, item * stride + place, count);
                 });
    at = last;
  }
}

template <class T>
BatchView<T> batch_columns(const BatchView<T>& a, Index first, Index count) {
  return {columns(a.item(0), first, count).data, a.items, a.rows, count, a.ld, a.stride, a.layout};
}

/// Returns the address of the last entry of the last item.
template <class T>
const T* last_of(const BatchView<T>& a) {
  return &strided(a.item(a.items - 1))(a.rows - 1, a.cols - 1);
}

template <class T>
void require_batch_on_device(const BatchView<T>& a, const char* name, int device) {
  require_on_device(a.data, last_of(a), name, device);
}

}  // namespace

BatchWay chosen_way(const Plan& plan, BatchWay way) {
  const bool few_rows = most_rows(plan) <= batch_most_rows();
  const Offset numbers =
      std::max(plan.internals->device.entries, plan.internals->device.update_rows);
  // Items together lie in the places of the plan, from which no panel may leave the device.
  const bool stays = plan.internals->device.segment.empty();
  const bool possible = few_rows && numbers < kMostShort && stays;
  if (way == BatchWay::together && !stays)
    throw Error(ErrorKind::usage,
                "BatchFactor: items of a plan whose panels leave the device "
                "(AnalyzeOptions::device_bytes) are not done together there, but one by one");
  if (way == BatchWay::together && !possible)
    throw Error(ErrorKind::usage,
                "BatchFactor: " +
                    (few_rows ? "items of " + std::to_string(numbers) + " numbers"
                              : "fronts of " + std::to_string(most_rows(plan)) + " rows") +
                    " are not done together on a device, but one by one (at most " +
                    std::to_string(few_rows ? kMostShort - 1 : Offset{batch_most_rows()}) + ")");
  if (way != BatchWay::automatic) return way;
  const double block = static_cast<double>(plan.internals->device.level.size()) * kLevelSeconds +
                       plan.cost.executed_flops * kFlopSeconds;
  return possible && block <= kMostTimes * plan.cost.predicted_factor_s ? BatchWay::together
                                                                        : BatchWay::one_by_one;
}

template <class T>
Offset CudaBatch<T>::bytes(const Plan& plan, Index items) {
  Offset sum =
      aligned_bytes(checked_mul(items, item_stride<T>(plan), "entries of a batch"), sizeof(T));
  sum =
      checked_add(sum, aligned_bytes(checked_mul(items, plan.nnz, "values of a batch"), sizeof(T)),
                  "bytes of a batch");
  sum = checked_add(sum, aligned_bytes(items, sizeof(DeviceVerdict)), "bytes of a batch");
  sum = checked_add(sum, aligned_bytes(plan.nnz, sizeof(std::uint32_t)), "bytes of a batch");
  return checked_add(
      sum,
      aligned_bytes(static_cast<Offset>(plan.internals->device.level.size()), sizeof(BatchLevel)),
      "bytes of a batch");
}

template <class T>
CudaBatch<T>::CudaBatch(std::shared_ptr<const DevicePlan> plan, Index items, DeviceContext context)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      items_(items),
      factor_blocks_(batch_factor_blocks<T>(most_rows(*plan_->plan()))),
      solve_blocks_(batch_solve_blocks<T>(plan_->plan()->n, update_rows(*plan_->plan()),
                                          most_rows(*plan_->plan()))),
      host_verdict_(context_.pool, items),
      block_(bytes(*plan_->plan(), items), *context_.heap),
      stream_(context_.pool),
      seen_(static_cast<std::size_t>(items)) {
  const Plan& p = *plan_->plan();
  Uploader uploader(*context_.staging, block_, *stream_);
  entries_ = uploader.room<T>(Offset{items} * item_stride<T>(p));
  value_ = uploader.room<T>(Offset{items} * p.nnz);
  verdict_ = uploader.copy(std::span<const DeviceVerdict>(seen_));
  const auto place = uploader.make<std::uint32_t>(
      p.nnz,
      [&](Offset begin, Offset end, std::uint32_t* out) { place_entries(p, begin, end, out); });
  const auto level = uploader.copy(levels_of(p));
  uploader.finish();
  shared_ = {.plan = plan_->view(),
             .level = level.data(),
             .entry_place = place.data(),
             .levels = static_cast<Index>(level.size()),
             .n = p.n,
             .most_rows = most_rows(p),
             .update_rows = update_rows(p)};
}

template <class T>
CudaBatch<T>::~CudaBatch() {
  stream_->wait();  // a caller's allocator may hand the memory on at once
}

template <class T>
BatchMemory<T> CudaBatch<T>::memory() const {
  return {entries_.data(), item_stride<T>(*plan()), items_, verdict_.data(), host_verdict_.first()};
}

template <class T>
std::span<const DeviceVerdict> CudaBatch<T>::see() {
  for (Index k = 0; k < items_; ++k)
    seen_[static_cast<std::size_t>(k)] = host_verdict_.read(k, "a verdict of a batch");
  if (all_known(seen_)) awaits_verdicts_ = false;
  return seen_;
}

template <class T>
ItemValues<T> CudaBatch<T>::values_on_device(const ItemValues<T>& value) const {
  const Offset nnz = plan()->nnz;
  if (items_ == 0 || nnz == 0) return {nullptr, 0};
  const cudaPointerAttributes place = attributes_of(value.data);
  if (place.type == cudaMemoryTypeDevice && place.device == context_.device) return value;
  if (place.type == cudaMemoryTypeDevice) {  // on another device, where the host cannot read it
    for (Index k = 0; k < items_; ++k)
      context_.staging->copy(
          value_.data() + k * nnz,
          std::as_bytes(std::span(value.data + k * value.stride, static_cast<std::size_t>(nnz))),
          stream_->get());
    return {value_.data(), nnz};
  }
  const auto fill = [&](Offset begin, Offset end, void* out) {
    for_each_run(DenseLines{items_, nnz, value.stride, 1}, begin, end,
                 [&](Offset k, Offset from, Offset count) {
                   std::copy_n(value.data + from, count, static_cast<T*>(out) + k);
                 });
  };
  context_.staging->send(value_.data(), items_ * nnz, sizeof(T), fill, stream_->get());
  return {value_.data(), nnz};
}

template <class T>
void CudaBatch<T>::begin_after(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  enqueue_after(static_cast<cudaStream_t>(stream), *stream_, "refactorize");
}

template <class T>
std::span<const DeviceVerdict> CudaBatch<T>::refactorize(const ItemValues<T>& value, T shift) {
  const CurrentDevice current(context_.device);
  std::fill(seen_.begin(), seen_.end(), DeviceVerdict{});  // until the factorisation has succeeded
  awaits_verdicts_ = false;
  const WaitInUnwinding waits(*stream_);
  const ItemValues<T> on_device = values_on_device(value);
  enqueue_batch_factor(shared_, BatchValues<T>{on_device.data, on_device.stride, shift}, memory(),
                       factor_blocks_, stream_->get());
  stream_->synchronize();
  return see();
}

template <class T>
void CudaBatch<T>::enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) {
  const CurrentDevice current(context_.device);
  std::fill(seen_.begin(), seen_.end(), DeviceVerdict{});
  awaits_verdicts_ = false;
  if (items_ > 0 && plan()->nnz > 0)
    require_on_device(value.data, value.data + (items_ - 1) * value.stride + plan()->nnz - 1,
                      "enqueue_refactorize: value", context_.device);
  enqueue_batch_factor(shared_, BatchValues<T>{value.data, value.stride, shift}, memory(),
                       factor_blocks_, static_cast<cudaStream_t>(stream));
  awaits_verdicts_ = true;
}

template <class T>
std::span<const DeviceVerdict> CudaBatch<T>::fetch_verdicts(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the caller's stream");
  return see();
}

template <class T>
Offset CudaBatch<T>::workspace_bytes(Index nrhs) const {
  return CudaBatchWorkspace<T>::bytes(*plan(), items_, nrhs, solve_blocks_);
}

template <class T>
std::unique_ptr<BatchWorkspaceImpl<T>> CudaBatch<T>::make_workspace(Index nrhs) const {
  const CurrentDevice current(context_.device);
  return std::make_unique<CudaBatchWorkspace<T>>(*plan(), items_, nrhs, solve_blocks_, context_);
}

template <class T>
void CudaBatch<T>::enqueue_columns(const BatchView<const T>& b, const BatchView<T>& x,
                                   const CudaBatchWorkspace<T>& workspace,
                                   cudaStream_t stream) const {
  const BatchRhs<T> rhs{strided(b.item(0)), b.stride, strided(x.item(0)),
                        x.stride,           x.cols,   workspace.scratch()};
  enqueue_batch_solve(shared_, memory(), rhs, context_.kernels.of<T>().sums_in_double,
                      solve_blocks_, stream);
}

template <class T>
void CudaBatch<T>::solve(const BatchView<const T>& b, const BatchView<T>& x,
                         BatchWorkspaceImpl<T>& store) const {
  const CurrentDevice current(context_.device);
  const auto& workspace = static_cast<CudaBatchWorkspace<T>&>(store);
  const Stream& stream = workspace.stream();
  const WaitInUnwinding waits(stream);
  for (Index c = 0; c < x.cols; c += workspace.nrhs()) {
    const Index some = std::min(workspace.nrhs(), x.cols - c);
    const Offset entries = Offset{x.rows} * some;
    const BatchView<T> there{
        workspace.rhs(), x.items, x.rows, some, x.layout == Layout::row_major ? some : x.rows,
        entries,         x.layout};
    const auto from = batch_columns(b, c, some);
    const auto to = batch_columns(x, c, some);
    const DenseLines source = lines_of(from.item(0), x.layout),
                     target = lines_of(to.item(0), x.layout);
    const auto fill = [&](Offset begin, Offset end, void* out) {
      each_item_run(source, from.stride, begin, end, [&](Offset k, Offset at, Offset count) {
        copy_steps(from.data + at, source.from_entry, count, static_cast<T*>(out) + k, 1);
      });
    };
    const auto unpack = [&](Offset begin, Offset end, const void* in) {
      each_item_run(target, to.stride, begin, end, [&](Offset k, Offset at, Offset count) {
        copy_steps(static_cast<const T*>(in) + k, 1, count, to.data + at, target.from_entry);
      });
    };
    context_.staging->send(there.data, x.items * entries, sizeof(T), fill, stream.get());
    enqueue_columns(there, there, workspace, stream.get());
    stream.synchronize();  // before chunks are leased, since other threads may wait for chunks
    context_.staging->receive(there.data, x.items * entries, sizeof(T), unpack, stream.get());
  }
}

template <class T>
void CudaBatch<T>::solve_on_device(const BatchView<const T>& b, const BatchView<T>& x,
                                   BatchWorkspaceImpl<T>& store) const {
  const CurrentDevice current(context_.device);
  const auto& workspace = static_cast<CudaBatchWorkspace<T>&>(store);
  const WaitInUnwinding waits(workspace.stream());
  enqueue_solve(b, x, store, workspace.stream().get());
  workspace.stream().synchronize();
}

template <class T>
void CudaBatch<T>::enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x,
                                 BatchWorkspaceImpl<T>& store, StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  require_batch_on_device(b, "solve: b", context_.device);
  require_batch_on_device(x, "solve: x", context_.device);
  enqueue_columns(b, x, static_cast<CudaBatchWorkspace<T>&>(store),
                  static_cast<cudaStream_t>(stream));
}

template <class T>
T CudaBatch<T>::entry(Index k, Index row, Index col) const {
  if (row < col) return T(0);
  const Plan& p = *plan();
  const Supernodes& nodes = p.supernodes;
  const auto s = static_cast<Index>(std::upper_bound(nodes.first.begin(), nodes.first.end(), col) -
                                    nodes.first.begin() - 1);
  const auto rows = nodes.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at == rows.end() || *at != row) return T(0);
  const Index place = symbolic::packed_column(col - nodes.first[s], nodes.order(s)) +
                      static_cast<Index>(at - rows.begin());
  const CurrentDevice current(context_.device);
  return fetch(entries_.data() + k * item_stride<T>(p) + p.internals->device.panel[s] + place,
               *stream_, "an entry of L");
}

template <class T>
Offset CudaBatchWorkspace<T>::bytes(const Plan& plan, Index items, Index nrhs, int blocks) {
  const Offset rhs = checked_mul(checked_mul(items, plan.n, "right-hand sides of a batch"), nrhs,
                                 "right-hand sides of a batch");
  const Offset vector = batch_vectors_shared<T>(plan.n, update_rows(plan), most_rows(plan))
                            ? 0
                            : batch_vector(plan.n, update_rows(plan));
  return checked_add(aligned_bytes(rhs, sizeof(T)), aligned_bytes(vector * blocks, sizeof(T)),
                     "bytes of workspace");
}

template <class T>
CudaBatchWorkspace<T>::CudaBatchWorkspace(const Plan& plan, Index items, Index nrhs, int blocks,
                                          const DeviceContext& context)
    : nrhs_(nrhs), stream_(context.pool), block_(bytes(plan, items, nrhs, blocks), *context.heap) {
  rhs_ = block_.template take<T>(Offset{items} * plan.n * nrhs);
  if (!batch_vectors_shared<T>(plan.n, update_rows(plan), most_rows(plan)))
    scratch_ = block_.template take<T>(batch_vector(plan.n, update_rows(plan)) * blocks);
}

template <class T>
CudaBatchWorkspace<T>::~CudaBatchWorkspace() {
  stream_->wait();  // a solve that threw halfway may have left copies under way
}

template class CudaBatch<float>;
template class CudaBatch<double>;
template class CudaBatchWorkspace<float>;
template class CudaBatchWorkspace<double>;

}  // namespace kauri::numeric::cuda
