// Batches: many systems with one pattern, factorised and solved together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>

#include "kauri/core/backend.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "kauri/core/verdict.hpp"
#include "kauri/device/device_values.hpp"
#include "kauri/device/prepared_plan.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class BatchImpl;
template <Scalar T>
class BatchWorkspaceImpl;
}  // namespace numeric

/// Non-owning view of dense matrices of equal shape, one for each item of a batch. Entry (i,j) of
/// item k is data[k*stride + j*ld + i] if the matrices are column-major, data[k*stride + i*ld + j]
/// if they are row-major. Matrices that a call writes must not overlap.
template <class T>
struct BatchView {
  T* data = nullptr;  ///< may be null when items*rows*cols = 0
  Index items = 0;    ///< number of matrices, one for each item k < items
  Index rows = 0;     ///< rows of each matrix: i < rows
  Index cols = 0;     ///< columns of each matrix: j < cols
  Offset ld =
      0;  ///< leading dimension: entries from column to column, >= rows; row-major: from row to row
  Offset stride =
      0;  ///< entries from item to item, >= 0; 0: all items share one matrix, for b alone
  Layout layout = Layout::column_major;  ///< layout of each item

  /// Converts to a read-only view.
  template <std::same_as<const T> U>
  operator BatchView<U>() const {
    return {data, items, rows, cols, ld, stride, layout};
  }
  /// Returns the matrix of item k, 0 <= k < items.
  [[nodiscard]] MatrixView<T> item(Index k) const {
    return {data + k * stride, rows, cols, ld, layout};
  }
};

/// Non-owning view, as BatchView, of matrices in the memory of a CUDA device. A distinct type, so
/// that calls for host memory and for device memory cannot be confused.
template <class T>
class DeviceBatchView {
 public:
  /// Wraps a view whose data are in device memory.
  explicit DeviceBatchView(BatchView<T> there) : view_(there) {}
  /// Returns the wrapped view; the host must not read its data.
  [[nodiscard]] const BatchView<T>& view() const { return view_; }
  /// Converts to a read-only view.
  template <std::same_as<const T> U>
  operator DeviceBatchView<U>() const {
    return DeviceBatchView<U>(view_);
  }

 private:
  BatchView<T> view_;
};

/// Ways to process the items of a batch. On the CPU all ways give the same bits; on a device
/// `together` and `one_by_one` give different ones.
enum class BatchWay {
  /// One of the other two, chosen by the plan alone, never by the number of items. On a device:
  /// `together` if one thread block can process every front and its predicted time for an item is
  /// at most 64 times that of the whole device. On the CPU: `together` if an item is predicted to
  /// take less than 10 ms of one thread, or has only one task. Otherwise `one_by_one`.
  automatic,
  together,    ///< items in parallel: one launch in which a thread block does all fronts of an
               ///< item; on the CPU one thread does an item
  one_by_one,  ///< items one after another, each by all threads or the whole device as in a Factor
};

template <Scalar T>
class BatchFactor;

/// Scratch memory for solves with the batch that it was created for, `nrhs` columns of each item at
/// once; solves of more columns proceed in blocks. Solves allocate nothing else. Each thread or
/// stream that solves needs its own workspace; a call whose workspace is in use by another thread's
/// call throws Error(usage). A workspace must outlive the work enqueued with it. Move-only; one
/// that was moved from may only be assigned to or destroyed.
template <Scalar T>
class BatchWorkspace {
 public:
  /// Allocates the workspace. Throws Error: memory, usage (nrhs < 1).
  static BatchWorkspace create(const BatchFactor<T>& batch, Index nrhs);
  /// Returns the bytes that create() takes of the backend's memory, exactly. Throws Error(usage)
  /// for nrhs < 1.
  static Offset bytes(const BatchFactor<T>& batch, Index nrhs);
  BatchWorkspace(BatchWorkspace&&) noexcept;
  BatchWorkspace& operator=(BatchWorkspace&&) noexcept;
  ~BatchWorkspace();

 private:
  friend class BatchFactor<T>;
  BatchWorkspace(std::unique_ptr<numeric::BatchWorkspaceImpl<T>> store,
                 std::weak_ptr<const numeric::BatchImpl<T>> batch);
  std::unique_ptr<numeric::BatchWorkspaceImpl<T>> store_;
  std::weak_ptr<const numeric::BatchImpl<T>>
      batch_;  // identifies the batch: a later batch may have its address
};

