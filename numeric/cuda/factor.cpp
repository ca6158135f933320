// Refactorisations and solves on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "numeric/cuda/dense_copy.hpp"
#include "numeric/cuda/staging.hpp"
#include "numeric/cuda/unwinding.hpp"
#include "numeric/cuda/wide.hpp"
#include "numeric/dense_view.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/device_schedule.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::numeric::cuda {
namespace {

/// What does the tiled fronts of a plan. The choice for float may be one of double alone, and is then refused.
template <class T>
Loops loops_for(const Plan& plan, const DeviceContext& context) {
  if (plan.device.by_level) return {};
  if (std::is_same_v<T, double>) return context.of_double;
  if (context.wanted != CudaLoops::automatic && context.of_float.teams == 0) return choose_loops<float>(context.wanted);
  return context.of_float;
}

}  // namespace

template <class T>
Offset own_bytes(const Plan& plan, const DeviceContext& context) {
  const DeviceSchedule& device = plan.device;
  const Loops loops = loops_for<T>(plan, context);
  const Offset own = plan.peak_bytes(sizeof(T)) - plan.prepared_bytes();
  if (device.by_level) return own;
  if (loops.kind == CudaLoops::hopper)
    return own + symbolic::count_fast_bytes(device, "sm_90") - device.fast_bytes;  // of any device's plan
  const Offset small = sizeof(T) == 8 ? device.fast_bytes - device.task_bytes : 0;
  return own - small - (loops.teams > 0 ? 0 : device.task_bytes - device.shared_bytes);
}

template <class T>
CudaFactor<T>::CudaFactor(std::shared_ptr<const DevicePlan> plan, DeviceContext context)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      loops_(loops_for<T>(*plan_->plan(), context_)),
      fast_(has_sweeps<T>(*plan_->plan(), context_)),
      host_verdict_(context_.lending),
      block_(own_bytes<T>(*plan_->plan(), context_), *context_.heap),
      stream_(context_.lending) {
  const Plan& p = *plan_->plan();
  const auto fronts = static_cast<Offset>(p.supernodes.parent.size());
  entries_ = block_.template take<T>(p.device.entries);
  value_ = block_.template take<T>(p.nnz);
  shift_ = block_.template take<T>(1);
  state_ = block_.template take<FrontState>(fronts);
  fail_column_ = block_.template take<Index>(fronts);
  fail_pivot_ = block_.template take<double>(fronts);
  verdict_ = block_.template take<VerdictMemory>(1);
  check(cudaMemcpyAsync(&verdict_.data()->verdict, &host_verdict_.place().there->value, sizeof(DeviceVerdict), cudaMemcpyDefault,
                        stream_->get()),
        "the verdict");
  if constexpr (std::is_same_v<T, double>) {
    if (loops_.kind == CudaLoops::hopper) small_ = SmallFactor(*plan_, memory(), block_, stream_->get());
  }
  if (loops_.teams > 0 && !p.device.task.empty()) tiled_ = TiledFactor<T>(*plan_, memory(), loops_, block_, stream_->get());
  stream_->synchronize();
}

/// A whole factorisation: small fronts in two launches or level by level, tiled ones as tasks or level by level; then the rest of
/// the inverses beside L.
template <class T>
void CudaFactor<T>::enqueue(cudaStream_t stream) const {
  const auto fronts = static_cast<Index>(state_.size());
  const DeviceSchedule& device = plan_->plan()->device;
  if (fronts > 0)
    check(cudaMemsetAsync(state_.data(), 0, static_cast<std::size_t>(fronts) * sizeof(FrontState), stream), "states of fronts");
  const std::span<const Level> levels = plan_->levels();
  const std::span<const Level> small = levels.first(static_cast<std::size_t>(device.small_levels)), tiled = levels.subspan(small.size());
  const auto level_by_level = [&](std::span<const Level> some) {
    for (const Level& level : some) enqueue_level(plan_->view(), level, memory(), stream);
  };
  bool gathered = false;
  if constexpr (std::is_same_v<T, double>) {
    gathered = loops_.kind == CudaLoops::hopper;
    if (gathered) small_.enqueue(plan_->view(), memory(), stream);
  }
  if (!gathered) level_by_level(small);
  if (loops_.teams > 0 && !device.task.empty())
    tiled_.enqueue(plan_->view(), memory(), stream);
  else
    level_by_level(tiled);
  enqueue_tile_inverses(plan_->view(), device.pivot_tiles, memory(), fast_, stream);
  enqueue_verdict(plan_->view(), fronts, memory(), verdict_.data(), host_verdict_.place(), stream);
}

