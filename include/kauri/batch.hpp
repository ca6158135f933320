// Batches: many systems with one pattern, factorised and solved together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>

#include "kauri/backend.hpp"
#include "kauri/device_values.hpp"
#include "kauri/matrix.hpp"
#include "kauri/plan.hpp"
#include "kauri/prepared_plan.hpp"
#include "kauri/verdict.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class BatchImpl;
template <Scalar T>
class BatchWorkspaceImpl;
}  // namespace numeric

/// Dense matrices of equal shape, one for each item of a batch, borrowed: entry (i,j) of item k is data[k*stride + j*ld + i], or, where
/// they are row-major, data[k*stride + i*ld + j]. Those that are written do not overlap.
template <class T>
struct BatchView {
  T* data = nullptr;                     ///< may be null when items*rows*cols = 0
  Index items = 0;                       ///< k < items
  Index rows = 0;                        ///< i < rows
  Index cols = 0;                        ///< j < cols
  Offset ld = 0;                         ///< from column to column, >= rows; of row-major ones from row to row, >= cols
  Offset stride = 0;                     ///< from item to item, >= 0; 0, for right-hand sides alone: all items have the same
  Layout layout = Layout::column_major;  ///< of each item

  /// The same, to be read only.
  template <std::same_as<const T> U>
  operator BatchView<U>() const {
    return {data, items, rows, cols, ld, stride, layout};
  }
  /// The matrix of item k.
  [[nodiscard]] MatrixView<T> item(Index k) const { return {data + k * stride, rows, cols, ld, layout}; }
};

/// The same in the memory of a CUDA device; a type of its own, as DeviceMatrixView is.
template <class T>
class DeviceBatchView {
 public:
  /// Of a view whose data are on the device.
  explicit DeviceBatchView(BatchView<T> there) : view_(there) {}
  /// On the device: not to be read elsewhere.
  [[nodiscard]] const BatchView<T>& view() const { return view_; }
  /// The same, to be read only.
  template <std::same_as<const T> U>
  operator DeviceBatchView<U>() const {
    return DeviceBatchView<U>(view_);
  }

 private:
  BatchView<T> view_;
};

/// How the items of a batch are done. On the CPU no bit depends on it; on a device the bits of the one way are not those of the other.
enum class BatchWay {
  /// By the plan alone, never by the number of items: on a device `together` where a block of threads is predicted to need no more than 64
  /// times the seconds of a whole device for an item; on the CPU where an item is predicted to take less than 10 ms, or cannot use more
  /// than one thread.
  automatic,
  together,    ///< side by side: on a device a block of threads does an item, all its fronts, in one launch; on the CPU a thread does
  one_by_one,  ///< one after another, as Factor does each: for few items, or large ones
};

template <Scalar T>
class BatchFactor;

/// Scratch memory of solves on one batch at a time, for `nrhs` columns of each item at once (more are done in blocks). Allocated here and
/// nowhere else; one per thread or stream that solves. Outlives what was enqueued with it. Move-only; one moved from may be assigned to and
/// destroyed, nothing else.
template <Scalar T>
class BatchWorkspace {
 public:
  /// nrhs >= 1. Throws Error(memory).
  static BatchWorkspace create(const BatchFactor<T>& batch, Index nrhs);
  /// What create() takes of the backend's memory, byte for byte.
  static Offset bytes(const BatchFactor<T>& batch, Index nrhs);
  BatchWorkspace(BatchWorkspace&&) noexcept;
  BatchWorkspace& operator=(BatchWorkspace&&) noexcept;
  ~BatchWorkspace();

 private:
  friend class BatchFactor<T>;
  BatchWorkspace(std::unique_ptr<numeric::BatchWorkspaceImpl<T>> store, std::weak_ptr<const numeric::BatchImpl<T>> batch);
  std::unique_ptr<numeric::BatchWorkspaceImpl<T>> store_;
  std::weak_ptr<const numeric::BatchImpl<T>> batch_;  // its address alone may be a later one's
};

/// L of `items` matrices with the pattern of one plan: P A_k P^T = L_k L_k^T. The bits of an item depend neither on how many there are nor
/// on its place among them, nor on the others' numbers; on the CPU they are those of a Factor. An item whose pivots fail has a verdict that
/// says so, and NaN as its solutions; all others are as without it. Move-only; one moved from may be assigned to and destroyed, nothing
/// else.
///
///     auto batch = kauri::BatchFactor<double>::create(plan, 1000, backend);
///     auto workspace = kauri::BatchWorkspace<double>::create(batch, 1);
///     for (const kauri::DeviceVerdict& verdict : kauri::refactorize<double>(batch, values, plan->nnz)) ...
///     batch.solve({x.data(), 1000, plan->n, 1, plan->n, plan->n}, workspace);
template <Scalar T>
class BatchFactor {
 public:
  /// Buffers only. items >= 0. Throws Error: memory (with the bytes asked for, those of bytes()), overflow, usage (a negative number of
  /// items; `together` on a device with fronts of more rows than a block of threads can do).
  static BatchFactor create(const PreparedPlan& plan, Index items, BatchWay way = BatchWay::automatic);
  /// With a plan prepared for this batch alone.
  static BatchFactor create(std::shared_ptr<const Plan> plan, Index items, Backend& backend, BatchWay way = BatchWay::automatic);
  /// What create() takes of the backend's memory beside the prepared plan, byte for byte. On a device verdicts take page-locked memory of
  /// the host beside that.
  static Offset bytes(const PreparedPlan& plan, Index items, BatchWay way = BatchWay::automatic);
  BatchFactor(BatchFactor&&) noexcept;
  BatchFactor& operator=(BatchFactor&&) noexcept;
  ~BatchFactor();

