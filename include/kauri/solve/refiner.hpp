// Refiner: refinement in the backend's memory, for loops that factorise, solve and refine on the
// caller's stream or in a captured graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/solve/refine.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class RefinerImpl;
}

/// Full rows of A for residuals, and the vectors of a refinement, in the memory of a factor's
/// backend. They are made once for all values on a pattern. A Refiner stops by the rules of
/// refine(), with the same corrections and the same bits of x. On a device the device itself
/// decides when to stop, so the host does not wait.
///
///     enqueue_refactorize(factor, value, 0, stream);  // these calls may be captured in a graph,
///     factor.enqueue_solve(b, x, workspace, stream);  // to be replayed for other value and b
///     refiner.enqueue_values(value, stream);
///     refiner.enqueue_refine(factor, b, x, workspace, stream);
///
/// On the CPU a DeviceMatrixView or DeviceValues is ordinary memory, the stream is null, and all
/// work is done when a call returns. Factor::enqueue_solve() is for devices alone: on the CPU call
/// Factor::solve() with matrices in host memory.
///
/// A Refiner does one refinement at a time, in the order of one stream, and outlives the work that
/// was enqueued with it. A call while another one of the same Refiner is under way throws
/// Error(usage). Move-only; a Refiner that was moved from may only be assigned to and destroyed.
template <Scalar T>
class Refiner {
 public:
  /// Makes a Refiner for up to nrhs >= 1 right-hand sides at a time, for factors of this pattern on
  /// the backend of `factor`, which need not be valid. a: the pattern that was analysed; its arrays
  /// are copied as far as needed. No other call allocates. On a device the memory is one block,
  /// which Backend::bytes_in_use() does not include. O(n + nnz).
  ///
  /// Throws Error: input (a bad pattern), usage (nrhs < 1; a pattern other than the factor's),
  /// memory, overflow (more than 2^32 - 1 entries on a device).
  static Refiner create(const Pattern& a, const Factor<T>& factor, Index nrhs);
  Refiner(Refiner&&) noexcept;
  Refiner& operator=(Refiner&&) noexcept;
  ~Refiner();

  /// Returns the most right-hand sides that one refinement takes.
  [[nodiscard]] Index nrhs() const;
  /// Returns the bytes of A's rows and all vectors, in the memory of the backend.
  [[nodiscard]] Offset bytes() const;

  /// Sets the values of A for all residuals from here on, in the order of the pattern; they are
  /// copied. They may differ from the factorised values: with a factor of A + shift I, or of nearby
  /// values, refinement solves the system of A. Work that writes `value` must have ended before the
  /// call. Throws Error(usage) for a wrong length, or while another call is under way.
  void set_values(const DeviceValues<T>& value);
  /// Enqueues set_values() on the caller's stream, which may be capturing; on the CPU the stream is
  /// null. `value` must stay unchanged until the work is done. Throws as set_values().
  void enqueue_values(const DeviceValues<T>& value, StreamHandle stream);

  /// Improves x, which is the result of factor.solve(b), zeros, or any other guess, and returns
  /// when x is done. b and x are n x columns matrices in the backend's memory, each of either
  /// layout and with gaps between columns or rows (ld); b is not changed. Work that writes b, x or
  /// the values must have ended before the call.
  ///
  /// Throws Error: usage (as Factor::solve(); a factor on another backend or of another pattern;
  /// more columns than nrhs(); x overlaps b; no values were set; options out of range), cancelled
  /// (on a device before the work begins).
  Refinement refine(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                    Workspace<T>& workspace, const RefineOptions& options = {});
  /// Enqueues refine() on the caller's stream and returns as Factor::enqueue_solve() does. The call
  /// may follow enqueue_refactorize() directly, and the stream may be capturing. max_steps
  /// corrections are enqueued; those after the last one needed return at once when their turn
  /// comes. If A was not positive definite, all of x is NaN, and the report says so.
  ///
  /// Throws Error: usage (as refine(), except that the factor's verdict may be unknown or not good;
  /// only a factor that was never filled is refused), cancelled (before anything is enqueued),
  /// device.
  void enqueue_refine(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> x,
                      Workspace<T>& workspace, StreamHandle stream,
                      const RefineOptions& options = {});

  /// Returns the address of the last refinement's report on the device, for work on the stream. It
  /// stays the same while the refiner lives, also when it is moved. On the CPU the report is in
  /// ordinary memory.
  [[nodiscard]] const DeviceRefinement* report_address() const;
  /// Waits for all work on the stream and returns the report from the device. Throws Error(device)
  /// if that work failed.
  DeviceRefinement fetch_report(StreamHandle stream) const;

 private:
  Refiner(std::unique_ptr<numeric::RefinerImpl<T>> store, const Factor<T>& factor);
  void require_values(const DeviceValues<T>& value) const;
  void require_fit(const Factor<T>& factor, const MatrixView<const T>& b, const MatrixView<T>& x,
                   const Workspace<T>& workspace) const;
  std::unique_ptr<numeric::RefinerImpl<T>> store_;
  const numeric::Executor* executor_;
  std::shared_ptr<const Plan> plan_;
  bool has_values_ = false;
};

}  // namespace kauri