/// The first verdict does not wait for a graph, and a factor that is filled once needs none. The second run makes it, with the launches of
/// its own on their way, so that the device works meanwhile.
template <class T>
void CudaFactor<T>::run(cudaStream_t stream) {
  if (graph_.is_made()) return graph_.launch(stream);
  enqueue(stream);
  if (ran_ && !tried_graph_) {
    tried_graph_ = true;
    graph_.make(
        *stream_, [this](cudaStream_t own) { enqueue(own); }, stream);
  }
  ran_ = true;
}

template <class T>
CudaFactor<T>::~CudaFactor() {
  stream_->wait();  // an allocator of the caller's may hand the memory on at once
}

template <class T>
FactorMemory<T> CudaFactor<T>::memory() const {
  return {entries_.data(), value_.data(), shift_.data(), state_.data(), fail_column_.data(), fail_pivot_.data()};
}

template <class T>
void CudaFactor<T>::enqueue_beginning_of(const T* from, T shift, cudaStream_t stream) const {
  enqueue_beginning(from, value_.size(), value_.data(), shift, shift_.data(), verdict_.data(), host_verdict_.place(), stream);
}

template <class T>
const T* CudaFactor<T>::take(std::span<const T> value) const {
  if (value.empty()) return nullptr;
  const cudaPointerAttributes place = attributes_of(value.data());
  if (place.type == cudaMemoryTypeDevice && place.device == context_.device) return value.data();
  context_.staging->copy(value_.data(), std::as_bytes(value), stream_->get());
  return nullptr;
}

template <class T>
void CudaFactor<T>::begin_after(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  enqueue_after(static_cast<cudaStream_t>(stream), *stream_, "refactorize");
}

template <class T>
const DeviceVerdict& CudaFactor<T>::refactorize(std::span<const T> value, T shift, ValuesAre values) {
  const CurrentDevice current(context_.device);
  seen_ = {};
  awaits_verdict_ = false;
  const WaitInUnwinding waits(*stream_);
  const bool there = holds_values_ && values == ValuesAre::unchanged;
  holds_values_ = false;  // until all goes well
  enqueue_beginning_of(there ? nullptr : take(value), shift, stream_->get());
  run(stream_->get());
  stream_->synchronize();
  holds_values_ = true;
  return seen_ = host_verdict_.read("the verdict of a factor");
}

/// Inside a capture the launches themselves: a graph made elsewhere cannot be launched there.
template <class T>
void CudaFactor<T>::enqueue_refactorize(std::span<const T> value, T shift, StreamHandle handle) {
  const CurrentDevice current(context_.device);
  if (!value.empty()) require_on_device(value.data(), &value.back(), "enqueue_refactorize: value", context_.device);
  const auto stream = static_cast<cudaStream_t>(handle);
  const bool capturing = is_capturing(stream);
  seen_ = {};
  holds_values_ = awaits_verdict_ = false;  // until all goes well
  enqueue_beginning_of(value.data(), shift, stream);
  if (capturing)
    enqueue(stream);
  else
    run(stream);
  holds_values_ = !capturing;
  awaits_verdict_ = true;
}