  /// What it was made for; lives as long as the batch.
  [[nodiscard]] const Plan& plan() const;
  [[nodiscard]] Index items() const;   ///< matrices
  [[nodiscard]] BatchWay way() const;  ///< that was taken: together or one_by_one

  /// Of the last factorisation, as far as the host knows, one for each item; columns are the caller's. A value that is not finite makes
  /// its item not positive definite, with the pivot that came of it.
  [[nodiscard]] std::span<const DeviceVerdict> verdicts() const;
  /// Waits for all work on the stream and takes over the verdicts that lie on the device, as Factor::fetch_verdict() does. Throws
  /// Error(device) if that work failed.
  std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream);
  /// Where the device keeps the verdict of item k < items(), for the stream's own use; the same as long as the batch lives.
  [[nodiscard]] const DeviceVerdict* verdict_address(Index k) const;

  /// x holds B on entry and X with A_k X_k = B_k on return, for all items; of items that failed NaN. Throws Error(usage) where nothing has
  /// been factorised, sizes do not fit, or the workspace belongs to another batch. No solve of this class judges x: a NaN or an infinity
  /// in b gives such an x without an Error; backward_error() measures an x.
  void solve(BatchView<T> x, BatchWorkspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// The same with B in b, which is kept: x does not overlap it, or is b itself (data, ld, stride and layout). Throws Error(usage) where x
  /// begins at b's first entry but has others elsewhere.
  void solve(BatchView<const T> b, BatchView<T> x, BatchWorkspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// The same with b and x on the batch's device: the same bits, and nothing is copied. x is there when this returns.
  void solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace) const;
  /// The same with B in b.
  void solve(DeviceBatchView<const T> b, DeviceBatchView<T> x, BatchWorkspace<T>& workspace) const;
  /// Enqueues it on the caller's stream, which may be capturing, after enqueue_refactorize() there or in the same graph; nothing is
  /// allocated or waited for. See Factor::enqueue_solve().
  void enqueue_solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace, StreamHandle stream) const;
  /// The same with B in b.
  void enqueue_solve(DeviceBatchView<const T> b, DeviceBatchView<T> x, BatchWorkspace<T>& workspace, StreamHandle stream) const;

  /// Entry (row, col) of L of item k as stored, for tests; rows and columns of B = P A P^T; zero outside the pattern of L.
  [[nodiscard]] T entry(Index k, Index row, Index col) const;

  /// kauri's own.
  [[nodiscard]] numeric::BatchImpl<T>& store() const { return *store_; }

 private:
  friend class BatchWorkspace<T>;
  explicit BatchFactor(std::unique_ptr<numeric::BatchImpl<T>> store);
  [[nodiscard]] bool fits(const BatchView<const T>& b, const BatchView<T>& x, const BatchWorkspace<T>& workspace) const;
  std::shared_ptr<numeric::BatchImpl<T>> store_;  // with nobody else
};

/// Fills L of all items: A_k + shift I, with the values of item k at value[k*stride .. k*stride + nnz), in the order of the pattern
/// analysed, stride >= 0; in memory of the host or of any device, from another than the batch's item by item. Returns the verdicts, which
/// live as long as the batch. No allocation. Throws Error(usage) for too few values or a shift that is not finite; stop: as for a Factor.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, std::span<const T> value, Offset stride,
                                           std::type_identity_t<T> shift = 0, const std::stop_token& stop = {});
/// The same with values that lie on the batch's device.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value, Offset stride,
                                           std::type_identity_t<T> shift = 0, const std::stop_token& stop = {});
/// The same with values that work on the caller's stream writes, enqueued by now: as the refactorize() of a Factor that takes a stream.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value, Offset stride,
                                           std::type_identity_t<T> shift, StreamHandle stream, const std::stop_token& stop = {});
/// Enqueues it on the caller's stream, which may be capturing, and returns at once: no memory is allocated, nothing is waited for. (Where
/// items are done one by one, a batch's second refactorisation that is not captured makes a CUDA graph for each item, as a factor's does,
/// which takes the host longer; and CUDA itself makes the host wait once about a thousand launches are enqueued on a stream.) The verdicts
/// stay on the device until BatchFactor::fetch_verdicts(). On the CPU the stream is null, and the work is done when this returns.
///
/// Throws Error: usage (as refactorize(), a stream for the CPU, values that do not lie on the batch's device), device (CUDA refused the
/// work).
template <Scalar T>
void enqueue_refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value, Offset stride, std::type_identity_t<T> shift,
                         StreamHandle stream);

}  // namespace kauri