/// Cholesky factors of `items` matrices with the pattern of one plan: P A_k P^T = L_k L_k^T. The
/// bits of an item depend neither on the number of items nor on its position or on the other items'
/// values; on the CPU they are those of a Factor. If the factorisation of an item fails, its
/// verdict says so and its solutions are NaN; the other items are not affected. refactorize() takes
/// one call at a time, throws Error(usage) while another one runs, and must not run during solves;
/// solves are const and may run at the same time, with a workspace each. Move-only;
/// one that was moved from may only be assigned to or destroyed.
///
///     auto batch = kauri::BatchFactor<double>::create(plan, 1000, backend);
///     auto workspace = kauri::BatchWorkspace<double>::create(batch, 1);
///     auto verdicts = kauri::refactorize<double>(batch, values, plan->nnz);  // 1000 verdicts
///     batch.solve({x.data(), 1000, plan->n, 1, plan->n, plan->n}, workspace);
template <Scalar T>
class BatchFactor {
 public:
  /// Allocates the buffers for `items` >= 0 matrices and factorises nothing. Throws Error: memory
  /// (with the bytes asked for, those of bytes()), overflow, usage (items < 0; `together` on a
  /// device if a front has more rows than one thread block can process, 720, or an item takes 2^31
  /// scalars or more; in all cases in which Factor<T>::create() throws it).
  static BatchFactor create(const PreparedPlan& plan, Index items,
                            BatchWay way = BatchWay::automatic);
  /// Prepares the plan for this batch alone, then creates the batch. Throws also as
  /// PreparedPlan::create().
  static BatchFactor create(std::shared_ptr<const Plan> plan, Index items, Backend& backend,
                            BatchWay way = BatchWay::automatic);
  /// Returns the bytes that create() takes of the backend's memory in addition to the prepared
  /// plan, exactly. On a device the verdicts also take page-locked host memory, which is not
  /// counted. Throws Error: overflow, usage (as create()).
  static Offset bytes(const PreparedPlan& plan, Index items, BatchWay way = BatchWay::automatic);
  BatchFactor(BatchFactor&&) noexcept;
  BatchFactor& operator=(BatchFactor&&) noexcept;
  ~BatchFactor();

  /// Returns the plan, which lives as long as the batch.
  [[nodiscard]] const Plan& plan() const;
  [[nodiscard]] Index items() const;   ///< number of matrices
  [[nodiscard]] BatchWay way() const;  ///< the way in use: together or one_by_one, never automatic

  /// Returns the verdicts of the last factorisation, one per item, as the host last read them;
  /// columns are in the caller's numbering. All are `none` from enqueue_refactorize() until
  /// fetch_verdicts(). A value that is not finite makes its item not positive definite, with the
  /// pivot that resulted.
  [[nodiscard]] std::span<const DeviceVerdict> verdicts() const;
  /// Waits for all work on the stream and copies the verdicts from the device, as
  /// Factor::fetch_verdict() does; returns them. Throws Error: device (that work failed), usage (a
  /// stream for the CPU).
  std::span<const DeviceVerdict> fetch_verdicts(StreamHandle stream);
  /// Returns the address of the verdict of item k on the device, 0 <= k < items(), for later work
  /// on the stream; it does not change while the batch lives. On the CPU it is in ordinary memory.
  /// Throws Error(usage) for an item out of range.
  [[nodiscard]] const DeviceVerdict* verdict_address(Index k) const;

