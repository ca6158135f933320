// SparseProduct: y = alpha A x + beta y on a backend, for loops that multiply by A many times: time
// steps, residuals, gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "kauri/core/backend.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/device/device_matrix.hpp"
#include "kauri/device/device_values.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class ProductImpl;
}

/// Full rows of a symmetric A, both halves, in the memory of a backend. They are made once for all
/// values on a pattern. A need not be positive definite.
///
///     auto mass = kauri::SparseProduct<double>::create(m.pattern(), backend);
///     mass.enqueue_values(value, stream);          // these three may be captured in a graph
///     mass.enqueue_multiply(1, x, 0, y, stream);   // y = M x
///     mass.enqueue_multiply(-1, x, 1, b, stream);  // b = b - M x
///
/// x and y have n rows and one common number of columns, which may be any. Each is of either
/// layout, with gaps between columns or rows (ld); memory in the gaps is not changed. NaN and
/// infinities propagate as in the formula, also with alpha = 0. With beta = 0, y is written and not
/// read, so a NaN that was in y does not propagate.
///
/// Products of entries of A and x are rounded and added up in an order that the pattern alone
/// determines; the sum is multiplied by alpha, and beta y, rounded, is added. For a row of k
/// entries the error is at most (k + 1) eps |alpha| |A||x|, plus eps of each of the two terms. On
/// the CPU all of this is done in double, for floats too, and rounded at the end. For residuals of
/// solutions, multiply() and residual() (kauri/solve/refine.hpp) sum in twice the precision. The
/// bits are the same in every run: on the CPU for any number of threads and any target, and on
/// every device. Each column has the bits of its product alone, and no bit depends on layouts.
///
/// On the CPU a DeviceMatrixView or DeviceValues is ordinary memory, the stream is null, and all
/// work is done when a call returns. A SparseProduct takes one call at a time: a call while another
/// one is under way throws Error(usage). It does one product at a time, in the order of one stream,
/// and outlives the work that was enqueued with it. Move-only; one that was moved from may only be
/// assigned to and destroyed.
template <Scalar T>
class SparseProduct {
 public:
  /// Makes the rows of A from its pattern; set_values() must follow. The arrays of `a` are copied
  /// as far as needed. Allocates all memory that the object keeps, which the backend counts. On a
  /// device it is one block: for each entry of the full A, 4 bytes for its column, 4 for the
  /// position of its value, and sizeof(T) for the value; calls with matrices or values in host
  /// memory allocate more for their duration. A device sums by a kernel that is chosen by the
  /// lengths of the rows, and loaded here. O(n + nnz). Throws Error: input (a bad pattern), memory,
  /// overflow (more than 2^32 - 1 entries on a device).
  static SparseProduct create(const Pattern& a, Backend& backend);
  /// Makes the rows of A and sets its values. Throws as create() and set_values() do.
  static SparseProduct create(const SymmetricView<T>& a, Backend& backend);
  SparseProduct(SparseProduct&&) noexcept;
  SparseProduct& operator=(SparseProduct&&) noexcept;
  ~SparseProduct();

  /// Returns the number of rows and columns of A.
  [[nodiscard]] Index n() const { return n_; }
  /// Returns the bytes that this object holds in the memory of the backend.
  [[nodiscard]] Offset bytes() const;

  /// Sets the values of A from the host's memory, length nnz, in the order of the pattern; they are
  /// copied. On a device the call takes memory for its duration; if values change often, use
  /// DeviceValues::assign(), which takes none. Throws Error: usage (a wrong length), memory.
  void set_values(std::span<const T> value);
  /// Sets the values of A from the memory of the backend. Work that writes `value` must have ended
  /// before the call. Throws Error(usage) for a wrong length, or if `value` is in other memory.
  void set_values(const DeviceValues<T>& value);
  /// Enqueues set_values() on the caller's stream, which may be capturing; on the CPU the stream is
  /// null. Nothing is allocated. `value` must stay unchanged until the work is done. Throws as
  /// set_values() with device values.
  void enqueue_values(const DeviceValues<T>& value, StreamHandle stream);

  /// Computes y = alpha A x + beta y with x and y in the host's memory. On a device x and y are
  /// copied there and y back, 32 columns at a time, through memory taken for the call. Throws
  /// Error: usage (shapes that do not fit, x overlaps y, no values were set), memory.
  void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y);
  /// Computes y = alpha A x + beta y with x and y in the memory of the backend, without copies or
  /// allocations. Work that writes x, y or the values must have ended before the call; y is
  /// complete on return. Throws Error(usage) also if x or y is in other memory.
  void multiply(T alpha, DeviceMatrixView<const T> x, T beta, DeviceMatrixView<T> y);
  /// Enqueues y = alpha A x + beta y on the caller's stream and returns without waiting. This
  /// object, x and y are in use until the work is done. It takes one launch for up to 8 columns, or
  /// two launches for up to 32 if some rows are much longer than others. The stream may be
  /// capturing: a replay reads the values that x, y and A hold at that time, and uses the alpha and
  /// beta of this call.
  ///
  /// Throws Error: usage (as multiply(); a stream on the CPU), device (CUDA refused the work).
  void enqueue_multiply(T alpha, DeviceMatrixView<const T> x, T beta, DeviceMatrixView<T> y,
                        StreamHandle stream);

 private:
  SparseProduct(std::unique_ptr<numeric::ProductImpl<T>> store, const Pattern& a);
  void require_length(std::size_t values) const;
  void require_fit(const MatrixView<const T>& x, const MatrixView<T>& y) const;
  std::unique_ptr<numeric::ProductImpl<T>> store_;
  Index n_;
  Offset nnz_;
  bool has_values_ = false;
};

}  // namespace kauri
