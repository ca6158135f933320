// WorkspacePool: memory of solves, leased to one thread at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/engine/workspace_pool.hpp"

#include <algorithm>
#include <utility>

namespace kauri {
namespace {

template <Scalar T>
bool has_room(const SolveMemory<T>& memory, Index nrhs) {
  return memory.workspace && memory.workspace->nrhs() >= nrhs;
}

}  // namespace

template <Scalar T>
WorkspacePool<T>::Lease::Lease(WorkspacePool& pool, const Factor<T>& factor, Index cols)
    : pool_(pool) {
  const Index nrhs = std::clamp(cols, Index{1}, kSolveBlock);
  memory_ = pool.take(nrhs);
  if (has_room(*memory_, nrhs)) return;
  memory_->workspace.reset();
  try {
    memory_->workspace.emplace(Workspace<T>::create(factor, nrhs));
  } catch (...) {  // the pool keeps its residual and refiner
    pool.put(std::move(memory_));
    throw;
  }
}

template <Scalar T>
std::unique_ptr<SolveMemory<T>> WorkspacePool<T>::take(Index nrhs) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    make_room();
    return std::make_unique<SolveMemory<T>>();
  }
  auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                            [&](const auto& memory) { return has_room(*memory, nrhs); });
  if (found == idle_.rend()) found = idle_.rbegin();
  std::unique_ptr<SolveMemory<T>> memory = std::move(*found);
  idle_.erase(std::next(found).base());
  return memory;
}

template <Scalar T>
void WorkspacePool<T>::put(std::unique_ptr<SolveMemory<T>> memory) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(memory));
}

template <Scalar T>
void WorkspacePool<T>::add(std::unique_ptr<SolveMemory<T>> memory) {
  const std::lock_guard lock(mutex_);
  make_room();
  idle_.push_back(std::move(memory));
}

/// Counts one more SolveMemory in most_ and reserves capacity for it in idle_. The caller holds
/// mutex_.
template <Scalar T>
void WorkspacePool<T>::make_room() {
  idle_.reserve(most_ + 1);
  ++most_;
}

template <Scalar T>
void WorkspacePool<T>::clear() {
  const std::lock_guard lock(mutex_);
  most_ -= idle_.size();
  idle_.clear();
}

template class WorkspacePool<float>;
template class WorkspacePool<double>;

}  // namespace kauri
