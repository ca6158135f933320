// Boundary to the backends: batches of systems with one pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "base/threads/one_call.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/verdict.hpp"
#include "kauri/extras/batch.hpp"

namespace kauri::numeric {

/// Scratch memory of solves of a batch (see kauri::BatchWorkspace).
template <Scalar T>
class BatchWorkspaceImpl {
 public:
  virtual ~BatchWorkspaceImpl() = default;
  CallFlag calls;  ///< marks the workspace as busy while a public call works in it
};

/// Values of A of all items of a batch: the nnz values of item k begin at data[k * stride].
template <Scalar T>
struct ItemValues {
  const T* data;
  Offset stride;
};

/// The values of L of many items (see kauri::BatchFactor). The caller has checked sizes, workspaces
/// and states.
template <Scalar T>
class BatchImpl {
 public:
  virtual ~BatchImpl() = default;
  CallFlag fillings;  ///< marks the batch as busy while a public call fills it
  [[nodiscard]] virtual const std::shared_ptr<const Plan>& plan() const = 0;
  [[nodiscard]] virtual Index items() const = 0;
  /// Returns the way in which the items are factorised; never `automatic`, which is resolved when
  /// the batch is made.
  [[nodiscard]] virtual BatchWay way() const = 0;
  /// Returns the items' verdicts as refactorize() or fetch_verdicts() last left them; `none` from
  /// enqueue_refactorize() to fetch_verdicts(). Does not wait.
  [[nodiscard]] virtual std::span<const DeviceVerdict> verdicts() const = 0;
  /// Returns the address of the verdict of item k, on the device (on the CPU in host memory).
  [[nodiscard]] virtual const DeviceVerdict* verdict_address(Index k) const = 0;
  /// Waits for the stream and returns the items' verdicts.
  virtual std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream) = 0;
  /// Returns true from enqueue_refactorize() until fetch_verdicts() gets a verdict of every item.
  [[nodiscard]] virtual bool awaits_verdicts() const = 0;
  /// Makes the next refactorize() start on the device after the work that is on `stream` now.
  /// Throws Error(usage) if the stream is capturing, and on the CPU if it is not null.
  virtual void begin_after(StreamHandle stream) = 0;
  /// Factorises A + shift I for all items and waits for their verdicts. value: in host or device
  /// memory.
  virtual std::span<const DeviceVerdict> refactorize(const ItemValues<T>& value, T shift) = 0;
  /// Enqueues the factorisation of A + shift I for all items. value: in device memory.
  virtual void enqueue_refactorize(const ItemValues<T>& value, T shift, StreamHandle stream) = 0;
  [[nodiscard]] virtual Offset workspace_bytes(Index nrhs) const = 0;
  [[nodiscard]] virtual std::unique_ptr<BatchWorkspaceImpl<T>> make_workspace(Index nrhs) const = 0;
  /// Solves with b and x in host memory. In this call and the two below, items, rows and columns
  /// are at least 1, x is b itself or does not overlap it, and x of an item whose verdict is not
  /// good becomes NaN.
  virtual void solve(const BatchView<const T>& b, const BatchView<T>& x,
                     BatchWorkspaceImpl<T>& workspace) const = 0;
  /// Solves with b and x in device memory and waits for x. This call and enqueue_solve() throw
  /// Error(usage) on the CPU.
  virtual void solve_on_device(const BatchView<const T>& b, const BatchView<T>& x,
                               BatchWorkspaceImpl<T>& workspace) const = 0;
  virtual void enqueue_solve(const BatchView<const T>& b, const BatchView<T>& x,
                             BatchWorkspaceImpl<T>& workspace, StreamHandle stream) const = 0;
  /// Returns L(row, col) of item k, in the plan's numbering; 0 outside the structure of L.
  [[nodiscard]] virtual T entry(Index k, Index row, Index col) const = 0;
};

}  // namespace kauri::numeric