template <class T>
const DeviceVerdict& CudaFactor<T>::fetch_verdict(StreamHandle stream) {
  const CurrentDevice current(context_.device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the caller's stream");
  seen_ = host_verdict_.read("the verdict of a factor");
  if (seen_.status != VerdictStatus::none) awaits_verdict_ = false;
  return seen_;
}

template <class T>
std::span<const T> CudaFactor<T>::on_host(std::span<const T> value, std::vector<T>& room) const {
  const CurrentDevice current(context_.device);
  if (attributes_of(value.data()).type != cudaMemoryTypeDevice) return value;
  room.resize(value.size());
  fetch(std::span(room), value.data(), *stream_, "values of A");
  return room;
}

/// A sweep backward alone begins with y, one forward alone ends with it. Where y is, right-hand sides of the host's lie as well (rhs()):
/// they are gathered to x and scattered from x.
template <class T>
void CudaFactor<T>::enqueue_block(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace,
                                  const SolveSteps& steps, cudaStream_t stream) const {
  if (fast_) {
    for (Index c = 0; c < x.cols;) {
      const Index some = std::min(x.cols - c, together());
      enqueue_fast(columns(b, c, some), columns(x, c, some), workspace, steps, stream);
      c += some;
    }
    return;
  }
  const auto levels = plan_->levels();
  SolveMemory<T> memory = workspace.memory(entries_.data(), x.cols);
  memory.unless_zero = steps.unless_zero;
  const auto copy = [&](T* to, const T* from) {
    const std::size_t bytes = static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols) * sizeof(T);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "a solution of one sweep");
  };
  PlanView in_order = plan_->view();
  in_order.old_of = nullptr;
  enqueue_gather(steps.permute ? plan_->view() : in_order, b.rows, strided(b), memory, stream);
  if (steps.backward && !steps.forward) copy(memory.y, memory.x);
  if (steps.forward)
    for (const Level& level : levels) enqueue_forward(plan_->view(), level, memory, stream);
  if (steps.backward)
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) enqueue_backward(plan_->view(), *level, memory, stream);
  if (steps.forward && !steps.backward) copy(memory.x, memory.y);
  enqueue_scatter(steps.back ? plan_->view() : in_order, x.rows, strided(x), memory, verdict_address(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_fast(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace,
                                 const SolveSteps& steps, cudaStream_t stream) const {
  const Plan& p = *plan();
  const StridedView<const T> from = strided(b);
  const StridedView<T> to = strided(x);
  const Index most = symbolic::solve_width(std::min(workspace.nrhs(), together())), width = symbolic::solve_width(x.cols);
  if (width == 1) return enqueue_one(from, to, scratch_of(p, workspace.numbers(), most), steps, stream);
  if constexpr (std::is_same_v<T, double>) {
    const SweepView& view = *plan_->sweeps();
    const Index team = team_width(p, width, context_.team_columns);
    WideMemory wide = wide_memory(p, entries_.data(), workspace.numbers(), most, x.cols, team);
    wide.numbers.verdict = verdict_address(), wide.numbers.b = from.data, wide.numbers.out = to.data;
    wide.numbers.b_step = from.row, wide.numbers.out_step = to.row;
    wide.numbers.unless_zero = steps.unless_zero;
    wide.b_row = steps.permute ? view.new_of : nullptr, wide.out_row = steps.back ? view.new_of : nullptr;
    wide.b_column = from.column, wide.out_column = to.column;
    if (team == 8) return enqueue_wide_sweeps<8>(view, wide, steps.forward, steps.backward, context_.sweep_8_blocks, stream);
    if (team == 16) return enqueue_wide_sweeps<16>(view, wide, steps.forward, steps.backward, context_.sweep_16_blocks, stream);
    return enqueue_wide_sweeps<32>(view, wide, steps.forward, steps.backward, context_.sweep_32_blocks, stream);
  } else {
    throw std::logic_error("sweeps of several columns of floats: together() is one");
  }
}

template <class T>
void CudaFactor<T>::enqueue_one(const StridedView<const T>& b, const StridedView<T>& x, double* numbers, const SolveSteps& steps,
                                cudaStream_t stream) const {
  const Plan& p = *plan();
  PlanView in_order = plan_->view();
  in_order.old_of = nullptr;
  SweepMemory<T> memory = sweep_memory<T>(p, entries_.data(), numbers);
  memory.verdict = verdict_address(), memory.b = b.data, memory.out = x.data;
  memory.b_step = b.row, memory.out_step = x.row;
  memory.unless_zero = steps.unless_zero;
  const bool sweeps = steps.forward || steps.backward;  // neither: a permutation alone
  if (sweeps) enqueue_unset(p, numbers, stream);
  SweepView view = *plan_->sweeps();
  view.old_of = steps.permute ? plan_->view().old_of : nullptr;
  view.back_of = steps.back ? plan_->view().old_of : nullptr;
  const SolveMemory<double> y{nullptr, memory.y, memory.y, memory.update, 1, steps.unless_zero};
  if (!steps.forward) enqueue_gather(steps.permute ? plan_->view() : in_order, p.n, b, y, stream);
  const int blocks = std::is_same_v<T, double> ? context_.sweep_blocks : context_.float_sweep_blocks;
  if (sweeps) enqueue_sweeps(view, memory, steps.forward, steps.backward, blocks, stream);
  if (!steps.backward) enqueue_scatter(steps.back ? plan_->view() : in_order, p.n, x, y, verdict_address(), stream);
}

template <class T>
void CudaFactor<T>::enqueue_blocks(const MatrixView<const T>& b, const MatrixView<T>& x, const CudaWorkspace<T>& workspace,
                                   const SolveSteps& steps, cudaStream_t stream) const {
  require_on_device(b, "solve: b", context_.device);
  require_on_device(x, "solve: x", context_.device);
  for (Index c = 0; c < x.cols; c += workspace.nrhs()) {
    const Index nrhs = std::min(workspace.nrhs(), x.cols - c);
    enqueue_block(columns(b, c, nrhs), columns(x, c, nrhs), workspace, steps, stream);
  }
}

template <class T>
void CudaFactor<T>::solve(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, const SolveSteps& steps) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  for (Index c = 0; c < x.cols; c += w.nrhs()) {
    const Index nrhs = std::min(w.nrhs(), x.cols - c);
    const MatrixView<T> there = compact_view(w.rhs(), x.rows, nrhs, x.layout);
    send(*context_.staging, columns(b, c, nrhs), there, w.stream());
    enqueue_block(there, there, w, steps, w.stream().get());
    receive<T>(*context_.staging, there, columns(x, c, nrhs), w.stream());
  }
}

template <class T>
void CudaFactor<T>::solve_there(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, const SolveSteps& steps) const {
  const CurrentDevice current(context_.device);
  const auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const WaitInUnwinding waits(w.stream());
  enqueue_blocks(b, x, w, steps, w.stream().get());
  w.stream().synchronize();
}

template <class T>
void CudaFactor<T>::enqueue_solve(MatrixView<const T> b, MatrixView<T> x, SolveStore<T>& workspace, const SolveSteps& steps,
                                  StreamHandle stream) const {
  const CurrentDevice current(context_.device);
  enqueue_blocks(b, x, static_cast<CudaWorkspace<T>&>(workspace), steps, static_cast<cudaStream_t>(stream));
}

template <class T>
void CudaFactor<T>::enqueue_correction(const MatrixView<T>& r, SolveStore<T>& workspace, const std::int32_t* unless_zero,
                                       cudaStream_t stream) const {
  enqueue_blocks(r, r, static_cast<CudaWorkspace<T>&>(workspace), {.unless_zero = unless_zero}, stream);
}

template <class T>
T CudaFactor<T>::entry(Index row, Index col) const {
  if (row < col) return T(0);
  const Plan& plan = *plan_->plan();
  const Supernodes& nodes = plan.supernodes;
  const auto s = static_cast<Index>(std::upper_bound(nodes.first.begin(), nodes.first.end(), col) - nodes.first.begin() - 1);
  const auto rows = nodes.rows(s);
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at == rows.end() || *at != row) return T(0);
  const Index m = nodes.order(s), p = nodes.pivots(s), r = static_cast<Index>(at - rows.begin()), c = col - nodes.first[s];
  const Offset place = plan.device.panel[s] +
                       (plan.device.tiled[s] == kNone ? symbolic::SmallLayout{m, p}.place(r, c) : symbolic::FrontCells{m, p}.place(r, c));
  const CurrentDevice current(context_.device);
  return fetch(entries_.data() + place, *stream_, "an entry of L");
}

