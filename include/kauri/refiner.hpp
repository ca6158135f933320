// Refiner: refinement where a backend computes, for loops that factorise, solve and refine on the caller's stream or in a captured graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/refine.hpp"

namespace kauri {

namespace numeric {
template <Scalar T>
class RefinerImpl;
}

/// The rows of A for residuals and the vectors of a refinement, where a factor computes: made once for all values on a pattern. Stops by
/// the rules of refine(), with the same steps and the bits of its x; a device decides that by itself, so the host waits for nothing.
///
///     enqueue_refactorize(factor, value, 0, stream);      // all of this may be captured, and replayed with other numbers in value and b
///     factor.enqueue_solve(b, x, workspace, stream);
///     refiner.enqueue_values(value, stream);
///     refiner.enqueue_refine(factor, b, x, workspace, stream);
///
/// On the CPU DeviceMatrixView and DeviceValues are ordinary memory, the stream is null, and all is done when a call returns; solve()
/// stands for enqueue_solve(), which is for devices alone. Move-only; one moved from may be assigned to and destroyed, nothing else; works
/// on one refinement at a time, in one stream's order; outlives what was enqueued with it.
template <Scalar T>
class Refiner {
 public:
  /// For up to nrhs >= 1 right-hand sides at a time, of factors with this plan where this one lives. a: the pattern analysed, copied as far
  /// as it is needed. The only call that allocates: on a device one block, counted as refine()'s is in no backend's bytes. O(n + nnz).
  /// Throws Error: input (a bad pattern), usage (nrhs < 1; another pattern than the factor's), memory, and overflow (for more than 2^32 - 1
  /// entries on a device).
  static Refiner create(const Pattern& a, const Factor<T>& factor, Index nrhs);
  Refiner(Refiner&&) noexcept;
  Refiner& operator=(Refiner&&) noexcept;
  ~Refiner();

  /// Right-hand sides at a time.
  [[nodiscard]] Index nrhs() const;
  /// Of the memory where it computes, for A's rows and all vectors.
  [[nodiscard]] Offset bytes() const;

  /// The values of A that residuals are made of from here on, in the order of the pattern; copied. They need not be those factorised: with
  /// a factor of A + shift I, or of nearby values, refinement solves with A. What writes them has ended before. Throws Error(usage) for a
  /// wrong length.
  void set_values(const DeviceValues<T>& value);
  /// The same on the caller's stream, also a capturing one; `value` stays as it is until the work is done.
  void enqueue_values(const DeviceValues<T>& value, StreamHandle stream);

  /// Improves x, which came from factor.solve(b), or zeros, or any other guess; returns when that is done. What writes b, x and the values
  /// has ended before. b and x are of either layout, with columns or rows apart (ld); b is kept. Throws Error: usage (as Factor::solve();
  /// more columns than nrhs(); x overlaps b; no values were set; options out of range), cancelled (on a device before the work begins).
  Refinement refine(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace,
                    const RefineOptions& options = {});
  /// Enqueues the same on the caller's stream, and returns as Factor::enqueue_solve() does: also straight after enqueue_refactorize(), and
  /// where the stream is capturing. max_steps corrections are enqueued; those behind the last one needed do nothing when their turn comes.
  /// Where A was not positive definite, all of x is NaN, and the report says so. Throws Error(usage) as refine(), but that the factor's
  /// verdict need not be known, or good.
  void enqueue_refine(const Factor<T>& factor, DeviceMatrixView<const T> b, DeviceMatrixView<T> x, Workspace<T>& workspace,
                      StreamHandle stream, const RefineOptions& options = {});

  /// Where the report of the last refinement lies on the device, for the stream's own use; the same as long as the refiner lives (moved
  /// ones too). On the CPU ordinary memory.
  [[nodiscard]] const DeviceRefinement* report_address() const;
  /// Waits for all work on the stream, and tells the report that lies on the device. Throws Error(device) if that work failed.
  DeviceRefinement fetch_report(StreamHandle stream) const;

 private:
  Refiner(std::unique_ptr<numeric::RefinerImpl<T>> store, const Factor<T>& factor);
  void require_values(const DeviceValues<T>& value) const;
  void require_fit(const Factor<T>& factor, const MatrixView<const T>& b, const MatrixView<T>& x, const Workspace<T>& workspace) const;
  std::unique_ptr<numeric::RefinerImpl<T>> store_;
  const numeric::Executor* executor_;
  std::shared_ptr<const Plan> plan_;
  bool has_values_ = false;
};

}  // namespace kauri
