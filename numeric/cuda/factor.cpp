// Refactorisations and solves on a CUDA device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor.hpp"

#include <algorithm>
#include <type_traits>

#include "symbolic/checked.hpp"
#include "symbolic/device_schedule.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::numeric::cuda {
namespace {

std::shared_ptr<const Plan> require_device_plan(std::shared_ptr<const Plan> plan) {
  if (!symbolic::is_device_target(plan->target))
    throw Error(ErrorKind::usage, "the plan was made for " + plan->target + ", not for a CUDA device");
  return plan;
}

}  // namespace

template <class T>
CudaFactor<T>::CudaFactor(std::shared_ptr<const Plan> plan, DeviceContext context) : context_(context) {
  const Plan& p = *require_device_plan(plan);
  const auto fronts = static_cast<Offset>(p.supernodes.parent.size());
  MemoryLedger& ledger = *context.ledger;
  entries_ = DeviceBuffer<T>(p.device.entries, ledger);
  value_ = DeviceBuffer<T>(p.nnz, ledger);
  shift_ = DeviceBuffer<T>(1, ledger);
  state_ = DeviceBuffer<FrontState>(fronts, ledger);
  fail_column_ = DeviceBuffer<Index>(fronts, ledger);
  fail_pivot_ = DeviceBuffer<double>(fronts, ledger);
  verdict_ = DeviceBuffer<DeviceVerdict>(1, ledger);
  plan_ = std::make_unique<DevicePlan>(std::move(plan), ledger);
  bool fast = false;
  if constexpr (std::is_same_v<T, double>) {
    fast = !p.device.by_level && TiledFactor::can_run() && prepare_gathered_fronts();
    if (fast) small_ = SmallFactor(p, memory(), ledger);
    if (fast && !p.device.task.empty()) tiled_ = TiledFactor(p, memory(), ledger);
  }
  graph_.capture(stream_, [&](cudaStream_t stream) { enqueue(fast, stream); });
}

/// A whole factorisation: small fronts in two launches, tiled ones as tasks; or level by level.
template <class T>
void CudaFactor<T>::enqueue(bool fast, cudaStream_t stream) const {
  const auto fronts = static_cast<Index>(state_.size());
  const DeviceSchedule& device = plan_->plan()->device;
  if (fronts > 0)
    check(cudaMemsetAsync(state_.data(), 0, static_cast<std::size_t>(fronts) * sizeof(FrontState), stream), "states of fronts");
  std::span<const Level> levels = plan_->levels();
  if constexpr (std::is_same_v<T, double>) {
    if (fast) {
      small_.enqueue(plan_->view(), memory(), stream);
      levels = levels.subspan(static_cast<std::size_t>(device.small_levels));
      if (!device.task.empty()) {
        tiled_.enqueue(plan_->view(), memory(), stream);
        levels = {};
      }
    }
  }
  for (const Level& level : levels) enqueue_level(plan_->view(), level, memory(), stream);
  enqueue_verdict(plan_->view(), fronts, memory(), verdict_.data(), stream);
}

template <class T>
CudaFactor<T>::~CudaFactor() = default;

template <class T>
FactorMemory<T> CudaFactor<T>::memory() const {
  return {entries_.data(), value_.data(), shift_.data(), state_.data(), fail_column_.data(), fail_pivot_.data()};
}

template <class T>
Result<void, Breakdown> CudaFactor<T>::refactorize(std::span<const T> value, T shift) {
  const CurrentDevice current(context_.device);
  valid_ = false;
  check(cudaMemcpyAsync(value_.data(), value.data(), value.size_bytes(), cudaMemcpyDefault, stream_.get()), "values of A");
  check(cudaMemcpyAsync(shift_.data(), &shift, sizeof(T), cudaMemcpyHostToDevice, stream_.get()), "the shift");
  graph_.launch(stream_);
  DeviceVerdict verdict{};
  check(cudaMemcpyAsync(&verdict, verdict_.data(), sizeof verdict, cudaMemcpyDeviceToHost, stream_.get()), "the verdict");
  stream_.synchronize();
  if (verdict.failed != 0) return Breakdown{verdict.column, verdict.pivot};
  valid_ = true;
  return {};
}

template <class T>
std::span<const T> CudaFactor<T>::on_host(std::span<const T> value, std::vector<T>& room) const {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, value.data()), "values of A");
  if (attributes.type != cudaMemoryTypeDevice) return value;
  room.resize(value.size());
  const CurrentDevice current(context_.device);
  check(cudaMemcpy(room.data(), value.data(), value.size_bytes(), cudaMemcpyDeviceToHost), "values of A");
  return room;
}

template <class T>
void CudaFactor<T>::solve(MatrixView<T> x, SolveStore<T>& workspace) const {
  const CurrentDevice current(context_.device);
  auto& w = static_cast<CudaWorkspace<T>&>(workspace);
  const cudaStream_t stream = w.stream().get();
  const auto levels = plan_->levels();
  const auto n = static_cast<std::size_t>(x.rows);
  for (Index c = 0; c < x.cols; c += w.nrhs()) {
    const Index nrhs = std::min(w.nrhs(), x.cols - c);
    T* host = x.data + c * x.ld;
    const SolveMemory<T> memory = w.memory(entries_.data(), nrhs);
    const std::size_t row = n * sizeof(T), pitch = static_cast<std::size_t>(x.ld) * sizeof(T), columns = static_cast<std::size_t>(nrhs);
    check(cudaMemcpy2DAsync(w.rhs(), row, host, pitch, row, columns, cudaMemcpyHostToDevice, stream), "right-hand sides");
    enqueue_gather(plan_->view(), x.rows, w.rhs(), x.rows, memory, stream);
    for (const Level& level : levels) enqueue_forward(plan_->view(), level, memory, stream);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) enqueue_backward(plan_->view(), *level, memory, stream);
    enqueue_scatter(plan_->view(), x.rows, w.rhs(), x.rows, memory, stream);
    check(cudaMemcpy2DAsync(host, pitch, w.rhs(), row, row, columns, cudaMemcpyDeviceToHost, stream), "solutions");
    w.stream().synchronize();
  }
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
  T value{};
  check(cudaMemcpy(&value, entries_.data() + place, sizeof(T), cudaMemcpyDeviceToHost), "an entry of L");
  return value;
}

template <class T>
CudaWorkspace<T>::CudaWorkspace(std::shared_ptr<const Plan> plan, Index nrhs, DeviceContext context)
    : context_(context), plan_(require_device_plan(std::move(plan))), nrhs_(std::min(nrhs, kSolveBlock)) {
  MemoryLedger& ledger = *context.ledger;
  const Offset vector = symbolic::checked_mul(plan_->n, nrhs_, "scalars of workspace");
  rhs_ = DeviceBuffer<T>(vector, ledger);
  x_ = DeviceBuffer<T>(vector, ledger);
  y_ = DeviceBuffer<T>(vector, ledger);
  update_ = DeviceBuffer<T>(symbolic::checked_mul(plan_->device.update_rows, nrhs_, "scalars of workspace"), ledger);
}

template <class T>
CudaWorkspace<T>::~CudaWorkspace() = default;

template class CudaFactor<float>;
template class CudaFactor<double>;
template class CudaWorkspace<float>;
template class CudaWorkspace<double>;

}  // namespace kauri::numeric::cuda