template <class T>
void CudaFactor<T>::copy_panel(Index s, std::span<T> to) const {
  const Plan& plan = *plan_->plan();
  const Index m = plan.supernodes.order(s), p = plan.supernodes.pivots(s);
  const auto copy = [&](Offset entries, const auto& layout) {
    std::vector<T> panel(static_cast<std::size_t>(entries));
    const CurrentDevice current(context_.device);
    fetch(std::span(panel), entries_.data() + plan.device.panel[s], *stream_, "a panel of L");
    for (Index c = 0; c < p; ++c)
      for (Index r = c; r < m; ++r) to[static_cast<std::size_t>(c) * m + r] = panel[layout.place(r, c)];
  };
  const symbolic::SmallLayout small{m, p};
  const symbolic::FrontCells tiled{m, p};
  if (plan.device.tiled[s] == kNone)
    copy(small.panel_entries(), small);
  else
    copy(tiled.panel().entries(), tiled);
}

template <class T>
Offset workspace_bytes(const Plan& plan, Index nrhs, const DeviceContext& context) {
  if (has_sweeps<T>(plan, context)) return plan.workspace_bytes(sizeof(T), nrhs, context.together);
  using symbolic::aligned_bytes;
  const Offset row = Offset{sizeof(T)} * nrhs;
  return symbolic::checked_add(2 * aligned_bytes(plan.n, row), aligned_bytes(plan.device.update_rows, row), "bytes of workspace");
}

