// Boundary to the backends: workspaces and solves, in device memory too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/threads/one_call.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/plan.hpp"
#include "numeric/estimator_impl.hpp"

namespace kauri::numeric {

/// Scratch memory of solves (see kauri::Workspace).
template <Scalar T>
class WorkspaceImpl {
 public:
  virtual ~WorkspaceImpl() = default;
  [[nodiscard]] virtual Index nrhs() const = 0;
  [[nodiscard]] virtual const Plan& plan() const = 0;
  CallFlag calls;  ///< marks the workspace as busy while a public call works in it
};

/// Stages of a solve, in order; a skipped stage is the identity.
struct SolveSteps {
  bool permute = true;   ///< x := P x, from the caller's numbering to the plan's
  bool forward = true;   ///< x := L^-1 x
  bool backward = true;  ///< x := L^-T x
  bool back = true;      ///< x := P^T x, back to the caller's numbering
  /// Run flag on a device: the address of a number in device memory, or null. If the number is 0
  /// when the stream reaches the solve, the kernels return at once and x keeps its values. The CPU
  /// ignores it.
  const std::int32_t* run_flag = nullptr;
};

/// Solves with right-hand sides and solutions in device memory, and other operations on a factor on
/// a device. The caller has checked shapes, plans and verdicts that the host knows; x is b itself
/// or does not overlap it. x of a solve is NaN if the verdict is not good when the kernels run.
template <Scalar T>
class DeviceSolves {
 public:
  virtual ~DeviceSolves() = default;
  /// Returns true from StreamCalls::enqueue_refactorize() until the host has received the verdict
  /// of that factorisation.
  [[nodiscard]] virtual bool awaits_verdict() const = 0;
  /// Solves and waits for x.
  virtual void solve_on_device(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                               const SolveSteps& steps) const = 0;
  virtual void enqueue_solve(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                             const SolveSteps& steps, StreamHandle stream) const = 0;
  /// Computes x = L b, or x = L^T b if transposed, in the plan's numbering, and waits for x.
  virtual void multiply_on_device(MatrixView<const T> b, MatrixView<T> x,
                                  WorkspaceImpl<T>& workspace, bool transposed) const = 0;
  virtual void enqueue_multiply(MatrixView<const T> b, MatrixView<T> x, WorkspaceImpl<T>& workspace,
                                bool transposed, StreamHandle stream) const = 0;
  /// Calls enqueue(stream) with a stream that the backend owns, and waits for the work enqueued on
  /// it.
  virtual void run_now(const std::function<void(StreamHandle)>& enqueue) const = 0;
  /// Enqueues g = L22 y2: L22 is the block of L on the last g.rows rows and columns, y2 the last
  /// g.rows rows of y. This call, enqueue_last_transposed() and enqueue_last_square() write NaN if
  /// the verdict is not good when the kernel runs.
  virtual void enqueue_last_product(MatrixView<const T> y, MatrixView<T> g,
                                    StreamHandle stream) const = 0;
  /// Enqueues y2 = L22^T x2: y2 is the last x2.rows rows of y, L22 the block of L on the last
  /// x2.rows rows and columns. Other rows of y keep their values.
  virtual void enqueue_last_transposed(MatrixView<const T> x2, MatrixView<T> y,
                                       StreamHandle stream) const = 0;
  /// Enqueues the lower triangle of s = L22 L22^T, with L22 the block of L on the last s.rows rows
  /// and columns.
  virtual void enqueue_last_square(MatrixView<T> s, StreamHandle stream) const = 0;
  /// Enqueues a copy of g to the last g.rows rows of y, and zeros in the rows above.
  virtual void enqueue_below_zeros(MatrixView<const T> g, MatrixView<T> y,
                                   StreamHandle stream) const = 0;
  /// Enqueues a copy of the last x2.rows rows of y to x2.
  virtual void enqueue_last_rows(MatrixView<const T> y, MatrixView<T> x2,
                                 StreamHandle stream) const = 0;
  /// Enqueues y(j, r) = L(n - y.cols + r, j) for all columns j before the last y.cols ones, and
  /// zeros for the last y.cols values of j. Requires a plan in which the last y.cols rows are rows
  /// of every front. Without a good verdict the contents of y are unspecified.
  virtual void enqueue_rows_of_l(MatrixView<T> y, StreamHandle stream) const = 0;
  /// Returns an estimator of ||A^-1||_1, see NormEstimator. It holds device memory and uses the
  /// workspace as long as it lives.
  [[nodiscard]] virtual std::unique_ptr<NormEstimator<T>> make_norm_estimator(
      WorkspaceImpl<T>& workspace) const = 0;
  /// Returns ln det(L L^T), or NaN if the verdict is not good, and waits for it. Takes device
  /// memory for the duration of the call.
  [[nodiscard]] virtual double log_determinant() const = 0;
  /// Enqueues a write of ln det(L L^T) to *there in device memory; NaN if the verdict is not good
  /// when the kernel runs. `workspace` is scratch.
  virtual void enqueue_log_determinant(double* there, WorkspaceImpl<T>& workspace,
                                       StreamHandle stream) const = 0;
};

}  // namespace kauri::numeric
