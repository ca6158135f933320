// SparseProduct: y = alpha A x + beta y where a backend computes, for loops that multiply by A many times: time steps, residuals,
// gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "kauri/backend.hpp"
#include "kauri/device_matrix.hpp"
#include "kauri/device_values.hpp"
#include "kauri/matrix.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class ProductImpl;
}

/// The rows of a symmetric A, both halves, where a backend computes: made once for all values on a pattern. A need not be positive
/// definite.
///
///     auto mass = kauri::SparseProduct<double>::create(m.pattern(), backend);
///     mass.enqueue_values(value, stream);                  // all of this may be captured, and replayed with other numbers
///     mass.enqueue_multiply(1, x, 0, y, stream);           // y = M x
///     mass.enqueue_multiply(-1, x, 1, b, stream);          // b = b - M x
///
/// y = alpha A x + beta y is arithmetic: NaN and infinities go where the formula brings them, also with alpha = 0; but with beta = 0 y is
/// written and not read, so that nothing of what was there is left, NaN neither. x and y have n rows and as many columns as each other, any
/// number of them, of either layout each, with columns or rows apart (ld); what lies between stays.
///
/// Each entry of A times x, rounded, is added up in an order that the pattern alone decides; the sum is multiplied by alpha, and beta y,
/// rounded, is added. Along a row of k entries the error is at most (k + 1) eps |alpha| |A||x|, and another eps of each of the two terms.
/// On the CPU all that is in double, for floats too, and rounded at the end. Sums of twice the precision, for residuals of solutions, are
/// those of multiply() and residual() (kauri/refine.hpp). The bits are the same each time, on the CPU for any number of threads and target,
/// and on every device; each column has those of its product alone, and no bit depends on layouts.
///
/// On the CPU DeviceMatrixView and DeviceValues are ordinary memory, the stream is null, and all is done when a call returns. Move-only;
/// one moved from may be assigned to and destroyed, nothing else. Takes one call at a time, and Error(usage) tells another thread's; works
/// on one product at a time, in one stream's order; outlives what was enqueued with it.
template <Scalar T>
class SparseProduct {
 public:
  /// a: copied as far as it is needed. Takes all memory, from a device one block, counted in the backend's bytes, but for calls with the
  /// host's memory there; chooses how a device sums by the lengths of rows, and loads that. O(n + nnz), and on a device 4 bytes for the
  /// column, 4 for the place of the value and sizeof(T) an entry of the whole A. Throws Error: input (a bad pattern), memory, and overflow
  /// (for more than 2^32 - 1 entries on a device).
  static SparseProduct create(const Pattern& a, Backend& backend);
  /// The same, and its values are set.
  static SparseProduct create(const SymmetricView<T>& a, Backend& backend);
  SparseProduct(SparseProduct&&) noexcept;
  SparseProduct& operator=(SparseProduct&&) noexcept;
  ~SparseProduct();

  /// Rows and columns of A.
  [[nodiscard]] Index n() const { return n_; }
  /// Of the memory where it computes.
  [[nodiscard]] Offset bytes() const;

  /// The values of A from here on, in the order of the pattern; copied, on a device through memory for the time of the call: where values
  /// change often, DeviceValues::assign() takes none. Throws Error: usage (a wrong length), memory.
  void set_values(std::span<const T> value);
  /// The same with values where it computes. What writes them has ended before. Throws Error(usage) for a wrong length or other memory.
  void set_values(const DeviceValues<T>& value);
  /// The same on the caller's stream, also a capturing one: nothing is allocated; `value` stays as it is until the work is done.
  void enqueue_values(const DeviceValues<T>& value, StreamHandle stream);

  /// y = alpha A x + beta y, of the host's memory. On a device x and y go there and back, 32 columns at a time, through memory for the time
  /// of the call. Throws Error: usage (shapes that do not fit, x overlaps y, no values were set), memory.
  void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y);
  /// The same where it computes: nothing is copied or allocated. What writes x, y and the values has ended before; y is there when this
  /// returns. Throws Error(usage) also for other memory.
  void multiply(T alpha, DeviceMatrixView<const T> x, T beta, DeviceMatrixView<T> y);
  /// Enqueues the same on the caller's stream, and returns without waiting for it: the product, x and y are in use until the work is done.
  /// One launch for up to 8 columns; where some rows are much longer than others, two for up to 32. The stream may be capturing: then a
  /// replay reads the numbers that x, y and A hold then; alpha and beta are as they are now.
  ///
  /// Throws Error: usage (as multiply(), a stream for the CPU), device (CUDA refused the work).
  void enqueue_multiply(T alpha, DeviceMatrixView<const T> x, T beta, DeviceMatrixView<T> y, StreamHandle stream);

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