template <class T>
CudaWorkspace<T>::CudaWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, const DeviceContext& context)
    : plan_(require_device_plan(std::move(plan))),
      nrhs_(std::min(nrhs, kSolveBlock)),
      stream_(context.lending),
      fast_(has_sweeps<T>(*plan_, context)),
      block_(workspace_bytes<T>(*plan_, nrhs_, context), *context.heap) {
  const Offset vector = symbolic::checked_mul(plan_->n, nrhs_, "scalars of workspace");
  y_ = block_.template take<T>(vector);
  if (fast_) {
    if (std::is_same_v<T, double>) most_ = symbolic::solve_width(std::min(nrhs_, context.together));
    numbers_ = block_.template take<double>(symbolic::solve_numbers(plan_->device.sweeps, plan_->n, most_));
    if (most_ > 1) {
      enqueue_first_unset(*plan_, numbers_.data(), most_, stream_->get());
      stream_->synchronize();  // solves may be on any stream
    }
    return;
  }
  x_ = block_.template take<T>(vector);
  update_ = block_.template take<T>(symbolic::checked_mul(plan_->device.update_rows, nrhs_, "scalars of workspace"));
}

template <class T>
CudaWorkspace<T>::~CudaWorkspace() {
  stream_->wait();  // where a solve threw halfway, copies may be on their way
}

template Offset own_bytes<float>(const Plan&, const DeviceContext&);
template Offset own_bytes<double>(const Plan&, const DeviceContext&);
template Offset workspace_bytes<float>(const Plan&, Index, const DeviceContext&);
template Offset workspace_bytes<double>(const Plan&, Index, const DeviceContext&);
template class CudaFactor<float>;
template class CudaFactor<double>;
template class CudaWorkspace<float>;
template class CudaWorkspace<double>;

}  // namespace kauri::numeric::cuda
