// Boundary to the backends: residuals, products with A, bordered matrices and refinement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/threads/one_call.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/solve/refine.hpp"
#include "numeric/factor_impl.hpp"

namespace kauri::numeric {

/// Lists of A's full rows for one pattern, for residuals and products. Each call takes a matrix
/// with this pattern.
template <Scalar T>
class ResidualImpl {
 public:
  virtual ~ResidualImpl() = default;
  /// Computes r = b - A x in host memory, each row's sum in about twice the precision of T, and
  /// returns the largest backward errors over the columns of x. The caller has checked shapes and
  /// the length of a.value. `values` tells if a.value has changed since the last call.
  virtual BackwardError residual(const SymmetricView<T>& a, MatrixView<const T> x,
                                 MatrixView<const T> b, MatrixView<T> r,
                                 ValuesAre values) const = 0;
  /// Computes y = A x in host memory, each row's sum in about twice the precision of T.
  virtual void multiply(const SymmetricView<T>& a, MatrixView<const T> x,
                        MatrixView<T> y) const = 0;
  /// Returns the bytes that this object holds in the memory of the backend.
  [[nodiscard]] virtual Offset bytes() const = 0;
};

/// Products with A, with its values in the backend's memory: the host's or a device's (see
/// kauri::SparseProduct). The caller has checked shapes, overlaps and lengths.
template <Scalar T>
class ProductImpl {
 public:
  virtual ~ProductImpl() = default;
  CallFlag calls;  ///< marks the product as busy while a public call works in it
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Copies the values of A from host memory.
  virtual void set_values(std::span<const T> host) = 0;
  /// Copies the values of A from the backend's memory and waits. enqueue_values() enqueues the
  /// copy.
  virtual void set_device_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// Computes y = alpha A x + beta y with x and y in host memory; if beta is 0, y is not read.
  virtual void multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  /// As multiply(), but with x and y in device memory (host memory on the CPU); waits.
  /// enqueue_multiply() does not wait.
  virtual void multiply_on_device(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) = 0;
  virtual void enqueue_multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y,
                                StreamHandle stream) = 0;
};

/// The bordered matrix [c B^T; B A] and its solutions X in a backend's memory (see
/// kauri::FusedSolve). Each right-hand side is a column before those of A: a diagonal entry
/// kCorner, then the entries of b. The caller has checked shapes.
template <Scalar T>
class BorderImpl {
 public:
  /// Diagonal entry of the border. It is far above b . A^-1 b for usual b, so that the border's
  /// pivots do not fail, and below 1e290 in double, so that kernels of small fronts need not repeat
  /// a front whose pivots are not "ordinary" (numeric/cuda/factor/tiled/eliminate.cuh).
  static constexpr T kCorner = sizeof(T) == sizeof(float) ? T(0x1p120) : T(0x1p960);

  virtual ~BorderImpl() = default;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Throws Error(usage) if one of the arrays does not lie in the device's memory; on the CPU it
  /// checks nothing.
  virtual void require_device_data(std::span<const T> value, MatrixView<const T> b,
                                   MatrixView<const T> x) const = 0;
  /// Returns the values of the bordered matrix (BorderShape::values()), in host memory on the CPU,
  /// else device memory.
  [[nodiscard]] virtual std::span<const T> values() const = 0;
  /// Copies the values of A and the right-hand sides b from host memory, and waits.
  virtual void set(std::span<const T> value, MatrixView<const T> b) = 0;
  /// Enqueues copies of the values of A and of b from device memory (host memory on the CPU).
  virtual void enqueue_set(std::span<const T> value, MatrixView<const T> b,
                           StreamHandle stream) = 0;
  /// Enqueues the solution X of A X = B, by the backward sweep alone. `factor` is a factor of
  /// values(), and its plan orders the border's rows last. X is NaN if the factor's verdict is not
  /// good when the kernels run.
  virtual void enqueue_solve(const FactorImpl<T>& factor, WorkspaceImpl<T>& workspace,
                             StreamHandle stream) = 0;
  /// Copies X to host memory, and waits for it.
  virtual void get(MatrixView<T> x) const = 0;
  /// Enqueues a copy of X to device memory (host memory on the CPU).
  virtual void enqueue_get(MatrixView<T> x, StreamHandle stream) const = 0;
};

/// Iterative refinement of vectors in a backend's memory (see kauri::Refiner): host memory on the
/// CPU, else device memory. The caller has checked shapes, plans and addresses, and that values,
/// factor and workspace belong to the pattern of this object.
template <Scalar T>
class RefinerImpl {
 public:
  virtual ~RefinerImpl() = default;
  CallFlag calls;  ///< marks the refiner as busy while a public call works in it
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual Offset bytes() const = 0;
  /// Copies the values of A from the backend's memory and waits. enqueue_values() enqueues the
  /// copy.
  virtual void set_values(std::span<const T> value) = 0;
  virtual void enqueue_values(std::span<const T> value, StreamHandle stream) = 0;
  /// Refines x, a solution of A x = b, waits for it and returns the report. If the factor's verdict
  /// is not good, x becomes NaN. Factor and workspace belong to this refiner's executor.
  virtual DeviceRefinement refine(const FactorImpl<T>& factor, MatrixView<const T> b,
                                  MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                  const RefineOptions& options) = 0;
  virtual void enqueue_refine(const FactorImpl<T>& factor, MatrixView<const T> b, MatrixView<T> x,
                              WorkspaceImpl<T>& workspace, const RefineOptions& options,
                              StreamHandle stream) = 0;
  /// Returns the address, in the backend's memory, of the report of the last refinement.
  [[nodiscard]] virtual const DeviceRefinement* report_address() const = 0;
  /// Waits for the stream and returns the report of the last refinement.
  [[nodiscard]] virtual DeviceRefinement fetch_report(StreamHandle stream) const = 0;
};

}  // namespace kauri::numeric