  /// Solves A_k X_k = B_k for all items: x holds B on entry and X on return, NaN for items whose
  /// factorisation failed. Throws Error(usage) if the batch has not been factorised or its verdicts
  /// have not been fetched since enqueue_refactorize(), sizes do not fit, items of x overlap, or
  /// the workspace belongs to another batch or is in use. No solve of this class judges x: a NaN or
  /// an infinity in b yields a NaN or an infinity in x without an Error; backward_error() measures
  /// an x. stop: as for Factor::solve().
  void solve(BatchView<T> x, BatchWorkspace<T>& workspace, const std::stop_token& stop = {}) const;
  /// Solves A_k X_k = B_k with B in b, which keeps its values; b and x have the same shape. x must
  /// not overlap b unless it is b itself (same data, ld, stride and layout). Throws Error(usage)
  /// also if x begins at b's first entry but is laid out differently.
  void solve(BatchView<const T> b, BatchView<T> x, BatchWorkspace<T>& workspace,
             const std::stop_token& stop = {}) const;
  /// Solves A_k X_k = B_k with x in the memory of the batch's device, which holds B on entry: same
  /// bits as with host memory, and nothing is copied. Returns when x is complete. Throws
  /// Error(usage) also if x is in other memory, and for a batch on the CPU.
  void solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace) const;
  /// Solves A_k X_k = B_k with b and x in the memory of the batch's device; b keeps its values, and
  /// x must not overlap it unless it is b itself.
  void solve(DeviceBatchView<const T> b, DeviceBatchView<T> x, BatchWorkspace<T>& workspace) const;
  /// Enqueues a solve on the caller's stream, after enqueue_refactorize() on the same stream or in
  /// the same graph; x holds B on entry. The stream may be capturing. Allocates nothing and does
  /// not wait. The rules of Factor::enqueue_solve() on objects in use apply. Throws Error: usage
  /// (as solve() with device memory, but verdicts need not be fetched), device (CUDA refused the
  /// work).
  void enqueue_solve(DeviceBatchView<T> x, BatchWorkspace<T>& workspace, StreamHandle stream) const;
  /// Enqueues a solve with B in b, which keeps its values, and the solution in x.
  void enqueue_solve(DeviceBatchView<const T> b, DeviceBatchView<T> x, BatchWorkspace<T>& workspace,
                     StreamHandle stream) const;

  /// Returns entry (row, col) of L of item k as stored; rows and columns are those of B = P A P^T.
  /// Zero outside the pattern of L. Throws Error(usage) for an index out of range.
  [[nodiscard]] T entry(Index k, Index row, Index col) const;

  /// Internal.
  [[nodiscard]] numeric::BatchImpl<T>& store() const { return *store_; }

 private:
  friend class BatchWorkspace<T>;
  explicit BatchFactor(std::unique_ptr<numeric::BatchImpl<T>> store);
  [[nodiscard]] bool fits(const BatchView<const T>& b, const BatchView<T>& x,
                          const BatchWorkspace<T>& workspace) const;
  std::shared_ptr<numeric::BatchImpl<T>> store_;  // sole owner; workspaces hold weak pointers
};

/// Computes L of A_k + shift I for all items and returns the verdicts, which live as long as the
/// batch. The values of item k are value[k*stride .. k*stride + nnz), in the order of the pattern
/// analysed, stride >= 0; with stride = 0 all items have the same values. They are in host memory
/// or, for a batch on a device, in the memory of any device; from a device that is not the batch's
/// they are copied item by item. Allocates nothing. Throws Error(usage) for too few values, stride
/// < 0, a shift that is not finite or another call that fills the batch meanwhile. stop: as for
/// refactorize() of a Factor; after Error(cancelled) not all verdicts are known, unless the work
/// had not begun, and the batch must be refactorised.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, std::span<const T> value,
                                           Offset stride, std::type_identity_t<T> shift = 0,
                                           const std::stop_token& stop = {});
/// Computes L of all items from values in the memory of the batch's device, as refactorize() above,
/// without a copy.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value,
                                           Offset stride, std::type_identity_t<T> shift = 0,
                                           const std::stop_token& stop = {});
/// Computes L of all items from device values that the work already enqueued on the caller's stream
/// writes: the device begins when that work has ended, as in the refactorize() of a Factor that
/// takes a stream.
template <Scalar T>
std::span<const DeviceVerdict> refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value,
                                           Offset stride, std::type_identity_t<T> shift,
                                           StreamHandle stream, const std::stop_token& stop = {});
/// Enqueues the factorisation of all items on the caller's stream, which may be capturing, and
/// returns at once: it allocates no memory and does not wait. (If items are done one by one, the
/// second refactorisation of a batch outside a capture makes a CUDA graph for each item, which
/// takes the host longer; and CUDA itself blocks the host once about a thousand launches are
/// enqueued on a stream.) The verdicts stay on the device until BatchFactor::fetch_verdicts(). On
/// the CPU the stream must be null, and the work is done on return.
///
/// Throws Error: usage (as refactorize(); a stream for the CPU; values that are not in the memory
/// of the batch's device), device (CUDA refused the work).
template <Scalar T>
void enqueue_refactorize(BatchFactor<T>& batch, const DeviceValues<T>& value, Offset stride,
                         std::type_identity_t<T> shift, StreamHandle stream);

}  // namespace kauri
